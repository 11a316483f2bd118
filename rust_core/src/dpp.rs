//! A varied choice: the greedy maximum of a determinantal point process.
//!
//! ```text
//! L_ij = q_i·cos(v_i, v_j)^p·q_j + 1e-8·[i = j],   each pick maximises det L over the picked
//! ```
//!
//! With p = 1 this is the plain kernel. A higher whole p keeps it positive semidefinite (Schur 1911) and lets only close
//! neighbours count as alike: a cosine of 0.5 becomes 0.06 at p = 4, one of 0.98 stays 0.92.
//!
//! Chen, Zhang & Zhou (2018): the gain of each item is kept by an incremental Cholesky factor, so k picks among n
//! items of d dimensions cost O(n·k·(k + d)). All in float64: in float32 duplicates look independent, or worse than
//! nothing. An item that the picked ones already span gains no more than a few times the 1e-8 of the diagonal: the
//! determinant has run out there, and the rest is filled up by quality, then index.

use ndarray::{Array1, Array2, ArrayView2};

use crate::CoreError;
use crate::matrix::{finite_rows, norm};

/// What is added to the diagonal.
const RIDGE: f64 = 1e-8;

/// The indices of min(k, n) rows of `vectors` (n, d) in the order of picking. A row of zeros has no direction: its
/// cosine to every other row is 0. Ties go to the lower index.
///
/// # Errors
/// A quality that is negative or not finite, another number of qualities than of rows, or a vector that is not finite.
pub fn dpp_greedy(vectors: ArrayView2<'_, f32>, quality: &[f64], k: usize, power: u8) -> Result<Vec<usize>, CoreError> {
    if power == 0 {
        return Err(CoreError::invalid("similarity_power", power, "give a whole number from 1 to 255"));
    }
    if quality.len() != vectors.nrows() {
        return Err(CoreError::Dimension { field: "quality", expected: vectors.nrows(), got: quality.len() });
    }
    if let Some(at) = quality.iter().position(|q| !(q.is_finite() && *q >= 0.0)) {
        let value = format!("{} at {at}", quality[at]);
        return Err(CoreError::invalid("quality", value, "give finite numbers of at least 0"));
    }
    let mut choice = Choice::new(unit_rows(finite_rows("vectors", vectors)?), quality, power);
    let wanted = k.min(quality.len());
    while choice.picked.len() < wanted {
        let Some(best) = choice.best() else { break };
        choice.pick(best);
    }
    Ok(choice.filled_up_to(wanted))
}

fn unit_rows(mut rows: Array2<f64>) -> Array2<f64> {
    for mut row in rows.outer_iter_mut() {
        let length = norm(row.iter());
        if length > 0.0 {
            row /= length;
        }
    }
    rows
}

struct Choice<'q> {
    unit: Array2<f64>,
    power: i32,
    quality: &'q [f64],
    /// What each item would multiply the determinant by.
    gains: Vec<f64>,
    /// One row of the Cholesky factor for each pick, over all items.
    factor: Vec<Array1<f64>>,
    picked: Vec<usize>,
    is_picked: Vec<bool>,
    least_gain: f64,
}

impl<'q> Choice<'q> {
    fn new(unit: Array2<f64>, quality: &'q [f64], power: u8) -> Self {
        let gains: Vec<f64> = quality.iter().map(|q| q * q + RIDGE).collect();
        let largest = gains.iter().fold(0.0_f64, |most, gain| most.max(*gain));
        // Below this a gain is the ridge, or the rounding of the largest.
        let least_gain = (10.0 * RIDGE).max(1e-13 * largest);
        let is_picked = vec![false; quality.len()];
        Self {
            unit,
            power: i32::from(power),
            quality,
            gains,
            factor: Vec::new(),
            picked: Vec::new(),
            is_picked,
            least_gain,
        }
    }

    /// The item with the highest gain, if one still has any.
    fn best(&self) -> Option<usize> {
        let open = (0..self.gains.len()).filter(|item| !self.is_picked[*item] && self.gains[*item] > self.least_gain);
        open.reduce(|best, item| if self.gains[item] > self.gains[best] { item } else { best })
    }

    fn pick(&mut self, item: usize) {
        let root = self.gains[item].sqrt();
        let mut row = self.unit.dot(&self.unit.row(item));
        row.iter_mut().zip(self.quality).for_each(|(cosine, q)| {
            *cosine = cosine.powi(self.power) * q * self.quality[item];
        });
        for earlier in &self.factor {
            row.scaled_add(-earlier[item], earlier);
        }
        row /= root;
        self.gains.iter_mut().zip(&row).for_each(|(gain, part)| *gain -= part * part);
        self.factor.push(row);
        self.picked.push(item);
        self.is_picked[item] = true;
    }

    fn filled_up_to(mut self, wanted: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..self.quality.len()).filter(|item| !self.is_picked[*item]).collect();
        rest.sort_by(|a, b| self.quality[*b].total_cmp(&self.quality[*a]));
        let missing = wanted - self.picked.len();
        self.picked.extend(rest.into_iter().take(missing));
        self.picked
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use proptest::prelude::*;

    use super::*;

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
        let unit = unit_rows(vectors.mapv(f64::from));
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
                determinant(Array2::from_shape_fn((chosen.len(), chosen.len()), |(i, j)| {
                    kernel[[chosen[i], chosen[j]]]
                }))
            };
            let open = (0..quality.len()).filter(|item| picked.iter().all(|(other, _)| other != item));
            let (best, value) =
                open.map(|item| (item, with(item))).reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap();
            picked.push((best, value / before));
            before = value;
        }
        picked
    }

    proptest! {
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
}
