//! The rows of an engine, in either precision, and the queries that are put to them.

use crate::CoreError;
use crate::pages;
use crate::sq8::Sq8;

/// How rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Four bytes a component.
    F32,
    /// One byte a component.
    Sq8,
}

/// Queries in the precision of the rows, one after another.
pub(super) enum Queries {
    F32(Vec<f32>),
    Sq8 { values: Vec<i8>, norms: Vec<f64> },
}

impl Queries {
    /// How many there are when each has `dimension` components.
    pub(super) fn len(&self, dimension: usize) -> usize {
        match self {
            Self::F32(values) => values.len() / dimension,
            Self::Sq8 { norms, .. } => norms.len(),
        }
    }
}

#[derive(Debug)]
pub(super) enum Rows {
    F32(Vec<f32>),
    Sq8 { values: Vec<i8>, norms: Vec<f64> },
}

/// Why `vector` has no direction, if it has none.
pub(super) fn check(vector: &[f32]) -> Result<(), String> {
    if let Some(i) = vector.iter().position(|x| !x.is_finite()) {
        return Err(format!("{} at {i}", vector[i]));
    }
    // The same bound as for the scale of a quantised vector, so that both precisions refuse the same rows.
    let largest = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    if (largest / 127.0).is_normal() { Ok(()) } else { Err("a vector of zeros".to_owned()) }
}

fn unit(vector: &[f32]) -> impl Iterator<Item = f32> {
    let norm = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    vector.iter().map(move |&x| (f64::from(x) / norm) as f32)
}

impl Rows {
    pub(super) fn new(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32(Vec::new()),
            Precision::Sq8 => Self::Sq8 { values: Vec::new(), norms: Vec::new() },
        }
    }

    pub(super) fn precision(&self) -> Precision {
        match self {
            Self::F32(_) => Precision::F32,
            Self::Sq8 { .. } => Precision::Sq8,
        }
    }

    /// `vectors` of `dimension` components, each with a direction, as queries to these rows.
    pub(super) fn queries(&self, vectors: &[f32], dimension: usize) -> Result<Queries, CoreError> {
        let vectors = vectors.chunks_exact(dimension);
        match self {
            Self::F32(_) => Ok(Queries::F32(vectors.flat_map(unit).collect())),
            Self::Sq8 { .. } => {
                let (mut values, mut norms) = (Vec::new(), Vec::new());
                for vector in vectors {
                    let quantized = Sq8::quantize(vector)?;
                    norms.push(quantized.norm());
                    values.extend_from_slice(&quantized.values);
                }
                Ok(Queries::Sq8 { values, norms })
            }
        }
    }

    /// Makes room for `count` more rows.
    pub(super) fn reserve(&mut self, count: usize, dimension: usize) {
        match self {
            Self::F32(values) => reserve(values, count * dimension),
            Self::Sq8 { values, norms } => {
                reserve(values, count * dimension);
                reserve(norms, count);
            }
        }
    }

    pub(super) fn push(&mut self, vector: &[f32]) -> Result<(), CoreError> {
        match self {
            Self::F32(values) => values.extend(unit(vector)),
            Self::Sq8 { values, norms } => {
                let quantized = Sq8::quantize(vector)?;
                norms.push(quantized.norm());
                values.extend_from_slice(&quantized.values);
            }
        }
        Ok(())
    }

    /// Adds a row of bytes, or puts it in the place of row `at`; nothing where rows are kept otherwise.
    pub(super) fn set_bytes(&mut self, at: Option<usize>, row: &Sq8) {
        let Self::Sq8 { values, norms } = self else { return };
        match at {
            None => {
                norms.push(row.norm());
                values.extend_from_slice(&row.values);
            }
            Some(at) => {
                norms[at] = row.norm();
                values[at * row.values.len()..][..row.values.len()].copy_from_slice(&row.values);
            }
        }
    }

    pub(super) fn replace(&mut self, at: usize, vector: &[f32]) -> Result<(), CoreError> {
        let range = at * vector.len()..(at + 1) * vector.len();
        match self {
            Self::F32(values) => values[range].iter_mut().zip(unit(vector)).for_each(|(old, new)| *old = new),
            Self::Sq8 { values, norms } => {
                let quantized = Sq8::quantize(vector)?;
                norms[at] = quantized.norm();
                values[range].copy_from_slice(&quantized.values);
            }
        }
        Ok(())
    }

    /// Puts the last row in the place of row `at`.
    pub(super) fn swap_remove(&mut self, at: usize, dimension: usize) {
        match self {
            Self::F32(values) => swap_remove_row(values, at, dimension),
            Self::Sq8 { values, norms } => {
                swap_remove_row(values, at, dimension);
                norms.swap_remove(at);
            }
        }
    }

    pub(super) fn unit_row(&self, at: usize, dimension: usize, out: &mut Vec<f32>) {
        let range = at * dimension..(at + 1) * dimension;
        match self {
            Self::F32(values) => out.extend_from_slice(&values[range]),
            Self::Sq8 { values, norms } => out.extend(values[range].iter().map(|&q| (f64::from(q) / norms[at]) as f32)),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::F32(values) => values.capacity() * size_of::<f32>(),
            Self::Sq8 { values, norms } => values.capacity() + norms.capacity() * size_of::<f64>(),
        }
    }
}

/// Room for `count` more; where there is none an eighth is added, not as much again: the rows are most of an index.
fn reserve<T>(values: &mut Vec<T>, count: usize) {
    if values.capacity() - values.len() < count {
        values.reserve_exact(count.max(values.len() / 8));
        pages::advise(values);
    }
}

fn swap_remove_row<T: Copy>(values: &mut Vec<T>, at: usize, dimension: usize) {
    let last = values.len() - dimension;
    values.copy_within(last.., at * dimension);
    values.truncate(last);
}
