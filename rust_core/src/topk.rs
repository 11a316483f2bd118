//! The one partial selection of the crate, with a total order: score descending, then id ascending.

use std::cmp::Ordering;

/// Orders two scored ids: higher score first, then lower id. NaN sorts last.
pub fn by_score_then_id(a: (f64, i64), b: (f64, i64)) -> Ordering {
    match (a.0.is_nan(), b.0.is_nan()) {
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (true, true) => return a.1.cmp(&b.1),
        (false, false) => {}
    }
    // -0.0 and 0.0 are one score.
    (b.0 + 0.0).total_cmp(&(a.0 + 0.0)).then_with(|| a.1.cmp(&b.1))
}

/// Keeps the `k` best of `items` and sorts them. O(n + k log k); the answer does not depend on the input order.
pub fn top_k(items: &mut Vec<(f64, i64)>, k: usize) {
    if k == 0 {
        items.clear();
        return;
    }
    if items.len() > k {
        items.select_nth_unstable_by(k - 1, |a, b| by_score_then_id(*a, *b));
        items.truncate(k);
    }
    items.sort_unstable_by(|a, b| by_score_then_id(*a, *b));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_the_lower_id_and_nan_goes_last() {
        let mut items = vec![(1.0, 9), (f64::NAN, 1), (1.0, 2), (2.0, 5)];
        top_k(&mut items, 3);
        assert_eq!(items, vec![(2.0, 5), (1.0, 2), (1.0, 9)]);
    }

    #[test]
    fn nothing_asked_is_nothing_given() {
        let mut items = vec![(1.0, 9)];
        top_k(&mut items, 0);
        assert!(items.is_empty());
    }

    proptest! {
        #[test]
        fn the_partial_selection_equals_the_full_sort(
            scores in proptest::collection::vec(-3i32..3, 0..60), k in 0usize..70
        ) {
            let items: Vec<(f64, i64)> = scores.iter().enumerate().map(|(i, s)| (f64::from(*s), i as i64)).collect();
            let mut full = items.clone();
            full.sort_by(|a, b| by_score_then_id(*a, *b));
            full.truncate(k);
            let mut fast = items;
            fast.reverse();
            top_k(&mut fast, k);
            prop_assert_eq!(fast, full);
        }
    }
}
