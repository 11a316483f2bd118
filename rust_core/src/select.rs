//! The best rows of a scope, and how near each is by words and meaning: passes over one number a row.

use crate::CoreError;
use crate::graph::check_length;
use crate::topk::TopK;

pub mod candidates;
mod fusion;
pub mod pool;

pub use fusion::{Fusion, fused};

/// The rows (at most `count`, ascending) with the largest of `values` where `among` holds; of equal values the lower
/// rows. −0 and 0 are one value; NaN is below everything. O(n).
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length.
pub fn best_rows(values: &[f64], among: &[bool], count: usize) -> Result<Vec<i64>, CoreError> {
    check_length("among", values.len(), among.len())?;
    let mut best = TopK::new(count);
    for (part, (chunk, among)) in values.chunks(PART).zip(among.chunks(PART)).enumerate() {
        // Most parts have nothing above the floor.
        let floor = best.floor();
        if chunk.iter().fold(false, |any, &value| any | !below(value, floor)) {
            for (at, (&value, &among)) in chunk.iter().zip(among).enumerate() {
                if !below(value, best.floor()) && among {
                    best.offer(value, (part * PART + at) as i64);
                }
            }
        }
    }
    let mut rows: Vec<i64> = best.into_sorted().into_iter().map(|(_, row)| row).collect();
    rows.sort_unstable();
    Ok(rows)
}

/// Values that are passed over together.
const PART: usize = 32;

fn below(value: f64, floor: f64) -> bool {
    value < floor
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![8 => (-20i32..20).prop_map(|x| f64::from(x) / 8.0), 1 => Just(f64::NAN), 1 => Just(-0.0)]
    }

    proptest! {
        #[test]
        fn the_selection_equals_a_full_sort(
            rows in proptest::collection::vec((numbers(), any::<bool>()), 0..80), count in 0usize..90
        ) {
            let (values, among): (Vec<f64>, Vec<bool>) = rows.into_iter().unzip();
            let mut slow: Vec<usize> = (0..values.len()).filter(|&row| among[row]).collect();
            slow.sort_by(|&a, &b| {
                let order = values[b].partial_cmp(&values[a]);
                order.unwrap_or_else(|| values[a].is_nan().cmp(&values[b].is_nan())).then(a.cmp(&b))
            });
            slow.truncate(count);
            slow.sort_unstable();
            let fast = best_rows(&values, &among, count).unwrap();
            prop_assert_eq!(fast, slow.into_iter().map(|row| row as i64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn columns_of_different_length_are_refused() {
        assert!(best_rows(&[1.0], &[true, false], 1).is_err());
    }
}
