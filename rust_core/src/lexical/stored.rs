//! An index as bytes, for a snapshot, and back.
//!
//! Little-endian: a header (mark `MB25`, version, checksum); six counts as u64 (terms, bytes of their letters, slots,
//! postings, repeats, tokens); for each term its bytes and its postings as u32 and the bounds of its
//! list; the letters; for each slot its id as i64, its tokens and its distinct terms as u32; these terms as u32, slot by
//! slot; the postings in six bytes each, term by term; the repeats. The tables are made anew.
//!
//! All of it is passed over in order, without a look anywhere else: what only a wrong program could have written with a
//! right checksum may answer wrongly, but stays inside itself.

use rustc_hash::FxHashMap;

use super::bm25::Bm25Index;
use super::forward::Forward;
use super::postings::{Bounds, MANY, Posting, PostingList, Postings, SHORT};
use super::vocabulary::Vocabulary;
use crate::CoreError;
use crate::ids::IdMap;
use crate::sealed::{Form, Reader, seal};

/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 1;
static FORM: Form = Form { what: "text index", mark: *b"MB25", version: VERSION };
const COUNTS: usize = 6;
const POSTING_BYTES: usize = 6;
const REPEAT_BYTES: usize = 12;

fn corrupt(reason: impl Into<String>) -> CoreError {
    FORM.corrupt(reason)
}

impl Bm25Index {
    /// The index as bytes, which [`Bm25Index::restore`] reads.
    pub fn dump(&self) -> Vec<u8> {
        let terms = 0..self.vocabulary.bound() as u32;
        let letters: usize = terms.clone().map(|number| self.vocabulary.term(number).len()).sum();
        let postings: usize = self.postings.iter().map(|list| list.as_slice().len()).sum();
        let (slots, repeats) = (self.ids.slot_bound(), self.repeats.len());
        let room = 8 * COUNTS + 12 * terms.len() + letters + 16 * slots + (4 + POSTING_BYTES) * postings;
        let mut bytes = FORM.begin(room + REPEAT_BYTES * repeats);
        for count in [terms.len(), letters, slots, postings, repeats, self.total_length as usize] {
            bytes.extend_from_slice(&(count as u64).to_le_bytes());
        }
        let mut words = |values: &mut dyn Iterator<Item = u32>| {
            values.for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        };
        words(&mut terms.clone().map(|number| self.vocabulary.term(number).len() as u32));
        words(&mut self.postings.iter().map(|list| list.as_slice().len() as u32));
        self.postings.iter().for_each(|list| bytes.extend_from_slice(&list.bounds().to_bytes()));
        terms.for_each(|number| bytes.extend_from_slice(self.vocabulary.term(number).as_bytes()));
        self.ids.with_gaps().iter().for_each(|id| bytes.extend_from_slice(&id.to_le_bytes()));
        self.lengths.iter().for_each(|length| bytes.extend_from_slice(&length.to_le_bytes()));
        for slot in 0..slots as u32 {
            bytes.extend_from_slice(&(self.forward.terms(slot).len() as u32).to_le_bytes());
        }
        for slot in 0..slots as u32 {
            self.forward.terms(slot).iter().for_each(|term| bytes.extend_from_slice(&term.to_le_bytes()));
        }
        for posting in self.postings.iter().flat_map(PostingList::as_slice) {
            let [a, b, c, d] = posting.slot.to_le_bytes();
            bytes.extend_from_slice(&[a, b, c, d, posting.count, posting.length]);
        }
        let mut repeats: Vec<_> = self.repeats.iter().collect();
        repeats.sort_unstable();
        for ((term, slot), times) in repeats {
            [term, slot, times].iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        }
        seal(bytes)
    }

    /// The index that was dumped: it answers like it, bit for bit, also after changes.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are cut off, changed, of another version, or point outside themselves.
    pub fn restore(bytes: &[u8]) -> Result<Self, CoreError> {
        Self::from_body(FORM.open(bytes)?)
    }

    fn from_body(mut reader: Reader<'_>) -> Result<Self, CoreError> {
        let [terms, letters, slots, postings, repeated, tokens] = reader.counts::<COUNTS>()?;
        let (bytes_of_terms, frequencies) = (reader.words(terms)?, reader.words(terms)?);
        let bounds = reader.take(terms, 4)?.as_chunks::<4>().0;
        let letters = std::str::from_utf8(reader.take(letters, 1)?).map_err(|error| corrupt(error.to_string()))?;
        let ids = IdMap::with_slots(reader.longs(slots)?).ok_or_else(|| corrupt("an id is there twice, or is none"))?;
        let (lengths, distinct, of_slots) = (reader.words(slots)?, reader.words(slots)?, reader.words(postings)?);
        let mut postings = reader.take(postings, POSTING_BYTES)?.as_chunks::<POSTING_BYTES>().0;
        let repeats = repeats(reader.take(repeated, REPEAT_BYTES)?, terms, slots)?;
        let sum = |values: &[u32]| values.iter().map(|value| u64::from(*value)).sum::<u64>();
        let total_length = sum(&lengths);
        let all = postings.len() as u64;
        if !reader.is_empty() || sum(&frequencies) != all || sum(&distinct) != all || tokens as u64 != total_length {
            return Err(corrupt("its counts do not agree"));
        }
        if of_slots.iter().max().is_some_and(|most| *most as usize >= terms) {
            return Err(corrupt("a document has a term that is not there"));
        }
        let forward = Forward::of(of_slots, &distinct).ok_or_else(|| corrupt("it has 2^32 terms of documents"))?;
        let has_gaps = ids.len() < slots;
        let mut lists: Vec<PostingList> = Vec::with_capacity(terms);
        for (frequency, bounds) in frequencies.iter().zip(bounds) {
            let own;
            (own, postings) = postings.split_at(*frequency as usize);
            let of_bytes = |[a, b, c, d, count, length]: &[u8; POSTING_BYTES]| Posting {
                slot: u32::from_le_bytes([*a, *b, *c, *d]),
                count: *count,
                length: *length,
            };
            let each = own.iter().map(of_bytes);
            // A vector has no more room than it needs.
            let is_short = own.len() <= SHORT;
            let list = if is_short { each.collect() } else { Postings::from_vec(each.collect()) };
            let ascends = list.windows(2).all(|pair| pair[0].slot < pair[1].slot);
            let inside = list.last().is_none_or(|last| (last.slot as usize) < slots);
            let used = |posting: &Posting| posting.count > 0 && (!has_gaps || ids.is_used(posting.slot));
            if !ascends || !inside || !list.iter().all(used) {
                return Err(corrupt("a posting stands in no document"));
            }
            lists.push(PostingList::of(list, Bounds::from_bytes(*bounds)));
        }
        let used = lengths.iter().zip(ids.with_gaps()).all(|(tokens, id)| *tokens == 0 || *id >= 0);
        if !used || lists.iter().zip(&bytes_of_terms).any(|(list, bytes)| list.as_slice().is_empty() && *bytes > 0) {
            return Err(corrupt("what is free is not empty"));
        }
        let each =
            bytes_of_terms.iter().zip(&lists).map(|(bytes, list)| (*bytes as usize, !list.as_slice().is_empty()));
        let vocabulary = Vocabulary::of(each, letters.to_owned())?;
        Ok(Self { vocabulary, postings: lists, ids, lengths, forward, repeats, total_length })
    }
}

fn repeats(bytes: &[u8], terms: usize, slots: usize) -> Result<FxHashMap<(u32, u32), u32>, CoreError> {
    let mut made = FxHashMap::default();
    for entry in bytes.as_chunks::<REPEAT_BYTES>().0 {
        let [term, slot, times] =
            [0, 4, 8].map(|at| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]));
        if term as usize >= terms || slot as usize >= slots || times < u32::from(MANY) {
            return Err(corrupt("a repeat stands in no document"));
        }
        made.insert((term, slot), times);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::bm25::Bm25Params;
    use super::super::scope::Scope;
    use super::super::skipping_tests::collection;
    use super::*;

    fn answers(index: &Bm25Index) -> Vec<(u64, i64)> {
        let terms = ["w0", "w1", "w7", "w9", "w30"];
        let found = Scope::whole(&[index]).best(&terms, Bm25Params::new(1.2, 0.75).unwrap(), 50, None);
        found.into_iter().map(|(score, id)| (score.to_bits(), id)).collect()
    }

    proptest! {
        #[test]
        fn a_restored_index_answers_and_changes_like_the_dumped_one(
            seed in any::<u64>(), documents in 0..150_usize, removed in 0..60_usize, gone in prop::collection::vec(0..150_i64, 0..40),
        ) {
            let [mut index, _] = collection(seed, documents, removed);
            let mut restored = Bm25Index::restore(&index.dump()).unwrap();
            prop_assert_eq!(answers(&restored), answers(&index));
            prop_assert_eq!(restored.dump(), index.dump());
            for index in [&mut index, &mut restored] {
                index.remove(&gone);
                index.add("texts", &[7, 900, 901], &[vec!["w1", "w7"], vec!["new"; 300], vec!["w9", "w0"]]).unwrap();
            }
            prop_assert_eq!(answers(&restored), answers(&index));
            for id in 0..902 {
                prop_assert_eq!(restored.terms_of(id), index.terms_of(id));
            }
            prop_assert_eq!((restored.len(), restored.total_length()), (index.len(), index.total_length()));
        }

        #[test]
        fn bytes_that_are_cut_or_changed_are_refused(seed in any::<u64>(), at in any::<prop::sample::Index>(), bit in 0..8_u32) {
            let bytes = collection(seed, 30, 5)[0].dump();
            let at = at.index(bytes.len());
            prop_assert!(Bm25Index::restore(&bytes[..at]).is_err());
            let mut changed = bytes;
            changed[at] ^= 1 << bit;
            prop_assert!(Bm25Index::restore(&changed).is_err());
        }

        #[test]
        fn bytes_that_were_made_up_are_refused_or_safe(
            seed in any::<u64>(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4), cut in 0..9_usize,
        ) {
            let mut bytes = collection(seed, 30, 5)[0].dump();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(bytes.len() - cut);
            if let Ok(mut index) = Bm25Index::restore(&seal(bytes)) {
                answers(&index);
                index.remove(&(0..40).collect::<Vec<i64>>());
                index.add("texts", &[1, 2], &[vec!["w1"], vec!["w2", "w7"]]).unwrap();
                answers(&index);
                index.dump();
            }
        }
    }
}
