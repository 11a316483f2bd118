//! Dot products of f32 rows with an f64 vector, in f64 and the same to the last bit at every level.
//!
//! A row is read as it lies, without a copy in f64, so that the memory is the limit; no product is fused and the sums
//! stand in one fixed order, sixteen side by side.

use super::compiled::{Lanes, Target, Work, ask_ahead};

const SIDE_BY_SIDE: usize = 16;

/// `out[i]` = the dot product of the i-th row of `rows` with `query`, which is finite just where the row is, as long as
/// `query` is no greater than a float32.
///
/// # Panics
/// When `rows` is not `out.len()` rows of `query.len()`.
pub fn mixed_dots(rows: &[f32], query: &[f64], out: &mut [f64]) {
    assert_eq!(rows.len(), query.len() * out.len(), "rows, query and out do not fit");
    if query.is_empty() {
        out.fill(0.0);
        return;
    }
    Target::chosen().run(MixedDots { rows, query, out });
}

struct MixedDots<'a> {
    rows: &'a [f32],
    query: &'a [f64],
    out: &'a mut [f64],
}

impl Work for MixedDots<'_> {
    type Found = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (row, dot) in self.rows.chunks_exact(self.query.len()).zip(self.out) {
            *dot = mixed_dot::<L>(row, self.query);
        }
    }
}

#[inline(always)]
fn mixed_dot<L: Lanes>(row: &[f32], query: &[f64]) -> f64 {
    let (chunks, row_rest) = row.as_chunks::<SIDE_BY_SIDE>();
    let (queries, query_rest) = query.as_chunks::<SIDE_BY_SIDE>();
    let registers = SIDE_BY_SIDE / L::COUNT;
    let mut parts = [L::splat(0.0); SIDE_BY_SIDE / 2];
    for (x, y) in chunks.iter().zip(queries) {
        ask_ahead(x);
        let pairs = L::narrow_chunks(x).iter().zip(L::chunks(y));
        for (part, (x, y)) in parts.iter_mut().take(registers).zip(pairs) {
            *part = part.plus(L::widened(x).times(L::load(y)));
        }
    }
    let mut sums = [0.0; SIDE_BY_SIDE];
    for (to, part) in L::chunks_mut(&mut sums).iter_mut().zip(parts) {
        part.store(to);
    }
    for (i, (x, y)) in row_rest.iter().zip(query_rest).enumerate() {
        sums[i] += f64::from(*x) * y;
    }
    for width in [8, 4, 2, 1] {
        for i in 0..width {
            sums[i] += sums[i + width];
        }
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_level_has_the_same_bits_and_they_are_those_of_the_definition_but_for_rounding(
            row in prop::collection::vec(-1f32..1.0, 1..130), scale in -30..30_i32,
        ) {
            let query: Vec<f64> = row.iter().rev().map(|x| f64::from(*x) * 2f64.powi(scale) / 3.0).collect();
            let rows: Vec<f32> = row.iter().chain(&row).copied().collect();
            let plain: f64 = row.iter().zip(&query).map(|(x, y)| f64::from(*x) * y).sum();
            let most: f64 = row.iter().zip(&query).map(|(x, y)| (f64::from(*x) * y).abs()).sum();
            let mut chosen = [0.0; 2];
            mixed_dots(&rows, &query, &mut chosen);
            for target in Target::all() {
                let mut found = [0.0; 2];
                target.run(MixedDots { rows: &rows, query: &query, out: &mut found });
                prop_assert_eq!(found.map(f64::to_bits), chosen.map(f64::to_bits));
                prop_assert_eq!(found[0].to_bits(), found[1].to_bits());
                prop_assert!((found[0] - plain).abs() <= 1e-14 * most);
            }
        }
    }

    #[test]
    fn what_is_not_finite_shows_in_the_product_and_the_greatest_numbers_do_not() {
        let query = [0.0, f64::from(f32::MAX), -1.0];
        for (row, finite) in [([f32::MAX; 3], true), ([f32::NAN, 0.0, 0.0], false), ([f32::INFINITY, 0.0, 0.0], false)]
        {
            let mut found = [0.0];
            mixed_dots(&row, &query, &mut found);
            assert_eq!(found[0].is_finite(), finite);
        }
        mixed_dots(&[], &[], &mut [1.0; 2]);
    }
}
