//! Rows multiplied with queries, block by block.
//!
//! A block is read once for all queries of a batch; of its cosines those alone are looked at that lie in a part with one
//! as high as the worst that is kept. O(rows·dimension·queries), on several threads once that pays. Each thread keeps its
//! own best, and which of them are the best of all depends on no order.

use std::ops::Range;

use rayon::prelude::*;

use super::rows::{Queries, Rows};
use super::simd::kernels;
use crate::ids::IdSet;
use crate::sq8::cosine_from_dot;
use crate::topk::TopK;

/// Rows that are multiplied before their cosines are looked at: with one query, and with several, where a block that
/// stays in the cache is worth more than a long one.
const BLOCK: usize = 1024;
const BATCH_BLOCK: usize = 256;
/// Cosines that are passed over together.
const PART: usize = 64;
/// Queries that share one reading of the rows; their own components stay in the cache beside those of a block.
const BATCH: usize = 32;
/// Bytes of rows below which one thread reads them (in about a millisecond): a second one saves less than it costs
/// where the machine is busy, since the search then waits for the later of the two.
const ALONE: usize = 1 << 24;
/// A row that is in the cache is multiplied with this many queries in the time of its reading (3 to 5).
const AT_ONCE: usize = 4;
/// Parts of the work for each thread, so that one that is held up delays the answer little.
const SHARES: usize = 4;

/// Queries to the rows of an engine.
pub(super) struct Scan<'a> {
    pub rows: &'a Rows,
    pub ids: &'a [i64],
    pub dimension: usize,
    pub queries: &'a Queries,
}

/// What the rows of a block are multiplied into.
#[derive(Default)]
struct Products {
    floats: Vec<f32>,
    integers: Vec<i32>,
}

impl Scan<'_> {
    /// For each query the `k` best of the rows in `runs` whose ids are in `scope` (None = all).
    pub(super) fn best(&self, runs: &[Range<usize>], k: usize, scope: Option<&IdSet>) -> Vec<TopK> {
        let count = self.queries.len(self.dimension);
        (0..count).step_by(BATCH).flat_map(|at| self.batch(at..count.min(at + BATCH), runs, k, scope)).collect()
    }

    fn batch(&self, queries: Range<usize>, runs: &[Range<usize>], k: usize, scope: Option<&IdSet>) -> Vec<TopK> {
        let blocks = in_blocks(runs, if queries.len() == 1 { BLOCK } else { BATCH_BLOCK });
        let none = || vec![TopK::new(k); queries.len()];
        let read = |blocks: &[Range<usize>]| {
            let (mut best, mut products) = (none(), Products::default());
            blocks.iter().for_each(|block| self.read(queries.clone(), block.clone(), scope, &mut products, &mut best));
            best
        };
        let rows = runs.iter().map(Range::len).sum::<usize>();
        let parts = parts(rows * (self.row_bytes() + self.row_bytes() * (queries.len() - 1) / AT_ONCE));
        if parts == 1 {
            return read(&blocks);
        }
        let share = blocks.len().div_ceil(parts).max(1);
        blocks.par_chunks(share).map(read).reduce(none, |mut best, others| {
            best.iter_mut().zip(others).for_each(|(best, other)| best.merge(other));
            best
        })
    }

    /// Offers what there is in `block` to the best of each of `queries`.
    fn read(
        &self,
        queries: Range<usize>,
        block: Range<usize>,
        scope: Option<&IdSet>,
        products: &mut Products,
        best: &mut [TopK],
    ) {
        let ids = &self.ids[block.clone()];
        let offer = |best: &mut TopK, part: usize, cosines: &[f32]| {
            let floor = best.floor();
            for (&cosine, &id) in cosines.iter().zip(&ids[part * PART..]) {
                let cosine = f64::from(cosine);
                if cosine >= floor && scope.is_none_or(|scope| scope.contains(id)) {
                    best.offer(cosine, id);
                }
            }
        };
        let components = self.components(&block);
        let asked = queries.start * self.dimension..queries.end * self.dimension;
        match (self.rows, self.queries) {
            (Rows::F32(values), Queries::F32(queries)) => {
                products.floats.resize(block.len(), 0.0);
                for (query, best) in queries[asked].chunks_exact(self.dimension).zip(best) {
                    float_cosines(&values[components.clone()], query, &mut products.floats);
                    for (part, cosines) in products.floats.chunks(PART).enumerate() {
                        let floor = best.floor();
                        if cosines.iter().fold(false, |any, &cosine| any | (f64::from(cosine) >= floor)) {
                            offer(best, part, cosines);
                        }
                    }
                }
            }
            (Rows::Sq8 { values, norms }, Queries::Sq8 { values: asking, norms: lengths }) => {
                products.integers.resize(block.len() * queries.len(), 0);
                let dots = &mut products.integers[..];
                kernels().i8_batch(&values[components], &asking[asked], queries.len(), dots);
                let norms = &norms[block.clone()];
                for ((dots, &length), best) in dots.chunks_exact(block.len()).zip(&lengths[queries]).zip(best) {
                    for (part, (dots, norms)) in dots.chunks(PART).zip(norms.chunks(PART)).enumerate() {
                        if may_reach(best.floor(), dots, norms, length) {
                            let mut cosines = [0.0; PART];
                            let cosines = &mut cosines[..dots.len()];
                            integer_cosines(dots, norms, length, cosines);
                            offer(best, part, cosines);
                        }
                    }
                }
            }
            // `Rows::queries` makes each query in the precision of its rows.
            (Rows::F32(_), Queries::Sq8 { .. }) | (Rows::Sq8 { .. }, Queries::F32(_)) => {}
        }
    }

    /// The cosine of every row with the only query.
    pub(super) fn cosines(&self) -> Vec<f32> {
        let mut cosines = vec![0.0; self.ids.len()];
        let read = |(at, out): (usize, &mut [f32])| {
            let block = at * BLOCK..at * BLOCK + out.len();
            let components = self.components(&block);
            match (self.rows, self.queries) {
                (Rows::F32(values), Queries::F32(query)) => float_cosines(&values[components], query, out),
                (Rows::Sq8 { values, norms }, Queries::Sq8 { values: query, norms: lengths }) => {
                    let mut dots = [0; BLOCK];
                    let dots = &mut dots[..out.len()];
                    kernels().i8_dots(&values[components], query, dots);
                    integer_cosines(dots, &norms[block], lengths[0], out);
                }
                (Rows::F32(_), Queries::Sq8 { .. }) | (Rows::Sq8 { .. }, Queries::F32(_)) => {}
            }
        };
        if parts(self.ids.len() * self.row_bytes()) == 1 {
            cosines.chunks_mut(BLOCK).enumerate().for_each(read);
        } else {
            cosines.par_chunks_mut(BLOCK).enumerate().for_each(read);
        }
        cosines
    }

    fn components(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start * self.dimension..rows.end * self.dimension
    }

    fn row_bytes(&self) -> usize {
        match self.rows {
            Rows::F32(_) => self.dimension * size_of::<f32>(),
            Rows::Sq8 { .. } => self.dimension,
        }
    }
}

/// The rows of `runs` in runs of at most `most`.
fn in_blocks(runs: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let block = |run: &Range<usize>, at: usize| at..run.end.min(at + most);
    runs.iter().flat_map(|run| run.clone().step_by(most).map(move |at| block(run, at))).collect()
}

/// Into how many parts the work is divided that takes as long as the reading of so many bytes.
fn parts(bytes: usize) -> usize {
    let threads = rayon::current_num_threads();
    if threads == 1 || bytes < ALONE { 1 } else { threads * SHARES }
}

fn float_cosines(rows: &[f32], query: &[f32], out: &mut [f32]) {
    kernels().f32_dots(rows, query, out);
    out.iter_mut().for_each(|cosine| *cosine = cosine.clamp(-1.0, 1.0));
}

fn integer_cosines(dots: &[i32], norms: &[f64], length: f64, out: &mut [f32]) {
    for ((&dot, &norm), cosine) in dots.iter().zip(norms).zip(out) {
        *cosine = cosine_from_dot(i64::from(dot), norm, length) as f32;
    }
}

/// Whether one of the cosines may be `floor` or more. Without a division; a millionth allows for what that rounds
/// differently, since the cosine itself is rounded to 24 bits.
fn may_reach(floor: f64, dots: &[i32], norms: &[f64], length: f64) -> bool {
    let least = (floor - 1e-6) * length;
    dots.iter().zip(norms).fold(false, |any, (&dot, &norm)| any | (f64::from(dot) >= least * norm))
}
