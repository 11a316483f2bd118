//! [`IntentEngine`]: unit vectors of one dimension, and the exact nearest of them by cosine.
//!
//! Rows lie one after another, as f32 or as one byte a component. A search multiplies the query with every row in the
//! scope: O(rows·dimension), in blocks by SIMD, on several threads once that pays; a batch of queries reads them once.
//! Rows do not influence each other and ties go to the lower id, so neither threads nor the order of insertion nor the
//! other queries change the answer.
//!
//! Exact rows have their bytes beside them, which show of most rows that they are not among the nearest: see [`shadow`].
//! With bytes alone the query is quantised as well. Its error is of the size of a row's (on 64 and more components of like
//! size, a few thousandths of cosine at most), and in return every product is an integer: the cosines are those of
//! [`crate::sq8::cosine`], to the bit, at every SIMD level.

mod rows;
pub mod scalar;
mod scan;
mod shadow;
pub mod simd;
mod stored;

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::CoreError;
use crate::ids::{IdMap, IdSet, check_ids};
use crate::sq8::Sq8;
use crate::topk::TopK;

pub use rows::Precision;
use rows::{Queries, Rows};
use scan::Scan;
use shadow::Shadow;

/// Blobs that one thread reads at least.
const FEWEST_BLOBS: usize = 512;

/// The rows that a search found, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearest {
    /// Their ids.
    pub ids: Vec<i64>,
    /// Their cosines with the query, −1..=1.
    pub cosines: Vec<f32>,
}

/// Unit vectors by id.
///
/// ```
/// use memcore_core::vectors::{IntentEngine, Precision};
///
/// let mut engine = IntentEngine::new(2, Precision::Sq8)?;
/// engine.add(&[7, 8], &[1.0, 0.0, 3.0, 3.0])?;
/// let found = engine.search(&[0.0, 2.0], 1, None)?;
/// assert_eq!(found.ids, [8]);
/// # Ok::<(), memcore_core::CoreError>(())
/// ```
#[derive(Debug)]
pub struct IntentEngine {
    dimension: usize,
    rows: Rows,
    /// Of exact rows.
    shadow: Option<Shadow>,
    /// The slot of an id is its row.
    ids: IdMap,
    /// Rows in ascending order of their ids, made when asked for; None where they stand in it.
    order: OnceLock<Option<Vec<u32>>>,
}

impl IntentEngine {
    /// An engine without rows.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for a dimension outside 1..=[`simd::MOST_COMPONENTS`].
    pub fn new(dimension: usize, precision: Precision) -> Result<Self, CoreError> {
        if dimension == 0 || dimension > simd::MOST_COMPONENTS {
            let hint = format!("give 1 to {}", simd::MOST_COMPONENTS);
            return Err(CoreError::invalid("dimension", dimension, hint));
        }
        let rows = Rows::new(precision);
        let shadow = (precision == Precision::F32).then(Shadow::new);
        Ok(Self { dimension, rows, shadow, ids: IdMap::default(), order: OnceLock::new() })
    }

    /// Adds `vectors` (row after row, of any length but 0) under `ids`; an id that is there gets the new one, the last
    /// of equal ids wins. All or nothing.
    ///
    /// # Errors
    /// [`CoreError::Dimension`] when `vectors` is not one row an id, [`CoreError::InvalidInput`] for a negative id or a
    /// row that is all zero or not finite, with its place.
    pub fn add(&mut self, ids: &[i64], vectors: &[f32]) -> Result<(), CoreError> {
        check_ids("ids", ids)?;
        if vectors.len() != ids.len() * self.dimension {
            let got = vectors.len().checked_div(ids.len()).unwrap_or(vectors.len());
            return Err(CoreError::Dimension { field: "vectors", expected: self.dimension, got });
        }
        for (row, vector) in vectors.chunks_exact(self.dimension).enumerate() {
            rows::check(vector).map_err(|reason| refused("vectors", &format!("row {row}: {reason}")))?;
        }
        let new = ids.iter().filter(|&&id| !self.contains(id)).count();
        self.rows.reserve(new, self.dimension);
        self.shadow.iter_mut().for_each(|shadow| shadow.reserve(new, self.dimension));
        for (&id, vector) in ids.iter().zip(vectors.chunks_exact(self.dimension)) {
            match self.ids.slot(id) {
                Some(row) => {
                    self.rows.replace(row as usize, vector)?;
                    self.shadow.iter_mut().try_for_each(|shadow| shadow.replace(row as usize, vector))?;
                }
                None => {
                    self.rows.push(vector)?;
                    self.shadow.iter_mut().try_for_each(|shadow| shadow.push(vector))?;
                    self.ids.intern(id)?;
                    self.order.take();
                }
            }
        }
        Ok(())
    }

    /// Adds the vectors of some blobs (see [`crate::sq8`]): the same as [`IntentEngine::add`] of what they stand for.
    ///
    /// # Errors
    /// As [`IntentEngine::add`]; [`CoreError::Corrupt`] for a damaged blob, with its place, [`CoreError::InvalidInput`]
    /// when the precision is f32.
    pub fn add_blobs(&mut self, ids: &[i64], blobs: &[&[u8]]) -> Result<(), CoreError> {
        check_ids("ids", ids)?;
        if self.precision() != Precision::Sq8 {
            return Err(CoreError::invalid("precision", "f32", "blobs are added to an engine of sq8"));
        }
        if blobs.len() != ids.len() {
            return Err(CoreError::Dimension { field: "blobs", expected: ids.len(), got: blobs.len() });
        }
        let rows = blobs.par_iter().with_min_len(FEWEST_BLOBS).enumerate().map(|(at, blob)| {
            let row = Sq8::again(blob).map_err(|error| match error {
                CoreError::Corrupt { what, reason } => {
                    CoreError::Corrupt { what, reason: format!("row {at}: {reason}") }
                }
                other @ (CoreError::InvalidInput { .. } | CoreError::Dimension { .. } | CoreError::Engine(_)) => other,
            })?;
            let (expected, got) = (self.dimension, row.values.len());
            if got == expected { Ok(row) } else { Err(CoreError::Dimension { field: "blobs", expected, got }) }
        });
        let rows: Vec<Sq8> = rows.collect::<Result<_, _>>()?;
        let new = ids.iter().filter(|&&id| !self.contains(id)).count();
        self.rows.reserve(new, self.dimension);
        for (&id, row) in ids.iter().zip(&rows) {
            let at = self.ids.slot(id);
            self.rows.set_bytes(at.map(|at| at as usize), row);
            if at.is_none() {
                self.ids.intern(id)?;
                self.order.take();
            }
        }
        Ok(())
    }

    /// Removes the rows of `ids`, and returns how many there were.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for a negative id.
    pub fn remove(&mut self, ids: &[i64]) -> Result<usize, CoreError> {
        check_ids("ids", ids)?;
        let before = self.ids.len();
        for &id in ids {
            if let Some(row) = self.ids.swap_release(id) {
                self.rows.swap_remove(row as usize, self.dimension);
                self.shadow.iter_mut().for_each(|shadow| shadow.swap_remove(row as usize, self.dimension));
                self.order.take();
            }
        }
        Ok(before - self.ids.len())
    }

    /// The `k` rows with the highest cosine among `allowed` (None = all), fewer where there are fewer.
    ///
    /// # Errors
    /// [`CoreError::Dimension`] for a query of another dimension, [`CoreError::InvalidInput`] when it is all zero or not
    /// finite, `k` is 0, or an allowed id is negative.
    pub fn search(&self, query: &[f32], k: usize, allowed: Option<&[i64]>) -> Result<Nearest, CoreError> {
        self.expect_dimension(query.len())?;
        Ok(self.search_batch(query, k, allowed)?.pop().unwrap_or_default())
    }

    /// What [`IntentEngine::search`] finds for each of `queries`, one after another; the rows are read once for many.
    ///
    /// # Errors
    /// As [`IntentEngine::search`].
    pub fn search_batch(&self, queries: &[f32], k: usize, allowed: Option<&[i64]>) -> Result<Vec<Nearest>, CoreError> {
        if k == 0 {
            return Err(CoreError::invalid("k", 0, "give 1 or more"));
        }
        let asked = self.queries(queries)?;
        let scan = self.scan(&asked);
        let found = match allowed {
            Some(ids) if ids.len() < self.ids.len() / 4 => scan.best(&self.runs(ids)?, k, None),
            _ => {
                let scope = allowed.map(|ids| IdSet::new("allowed", ids)).transpose()?;
                let near = self.near(queries, k, scope.as_ref())?;
                let runs = near.map_or_else(|| std::iter::once(0..self.ids.len()).collect(), |rows| in_runs(&rows));
                scan.best(&runs, k, scope.as_ref())
            }
        };
        let nearest = |best: TopK| {
            let (ids, cosines) = best.into_sorted().into_iter().map(|(cosine, id)| (id, cosine as f32)).unzip();
            Nearest { ids, cosines }
        };
        Ok(found.into_iter().map(nearest).collect())
    }

    /// Every id, ascending.
    pub fn ids(&self) -> Vec<i64> {
        let ids = self.ids.as_slice();
        self.order().map_or_else(|| ids.to_vec(), |order| order.iter().map(|&row| ids[row as usize]).collect())
    }

    /// The cosine of every row with `query`, in the order of [`IntentEngine::ids`].
    ///
    /// # Errors
    /// As [`IntentEngine::search`].
    pub fn cosines(&self, query: &[f32]) -> Result<Vec<f32>, CoreError> {
        self.expect_dimension(query.len())?;
        let cosines = self.scan(&self.queries(query)?).cosines();
        Ok(match self.order() {
            None => cosines,
            Some(order) => order.iter().map(|&row| cosines[row as usize]).collect(),
        })
    }

    /// The unit vectors of `ids`, row after row; what bytes kept of them when the precision is sq8.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for an id that has no row.
    pub fn vectors(&self, ids: &[i64]) -> Result<Vec<f32>, CoreError> {
        let mut vectors = Vec::with_capacity(ids.len() * self.dimension);
        for &id in ids {
            let missing = || CoreError::invalid("ids", id, "it has no vector here; ask for ids that were added");
            let row = self.ids.slot(id).ok_or_else(missing)?;
            self.rows.unit_row(row as usize, self.dimension, &mut vectors);
        }
        Ok(vectors)
    }

    /// Whether `id` has a row.
    pub fn contains(&self, id: i64) -> bool {
        self.ids.slot(id).is_some()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Components of a row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How rows are kept.
    pub fn precision(&self) -> Precision {
        self.rows.precision()
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes()
            + self.shadow.as_ref().map_or(0, Shadow::memory_bytes)
            + self.ids.memory_bytes()
            + self.order.get().and_then(Option::as_ref).map_or(0, |order| order.capacity() * size_of::<u32>())
    }

    fn expect_dimension(&self, got: usize) -> Result<(), CoreError> {
        let expected = self.dimension;
        if got == expected { Ok(()) } else { Err(CoreError::Dimension { field: "query", expected, got }) }
    }

    fn queries(&self, queries: &[f32]) -> Result<Queries, CoreError> {
        let vectors = queries.chunks_exact(self.dimension);
        if !vectors.remainder().is_empty() {
            self.expect_dimension(vectors.remainder().len())?;
        }
        for vector in vectors {
            rows::check(vector).map_err(|reason| refused("query", &reason))?;
        }
        self.rows.queries(queries, self.dimension)
    }

    fn scan<'a>(&'a self, queries: &'a Queries) -> Scan<'a> {
        Scan { rows: &self.rows, ids: self.ids.as_slice(), dimension: self.dimension, queries }
    }

    /// The rows of a scope much smaller than the engine, so that no other is looked at.
    fn runs(&self, allowed: &[i64]) -> Result<Vec<Range<usize>>, CoreError> {
        check_ids("allowed", allowed)?;
        let mut rows: Vec<usize> = allowed.iter().filter_map(|&id| self.ids.slot(id)).map(|row| row as usize).collect();
        rows.sort_unstable();
        rows.dedup();
        Ok(in_runs(&rows))
    }

    /// The rows that one query to exact rows has to be compared with; None for all.
    fn near(&self, query: &[f32], k: usize, scope: Option<&IdSet>) -> Result<Option<Vec<usize>>, CoreError> {
        let Some(shadow) = self.shadow.as_ref().filter(|_| query.len() == self.dimension) else { return Ok(None) };
        if self.ids.len() < shadow::FEWEST || k > self.ids.len() / 4 {
            return Ok(None);
        }
        Ok(Some(shadow.near(self.ids.as_slice(), self.dimension, &shadow.asked(query)?, k, scope)))
    }

    /// The rows in ascending order of their ids; None where they stand in it.
    fn order(&self) -> Option<&[u32]> {
        let made = self.order.get_or_init(|| {
            let ids = self.ids.as_slice();
            (!ids.is_sorted()).then(|| {
                let mut order: Vec<u32> = (0..ids.len() as u32).collect();
                order.sort_unstable_by_key(|&row| ids[row as usize]);
                order
            })
        });
        made.as_deref()
    }
}

/// Ascending rows as runs without gaps.
fn in_runs(rows: &[usize]) -> Vec<Range<usize>> {
    rows.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len()).collect()
}

fn refused(field: &'static str, reason: &str) -> CoreError {
    CoreError::invalid(field, reason, "give finite components, not all 0")
}

#[cfg(test)]
mod tests;
