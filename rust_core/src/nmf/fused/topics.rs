//! The update of H, from WᵀV and WᵀW, and HHᵀ after it.

use super::{ROWS, STEP, State, factor};
use crate::vectors::simd::compiled::Lanes;

/// Sums WᵀW over the places, both halves of it.
#[inline(always)]
fn sum_over_places<L: Lanes>(state: &mut State<'_>) {
    for (sum, places) in state.shared.iter_mut().zip(state.shared_by_place.as_chunks::<ROWS>().0) {
        *sum = L::chunks(places).iter().fold(L::splat(0.0), |sum, part| sum.plus(L::load(part))).sum();
    }
    mirror(&mut state.shared, state.topics);
}

/// Fills the half above the diagonal from the one below.
#[inline(always)]
fn mirror(square: &mut [f64], size: usize) {
    for row in 0..size {
        for column in 0..row {
            square[column * size + row] = square[row * size + column];
        }
    }
}

/// H ← H ∘ WᵀV / (WᵀW·H).
#[inline(always)]
pub(super) fn topics_multiplied<L: Lanes>(state: &mut State<'_>) {
    let (k, columns) = (state.topics, state.columns);
    sum_over_places::<L>(state);
    for column in (0..columns).step_by(STEP) {
        // `pulled` becomes the factor, then all topics of these columns are multiplied.
        for topic in 0..k {
            let given = times_shared::<L>(&state.h, &state.shared[topic * k..(topic + 1) * k], columns, column);
            for (wanted, given) in state.pulled[topic * columns + column..].iter_mut().zip(given) {
                *wanted = factor(*wanted * state.inverse_scale, given);
            }
        }
        for topic in 0..k {
            let at = topic * columns + column;
            for (value, factor) in state.h[at..at + STEP].iter_mut().zip(&state.pulled[at..at + STEP]) {
                *value *= factor;
            }
        }
    }
}

/// Each topic in turn to its best, the others as they stand.
#[inline(always)]
pub(super) fn topics_by_turns<L: Lanes>(state: &mut State<'_>) {
    let (k, columns) = (state.topics, state.columns);
    sum_over_places::<L>(state);
    for topic in 0..k {
        let curvature = state.shared[topic * k + topic];
        if curvature > f64::MIN_POSITIVE {
            for column in (0..columns).step_by(STEP) {
                let given = times_shared::<L>(&state.h, &state.shared[topic * k..(topic + 1) * k], columns, column);
                let at = topic * columns + column;
                let pulled = &state.pulled[at..at + STEP];
                for ((value, pulled), given) in state.h[at..at + STEP].iter_mut().zip(pulled).zip(given) {
                    *value = (*value + (pulled * state.inverse_scale - given) / curvature).max(0.0);
                }
            }
        }
    }
}

#[inline(always)]
fn times_shared<L: Lanes>(h: &[f64], shared: &[f64], columns: usize, column: usize) -> [f64; STEP] {
    let mut given = [0.0; STEP];
    for (part, given) in L::chunks_mut(&mut given).iter_mut().enumerate() {
        let mut total = L::splat(0.0);
        for (topic, share) in h.chunks_exact(columns).zip(shared) {
            total = total.plus_product(L::load(&L::chunks(&topic[column..column + STEP])[part]), L::splat(*share));
        }
        total.store(given);
    }
    given
}

/// gram = HHᵀ.
#[inline(always)]
pub(super) fn gram_of_topics<L: Lanes>(state: &mut State<'_>) {
    let (k, columns) = (state.topics, state.columns);
    for topic in 0..k {
        let one = L::chunks(&state.h[topic * columns..(topic + 1) * columns]);
        for other in 0..=topic {
            let two = L::chunks(&state.h[other * columns..(other + 1) * columns]);
            let pairs = one.iter().zip(two);
            let total = pairs.fold(L::splat(0.0), |total, (x, y)| total.plus_product(L::load(x), L::load(y)));
            state.gram[topic * k + other] = total.sum();
        }
    }
    mirror(&mut state.gram, k);
}
