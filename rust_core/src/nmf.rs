//! Topics: non-negative matrix factorisation of |V|.
//!
//! ```text
//! minimise ‖V − W·H‖_F over W, H ≥ 0
//! multiplicative:  H ← H ∘ (WᵀV) / (WᵀWH),   W ← W ∘ (VHᵀ) / (WHHᵀ)
//! HALS:            h_j ← max(0, h_j + ((WᵀV)_j − (WᵀW)_j·H) / (WᵀW)_jj),   likewise the columns of W
//! ```
//!
//! Lee & Seung (2001), and hierarchical alternating least squares (Cichocki, Zdunek & Amari 2007); under both the error
//! never rises. Afterwards each row of H is scaled to length 1 and the column of W by its inverse: the product stays,
//! and a weight on a topic then has the unit of the data. One iteration costs O(m·d·k) and reads V once (`fused`), on
//! one thread; the start is drawn from the seed.

mod fused;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis, s};

use crate::CoreError;
use crate::matrix::{check_finite_rows, norm};
use crate::random::SplitMix64;
use crate::vectors::simd::compiled::Target;

/// Rows whose distance from the product is taken at once.
const ROWS_AT_ONCE: usize = 64;

/// How a factor is bettered while the other stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updates {
    /// All values at once, each by a factor that is never negative.
    Multiplicative,
    /// A topic at a time, to its best.
    Hals,
}

/// How to factorise, checked.
#[derive(Debug, Clone, Copy)]
pub struct NmfParams {
    k: usize,
    iterations: usize,
    seed: u64,
    updates: Updates,
}

impl NmfParams {
    /// `k` topics (at most one a row is used), so many updates of both factors, and the seed of the start.
    ///
    /// # Errors
    /// `k` or `iterations` of 0.
    pub fn new(k: usize, iterations: usize, seed: u64) -> Result<Self, CoreError> {
        for (field, value) in [("k", k), ("iterations", iterations)] {
            if value == 0 {
                return Err(CoreError::invalid(field, value, "give at least 1"));
            }
        }
        Ok(Self { k, iterations, seed, updates: Updates::Multiplicative })
    }

    /// The same with other updates.
    #[must_use]
    pub fn with_updates(self, updates: Updates) -> Self {
        Self { updates, ..self }
    }
}

/// A factorisation.
#[derive(Debug, Clone)]
pub struct Topics {
    /// (m, k): how much of each topic each row has.
    pub w: Array2<f64>,
    /// (k, d): the topics, each of length 1, or 0 where the data has no more.
    pub h: Array2<f64>,
    /// Updates made.
    pub iterations: usize,
    /// ‖V − WH‖_F.
    pub error: f64,
}

/// Factorises the absolute values of `matrix` (m, d) into min(k, m) topics.
///
/// # Errors
/// A matrix without rows or columns, with a value that is not finite, or with rows so long that a weight is no float32.
pub fn nmf(matrix: ArrayView2<'_, f32>, params: NmfParams) -> Result<Topics, CoreError> {
    nmf_at(Target::chosen(), matrix, params)
}

fn nmf_at(target: Target, matrix: ArrayView2<'_, f32>, params: NmfParams) -> Result<Topics, CoreError> {
    if matrix.is_empty() {
        let shape = format!("shape ({}, {})", matrix.nrows(), matrix.ncols());
        return Err(CoreError::invalid("matrix", shape, "give at least one row and one column"));
    }
    check_finite_rows("matrix", matrix)?;
    let largest = f64::from(matrix.iter().fold(0.0_f32, |most, value| most.max(value.abs())));
    let scale = if largest > 0.0 { power_of_two_below(largest) } else { 1.0 };
    let (w, h) = start(matrix, scale, params);
    let (w, mut h) = fused::factorise(target, matrix, scale, (&w, &h), params.iterations, params.updates);
    let mut w = w * scale;
    unit_topics(&mut w, &mut h);
    let error = distance(matrix, &w, &h);
    let w = in_reach(w, largest)?;
    Ok(Topics { w, h, iterations: params.iterations, error })
}

/// The greatest power of two that is at most a positive number, which is no subnormal f64.
fn power_of_two_below(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & f64::INFINITY.to_bits())
}

/// ‖|V| − WH‖_F.
fn distance(matrix: ArrayView2<'_, f32>, w: &Array2<f64>, h: &Array2<f64>) -> f64 {
    let mut product = Array2::zeros((ROWS_AT_ONCE.min(matrix.nrows()), matrix.ncols()));
    let mut squares = 0.0;
    for (rows, weights) in matrix.axis_chunks_iter(Axis(0), ROWS_AT_ONCE).zip(w.axis_chunks_iter(Axis(0), ROWS_AT_ONCE))
    {
        let mut product = product.slice_mut(s![..rows.nrows(), ..]);
        general_mat_mul(1.0, &weights, h, 0.0, &mut product);
        squares += rows.iter().zip(&product).map(|(v, of)| (f64::from(v.abs()) - of).powi(2)).sum::<f64>();
    }
    squares.sqrt()
}

/// The weights, each of which a float32 can hold. A weight has the size of its row's length, √d times its values.
fn in_reach(w: Array2<f64>, largest: f64) -> Result<Array2<f64>, CoreError> {
    let limit = f64::from(f32::MAX);
    match w.iter().copied().reduce(f64::max) {
        Some(most) if most > limit => {
            let given = format!("a weight of {most:e} (values up to {largest:e})");
            let hint = format!("give rows whose length is well within {limit:e}, the greatest float32");
            Err(CoreError::invalid("matrix", given, hint))
        }
        _ => Ok(w),
    }
}

/// Random factors whose product has the mean of |V|/scale.
fn start(matrix: ArrayView2<'_, f32>, scale: f64, params: NmfParams) -> (Array2<f64>, Array2<f64>) {
    let (m, d) = matrix.dim();
    let k = params.k.min(m);
    let total: f64 = matrix.outer_iter().map(|row| row.iter().map(|value| f64::from(value.abs())).sum::<f64>()).sum();
    let size = (total / scale / (m as f64 * d as f64) / k as f64).sqrt();
    let mut random = SplitMix64::new(params.seed);
    let w = Array2::from_shape_simple_fn((m, k), || 2.0 * size * random.next_unit());
    let h = Array2::from_shape_simple_fn((k, d), || 2.0 * size * random.next_unit());
    (w, h)
}

fn unit_topics(w: &mut Array2<f64>, h: &mut Array2<f64>) {
    for (mut topic, mut column) in h.outer_iter_mut().zip(w.columns_mut()) {
        let length = norm(topic.iter());
        if length > 0.0 {
            topic /= length;
            column *= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use proptest::prelude::*;

    use super::*;

    fn factorize(matrix: &Array2<f32>, k: usize, iterations: usize) -> Topics {
        nmf(matrix.view(), NmfParams::new(k, iterations, 42).unwrap()).unwrap()
    }

    fn any_matrix() -> impl Strategy<Value = Array2<f32>> {
        (1..7_usize, 1..9_usize).prop_flat_map(|(m, d)| {
            let values = prop::collection::vec(prop_oneof![1 => Just(0.0_f32), 4 => -10.0..10.0_f32], m * d);
            values.prop_map(move |values| Array2::from_shape_vec((m, d), values).unwrap())
        })
    }

    /// The updates as their definition has them, from the same start.
    fn plain(matrix: &Array2<f32>, params: NmfParams) -> (Array2<f64>, Array2<f64>) {
        let v = matrix.mapv(|x| f64::from(x.abs()));
        let (mut w, mut h) = start(matrix.view(), 1.0, params);
        let multiplied = |factor: &Array2<f64>, wanted: Array2<f64>, given: Array2<f64>| {
            let given_or_left =
                |(at, x): (_, &f64)| if given[at] > f64::MIN_POSITIVE { x * wanted[at] / given[at] } else { *x };
            Array2::from_shape_vec(factor.dim(), factor.indexed_iter().map(given_or_left).collect()).unwrap()
        };
        let by_turns = |factor: &mut Array2<f64>, wanted: Array2<f64>, square: Array2<f64>| {
            for topic in 0..factor.nrows() {
                if square[[topic, topic]] > f64::MIN_POSITIVE {
                    let step = (&wanted.row(topic) - &square.row(topic).dot(&*factor)) / square[[topic, topic]];
                    let bettered = (&factor.row(topic) + &step).mapv(|x| x.max(0.0));
                    factor.row_mut(topic).assign(&bettered);
                }
            }
        };
        for _ in 0..params.iterations {
            match params.updates {
                Updates::Multiplicative => {
                    h = multiplied(&h, w.t().dot(&v), w.t().dot(&w).dot(&h));
                    w = multiplied(&w, v.dot(&h.t()), w.dot(&h.dot(&h.t())));
                }
                Updates::Hals => {
                    by_turns(&mut h, w.t().dot(&v), w.t().dot(&w));
                    let mut turned = w.t().to_owned();
                    by_turns(&mut turned, h.dot(&v.t()), h.dot(&h.t()));
                    w = turned.t().to_owned();
                }
            }
        }
        unit_topics(&mut w, &mut h);
        (w, h)
    }

    proptest! {
        #[test]
        fn every_level_goes_the_way_of_the_definition(
            shape in (1..40_usize, 1..150_usize), k in 1..8_usize, seed in 0..1_000_u64, hals in any::<bool>(),
        ) {
            let mut random = SplitMix64::new(seed);
            let matrix = Array2::from_shape_simple_fn(shape, || random.next_unit() as f32 - 0.4);
            let updates = if hals { Updates::Hals } else { Updates::Multiplicative };
            // By turns, topics beyond the rank of the data are made of what rounding leaves over.
            let k = if hals { k.min(shape.0.min(shape.1) / 2).max(1) } else { k };
            let params = NmfParams::new(k, 4, seed).unwrap().with_updates(updates);
            let (w, h) = plain(&matrix, params);
            for target in Target::all() {
                let found = nmf_at(target, matrix.view(), params).unwrap();
                let wide = nmf_at(target, matrix.t().as_standard_layout().t(), params).unwrap();
                prop_assert_eq!(&found.w, &wide.w);
                for (one, two) in [(&found.w, &w), (&found.h, &h)] {
                    prop_assert!(one.iter().zip(two).all(|(x, y)| (x - y).abs() <= 1e-9), "{target:?}\n{one}\n{two}");
                }
            }
        }

        #[test]
        fn the_error_never_rises_and_the_factors_are_not_negative(
            matrix in any_matrix(), k in 1..6_usize, hals in any::<bool>(),
        ) {
            let updates = if hals { Updates::Hals } else { Updates::Multiplicative };
            let v = matrix.mapv(|x| f64::from(x.abs()));
            let length = norm(v.iter());
            let mut before = f64::INFINITY;
            for iterations in 1..12 {
                let params = NmfParams::new(k, iterations, 42).unwrap().with_updates(updates);
                let topics = nmf(matrix.view(), params).unwrap();
                prop_assert!(topics.error <= before + 1e-9 * length);
                prop_assert!(topics.w.iter().chain(&topics.h).all(|x| x.is_finite() && *x >= 0.0));
                prop_assert!((norm((&v - &topics.w.dot(&topics.h)).iter()) - topics.error).abs() <= 1e-9 * length);
                before = topics.error;
            }
        }

        #[test]
        fn the_scale_of_the_data_is_the_scale_of_w(matrix in any_matrix(), power in -40..40_i32) {
            let scaled = matrix.mapv(|x| x * 2_f32.powi(power));
            let (plain, scaled) = (factorize(&matrix, 3, 20), factorize(&scaled, 3, 20));
            prop_assert_eq!(&plain.h, &scaled.h);
            prop_assert_eq!(plain.w * 2_f64.powi(power), scaled.w);
        }
    }

    proptest! {
        #[test]
        fn finite_data_gives_finite_factors_in_float32_or_names_the_limit(
            matrix in any_matrix(), k in 1..4_usize, power in 100..128_i32,
        ) {
            let largest = matrix.iter().fold(0.0_f32, |most, value| most.max(value.abs())).max(1.0);
            let matrix = matrix.mapv(|x| x / largest * (2.0 - f32::EPSILON) * 2_f32.powi(power.min(127)));
            prop_assert!(matrix.iter().all(|x| x.is_finite()));
            let lengths = matrix.outer_iter().map(|row| norm(row.mapv(f64::from).iter()));
            let longest = lengths.fold(0.0_f64, f64::max);
            match nmf(matrix.view(), NmfParams::new(k, 30, 42).unwrap()) {
                Ok(topics) => {
                    prop_assert!(topics.w.iter().chain(&topics.h).all(|x| (*x as f32).is_finite()));
                    prop_assert!(topics.error.is_finite());
                },
                Err(error) => {
                    prop_assert!(longest > f64::from(f32::MAX) / 8.0, "{longest:e}: {error}");
                    prop_assert!(error.to_string().contains("greatest float32"));
                },
            }
        }
    }

    #[test]
    fn a_weight_beyond_float32_is_refused_and_the_greatest_within_it_is_not() {
        let one = NmfParams::new(1, 5, 42).unwrap();
        assert!(nmf(array![[f32::MAX, f32::MAX]].view(), one).unwrap_err().to_string().contains("matrix"));
        let topics = nmf(array![[f32::MAX / 2.0, f32::MAX / 2.0]].view(), one).unwrap();
        assert!((topics.w[[0, 0]] as f32).is_finite() && topics.error < 1e-9 * f64::from(f32::MAX));
        let tiny = nmf(array![[1e-45, f32::MAX / 2.0]].view(), one).unwrap();
        assert!((tiny.w[[0, 0]] as f32).is_finite());
    }

    #[test]
    fn data_of_two_topics_is_taken_apart() {
        let matrix = array![[1.0, 2.0, 0.0, 0.0], [2.0, 4.0, 0.0, 0.0], [0.0, 0.0, 3.0, -1.0], [0.0, 0.0, 6.0, 2.0]];
        let topics = factorize(&matrix, 2, 500);
        assert!(topics.error < 1e-6, "{}", topics.error);
        for topic in topics.h.outer_iter() {
            assert!((norm(topic.iter()) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn zero_data_and_too_many_topics_are_safe() {
        let topics = factorize(&Array2::zeros((3, 4)), 9, 5);
        assert_eq!((topics.w.dim(), topics.h.dim(), topics.error), ((3, 3), (3, 4), 0.0));
        let topics = factorize(&array![[0.0, 1.0], [0.0, 0.0]], 2, 50);
        assert!(topics.error < 1e-9 && topics.w.iter().chain(&topics.h).all(|x| x.is_finite()));
    }

    #[test]
    fn the_seed_decides() {
        let matrix = array![[1.0, 2.0, 3.0], [2.0, 1.0, 0.5], [0.0, 4.0, 1.0]];
        let of_seed = |seed| nmf(matrix.view(), NmfParams::new(2, 10, seed).unwrap()).unwrap().h;
        assert_eq!(of_seed(7), of_seed(7));
        assert_ne!(of_seed(7), of_seed(8));
    }

    #[test]
    fn empty_data_and_impossible_counts_are_refused() {
        assert!(NmfParams::new(0, 1, 0).is_err() && NmfParams::new(1, 0, 0).is_err());
        assert!(nmf(Array2::zeros((0, 3)).view(), NmfParams::new(1, 1, 0).unwrap()).is_err());
        assert!(nmf(array![[f32::NAN]].view(), NmfParams::new(1, 1, 0).unwrap()).is_err());
    }
}
