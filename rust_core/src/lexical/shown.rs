//! An index as one search sees it: without the documents that are hidden from it.

use super::bm25::{Bm25Index, Posting};

/// One index of a scope. Hidden documents have no posting in it and count in no number.
#[derive(Debug)]
pub(super) struct Shown<'i> {
    index: &'i Bm25Index,
    /// By slot; None where nothing is hidden.
    hidden: Option<Box<[bool]>>,
    len: usize,
    total_length: u64,
}

impl<'i> Shown<'i> {
    /// `index` without the documents `hidden`; ids that are not in it are passed over, repeats count once.
    pub(super) fn new(index: &'i Bm25Index, hidden: &[i64]) -> Self {
        let mut shown = Self { index, hidden: None, len: index.len(), total_length: index.total_length() };
        for slot in hidden.iter().filter_map(|id| index.slot_of(*id)) {
            let slots = shown.hidden.get_or_insert_with(|| vec![false; index.slot_count()].into());
            if !std::mem::replace(&mut slots[slot as usize], true) {
                shown.len -= 1;
                shown.total_length -= u64::from(index.length_at(slot));
            }
        }
        shown
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
        if self.hidden.is_none() { postings.len() } else { self.shown(postings).count() }
    }

    fn shown(&self, postings: &'i [Posting]) -> impl Iterator<Item = &'i Posting> {
        postings.iter().filter(|posting| self.shows(posting.slot))
    }
}
