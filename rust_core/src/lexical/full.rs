//! The scores of all documents that hold a term of a question.
//!
//! Slots are passed in windows that fit into the nearest cache: in each, the terms add their weights in their order, and
//! what was touched is written out by slot. O(postings of the terms), and nothing of the size of the index. Of many
//! postings several threads take a stretch of slots each: which one has a slot changes nothing of its sum.

use std::ops::Range;

use rayon::prelude::*;

use super::postings::Posting;
use super::scope::Scores;
use super::shown::Shown;
use super::weights::{Term, Weights};

/// Slots of a window; few in tests, so that small collections have several.
pub(super) const WINDOW: usize = if cfg!(test) { 32 } else { 4_096 };
/// A window with fewer postings than this is written out by a list of what it touched.
const DENSE: usize = WINDOW / 16;

/// Postings below which one thread takes them all (in about half a millisecond).
const ALONE: usize = if cfg!(test) { 64 } else { 1 << 17 };
/// Parts of the work for each thread.
const SHARES: usize = 2;

#[derive(Clone)]
struct Cursor<'i> {
    term: &'i Term<'i>,
    rest: &'i [Posting],
    table: &'i [f64],
}

/// The scores of one index, by id.
pub(super) fn scores_of(part: &Shown<'_>, weighted: &[(&str, f64)], weights: &Weights) -> Scores {
    let question = Question::of(part, weighted, weights);
    let cursors = question.cursors();
    let slots = part.index().slot_count();
    let mut found = match stretch(&cursors, slots) {
        None => within(part, cursors, weights, 0..slots),
        Some(stretch) => {
            let starts: Vec<usize> = (0..slots).step_by(stretch).collect();
            let found = starts
                .into_par_iter()
                .map(|start| within(part, from(&cursors, start), weights, start..slots.min(start + stretch)));
            joined(found.collect())
        }
    };
    // Slots ascend with ids until a slot is used again.
    if !found.ids.is_sorted() {
        let mut pairs: Vec<(i64, f64)> = found.ids.into_iter().zip(found.scores).collect();
        pairs.sort_unstable_by_key(|(id, _)| *id);
        (found.ids, found.scores) = pairs.into_iter().unzip();
    }
    found
}

/// Adds to `sums`, a number for each slot of one index, the scores of its documents.
pub(super) fn add_scores(part: &Shown<'_>, weighted: &[(&str, f64)], weights: &Weights, sums: &mut [f64]) {
    let question = Question::of(part, weighted, weights);
    let cursors = question.cursors();
    match stretch(&cursors, sums.len()) {
        None => add_within(part, cursors, weights, 0, sums),
        Some(stretch) => sums.par_chunks_mut(stretch).enumerate().for_each(|(at, sums)| {
            add_within(part, from(&cursors, at * stretch), weights, at * stretch, sums);
        }),
    }
    part.hidden_slots().iter().for_each(|slot| sums[*slot as usize] = 0.0);
}

/// The terms of a question in one index, with the weights that were made in advance.
struct Question<'i> {
    terms: Vec<Term<'i>>,
    tables: Vec<Option<Vec<f64>>>,
}

impl<'i> Question<'i> {
    fn of(part: &Shown<'i>, weighted: &[(&str, f64)], weights: &Weights) -> Self {
        let terms = Weights::terms(part, weighted);
        let tables = terms.iter().map(|term| weights.table(term)).collect();
        Self { terms, tables }
    }

    /// At the beginning of the postings of each term.
    fn cursors(&self) -> Vec<Cursor<'_>> {
        let each = self.terms.iter().zip(&self.tables);
        each.map(|(term, table)| Cursor {
            term,
            rest: term.list.as_slice(),
            table: table.as_deref().unwrap_or_default(),
        })
        .collect()
    }
}

/// How many slots a thread takes at once; none where one thread takes all.
fn stretch(cursors: &[Cursor<'_>], slots: usize) -> Option<usize> {
    let threads = rayon::current_num_threads();
    let postings: usize = cursors.iter().map(|cursor| cursor.rest.len()).sum();
    let stretch = slots.div_ceil(threads * SHARES).next_multiple_of(WINDOW);
    (threads > 1 && postings >= ALONE && stretch < slots).then_some(stretch)
}

/// The cursors at the first postings from a slot on.
fn from<'i>(cursors: &[Cursor<'i>], slot: usize) -> Vec<Cursor<'i>> {
    let mut cursors = cursors.to_vec();
    for Cursor { rest, .. } in &mut cursors {
        *rest = &rest[rest.partition_point(|posting| (posting.slot as usize) < slot)..];
    }
    cursors
}

/// Adds the scores of the documents in the slots from `start` on, of which `sums` has a number each.
fn add_within(part: &Shown<'_>, mut cursors: Vec<Cursor<'_>>, weights: &Weights, start: usize, sums: &mut [f64]) {
    for (at, sums) in sums.chunks_mut(WINDOW).enumerate() {
        let start = start + at * WINDOW;
        for Cursor { term, rest, table } in &mut cursors {
            let here;
            (here, *rest) = rest.split_at(rest.partition_point_near(start + sums.len()));
            for posting in here {
                let weight = Weights::in_table(table, *posting);
                sums[posting.slot as usize - start] +=
                    weight.unwrap_or_else(|| weights.exact(part.index(), term, *posting));
            }
        }
    }
}

fn joined(parts: Vec<Scores>) -> Scores {
    let mut all = Scores::default();
    all.ids.reserve(parts.iter().map(|part| part.ids.len()).sum());
    all.scores.reserve(all.ids.capacity());
    for part in parts {
        all.ids.extend(part.ids);
        all.scores.extend(part.scores);
    }
    all
}

/// The scores of the documents in a stretch of slots, by slot; the cursors stand at its beginning.
fn within(part: &Shown<'_>, mut cursors: Vec<Cursor<'_>>, weights: &Weights, slots: Range<usize>) -> Scores {
    let index = part.index();
    let ids = index.ids_by_slot();
    let mut found = Scores::default();
    let most = cursors.iter().map(|cursor| cursor.rest.len()).sum::<usize>().min(slots.len());
    found.ids.reserve(most);
    found.scores.reserve(most);
    let mut sums = [0.0_f64; WINDOW];
    let mut touched: Vec<u32> = Vec::new();
    let mut hidden = part.hidden_slots();
    while let Some(first) = cursors.iter().filter_map(|cursor| cursor.rest.first()).map(|posting| posting.slot).min() {
        let start = first as usize;
        if start >= slots.end {
            break;
        }
        let stop = slots.end.min(start + WINDOW);
        let mut passed = 0;
        for Cursor { term, rest, table } in &mut cursors {
            let end = rest.partition_point_near(stop);
            let here;
            (here, *rest) = rest.split_at(end);
            passed += here.len();
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
            if start + place >= stop {
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
            let all = sums.iter_mut().zip(&ids[start..stop]);
            for (sum, id) in all.filter(|(sum, _)| **sum != 0.0) {
                found.ids.push(*id);
                found.scores.push(std::mem::take(sum));
            }
        }
        touched.clear();
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
