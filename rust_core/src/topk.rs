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

/// The `k` best of scored ids that come one after another, in any order.
///
/// It keeps up to twice `k` of them and leaves out the worse half when they are full: O(1) an id, and what is below
/// [`TopK::floor`] need not be offered at all.
#[derive(Debug, Clone)]
pub struct TopK {
    k: usize,
    floor: f64,
    items: Vec<(f64, i64)>,
}

impl TopK {
    /// The fewest ids between two selections.
    const ROOM: usize = 32;

    /// None yet of the `k` best.
    pub fn new(k: usize) -> Self {
        let floor = if k == 0 { f64::INFINITY } else { f64::NEG_INFINITY };
        Self { k, floor, items: Vec::new() }
    }

    /// A score below this is none of the `k` best of what was offered so far; an equal one can be, by its id.
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// One more of which the `k` best are wanted.
    pub fn offer(&mut self, score: f64, id: i64) {
        if score < self.floor {
            return;
        }
        self.items.push((score, id));
        if self.items.len() >= self.k.saturating_add(self.k.max(Self::ROOM)) {
            self.select();
        }
    }

    /// Everything that `other` was offered.
    pub fn merge(&mut self, other: Self) {
        for (score, id) in other.items {
            self.offer(score, id);
        }
    }

    /// The `k` best, in their order.
    pub fn into_sorted(mut self) -> Vec<(f64, i64)> {
        top_k(&mut self.items, self.k);
        self.items
    }

    fn select(&mut self) {
        let Some(last) = self.k.checked_sub(1) else { return self.items.clear() };
        let (_, worst, _) = self.items.select_nth_unstable_by(last, |a, b| by_score_then_id(*a, *b));
        // Before NaN everything else is wanted still.
        self.floor = if worst.0.is_nan() { f64::NEG_INFINITY } else { worst.0 };
        self.items.truncate(self.k);
    }
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

        #[test]
        fn one_after_another_equals_the_full_sort(
            scores in proptest::collection::vec(prop_oneof![(-40i32..40).prop_map(f64::from), Just(f64::NAN)], 0..400),
            rising in any::<bool>(), k in 0usize..50, parts in 1usize..4
        ) {
            let mut items: Vec<(f64, i64)> = scores.iter().enumerate().map(|(i, s)| (*s, (i * 37 % 400) as i64)).collect();
            if rising {
                items.sort_by(|a, b| by_score_then_id(*b, *a));
            }
            let mut best = TopK::new(k);
            for part in items.chunks(items.len() / parts + 1) {
                let mut other = TopK::new(k);
                part.iter().for_each(|(score, id)| other.offer(*score, *id));
                best.merge(other);
            }
            let mut full = items;
            full.sort_by(|a, b| by_score_then_id(*a, *b));
            full.truncate(k);
            let same = best.into_sorted().into_iter().zip(&full).all(|(a, b)| by_score_then_id(a, *b).is_eq());
            prop_assert!(same);
        }
    }
}
