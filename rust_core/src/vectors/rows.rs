//! The rows of an engine, in either precision, and their cosines with a query.

use rayon::prelude::*;

use super::simd::kernels;
use crate::CoreError;
use crate::sq8::{Sq8, cosine_from_dot};

/// Rows that one thread takes at a time.
const BLOCK: usize = 1024;
/// Bytes of rows below which one thread reads them (in about a millisecond): a second one saves less than it costs
/// where the machine is busy, since the search then waits for the later of the two.
const ALONE: usize = 1 << 24;

/// How rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Four bytes a component.
    F32,
    /// One byte a component.
    Sq8,
}

/// A query in the precision of the rows.
pub(super) enum Query {
    F32(Vec<f32>),
    Sq8 { values: Vec<i8>, norm: f64 },
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

    pub(super) fn query(&self, vector: &[f32]) -> Result<Query, CoreError> {
        match self {
            Self::F32(_) => Ok(Query::F32(unit(vector).collect())),
            Self::Sq8 { .. } => {
                let quantized = Sq8::quantize(vector)?;
                Ok(Query::Sq8 { norm: quantized.norm(), values: quantized.values })
            }
        }
    }

    /// Makes room for `count` more rows.
    pub(super) fn reserve(&mut self, count: usize, dimension: usize) {
        match self {
            Self::F32(values) => values.reserve(count * dimension),
            Self::Sq8 { values, norms } => {
                values.reserve(count * dimension);
                norms.reserve(count);
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

    /// The cosines of the rows `start..end` with `query`.
    pub(super) fn cosines(&self, query: &Query, start: usize, end: usize) -> Vec<f32> {
        match (self, query) {
            (Self::F32(values), Query::F32(query)) => {
                let rows = &values[start * query.len()..end * query.len()];
                in_blocks(rows, query.len(), |block, out| {
                    kernels().f32_dots(block, query, out);
                    out.iter_mut().for_each(|cosine| *cosine = cosine.clamp(-1.0, 1.0));
                })
            }
            (Self::Sq8 { values, norms }, Query::Sq8 { values: query, norm }) => {
                let rows = &values[start * query.len()..end * query.len()];
                let dots: Vec<i32> = in_blocks(rows, query.len(), |block, out| kernels().i8_dots(block, query, out));
                let norms = norms[start..end].iter();
                dots.iter().zip(norms).map(|(&dot, &row)| cosine_from_dot(i64::from(dot), row, *norm) as f32).collect()
            }
            // `query()` makes each query in the precision of its rows.
            (Self::F32(_), Query::Sq8 { .. }) | (Self::Sq8 { .. }, Query::F32(_)) => Vec::new(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::F32(values) => values.capacity() * size_of::<f32>(),
            Self::Sq8 { values, norms } => values.capacity() + norms.capacity() * size_of::<f64>(),
        }
    }
}

/// One number a row, by `dots` over blocks of rows, on several threads where that pays.
fn in_blocks<T: Sync, N: Copy + Default + Send>(
    rows: &[T],
    dimension: usize,
    dots: impl Fn(&[T], &mut [N]) + Sync,
) -> Vec<N> {
    let mut out = vec![N::default(); rows.len() / dimension];
    if size_of_val(rows) < ALONE {
        dots(rows, &mut out);
    } else {
        let blocks = rows.par_chunks(BLOCK * dimension).zip(out.par_chunks_mut(BLOCK));
        blocks.for_each(|(block, out)| dots(block, out));
    }
    out
}

fn swap_remove_row<T: Copy>(values: &mut Vec<T>, at: usize, dimension: usize) {
    let last = values.len() - dimension;
    values.copy_within(last.., at * dimension);
    values.truncate(last);
}
