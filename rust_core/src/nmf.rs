//! Topics: non-negative matrix factorisation of |V| by multiplicative updates.
//!
//! ```text
//! minimise ‖V − W·H‖_F over W, H ≥ 0
//! H ← H ∘ (WᵀV) / (WᵀWH),   W ← W ∘ (VHᵀ) / (WHHᵀ)
//! ```
//!
//! Lee & Seung (2001), under whose updates the error never rises. Afterwards each row of H is scaled to length 1 and
//! the column of W by its inverse: the product stays, and a weight on a topic then has the unit of the data.
//! One iteration costs O(m·d·k), on one thread; the start is drawn from the seed.

use ndarray::{Array2, ArrayView2, Zip};

use crate::CoreError;
use crate::matrix::{finite_rows, norm};
use crate::random::SplitMix64;

/// How to factorise, checked.
#[derive(Debug, Clone, Copy)]
pub struct NmfParams {
    k: usize,
    iterations: usize,
    seed: u64,
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
        Ok(Self { k, iterations, seed })
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
    if matrix.is_empty() {
        let shape = format!("shape ({}, {})", matrix.nrows(), matrix.ncols());
        return Err(CoreError::invalid("matrix", shape, "give at least one row and one column"));
    }
    let mut v = finite_rows("matrix", matrix)?.mapv_into(f64::abs);
    let largest = v.iter().fold(0.0_f64, |most, value| most.max(*value));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    v /= scale;
    let (mut w, mut h) = start(&v, params);
    for _ in 0..params.iterations {
        update(&v, &mut w, &mut h);
    }
    unit_topics(&mut w, &mut h);
    let error = norm((&v - &w.dot(&h)).iter()) * scale;
    let w = in_reach(w * scale, largest)?;
    Ok(Topics { w, h, iterations: params.iterations, error })
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

/// Random factors whose product has the mean of the data.
fn start(v: &Array2<f64>, params: NmfParams) -> (Array2<f64>, Array2<f64>) {
    let (m, d) = v.dim();
    let k = params.k.min(m);
    let size = (v.mean().unwrap_or(0.0) / k as f64).sqrt();
    let mut random = SplitMix64::new(params.seed);
    let w = Array2::from_shape_simple_fn((m, k), || 2.0 * size * random.next_unit());
    let h = Array2::from_shape_simple_fn((k, d), || 2.0 * size * random.next_unit());
    (w, h)
}

fn update(v: &Array2<f64>, w: &mut Array2<f64>, h: &mut Array2<f64>) {
    let (wanted, given) = (w.t().dot(v), w.t().dot(w).dot(h));
    multiply(h, &wanted, &given);
    let (wanted, given) = (v.dot(&h.t()), w.dot(&h.dot(&h.t())));
    multiply(w, &wanted, &given);
}

/// x ∘ wanted / given. Where nothing is given the factor is 0 on one side already, and stays.
fn multiply(factor: &mut Array2<f64>, wanted: &Array2<f64>, given: &Array2<f64>) {
    Zip::from(factor).and(wanted).and(given).for_each(|x, wanted, given| {
        if *given > f64::MIN_POSITIVE {
            *x *= wanted / given;
        }
    });
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

    proptest! {
        #[test]
        fn the_error_never_rises_and_the_factors_are_not_negative(matrix in any_matrix(), k in 1..6_usize) {
            let v = matrix.mapv(|x| f64::from(x.abs()));
            let length = norm(v.iter());
            let mut before = f64::INFINITY;
            for iterations in 1..12 {
                let topics = factorize(&matrix, k, iterations);
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
