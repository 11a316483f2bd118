//! Postings, lengths and the BM25 weight of a term in a document.
//!
//! ```text
//! score(q, d) = Σ_{t ∈ q} idf(t) · tf·(k1 + 1) / (tf + k1·(1 − b + b·len(d)/avg))
//! idf(t)      = ln(1 + (N − df + 0.5)/(df + 0.5))
//! ```
//!
//! Robertson & Zaragoza (2009), with Lucene's idf, which is positive for every df. The factor (k1 + 1) is kept: it
//! changes no order, and a score of one rare term then has the magnitude that fusions by r/(1 + r) expect. A term that
//! a query names twice counts twice. Contributions are added in the order of the terms, document by document, in f64:
//! the order of insertion, and the split into several indexes, change no bit.
//!
//! Adding and removing cost O(terms of the document + postings touched); a query costs O(postings of its terms).

use rustc_hash::FxHashMap;

use super::forward::Forward;
use super::postings::{List, Lists, MANY, Posting, in_a_byte};
use super::vocabulary::Vocabulary;
use crate::CoreError;
use crate::ids::{IdMap, check_ids};

/// The constants of the formula, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Params {
    /// How soon repeats of a term stop adding; 0 counts a term once.
    pub k1: f64,
    /// How much long documents are held back, 0 to 1.
    pub b: f64,
}

impl Bm25Params {
    /// Checked constants.
    ///
    /// # Errors
    /// `k1` negative or not finite, `b` outside 0..1.
    pub fn new(k1: f64, b: f64) -> Result<Self, CoreError> {
        if !(k1.is_finite() && k1 >= 0.0) {
            return Err(CoreError::invalid("k1", k1, "give a finite number of at least 0"));
        }
        if !(0.0..=1.0).contains(&b) {
            return Err(CoreError::invalid("b", b, "give a number from 0 to 1"));
        }
        Ok(Self { k1, b })
    }
}

/// The postings of one block of documents.
#[derive(Debug, Default)]
pub struct Bm25Index {
    pub(super) vocabulary: Vocabulary,
    /// By the number of the term.
    pub(super) postings: Lists,
    pub(super) ids: IdMap,
    /// The number of tokens, by slot.
    pub(super) lengths: Vec<u32>,
    pub(super) forward: Forward,
    /// The counts that are no byte of a posting, by term and slot.
    pub(super) repeats: FxHashMap<(u32, u32), u32>,
    pub(super) total_length: u64,
}

impl Bm25Index {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many documents it holds, those without a term included.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether it holds no document.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether it holds a document of this id.
    pub fn contains(&self, id: i64) -> bool {
        self.ids.slot(id).is_some()
    }

    /// The sum of the documents' lengths, in tokens.
    pub fn total_length(&self) -> u64 {
        self.total_length
    }

    /// Adds documents as their tokens; an id that is there is replaced, of an id given twice the last stays.
    ///
    /// # Errors
    /// A negative id, as many ids as documents not given, or more than 2³² documents or terms: nothing was added.
    pub fn add<'t, D>(&mut self, field: &'static str, ids: &[i64], documents: &[D]) -> Result<(), CoreError>
    where
        D: AsRef<[&'t str]>,
    {
        if ids.len() != documents.len() {
            return Err(CoreError::Dimension { field, expected: ids.len(), got: documents.len() });
        }
        check_ids("ids", ids)?;
        let tokens = || documents.iter().flat_map(|document| document.as_ref());
        self.vocabulary.check_room(tokens().count(), tokens().map(|token| token.len()).sum())?;
        if !self.forward.has_room(tokens().count()) {
            return Err(CoreError::Engine("one block holds at most 2^32 terms of documents".into()));
        }
        self.remove(ids);
        for (id, document) in ids.iter().zip(documents) {
            if self.contains(*id) {
                self.remove(&[*id]);
            }
            self.insert(*id, document.as_ref())?;
        }
        Ok(())
    }

    fn insert(&mut self, id: i64, tokens: &[&str]) -> Result<(), CoreError> {
        let slot = self.ids.intern(id)?;
        let mut numbers: Vec<u32> = tokens.iter().map(|token| self.vocabulary.intern(token)).collect();
        numbers.sort_unstable();
        self.postings.grow(self.vocabulary.bound());
        let length = tokens.len() as u32;
        for same in numbers.chunk_by(|a, b| a == b) {
            let count = in_a_byte(same.len() as u32);
            if count == MANY {
                self.repeats.insert((same[0], slot), same.len() as u32);
            }
            self.postings.insert(same[0], Posting { slot, count, length: in_a_byte(length) });
        }
        numbers.dedup();
        self.forward.set(slot, &numbers);
        self.lengths.resize(self.ids.slot_bound(), 0);
        self.lengths[slot as usize] = length;
        self.total_length += u64::from(length);
        Ok(())
    }

    /// Takes documents out; ids that are not there are passed over. Returns how many were taken out.
    pub fn remove(&mut self, ids: &[i64]) -> usize {
        let mut gone = 0;
        let mut touched: Vec<(u32, u32)> = Vec::new();
        for slot in ids.iter().filter_map(|id| self.ids.release(*id)) {
            self.total_length -= u64::from(std::mem::take(&mut self.lengths[slot as usize]));
            touched.extend(self.forward.terms(slot).iter().map(|term| (*term, slot)));
            self.forward.set(slot, &[]);
            gone += 1;
        }
        touched.sort_unstable();
        if !self.repeats.is_empty() {
            self.repeats.retain(|key, _| touched.binary_search(key).is_err());
        }
        for same in touched.chunk_by(|a, b| a.0 == b.0) {
            if self.postings.remove(same[0].0, same.iter().map(|(_, slot)| *slot)) {
                self.vocabulary.release(same[0].0);
            }
        }
        gone
    }

    /// The ids of the documents that hold a term, ascending.
    pub fn documents(&self, term: &str) -> Vec<i64> {
        let mut ids: Vec<i64> = self.postings_of(term).iter().map(|posting| self.id_at(posting.slot)).collect();
        ids.sort_unstable();
        ids
    }

    /// The terms of a document, each once, sorted; none for an id that is not there.
    pub fn terms_of(&self, id: i64) -> Vec<String> {
        let Some(slot) = self.ids.slot(id) else { return Vec::new() };
        let mut terms: Vec<String> = self.terms_at(slot).map(str::to_owned).collect();
        terms.sort_unstable();
        terms
    }

    /// Bytes of heap that the index uses, about.
    pub fn memory_bytes(&self) -> usize {
        self.vocabulary.memory_bytes()
            + self.postings.memory_bytes()
            + self.ids.memory_bytes()
            + self.lengths.capacity() * size_of::<u32>()
            + self.forward.memory_bytes()
            + self.repeats.capacity() * (size_of::<((u32, u32), u32)>() + 1)
    }

    /// A term's number and postings, if a document has it.
    pub(super) fn list_of(&self, term: &str) -> Option<(u32, List<'_>)> {
        self.vocabulary.number(term).map(|number| (number, self.postings.list(number)))
    }

    /// The postings of a term, by slot; empty for a term that is not there.
    pub(super) fn postings_of(&self, term: &str) -> &[Posting] {
        self.list_of(term).map_or(&[], |(_, list)| list.as_slice())
    }

    /// Every term with its postings, in no order.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = (&str, &[Posting])> {
        let all = self.postings.iter().enumerate();
        let used = all.filter(|(_, list)| !list.as_slice().is_empty());
        used.map(|(number, list)| (self.vocabulary.term(number as u32), list.as_slice()))
    }

    /// How often a document has the term of a number.
    pub(super) fn count_at(&self, number: u32, posting: Posting) -> u32 {
        let count = || self.repeats.get(&(number, posting.slot)).copied();
        Some(u32::from(posting.count))
            .filter(|count| *count < u32::from(MANY))
            .or_else(count)
            .unwrap_or(u32::from(MANY))
    }

    pub(super) fn slot_of(&self, id: i64) -> Option<u32> {
        self.ids.slot(id)
    }

    /// The slots of the documents whose id is at most `newest`.
    pub(super) fn slots_up_to(&self, newest: i64) -> impl Iterator<Item = u32> {
        let used = (0..self.ids.slot_bound() as u32).filter(|slot| self.ids.is_used(*slot));
        used.filter(move |slot| self.ids.id(*slot) <= newest)
    }

    pub(super) fn slot_count(&self) -> usize {
        self.ids.slot_bound()
    }

    /// The ids by slot, with anything in a slot that is free.
    pub(super) fn ids_by_slot(&self) -> &[i64] {
        self.ids.with_gaps()
    }

    pub(super) fn id_at(&self, slot: u32) -> i64 {
        self.ids.id(slot)
    }

    pub(super) fn length_at(&self, slot: u32) -> u32 {
        self.lengths[slot as usize]
    }

    /// The terms of some documents with how many of these documents hold each.
    pub(super) fn terms_of_slots(&self, slots: impl Iterator<Item = u32>) -> Vec<(&str, usize)> {
        let mut counts = vec![0_u32; self.vocabulary.bound()];
        let mut touched: Vec<u32> = Vec::new();
        for slot in slots {
            for number in self.forward.terms(slot) {
                if counts[*number as usize] == 0 {
                    touched.push(*number);
                }
                counts[*number as usize] += 1;
            }
        }
        touched.into_iter().map(|number| (self.vocabulary.term(number), counts[number as usize] as usize)).collect()
    }

    /// The numbers of the distinct terms of the document in a slot.
    pub(super) fn numbers_at(&self, slot: u32) -> &[u32] {
        self.forward.terms(slot)
    }

    pub(super) fn terms_at(&self, slot: u32) -> impl Iterator<Item = &str> {
        self.forward.terms(slot).iter().map(|term| self.vocabulary.term(*term))
    }
}
