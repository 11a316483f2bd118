//! The updates of a factorisation in one passage over V an iteration.
//!
//! Rows go in blocks of eight. A block is multiplied with Hᵀ, its weights are updated, and while it is still in the
//! nearest cache it is added to WᵀV and WᵀW, which is all that the next update of H wants to know of V. Products are kept
//! in registers by three topics: K is k rounded up to threes, D is d rounded up to eights, and what is added stays 0.

mod topics;

use ndarray::{Array2, ArrayView2};

use super::Updates;
use crate::vectors::simd::compiled::{Lanes, Target, Work};
use topics::{gram_of_topics, topics_by_turns, topics_multiplied};

/// Rows in a block.
const ROWS: usize = 8;
/// Topics in a tile.
const TILE: usize = 3;
/// Columns in a step.
const STEP: usize = 8;
/// Steps in a wide tile.
const WIDE: usize = 4;
/// Rows in a tile: with three topics twelve sums, which the sixteen registers of AVX2 hold.
const ROWS_IN_TILE: usize = 4;

/// Both factors, after so many iterations.
///
/// `scale` is a power of two near the greatest value of V: the factors are those of |V|/scale, exactly.
pub fn factorise(
    target: Target,
    matrix: ArrayView2<'_, f32>,
    scale: f64,
    factors: (&Array2<f64>, &Array2<f64>),
    iterations: usize,
    updates: Updates,
) -> (Array2<f64>, Array2<f64>) {
    let mut state = State::new(matrix, 1.0 / scale, factors.0, factors.1);
    target.run(Iterations { state: &mut state, iterations, updates });
    state.factors()
}

struct State<'v> {
    matrix: ArrayView2<'v, f32>,
    inverse_scale: f64,
    /// As asked for.
    k: usize,
    /// K.
    topics: usize,
    /// D.
    columns: usize,
    /// A block is K × 8: the weights of eight rows on a topic stand side by side.
    w: Vec<f64>,
    /// K × D.
    h: Vec<f64>,
    /// WᵀV, K × D, of |V| as given.
    pulled: Vec<f64>,
    /// WᵀW, K × K.
    shared: Vec<f64>,
    /// The same for each of the eight places in a block, K × K × 8; only the half below the diagonal.
    shared_by_place: Vec<f64>,
    /// HHᵀ, K × K.
    gram: Vec<f64>,
    /// Eight rows of |V|, 8 × D.
    block: Vec<f64>,
    /// The block times Hᵀ, K × 8.
    dots: Vec<f64>,
}

impl<'v> State<'v> {
    fn new(matrix: ArrayView2<'v, f32>, inverse_scale: f64, w: &Array2<f64>, h: &Array2<f64>) -> Self {
        let (rows, k, d) = (w.nrows(), w.ncols(), h.ncols());
        let (topics, columns) = (k.next_multiple_of(TILE), d.next_multiple_of(STEP));
        let blocks = rows.div_ceil(ROWS);
        let mut state = Self {
            matrix,
            inverse_scale,
            k,
            topics,
            columns,
            w: vec![0.0; blocks * topics * ROWS],
            h: vec![0.0; topics * columns],
            pulled: vec![0.0; topics * columns],
            shared: vec![0.0; topics * topics],
            shared_by_place: vec![0.0; topics * topics * ROWS],
            gram: vec![0.0; topics * topics],
            block: vec![0.0; ROWS * columns],
            dots: vec![0.0; topics * ROWS],
        };
        for ((row, topic), weight) in w.indexed_iter() {
            state.w[(row / ROWS * topics + topic) * ROWS + row % ROWS] = *weight;
        }
        for ((topic, column), value) in h.indexed_iter() {
            state.h[topic * columns + column] = *value;
        }
        state
    }

    fn factors(&self) -> (Array2<f64>, Array2<f64>) {
        let (rows, d) = self.matrix.dim();
        let weight = |(row, topic): (usize, usize)| self.w[(row / ROWS * self.topics + topic) * ROWS + row % ROWS];
        let value = |(topic, column): (usize, usize)| self.h[topic * self.columns + column];
        (Array2::from_shape_fn((rows, self.k), weight), Array2::from_shape_fn((self.k, d), value))
    }
}

struct Iterations<'s, 'v> {
    state: &'s mut State<'v>,
    iterations: usize,
    updates: Updates,
}

impl Work for Iterations<'_, '_> {
    type Found = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { state, iterations, updates } = self;
        for iteration in 0..=iterations {
            if iteration > 0 {
                match updates {
                    Updates::Multiplicative => topics_multiplied::<L>(state),
                    Updates::Hals => topics_by_turns::<L>(state),
                }
                gram_of_topics::<L>(state);
            }
            let (is_first, is_last) = (iteration == 0, iteration == iterations);
            state.pulled.fill(0.0);
            state.shared_by_place.fill(0.0);
            for block in 0..state.w.len() / (state.topics * ROWS) {
                load(state, block);
                if !is_first {
                    block_times_topics::<L>(state);
                    match updates {
                        Updates::Multiplicative => weights_multiplied::<L>(state, block),
                        Updates::Hals => weights_by_turns::<L>(state, block),
                    }
                }
                if !is_last {
                    add_block::<L>(state, block);
                }
            }
        }
    }
}

/// Eight rows of |V| in f64; rows beyond the last are 0.
#[inline(always)]
fn load(state: &mut State<'_>, block: usize) {
    let d = state.matrix.ncols();
    for (offset, into) in state.block.chunks_exact_mut(state.columns).enumerate() {
        let row = block * ROWS + offset;
        if row >= state.matrix.nrows() {
            into.fill(0.0);
        } else if let Some(values) = state.matrix.row(row).to_slice() {
            into[..d].iter_mut().zip(values).for_each(|(to, from)| *to = f64::from(from.abs()));
        } else {
            into[..d].iter_mut().zip(state.matrix.row(row)).for_each(|(to, from)| *to = f64::from(from.abs()));
        }
    }
}

/// dots = block · Hᵀ, in the unit of the scale.
#[inline(always)]
fn block_times_topics<L: Lanes>(state: &mut State<'_>) {
    let columns = state.columns;
    let tiles = state.h.chunks_exact(TILE * columns).zip(state.dots.chunks_exact_mut(TILE * ROWS));
    for (topics, dots) in tiles {
        for (part, rows) in state.block.chunks_exact(ROWS_IN_TILE * columns).enumerate() {
            let found = tile_of_dots::<L>(rows, topics, columns);
            for topic in 0..TILE {
                for row in 0..ROWS_IN_TILE {
                    dots[topic * ROWS + part * ROWS_IN_TILE + row] = found[row][topic].sum() * state.inverse_scale;
                }
            }
        }
    }
}

/// Four rows with three topics.
#[inline(always)]
fn tile_of_dots<L: Lanes>(rows: &[f64], topics: &[f64], columns: usize) -> [[L; TILE]; ROWS_IN_TILE] {
    let steps = columns / L::COUNT;
    let rows: [&[L::Chunk]; ROWS_IN_TILE] =
        std::array::from_fn(|row| &L::chunks(&rows[row * columns..(row + 1) * columns])[..steps]);
    let topics: [&[L::Chunk]; TILE] =
        std::array::from_fn(|topic| &L::chunks(&topics[topic * columns..(topic + 1) * columns])[..steps]);
    let mut sums = [[L::splat(0.0); TILE]; ROWS_IN_TILE];
    for step in 0..steps {
        let topic: [L; TILE] = std::array::from_fn(|topic| L::load(&topics[topic][step]));
        for row in 0..ROWS_IN_TILE {
            let values = L::load(&rows[row][step]);
            for tile in 0..TILE {
                sums[row][tile] = sums[row][tile].plus_product(values, topic[tile]);
            }
        }
    }
    sums
}

/// w ← w ∘ dots / (w·HHᵀ), eight rows side by side.
#[inline(always)]
fn weights_multiplied<L: Lanes>(state: &mut State<'_>, block: usize) {
    let k = state.topics;
    let weights = state.w[block * k * ROWS..(block + 1) * k * ROWS].as_chunks_mut::<ROWS>().0;
    let dots = state.dots.as_chunks_mut::<ROWS>().0;
    for (dots, gram) in dots.iter_mut().zip(state.gram.chunks_exact(k)) {
        let given = times_gram::<L>(weights, gram);
        for row in 0..ROWS {
            dots[row] = factor(dots[row], given[row]);
        }
    }
    for (weights, factors) in weights.iter_mut().zip(dots) {
        for row in 0..ROWS {
            weights[row] *= factors[row];
        }
    }
}

/// Each weight in turn to its best, the others as they stand.
#[inline(always)]
fn weights_by_turns<L: Lanes>(state: &mut State<'_>, block: usize) {
    let k = state.topics;
    let weights = state.w[block * k * ROWS..(block + 1) * k * ROWS].as_chunks_mut::<ROWS>().0;
    let dots = state.dots.as_chunks::<ROWS>().0;
    for topic in 0..k {
        let curvature = state.gram[topic * k + topic];
        if curvature > f64::MIN_POSITIVE {
            let given = times_gram::<L>(weights, &state.gram[topic * k..(topic + 1) * k]);
            for row in 0..ROWS {
                weights[topic][row] = (weights[topic][row] + (dots[topic][row] - given[row]) / curvature).max(0.0);
            }
        }
    }
}

#[inline(always)]
fn times_gram<L: Lanes>(weights: &[[f64; ROWS]], gram: &[f64]) -> [f64; ROWS] {
    let mut given = [0.0; ROWS];
    for (part, given) in L::chunks_mut(&mut given).iter_mut().enumerate() {
        let mut total = L::splat(0.0);
        for (weights, share) in weights.iter().zip(gram) {
            total = total.plus_product(L::load(&L::chunks(weights)[part]), L::splat(*share));
        }
        total.store(given);
    }
    given
}

/// wanted / given. Where nothing is given the factor is 0 on one side already, and stays.
#[inline(always)]
fn factor(wanted: f64, given: f64) -> f64 {
    let quotient = wanted / given;
    if given > f64::MIN_POSITIVE { quotient } else { 1.0 }
}

/// pulled += wᵀ·block, shared += wᵀ·w.
#[inline(always)]
fn add_block<L: Lanes>(state: &mut State<'_>, block: usize) {
    let (k, columns) = (state.topics, state.columns);
    let weights = state.w[block * k * ROWS..(block + 1) * k * ROWS].as_chunks::<ROWS>().0;
    for topic in 0..k {
        for other in 0..=topic {
            let at = (topic * k + other) * ROWS;
            let sums = L::chunks_mut(&mut state.shared_by_place[at..at + ROWS]);
            let pairs = L::chunks(&weights[topic]).iter().zip(L::chunks(&weights[other]));
            for (sum, (x, y)) in sums.iter_mut().zip(pairs) {
                L::load(sum).plus_product(L::load(x), L::load(y)).store(sum);
            }
        }
    }
    for (tile, pulled) in state.pulled.chunks_exact_mut(TILE * columns).enumerate() {
        let weights = &weights[tile * TILE..(tile + 1) * TILE];
        let wide = WIDE * L::COUNT;
        let mut column = 0;
        while column + wide <= columns {
            add_tile::<L, WIDE>(weights, &state.block, pulled, columns, column);
            column += wide;
        }
        while column < columns {
            add_tile::<L, 1>(weights, &state.block, pulled, columns, column);
            column += L::COUNT;
        }
    }
}

/// Three topics and `STEPS` registers of columns.
#[allow(clippy::needless_range_loop, reason = "two arrays are walked across at once")]
#[inline(always)]
fn add_tile<L: Lanes, const STEPS: usize>(
    weights: &[[f64; ROWS]],
    block: &[f64],
    pulled: &mut [f64],
    columns: usize,
    column: usize,
) {
    let mut sums = [[L::splat(0.0); STEPS]; TILE];
    for row in 0..ROWS {
        let at = row * columns + column;
        let values = &L::chunks(&block[at..at + STEPS * L::COUNT])[..STEPS];
        for topic in 0..TILE {
            let weight = L::splat(weights[topic][row]);
            for step in 0..STEPS {
                sums[topic][step] = sums[topic][step].plus_product(L::load(&values[step]), weight);
            }
        }
    }
    for (topic, sums) in sums.iter().enumerate() {
        let at = topic * columns + column;
        for (into, sum) in L::chunks_mut(&mut pulled[at..at + STEPS * L::COUNT]).iter_mut().zip(sums) {
            L::load(into).plus(*sum).store(into);
        }
    }
}
