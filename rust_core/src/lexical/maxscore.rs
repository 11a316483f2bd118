//! The best documents for a question, without scoring those that cannot be among them.
//!
//! MaxScore (Turtle & Flood 1995) in windows of slots: no posting of a term weighs more than the term's bound, so once k
//! documents are known, documents that hold only terms whose bounds together stay below the worst of the k need not be
//! looked at. The lists of the other terms are added up window by window, in f32; what may still come to the floor is
//! looked up in the lists that were left out, and what stays gets its exact sum, in f64 and in the order of the terms.
//! Scores and ties are those of [`full`](super::full), bit for bit.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::full::{Near, WINDOW};
use super::postings::Posting;
use super::shown::Shown;
use super::weights::{Term, Weights};
use crate::ids::IdSet;
use crate::topk::by_score_then_id;

struct Ranked(f64, i64);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        by_score_then_id((self.0, self.1), (other.0, other.1))
    }
}
impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Ranked {}

/// The k best so far; the worst of them is on top.
pub(super) struct Best<'a> {
    heap: BinaryHeap<Ranked>,
    k: usize,
    allowed: Option<&'a IdSet>,
}

impl<'a> Best<'a> {
    pub(super) fn new(k: usize, allowed: Option<&'a IdSet>) -> Self {
        Self { heap: BinaryHeap::new(), k, allowed }
    }

    /// What a document has to come to; below it, it is not among the best.
    fn floor(&self) -> f64 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.k => worst.0,
            _ => f64::NEG_INFINITY,
        }
    }

    fn offer(&mut self, score: f64, id: i64) {
        self.heap.push(Ranked(score, id));
        if self.heap.len() > self.k {
            self.heap.pop();
        }
    }

    pub(super) fn into_sorted(self) -> Vec<(f64, i64)> {
        self.heap.into_sorted_vec().into_iter().map(|Ranked(score, id)| (score, id)).collect()
    }
}

struct Cursor<'i> {
    term: Term<'i>,
    rest: &'i [Posting],
    /// What lies in the window.
    here: &'i [Posting],
    bound: f32,
}

/// Offers the best documents of an index.
pub(super) fn best_of(part: &Shown<'_>, weighted: &[(&str, f64)], weights: &Weights, best: &mut Best<'_>) {
    if best.k == 0 {
        return;
    }
    let cursors = Weights::terms(part, weighted).into_iter().map(|term| {
        let bound = weights.bound(term.idf, term.list.bounds()) as f32;
        Cursor { rest: term.list.as_slice(), here: &[], bound, term }
    });
    let mut cursors: Vec<Cursor<'_>> = cursors.collect();
    // What is cheap to leave out for its length comes first: a low bound, a long list.
    let mut order: Vec<usize> = (0..cursors.len()).collect();
    let gain = |at: &usize| cursors[*at].bound / cursors[*at].rest.len() as f32;
    order.sort_by(|a, b| gain(a).total_cmp(&gain(b)));
    // Each of the n sums and products in f32 is off by at most 2^-24 of the sum, in the bounds as well.
    let slack = 1.0 + (cursors.len() + 4) as f64 * 4.0 * f64::from(f32::EPSILON);
    let shares = weights.shares();
    let (mut sums, mut touched): (Box<[f32; WINDOW]>, Vec<u32>) = (Box::new([0.0; WINDOW]), Vec::new());
    let mut likely: Vec<(f32, u32)> = Vec::new();
    let mut left_out = 0;
    let mut left_bound = 0.0_f32;
    loop {
        while let Some(next) = order.get(left_out).map(|at| cursors[*at].bound)
            && f64::from(left_bound + next) * slack < best.floor()
        {
            left_bound += next;
            left_out += 1;
        }
        let (skipped, wanted) = order.split_at(left_out);
        let first = wanted.iter().filter_map(|at| cursors[*at].rest.first()).map(|posting| posting.slot).min();
        let Some(start) = first else { return };
        for at in wanted {
            let Cursor { term, rest, here, .. } = &mut cursors[*at];
            (*here, *rest) = rest.split_at(rest.partition_point_near(start as usize + WINDOW));
            let idf = term.idf as f32;
            for posting in *here {
                let weight = match shares.of(*posting) {
                    Some(share) => idf * share,
                    None => weights.exact(part.index(), term, *posting) as f32,
                };
                let sum = &mut sums[(posting.slot - start) as usize];
                if *sum == 0.0 {
                    touched.push(posting.slot);
                }
                *sum += weight;
            }
        }
        let reaches = |sum: f32, floor: f64| f64::from(sum + left_bound) * slack >= floor;
        let floor = best.floor();
        for slot in touched.drain(..) {
            let sum = std::mem::take(&mut sums[(slot - start) as usize]);
            if reaches(sum, floor) {
                likely.push((sum, slot));
            }
        }
        // The likeliest first: they raise the floor for the others.
        if likely.len() > 2 * best.k {
            likely.select_nth_unstable_by(best.k - 1, |a, b| b.0.total_cmp(&a.0));
            let (first, others) = likely.split_at_mut(best.k);
            first.sort_unstable_by_key(|(_, slot)| *slot);
            others.sort_unstable_by_key(|(_, slot)| *slot);
        } else {
            likely.sort_unstable_by_key(|(_, slot)| *slot);
        }
        for (sum, slot) in likely.drain(..) {
            if reaches(sum, best.floor()) {
                look_up(part, weights, &cursors, (skipped, left_bound, slack), (sum, slot), best);
            }
        }
        for at in skipped {
            let Cursor { rest, .. } = &mut cursors[*at];
            *rest = &rest[rest.partition_point_near(start as usize)..];
        }
    }
}

/// One document: what the skipped lists add, and its exact sum if it still can be among the best.
fn look_up(
    part: &Shown<'_>,
    weights: &Weights,
    cursors: &[Cursor<'_>],
    (skipped, mut left_bound, slack): (&[usize], f32, f64),
    (mut sum, slot): (f32, u32),
    best: &mut Best<'_>,
) {
    let id = part.index().ids_by_slot()[slot as usize];
    if !part.shows(slot) || best.allowed.is_some_and(|ids| !ids.contains(id)) {
        return;
    }
    let mut found: Vec<Option<Posting>> = vec![None; cursors.len()];
    for at in skipped.iter().rev() {
        let Cursor { rest, term, bound, .. } = &cursors[*at];
        let posting = rest.get(rest.partition_point_near(slot as usize)).filter(|posting| posting.slot == slot);
        left_bound -= bound;
        if let Some(posting) = posting {
            found[*at] = Some(*posting);
            sum += weights.exact(part.index(), term, *posting) as f32;
        }
        if f64::from(sum + left_bound.max(0.0)) * slack < best.floor() {
            return;
        }
    }
    let mut score = 0.0_f64;
    for (Cursor { here, term, .. }, found) in cursors.iter().zip(found) {
        let in_window = || here.binary_search_by_key(&slot, |posting| posting.slot).ok().map(|at| here[at]);
        if let Some(posting) = found.or_else(in_window) {
            score += weights.exact(part.index(), term, posting);
        }
    }
    best.offer(score, id);
}
