use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

use super::*;
use crate::matrix::finite_rows;

fn unit_rows(vectors: &Array2<f32>) -> Array2<f64> {
    let mut unit = finite_rows("vectors", vectors.view()).unwrap();
    for mut row in unit.outer_iter_mut() {
        let length = norm(row.iter());
        if length > 0.0 {
            row /= length;
        }
    }
    unit
}

/// Every gain brought up to date after every pick.
fn eager(vectors: &Array2<f32>, quality: &[f64], k: usize, power: u8) -> Vec<usize> {
    let unit = unit_rows(vectors);
    let mut gains: Vec<f64> = quality.iter().map(|q| q * q + RIDGE).collect();
    let least = gains.iter().fold(10.0 * RIDGE, |least, gain| least.max(1e-13 * gain));
    let (mut factor, mut picked): (Vec<Array1<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
    while picked.len() < k.min(quality.len()) {
        let open = (0..gains.len()).filter(|item| !picked.contains(item) && gains[*item] > least);
        let Some(item) = open.reduce(|best, item| if gains[item] > gains[best] { item } else { best }) else {
            break;
        };
        let mut row = unit.dot(&unit.row(item)).mapv(|cosine| cosine.powi(i32::from(power)));
        row.iter_mut().zip(quality).for_each(|(alike, q)| *alike *= q * quality[item]);
        for earlier in &factor {
            row.scaled_add(-earlier[item], earlier);
        }
        row /= gains[item].sqrt();
        gains.iter_mut().zip(&row).for_each(|(gain, part)| *gain -= part * part);
        factor.push(row);
        picked.push(item);
    }
    picked
}

fn determinant(mut matrix: Array2<f64>) -> f64 {
    let mut product = 1.0;
    for column in 0..matrix.nrows() {
        let pivot = (column..matrix.nrows())
            .max_by(|a, b| matrix[[*a, column]].abs().total_cmp(&matrix[[*b, column]].abs()))
            .unwrap();
        if pivot != column {
            (0..matrix.ncols()).for_each(|i| matrix.swap([pivot, i], [column, i]));
            product = -product;
        }
        product *= matrix[[column, column]];
        for row in column + 1..matrix.nrows() {
            let share = matrix[[row, column]] / matrix[[column, column]];
            (column..matrix.ncols()).for_each(|i| matrix[[row, i]] -= share * matrix[[column, i]]);
        }
    }
    product
}

/// Each pick by the determinant of the whole submatrix, until the factor by which it changes is near the ridge.
fn plain_greedy(vectors: &Array2<f32>, quality: &[f64], k: usize, power: u8) -> Vec<(usize, f64)> {
    let unit = unit_rows(vectors);
    let kernel = Array2::from_shape_fn((quality.len(), quality.len()), |(i, j)| {
        if i == j {
            quality[i] * quality[i] + RIDGE
        } else {
            quality[i] * unit.row(i).dot(&unit.row(j)).powi(i32::from(power)) * quality[j]
        }
    });
    let (mut picked, mut before): (Vec<(usize, f64)>, f64) = (Vec::new(), 1.0);
    while picked.len() < k.min(quality.len()) {
        let with = |item: usize| {
            let chosen: Vec<usize> = picked.iter().map(|(item, _)| *item).chain([item]).collect();
            determinant(Array2::from_shape_fn((chosen.len(), chosen.len()), |(i, j)| kernel[[chosen[i], chosen[j]]]))
        };
        let open = (0..quality.len()).filter(|item| picked.iter().all(|(other, _)| other != item));
        let (best, value) = open.map(|item| (item, with(item))).reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap();
        picked.push((best, value / before));
        before = value;
    }
    picked
}

proptest! {
    #[test]
    fn a_lazy_choice_is_that_of_all_gains_brought_up_to_date(
        n in 1..60_usize, d in 1..40_usize, k in 0..30_usize, power in 1..6_u8, seed in 0..10_000_u64,
    ) {
        let mut random = crate::random::SplitMix64::new(seed);
        // A few directions with noise, and doubles: near neighbours are where picks depend on each other.
        let themes = Array2::from_shape_simple_fn((5, d), || random.next_unit() as f32 - 0.5);
        let vectors = Array2::from_shape_fn((n, d), |(row, column)| {
            if row % 7 == 6 { return themes[[row % 5, column]]; }
            themes[[row % 5, column]] + 0.3 * (random.next_unit() as f32 - 0.5)
        });
        let quality: Vec<f64> = (0..n).map(|_| random.next_unit()).collect();
        let slow = eager(&vectors, &quality, k, power);
        let fast = dpp_greedy(vectors.view(), &quality, k, power).unwrap();
        prop_assert_eq!(&fast[..slow.len()], &slow[..]);
        let wide = vectors.t().as_standard_layout().to_owned();
        prop_assert_eq!(dpp_greedy(wide.t(), &quality, k, power).unwrap(), fast);
    }

    #[test]
    fn the_picks_are_those_of_the_whole_determinant(
        values in prop::collection::vec(-1.0..1.0_f32, 18), quality in prop::collection::vec(0.1..1.0_f64, 6), k in 0..7_usize,
        power in 1..6_u8,
    ) {
        let vectors = Array2::from_shape_vec((6, 3), values).unwrap();
        let plain = plain_greedy(&vectors, &quality, k, power);
        let fast = dpp_greedy(vectors.view(), &quality, k, power).unwrap();
        prop_assert_eq!(fast.len(), k.min(6));
        let sure = plain.iter().take_while(|(_, gain)| *gain > 1e-5).count();
        let plain: Vec<usize> = plain.iter().take(sure).map(|(item, _)| *item).collect();
        prop_assert_eq!(&fast[..sure], &plain[..]);
    }

    #[test]
    fn always_as_many_as_asked_and_none_twice(
        values in prop::collection::vec(prop::sample::select(&[0.0_f32, 1.0, -1.0][..]), 24),
        quality in prop::collection::vec(0.0..2.0_f64, 12), k in 0..20_usize,
    ) {
        let vectors = Array2::from_shape_vec((12, 2), values).unwrap();
        let mut found = dpp_greedy(vectors.view(), &quality, k, 1).unwrap();
        prop_assert_eq!(found.len(), k.min(12));
        found.sort_unstable();
        found.dedup();
        prop_assert_eq!(found.len(), k.min(12));
    }
}

#[test]
fn a_duplicate_comes_after_everything_new_and_then_by_quality() {
    let vectors = array![[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0]];
    assert_eq!(dpp_greedy(vectors.view(), &[0.9, 0.7, 0.8, 0.1], 9, 1).unwrap(), [0, 3, 2, 1]);
}

#[test]
fn a_higher_power_lets_only_near_duplicates_count_as_alike() {
    let vectors = array![[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]];
    let quality = [1.0, 0.9, 0.6];
    assert_eq!(dpp_greedy(vectors.view(), &quality, 2, 1).unwrap(), [0, 2]);
    assert_eq!(dpp_greedy(vectors.view(), &quality, 2, 4).unwrap(), [0, 1]);
}

#[test]
fn a_row_of_zeros_is_like_nothing_else() {
    let vectors = array![[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.01]];
    assert_eq!(dpp_greedy(vectors.view(), &[1.0, 0.5, 0.4, 0.9], 3, 1).unwrap(), [0, 1, 2]);
}

#[test]
fn nothing_from_nothing_and_equal_items_by_index() {
    assert!(dpp_greedy(Array2::zeros((0, 4)).view(), &[], 5, 1).unwrap().is_empty());
    assert!(dpp_greedy(array![[1.0]].view(), &[1.0], 0, 1).unwrap().is_empty());
    assert_eq!(dpp_greedy(array![[1.0], [1.0], [1.0]].view(), &[0.5; 3], 3, 1).unwrap(), [0, 1, 2]);
    assert_eq!(dpp_greedy(Array2::zeros((3, 0)).view(), &[0.0; 3], 3, 1).unwrap(), [0, 1, 2]);
}

#[test]
fn bad_qualities_are_refused() {
    let vectors = array![[1.0], [1.0]];
    assert!(dpp_greedy(vectors.view(), &[1.0, 1.0], 1, 0).is_err());
    for bad in [vec![1.0], vec![1.0, -0.1], vec![1.0, f64::NAN]] {
        assert!(dpp_greedy(vectors.view(), &bad, 1, 1).is_err());
    }
}
