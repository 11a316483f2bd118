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
mod tests;
