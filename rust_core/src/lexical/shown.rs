//! An index as one search sees it: without the documents that are hidden from it.

use super::bm25::Bm25Index;
use super::postings::Posting;

/// One index of a scope. Hidden documents have no posting in it and count in no number.
#[derive(Debug)]
pub(super) struct Shown<'i> {
    index: &'i Bm25Index,
    /// By slot; None where nothing is hidden.
    hidden: Option<Box<[bool]>>,
    /// The same, ascending.
    hidden_slots: Vec<u32>,
    len: usize,
    total_length: u64,
}

impl<'i> Shown<'i> {
    /// `index` without the documents `hidden`; ids that are not in it are passed over, repeats count once.
    pub(super) fn new(index: &'i Bm25Index, hidden: &[i64]) -> Self {
        let mut hidden_slots: Vec<u32> = hidden.iter().filter_map(|id| index.slot_of(*id)).collect();
        hidden_slots.sort_unstable();
        hidden_slots.dedup();
        let lengths = hidden_slots.iter().map(|slot| u64::from(index.length_at(*slot)));
        let (len, total_length) = (index.len() - hidden_slots.len(), index.total_length() - lengths.sum::<u64>());
        let mut by_slot: Option<Box<[bool]>> = None;
        for slot in &hidden_slots {
            by_slot.get_or_insert_with(|| vec![false; index.slot_count()].into())[*slot as usize] = true;
        }
        Self { index, hidden: by_slot, hidden_slots, len, total_length }
    }

    pub(super) fn index(&self) -> &'i Bm25Index {
        self.index
    }

    /// How many documents are shown.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The sum of their lengths, in tokens.
    pub(super) fn total_length(&self) -> u64 {
        self.total_length
    }

    /// Whether the document in a slot is shown.
    pub(super) fn shows(&self, slot: u32) -> bool {
        self.hidden.as_ref().is_none_or(|hidden| !hidden[slot as usize])
    }

    /// The slots of hidden documents, ascending.
    pub(super) fn hidden_slots(&self) -> &[u32] {
        &self.hidden_slots
    }

    /// The postings of a term in shown documents, by slot.
    pub(super) fn postings_of(&self, term: &str) -> impl Iterator<Item = &'i Posting> {
        self.shown(self.index.postings_of(term))
    }

    /// In how many shown documents a term occurs.
    pub(super) fn frequency(&self, term: &str) -> usize {
        self.count(self.index.postings_of(term))
    }

    /// Every term with its frequency, in no order; a term of hidden documents alone has 0.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = (&'i str, usize)> {
        self.index.vocabulary().map(|(term, postings)| (term, self.count(postings)))
    }

    /// The slots of the shown documents whose id is at most `newest`.
    pub(super) fn slots_up_to(&self, newest: i64) -> impl Iterator<Item = u32> {
        self.index.slots_up_to(newest).filter(|slot| self.shows(*slot))
    }

    /// The terms of the shown documents that hold a term, itself among them, with how many of these hold each.
    pub(super) fn terms_beside(&self, term: &str) -> Vec<(&'i str, usize)> {
        self.index.terms_of_slots(self.postings_of(term).map(|posting| posting.slot))
    }

    fn count(&self, postings: &'i [Posting]) -> usize {
        // Whichever is shorter: a look for each hidden document, or all postings.
        if self.hidden_slots.len() < postings.len() / 16 {
            let holds = |slot: &&u32| postings.binary_search_by_key(*slot, |posting| posting.slot).is_ok();
            postings.len() - self.hidden_slots.iter().filter(holds).count()
        } else if self.hidden_slots.is_empty() {
            postings.len()
        } else {
            self.shown(postings).count()
        }
    }

    fn shown(&self, postings: &'i [Posting]) -> impl Iterator<Item = &'i Posting> {
        postings.iter().filter(|posting| self.shows(posting.slot))
    }
}
