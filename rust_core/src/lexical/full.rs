//! The scores of all documents that hold a term of a question.
//!
//! Slots are passed in windows that fit into the nearest cache: in each, the terms add their weights in their order, and
//! what was touched is written out by slot. O(postings of the terms), and nothing of the size of the index.

use super::postings::Posting;
use super::scope::Scores;
use super::shown::Shown;
use super::weights::{Term, Weights};

/// Slots of a window; few in tests, so that small collections have several.
pub(super) const WINDOW: usize = if cfg!(test) { 32 } else { 4_096 };
/// A window with fewer postings than this is written out by a list of what it touched.
const DENSE: usize = WINDOW / 16;

struct Cursor<'i> {
    term: Term<'i>,
    rest: &'i [Posting],
    table: Option<Vec<f64>>,
}

/// The scores of one index, by id.
pub(super) fn scores_of(part: &Shown<'_>, weighted: &[(&str, f64)], weights: &Weights) -> Scores {
    let index = part.index();
    let terms = Weights::terms(part, weighted).into_iter();
    let mut cursors: Vec<Cursor<'_>> =
        terms.map(|term| Cursor { rest: term.list.as_slice(), table: weights.table(&term), term }).collect();
    let postings: usize = cursors.iter().map(|cursor| cursor.rest.len()).sum();
    let ids = index.ids_by_slot();
    let mut found = Scores { ids: Vec::new(), scores: Vec::new() };
    found.ids.reserve(postings.min(index.len()));
    found.scores.reserve(postings.min(index.len()));
    let mut sums = [0.0_f64; WINDOW];
    let mut touched: Vec<u32> = Vec::new();
    let mut hidden = part.hidden_slots();
    while let Some(first) = cursors.iter().filter_map(|cursor| cursor.rest.first()).map(|posting| posting.slot).min() {
        let start = first as usize;
        let mut passed = 0;
        for Cursor { term, rest, table } in &mut cursors {
            let end = rest.partition_point_near(start + WINDOW);
            let here;
            (here, *rest) = rest.split_at(end);
            passed += here.len();
            let table = table.as_deref().unwrap_or_default();
            for posting in here {
                let sum = &mut sums[posting.slot as usize - start];
                if passed < DENSE && *sum == 0.0 {
                    touched.push(posting.slot);
                }
                *sum += Weights::in_table(table, *posting).unwrap_or_else(|| weights.exact(index, term, *posting));
            }
        }
        while let Some((slot, later)) = hidden.split_first() {
            let Some(place) = (*slot as usize).checked_sub(start) else {
                hidden = later;
                continue;
            };
            if place >= WINDOW {
                break;
            }
            sums[place] = 0.0;
            hidden = later;
        }
        if passed < DENSE {
            touched.sort_unstable();
            for slot in &touched {
                let sum = std::mem::take(&mut sums[*slot as usize - start]);
                if sum != 0.0 {
                    found.ids.push(ids[*slot as usize]);
                    found.scores.push(sum);
                }
            }
        } else {
            let end = ids.len().min(start + WINDOW);
            let all = sums.iter_mut().zip(&ids[start..end]);
            for (sum, id) in all.filter(|(sum, _)| **sum != 0.0) {
                found.ids.push(*id);
                found.scores.push(std::mem::take(sum));
            }
        }
        touched.clear();
    }
    // Slots ascend with ids until a slot is used again.
    if !found.ids.is_sorted() {
        let mut pairs: Vec<(i64, f64)> = found.ids.into_iter().zip(found.scores).collect();
        pairs.sort_unstable_by_key(|(id, _)| *id);
        (found.ids, found.scores) = pairs.into_iter().unzip();
    }
    found
}

/// Where a slot would stand in postings, looked for from their beginning.
pub(super) trait Near {
    /// How many of the first postings have a slot below `slot`.
    fn partition_point_near(&self, slot: usize) -> usize;
}

impl Near for [Posting] {
    fn partition_point_near(&self, slot: usize) -> usize {
        let mut step = 1;
        while step < self.len() && (self[step].slot as usize) < slot {
            step *= 2;
        }
        let (low, high) = (step / 2, self.len().min(step + 1));
        low + self[low..high].partition_point(|posting| (posting.slot as usize) < slot)
    }
}
