//! An index as bytes, for a snapshot, and back.
//!
//! Mark `MB25`; seven counts (terms, bytes of their letters, slots, postings of short lists, those of the others,
//! repeats, tokens); for each term its bytes and its postings as u32 and the bounds of its list; the letters; for each
//! slot its id as i64, its tokens and its distinct terms as u32; these terms as u32, slot by slot; the postings of short
//! lists in six bytes each, term by term, then those of the others, which are read where they lie; the repeats. The
//! tables are made anew.
//!
//! All of it is passed over in order, without a look anywhere else: what only a wrong program could have written with a
//! right checksum may answer wrongly, but stays inside itself.

use rustc_hash::FxHashMap;

use super::bm25::Bm25Index;
use super::forward::Forward;
use super::postings::{Bounds, Lists, MANY, Posting, PostingList, Postings, SHORT};
use super::vocabulary::Vocabulary;
use crate::CoreError;
use crate::ids::IdMap;
use crate::sealed::{Form, Reader, Sink, Stored, put, put_counts, put_each};

/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 2;
static FORM: Form = Form { what: "text index", mark: *b"MB25", version: VERSION };
const COUNTS: usize = 7;
const REPEAT_BYTES: usize = 12;

fn corrupt(reason: impl Into<String>) -> CoreError {
    FORM.corrupt(reason)
}

impl Bm25Index {
    /// The index as bytes, which [`Bm25Index::restore`] reads.
    ///
    /// # Errors
    /// None: there is room for them.
    pub fn dump(&self) -> Result<Vec<u8>, CoreError> {
        self.dumped()
    }

    /// The index that was dumped: it answers like it, bit for bit, also after changes.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are cut off, changed, of another version, or point outside themselves.
    pub fn restore(bytes: &[u8]) -> Result<Self, CoreError> {
        Self::restored(bytes)
    }

    /// How many terms, bytes of letters, slots, postings of short and of long lists, repeats and tokens there are.
    fn counts(&self) -> [usize; COUNTS] {
        let letters = (0..self.vocabulary.bound() as u32).map(|number| self.vocabulary.term(number).len()).sum();
        let lengths = || self.postings.iter().map(|list| list.as_slice().len());
        let short: usize = lengths().filter(|length| *length <= SHORT).sum();
        let all: usize = lengths().sum();
        let (terms, slots, tokens) = (self.postings.len(), self.ids.slot_bound(), self.total_length as usize);
        [terms, letters, slots, short, all - short, self.repeats.len(), tokens]
    }
}

impl Stored for Bm25Index {
    const FORM: &'static Form = &FORM;

    fn body_bytes(&self) -> usize {
        let [terms, letters, slots, short, long, repeats, _] = self.counts();
        let postings = (size_of::<u32>() + size_of::<Posting>()) * (short + long);
        8 * COUNTS + 12 * terms + letters + 16 * slots + postings + REPEAT_BYTES * repeats
    }

    fn write_body(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        put_counts(sink, &self.counts())?;
        let (terms, slots) = (0..self.postings.len() as u32, 0..self.ids.slot_bound() as u32);
        put_each(sink, terms.clone().map(|number| self.vocabulary.term(number).len() as u32))?;
        put_each(sink, self.postings.iter().map(|list| list.as_slice().len() as u32))?;
        put_each(sink, self.postings.iter().map(|list| list.bounds().to_bytes()))?;
        terms.map(|number| self.vocabulary.term(number)).try_for_each(|term| put(sink, term.as_bytes()))?;
        put(sink, self.ids.with_gaps())?;
        put(sink, &self.lengths)?;
        put_each(sink, slots.clone().map(|slot| self.forward.terms(slot).len() as u32))?;
        slots.map(|slot| self.forward.terms(slot)).try_for_each(|terms| put(sink, terms))?;
        for is_short in [true, false] {
            let lists = self.postings.iter().map(|list| list.as_slice());
            lists.filter(|list| (list.len() <= SHORT) == is_short).try_for_each(|list| put(sink, list))?;
        }
        let mut repeats: Vec<[u32; 3]> =
            self.repeats.iter().map(|(&(term, slot), &times)| [term, slot, times]).collect();
        repeats.sort_unstable();
        put(sink, &repeats)
    }

    fn read_body(reader: &mut Reader<'_>) -> Result<Self, CoreError> {
        let [terms, letters, slots, short, long, repeated, tokens] = reader.counts::<COUNTS>()?;
        let (bytes_of_terms, frequencies) = (reader.values::<u32>(terms)?, reader.values::<u32>(terms)?);
        let bounds = reader.values::<[u8; 4]>(terms)?;
        let letters = String::from_utf8(reader.values(letters)?).map_err(|error| corrupt(error.to_string()))?;
        let ids = reader.values::<i64>(slots)?;
        let ids = IdMap::with_slots(ids).ok_or_else(|| corrupt("an id is there twice, or is none"))?;
        let (lengths, distinct) = (reader.values::<u32>(slots)?, reader.values::<u32>(slots)?);
        let of_slots = reader.values::<u32>(short.saturating_add(long))?;
        let (short, long) = (reader.values::<Posting>(short)?, reader.values::<Posting>(long)?);
        let repeats = repeats(&reader.values::<[u32; 3]>(repeated)?, terms, slots)?;
        let sum = |values: &[u32]| values.iter().map(|value| u64::from(*value)).sum::<u64>();
        let total_length = sum(&lengths);
        if sum(&distinct) != of_slots.len() as u64 || tokens as u64 != total_length {
            return Err(corrupt("its counts do not agree"));
        }
        if of_slots.iter().max().is_some_and(|most| *most as usize >= terms) {
            return Err(corrupt("a document has a term that is not there"));
        }
        let forward = Forward::of(of_slots, &distinct).ok_or_else(|| corrupt("it has 2^32 terms of documents"))?;
        let sound = Sound { slots, ids: (ids.len() < slots).then_some(&ids) };
        let postings = lists(&frequencies, &bounds, &short, long, &sound)?;
        let used = lengths.iter().zip(ids.with_gaps()).all(|(tokens, id)| *tokens == 0 || *id >= 0);
        if !used || frequencies.iter().zip(&bytes_of_terms).any(|(count, bytes)| *count == 0 && *bytes > 0) {
            return Err(corrupt("what is free is not empty"));
        }
        let each = bytes_of_terms.iter().zip(&frequencies).map(|(bytes, count)| (*bytes as usize, *count > 0));
        let vocabulary = Vocabulary::of(each, letters)?;
        Ok(Self { vocabulary, postings, ids, lengths, forward, repeats, total_length })
    }
}

/// What the postings of a list must be.
struct Sound<'i> {
    slots: usize,
    /// The documents, where some slots have none.
    ids: Option<&'i IdMap>,
}

impl Sound<'_> {
    fn check(&self, list: &[Posting]) -> Result<(), CoreError> {
        let (mut sound, mut before) = (true, None);
        for &posting in list {
            sound &= (before < Some(posting.slot)) & (posting.count > 0);
            before = Some(posting.slot);
        }
        sound &= before.is_none_or(|last| (last as usize) < self.slots);
        let used = |ids: &IdMap| list.iter().all(|posting| ids.is_used(posting.slot));
        let sound = sound && self.ids.is_none_or(used);
        if sound { Ok(()) } else { Err(corrupt("a posting stands in no document")) }
    }
}

/// The lists of all terms: short ones have their postings for themselves, the others lie in `long`.
fn lists(
    frequencies: &[u32],
    bounds: &[[u8; 4]],
    mut short: &[Posting],
    long: Vec<Posting>,
    sound: &Sound<'_>,
) -> Result<Lists, CoreError> {
    let disagree = || corrupt("its counts do not agree");
    let mut made = Vec::with_capacity(frequencies.len());
    let mut start = 0_u32;
    for (&length, &bounds) in frequencies.iter().zip(bounds) {
        let bounds = Bounds::from_bytes(bounds);
        if length as usize <= SHORT {
            let own;
            (own, short) = short.split_at_checked(length as usize).ok_or_else(disagree)?;
            sound.check(own)?;
            made.push(PostingList::Own { bounds, postings: Postings::from_slice(own) });
        } else {
            let end = start.checked_add(length).ok_or_else(disagree)?;
            sound.check(long.get(start as usize..end as usize).ok_or_else(disagree)?)?;
            made.push(PostingList::Restored { bounds, start, length });
            start = end;
        }
    }
    if short.is_empty() && start as usize == long.len() { Ok(Lists::of(made, long)) } else { Err(disagree()) }
}

fn repeats(entries: &[[u32; 3]], terms: usize, slots: usize) -> Result<FxHashMap<(u32, u32), u32>, CoreError> {
    let mut made = FxHashMap::default();
    for &[term, slot, times] in entries {
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
    use crate::sealed::seal;

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
            let mut restored = Bm25Index::restore(&index.dump().unwrap()).unwrap();
            prop_assert_eq!(answers(&restored), answers(&index));
            prop_assert_eq!(restored.dump().unwrap(), index.dump().unwrap());
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
            let bytes = collection(seed, 30, 5)[0].dump().unwrap();
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
            let mut bytes = collection(seed, 30, 5)[0].dump().unwrap();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(bytes.len() - 8 - cut);
            if let Ok(mut index) = Bm25Index::restore(&seal(bytes)) {
                answers(&index);
                index.remove(&(0..40).collect::<Vec<i64>>());
                index.add("texts", &[1, 2], &[vec!["w1"], vec!["w2", "w7"]]).unwrap();
                answers(&index);
                index.dump().unwrap();
            }
        }
    }
}
