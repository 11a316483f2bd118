//! A varied choice: the greedy maximum of a determinantal point process.
//!
//! ```text
//! L_ij = q_i·cos(v_i, v_j)^p·q_j + 1e-8·[i = j],   each pick maximises det L over the picked
//! ```
//!
//! With p = 1 this is the plain kernel. A higher whole p keeps it positive semidefinite (Schur 1911) and lets only close
//! neighbours count as alike: a cosine of 0.5 becomes 0.06 at p = 4, one of 0.98 stays 0.92.
//!
//! Chen, Zhang & Zhou (2018): the gain of each item is kept by an incremental Cholesky factor. Lazily (Minoux 1978): a gain
//! never rises as items are picked, so only an item whose last known gain is the highest is brought up to date, and most
//! items are never compared with most picks. No kernel is made: k picks among n items of d dimensions cost O(n·d) to
//! check, and O(k·(k + d)) for each item that comes near being picked. All in float64: in float32 duplicates look
//! independent, or worse than nothing. An item that the picked ones already span gains no more than a few times the 1e-8
//! of the diagonal: the determinant has run out there, and the rest is filled up by quality, then index.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use ndarray::{ArrayView1, ArrayView2};

use crate::CoreError;
use crate::matrix::{check_finite_rows, norm};
use crate::vectors::simd::mixed_dots;

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
    check_finite_rows("vectors", vectors)?;
    let mut choice = Choice::new(vectors, quality, power);
    let wanted = k.min(quality.len());
    while choice.picks.len() < wanted {
        let Some(best) = choice.best() else { break };
        choice.pick(best);
    }
    Ok(choice.filled_up_to(wanted))
}

/// An item with the gain that it had when it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    gain: f64,
    item: usize,
}

impl Eq for Bound {}

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A picked item: its direction, its quality, the root of its gain and its row of the Cholesky factor.
struct Pick {
    item: usize,
    unit: Vec<f64>,
    quality: f64,
    root: f64,
    row: Vec<f64>,
}

/// What is known of an item: its length, and its row of the Cholesky factor.
#[derive(Default, Clone)]
struct Seen {
    length: Option<f64>,
    row: Vec<f64>,
}

struct Choice<'v> {
    vectors: ArrayView2<'v, f32>,
    power: i32,
    quality: &'v [f64],
    open: BinaryHeap<Bound>,
    seen: Vec<Seen>,
    picks: Vec<Pick>,
    least_gain: f64,
}

impl<'v> Choice<'v> {
    fn new(vectors: ArrayView2<'v, f32>, quality: &'v [f64], power: u8) -> Self {
        let open: Vec<Bound> =
            quality.iter().enumerate().map(|(item, q)| Bound { gain: q * q + RIDGE, item }).collect();
        let largest = open.iter().fold(0.0_f64, |most, bound| most.max(bound.gain));
        Self {
            vectors,
            power: i32::from(power),
            quality,
            open: open.into(),
            seen: vec![Seen::default(); quality.len()],
            picks: Vec::new(),
            // Below this a gain is the ridge, or the rounding of the largest.
            least_gain: (10.0 * RIDGE).max(1e-13 * largest),
        }
    }

    /// The item with the highest gain, if one still has any. What stands on top and is up to date is not below the
    /// true gain of any other.
    fn best(&mut self) -> Option<Bound> {
        while let Some(mut top) = self.open.pop() {
            if top.gain <= self.least_gain {
                return None;
            }
            if self.seen[top.item].row.len() == self.picks.len() {
                return Some(top);
            }
            self.bring_up_to_date(&mut top);
            self.open.push(top);
        }
        None
    }

    fn bring_up_to_date(&mut self, bound: &mut Bound) {
        let length = self.length(bound.item);
        let vector = self.vectors.row(bound.item);
        let seen = &mut self.seen[bound.item];
        for pick in &self.picks[seen.row.len()..] {
            let cosine = if length > 0.0 { dot(vector, &pick.unit) / length } else { 0.0 };
            let alike = cosine.powi(self.power) * self.quality[bound.item] * pick.quality;
            let rest = pick.row.iter().zip(&seen.row).fold(alike, |rest, (x, y)| rest - x * y);
            let part = rest / pick.root;
            bound.gain -= part * part;
            seen.row.push(part);
        }
    }

    fn length(&mut self, item: usize) -> f64 {
        let vector = self.vectors.row(item);
        *self.seen[item].length.get_or_insert_with(|| norm(vector.mapv(f64::from).iter()))
    }

    fn pick(&mut self, best: Bound) {
        let length = self.length(best.item);
        let share = |value: &f32| if length > 0.0 { f64::from(*value) / length } else { 0.0 };
        self.picks.push(Pick {
            item: best.item,
            unit: self.vectors.row(best.item).iter().map(share).collect(),
            quality: self.quality[best.item],
            root: best.gain.sqrt(),
            row: std::mem::take(&mut self.seen[best.item].row),
        });
    }

    fn filled_up_to(self, wanted: usize) -> Vec<usize> {
        let mut order: Vec<usize> = self.picks.iter().map(|pick| pick.item).collect();
        let mut is_picked = vec![false; self.quality.len()];
        order.iter().for_each(|item| is_picked[*item] = true);
        let missing = wanted - order.len();
        if missing > 0 {
            let mut rest: Vec<usize> = (0..self.quality.len()).filter(|item| !is_picked[*item]).collect();
            rest.sort_by(|a, b| self.quality[*b].total_cmp(&self.quality[*a]));
            order.extend(rest.into_iter().take(missing));
        }
        order
    }
}

fn dot(row: ArrayView1<'_, f32>, vector: &[f64]) -> f64 {
    let mut found = [0.0];
    match row.to_slice() {
        Some(values) => mixed_dots(values, vector, &mut found),
        None => mixed_dots(&row.to_vec(), vector, &mut found),
    }
    found[0]
}

#[cfg(test)]
mod tests {
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
}
