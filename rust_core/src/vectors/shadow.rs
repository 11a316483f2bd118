//! A byte a component beside exact rows: of most rows it shows that they are not among the nearest.
//!
//! Let q be the direction of the bytes of a row v, and ρ = √(1 − ⟨v, q⟩²) how far v lies from it; the same of the query.
//! Angles obey the triangle inequality, so the cosine of v and the query differs from that of their bytes by no more
//! than ρ + ρ' + ρ·ρ' and what the two lose in length, (1 − ⟨v, q⟩) + (1 − ⟨v', q'⟩). The k-th best of the least that
//! rows can have is a floor: a row that could not reach it is not read. The others are compared as if there was no
//! shadow, so the answer is the same to the bit. O(rows·dimension) bytes and some tens of rows, instead of four times
//! as many bytes.

use super::rows::{Precision, Queries, Rows};
use super::scan::Scan;
use crate::CoreError;
use crate::ids::IdSet;
use crate::sq8::Sq8;
use crate::topk::TopK;

/// What sums of products in f32 may be off by, on both sides of a comparison, with much to spare.
const ROUNDING: f32 = 5e-5;
/// Rows below which it is not worth its while.
pub(super) const FEWEST: usize = if cfg!(test) { 16 } else { 2_048 };

/// The bytes of all rows and how far each row lies from its own.
#[derive(Debug)]
pub(super) struct Shadow {
    rows: Rows,
    distances: Vec<f32>,
}

/// A query in bytes, and how far it lies from them.
pub(super) struct Asked {
    queries: Queries,
    distance: f32,
}

/// By how much the cosine with the bytes of a vector may differ from that with the vector itself: ρ + (1 − ⟨v, q⟩).
fn distance(vector: &[f32]) -> Result<f32, CoreError> {
    let quantized = Sq8::quantize(vector)?;
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let along = vector.iter().zip(&quantized.values).map(|(&x, &q)| f64::from(x) * f64::from(q)).sum::<f64>();
    let cosine = (along / (length * quantized.norm())).min(1.0);
    Ok(((1.0 - cosine * cosine).max(0.0).sqrt() + (1.0 - cosine)) as f32)
}

impl Shadow {
    pub(super) fn new() -> Self {
        Self { rows: Rows::new(Precision::Sq8), distances: Vec::new() }
    }

    pub(super) fn reserve(&mut self, count: usize, dimension: usize) {
        self.rows.reserve(count, dimension);
        self.distances.reserve(count);
    }

    pub(super) fn push(&mut self, vector: &[f32]) -> Result<(), CoreError> {
        self.distances.push(distance(vector)?);
        self.rows.push(vector)
    }

    pub(super) fn replace(&mut self, at: usize, vector: &[f32]) -> Result<(), CoreError> {
        self.distances[at] = distance(vector)?;
        self.rows.replace(at, vector)
    }

    pub(super) fn swap_remove(&mut self, at: usize, dimension: usize) {
        self.rows.swap_remove(at, dimension);
        self.distances.swap_remove(at);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.memory_bytes() + self.distances.capacity() * size_of::<f32>()
    }

    /// One query in bytes.
    pub(super) fn asked(&self, query: &[f32]) -> Result<Asked, CoreError> {
        Ok(Asked { queries: self.rows.queries(query, query.len())?, distance: distance(query)? })
    }

    /// The rows, ascending, among which the `k` nearest of those in `scope` are (None = all).
    pub(super) fn near(
        &self,
        ids: &[i64],
        dimension: usize,
        asked: &Asked,
        k: usize,
        scope: Option<&IdSet>,
    ) -> Vec<usize> {
        let cosines = Scan { rows: &self.rows, ids, dimension, queries: &asked.queries }.cosines();
        // ρ + ρ' + ρ·ρ' for a row; the product is at most ρ' times 1.
        let reach = |row: usize| self.distances[row] * (1.0 + asked.distance) + asked.distance + ROUNDING;
        let is_asked = |row: usize| scope.is_none_or(|scope| scope.contains(ids[row]));
        let mut least = TopK::new(k);
        for (row, &cosine) in cosines.iter().enumerate() {
            if f64::from(cosine - self.distances[row]) >= least.floor() && is_asked(row) {
                least.offer(f64::from(cosine - reach(row)), row as i64);
            }
        }
        let floor = least.into_sorted().get(k - 1).map_or(f32::NEG_INFINITY, |(floor, _)| *floor as f32);
        (0..cosines.len()).filter(|&row| cosines[row] + reach(row) >= floor && is_asked(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::IntentEngine;
    use super::*;

    /// The k nearest by reading every exact row.
    fn plain(engine: &IntentEngine, query: &[f32], k: usize, allowed: Option<&[i64]>) -> Vec<(i64, f32)> {
        let mut all: Vec<(i64, f32)> = engine.ids().into_iter().zip(engine.cosines(query).unwrap()).collect();
        all.retain(|(id, _)| allowed.is_none_or(|ids| ids.contains(id)));
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(k);
        all
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_reading_every_row(
            seed in 0u64..1_000, rows in 1usize..300, dimension in 1usize..70, k in 1usize..20, near in any::<bool>(),
            removed in proptest::collection::vec(0i64..300, 0..9)
        ) {
            let mut state = seed.wrapping_mul(2) + 1;
            let mut number = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / 8_388_608.0 - 1.0
            };
            let centre: Vec<f32> = (0..dimension).map(|_| number() + 0.01).collect();
            let mut engine = IntentEngine::new(dimension, Precision::F32).unwrap();
            for id in 0..rows as i64 {
                let scale = if near { 1e-3 } else { 1.0 };
                let vector: Vec<f32> =
                    centre.iter().map(|x| if near { *x } else { 0.0 } + scale * (number() + 1e-3)).collect();
                engine.add(&[id], &vector).unwrap();
            }
            engine.remove(&removed).unwrap();
            let allowed: Vec<i64> = (0..rows as i64).filter(|id| id % 3 != 1).collect();
            for allowed in [None, Some(&allowed[..])] {
                let found = engine.search(&centre, k, allowed).unwrap();
                let found: Vec<(i64, f32)> = found.ids.into_iter().zip(found.cosines).collect();
                prop_assert_eq!(found, plain(&engine, &centre, k, allowed));
            }
        }
    }
}
