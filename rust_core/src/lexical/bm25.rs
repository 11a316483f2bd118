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

use rustc_hash::{FxHashMap, FxHashSet};

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

/// One document of a posting list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) slot: u32,
    pub(super) count: u32,
}

/// A document as its terms: what removal, concepts and `terms_of` read.
#[derive(Debug, Clone, Default)]
struct Document {
    length: u32,
    /// (term, count), by term number.
    terms: Box<[(u32, u32)]>,
}

/// The postings of one block of documents.
#[derive(Debug, Default)]
pub struct Bm25Index {
    numbers: FxHashMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
    postings: Vec<Vec<Posting>>,
    unused_terms: Vec<u32>,
    ids: IdMap,
    documents: Vec<Document>,
    total_length: u64,
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
        let tokens: usize = documents.iter().map(|document| document.as_ref().len()).sum();
        if self.terms.len() + tokens >= u32::MAX as usize {
            return Err(CoreError::Engine("one block holds at most 2^32 terms".into()));
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
        self.documents.resize_with(self.ids.slot_bound(), Document::default);
        let mut numbers: Vec<u32> = tokens.iter().map(|token| self.intern(token)).collect();
        numbers.sort_unstable();
        let terms: Box<[(u32, u32)]> =
            numbers.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        let length = tokens.len() as u32;
        for (term, count) in &terms {
            let list = &mut self.postings[*term as usize];
            let at = match list.last() {
                Some(last) if last.slot > slot => list.partition_point(|posting| posting.slot < slot),
                _ => list.len(),
            };
            list.insert(at, Posting { slot, count: *count });
        }
        self.total_length += u64::from(length);
        self.documents[slot as usize] = Document { length, terms };
        Ok(())
    }

    fn intern(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = match self.unused_terms.pop() {
            Some(number) => {
                self.terms[number as usize] = term.into();
                number
            }
            None => {
                self.terms.push(term.into());
                self.postings.push(Vec::new());
                (self.terms.len() - 1) as u32
            }
        };
        self.numbers.insert(term.into(), number);
        number
    }

    /// Takes documents out; ids that are not there are passed over. Returns how many were taken out.
    pub fn remove(&mut self, ids: &[i64]) -> usize {
        let mut gone = FxHashSet::default();
        let mut touched = Vec::new();
        for slot in ids.iter().filter_map(|id| self.ids.release(*id)) {
            let document = std::mem::take(&mut self.documents[slot as usize]);
            self.total_length -= u64::from(document.length);
            touched.extend(document.terms.iter().map(|(term, _)| *term));
            gone.insert(slot);
        }
        touched.sort_unstable();
        touched.dedup();
        for term in touched {
            let list = &mut self.postings[term as usize];
            list.retain(|posting| !gone.contains(&posting.slot));
            if list.is_empty() {
                *list = Vec::new();
                self.numbers.remove(&std::mem::take(&mut self.terms[term as usize]));
                self.unused_terms.push(term);
            }
        }
        gone.len()
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
        let words: usize = self.terms.iter().map(|term| 2 * term.len()).sum();
        let lists: usize = self.postings.iter().map(|list| list.capacity() * size_of::<Posting>()).sum();
        let forward: usize = self.documents.iter().map(|document| document.terms.len() * size_of::<(u32, u32)>()).sum();
        words
            + lists
            + forward
            + self.terms.capacity() * size_of::<Box<str>>()
            + self.postings.capacity() * size_of::<Vec<Posting>>()
            + self.documents.capacity() * size_of::<Document>()
            + self.numbers.capacity() * (size_of::<(Box<str>, u32)>() + 1)
            + self.ids.memory_bytes()
            + self.unused_terms.capacity() * size_of::<u32>()
    }

    /// The postings of a term, by slot; empty for a term that is not there.
    pub(super) fn postings_of(&self, term: &str) -> &[Posting] {
        self.numbers.get(term).map_or(&[], |number| &self.postings[*number as usize])
    }

    /// Every term with its postings, in no order.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = (&str, &[Posting])> {
        self.numbers.iter().map(|(term, number)| (&**term, &*self.postings[*number as usize]))
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
        self.documents.len()
    }

    pub(super) fn id_at(&self, slot: u32) -> i64 {
        self.ids.id(slot)
    }

    pub(super) fn length_at(&self, slot: u32) -> u32 {
        self.documents[slot as usize].length
    }

    /// The terms of some documents with how many of these documents hold each.
    pub(super) fn terms_of_slots(&self, slots: impl Iterator<Item = u32>) -> Vec<(&str, usize)> {
        let mut counts = vec![0_u32; self.terms.len()];
        let mut touched: Vec<u32> = Vec::new();
        for slot in slots {
            for (number, _) in &self.documents[slot as usize].terms {
                if counts[*number as usize] == 0 {
                    touched.push(*number);
                }
                counts[*number as usize] += 1;
            }
        }
        touched.into_iter().map(|number| (&*self.terms[number as usize], counts[number as usize] as usize)).collect()
    }

    pub(super) fn terms_at(&self, slot: u32) -> impl Iterator<Item = &str> {
        self.documents[slot as usize].terms.iter().map(|(term, _)| &*self.terms[*term as usize])
    }
}
