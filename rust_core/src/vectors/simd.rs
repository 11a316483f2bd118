//! The fastest dot products that this processor has, chosen once at run time.
//!
//! Four levels, each a table of three functions over a block of rows: `scalar` (the reference), `portable` (the `wide`
//! crate: SSE2, NEON), `avx2` (with FMA) and `avx512` (with VNNI). The environment variable `MEMCORE_SIMD` names the
//! highest level to use; it can lower what was detected, never raise it, and any other text changes nothing.
//!
//! Integer dot products are exact, so they are the same at every level. Those of f32 are summed in another order at each
//! level and differ in the last digits; at one level a row has the same product wherever it stands.

pub mod compiled;
mod mixed;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

use super::scalar;

pub use mixed::mixed_dots;

/// The most components a vector may have: an integer dot product then fits an i32 at every level.
pub const MOST_COMPONENTS: usize = 65_536;

type F32Dots = fn(rows: &[f32], query: &[f32], out: &mut [f32]);
type I8Dots = fn(rows: &[i8], query: &[i8], out: &mut [i32]);
type I8Batch = fn(rows: &[i8], queries: &[i8], count: usize, out: &mut [i32]);

/// One level: how it is named and how it multiplies.
#[derive(Debug)]
pub struct Kernels {
    /// As `MEMCORE_SIMD` names it.
    pub level: &'static str,
    f32_dots: F32Dots,
    i8_dots: I8Dots,
    i8_batch: I8Batch,
}

const SCALAR: Kernels = Kernels {
    level: "scalar",
    f32_dots: scalar::f32_dots,
    i8_dots: scalar::i8_dots,
    i8_batch: |rows, queries, count, out| each_query(scalar::i8_dots, rows, queries, count, out),
};
const PORTABLE: Kernels = Kernels {
    level: "portable",
    f32_dots: portable::f32_dots,
    i8_dots: portable::i8_dots,
    i8_batch: |rows, queries, count, out| each_query(portable::i8_dots, rows, queries, count, out),
};

impl Kernels {
    /// `out[i]` = the dot product of the i-th row of `rows` with `query`.
    ///
    /// # Panics
    /// When `rows` is not `out.len()` rows of `query.len()`.
    pub fn f32_dots(&self, rows: &[f32], query: &[f32], out: &mut [f32]) {
        assert_eq!(rows.len(), query.len() * out.len(), "rows, query and out do not fit");
        (self.f32_dots)(rows, query, out);
    }

    /// The same for integers in −127..=127.
    ///
    /// # Panics
    /// When `rows` is not `out.len()` rows of `query.len()`, or there are more than [`MOST_COMPONENTS`].
    pub fn i8_dots(&self, rows: &[i8], query: &[i8], out: &mut [i32]) {
        assert_eq!(rows.len(), query.len() * out.len(), "rows, query and out do not fit");
        assert!(query.len() <= MOST_COMPONENTS, "an i32 does not hold the sum");
        (self.i8_dots)(rows, query, out);
    }

    /// The same for `count` queries, one after another in `queries`: `out` has the products of the first one with every
    /// row, then those of the second one, and so on.
    ///
    /// # Panics
    /// When `queries` is not `count` (≥ 1) of one length up to [`MOST_COMPONENTS`], or `out` not one number for each row
    /// of `rows` and query.
    pub fn i8_batch(&self, rows: &[i8], queries: &[i8], count: usize, out: &mut [i32]) {
        assert!(count > 0 && queries.len().is_multiple_of(count), "queries are not of one length");
        assert_eq!(rows.len() * count, queries.len() / count * out.len(), "rows, queries and out do not fit");
        assert!(queries.len() / count <= MOST_COMPONENTS, "an i32 does not hold the sum");
        if !out.is_empty() {
            (self.i8_batch)(rows, queries, count, out);
        }
    }
}

/// A batch as one query after the other, which is the fastest way where a row costs more than its load.
fn each_query(dots: I8Dots, rows: &[i8], queries: &[i8], count: usize, out: &mut [i32]) {
    let pairs = queries.chunks_exact(queries.len() / count).zip(out.chunks_exact_mut(out.len() / count));
    pairs.for_each(|(query, out)| dots(rows, query, out));
}

/// The levels that this processor can run, lowest first.
pub fn levels() -> Vec<Kernels> {
    #[allow(unused_mut, reason = "only x86-64 has more than two")]
    let mut levels = vec![SCALAR, PORTABLE];
    #[cfg(target_arch = "x86_64")]
    levels.extend(x86::levels());
    levels
}

/// The level in use.
pub fn kernels() -> &'static Kernels {
    static CHOSEN: OnceLock<Kernels> = OnceLock::new();
    CHOSEN.get_or_init(|| choose(levels(), std::env::var("MEMCORE_SIMD").ok().as_deref()))
}

fn choose(mut detected: Vec<Kernels>, wanted: Option<&str>) -> Kernels {
    if let Some(at) = detected.iter().position(|kernels| Some(kernels.level) == wanted) {
        detected.truncate(at + 1);
    }
    detected.pop().unwrap_or(SCALAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LENGTHS: [usize; 3] = [384, 512, 1023];

    fn numbers(seed: u64, count: usize) -> Vec<i8> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % 255) as i64 - 127
        };
        (0..count).map(|_| next() as i8).collect()
    }

    fn as_floats(values: &[i8]) -> Vec<f32> {
        values.iter().map(|&x| f32::from(x) / 127.0).collect()
    }

    #[test]
    fn every_level_has_the_integer_products_of_the_reference_at_every_length() {
        for length in (1..=70).chain(LENGTHS) {
            let (rows, query) = (numbers(1, 5 * length), numbers(2, length));
            let mut exact = [0; 5];
            scalar::i8_dots(&rows, &query, &mut exact);
            for kernels in levels() {
                let mut found = [0; 5];
                kernels.i8_dots(&rows, &query, &mut found);
                assert_eq!(found, exact, "{} at {length}", kernels.level);
            }
        }
    }

    #[test]
    fn a_batch_has_the_integer_products_of_each_of_its_queries() {
        for length in [1, 31, 63, 64, 65, 127, 384] {
            for (height, count) in (0..10).flat_map(|height| (1..10).map(move |count| (height, count))) {
                let (rows, queries) = (numbers(5, height * length), numbers(6, count * length));
                let mut exact = vec![0; height * count];
                for (i, query) in queries.chunks_exact(length).enumerate() {
                    scalar::i8_dots(&rows, query, &mut exact[i * height..(i + 1) * height]);
                }
                for kernels in levels() {
                    let mut found = vec![0; height * count];
                    kernels.i8_batch(&rows, &queries, count, &mut found);
                    assert_eq!(found, exact, "{} at {length}, {height} by {count}", kernels.level);
                }
            }
        }
    }

    #[test]
    fn every_level_is_close_to_the_reference_at_every_length() {
        for length in (1..=70).chain(LENGTHS) {
            let (rows, query) = (as_floats(&numbers(3, 5 * length)), as_floats(&numbers(4, length)));
            let mut exact = [0.0; 5];
            scalar::f32_dots(&rows, &query, &mut exact);
            for kernels in levels() {
                let mut found = [0.0; 5];
                kernels.f32_dots(&rows, &query, &mut found);
                for (x, y) in found.iter().zip(exact) {
                    assert!((x - y).abs() <= 1e-6 * length as f32, "{} at {length}: {x} {y}", kernels.level);
                }
            }
        }
    }

    #[test]
    fn the_extremes_do_not_overflow_at_the_most_components() {
        let (row, query) = (vec![127i8; MOST_COMPONENTS], vec![-127i8; MOST_COMPONENTS]);
        for kernels in levels() {
            for (query, sign) in [(&query, -1), (&row, 1)] {
                let mut found = [0];
                kernels.i8_dots(&row, query, &mut found);
                assert_eq!(found[0], sign * 127 * 127 * MOST_COMPONENTS as i32, "{}", kernels.level);
                let mut batch = [0; 16];
                kernels.i8_batch(&row.repeat(4), &query.repeat(4), 4, &mut batch);
                assert_eq!(batch, [found[0]; 16], "{}", kernels.level);
            }
        }
    }

    #[test]
    fn the_variable_lowers_the_level_and_never_raises_it() {
        assert_eq!(choose(levels(), Some("scalar")).level, "scalar");
        assert_eq!(choose(vec![SCALAR, PORTABLE], Some("avx512")).level, "portable");
        assert_eq!(choose(vec![SCALAR, PORTABLE], Some("")).level, "portable");
        assert_eq!(choose(vec![SCALAR, PORTABLE], None).level, "portable");
    }

    proptest! {
        #[test]
        fn a_row_has_the_same_product_wherever_it_stands(
            row in prop::collection::vec(-1f32..1.0, 1..130), before in 0usize..4
        ) {
            let query: Vec<f32> = row.iter().rev().copied().collect();
            for kernels in levels() {
                let (mut alone, mut among) = ([0.0], vec![0.0; before + 1]);
                kernels.f32_dots(&row, &query, &mut alone);
                let rows: Vec<f32> = query.iter().cycle().take(before * row.len()).chain(&row).copied().collect();
                kernels.f32_dots(&rows, &query, &mut among);
                prop_assert_eq!(among[before].to_bits(), alone[0].to_bits());
            }
        }
    }
}
