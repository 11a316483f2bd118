//! The terms of an index and their numbers, each term's letters kept once.
//!
//! A term is found by 64 bits of hash and then compared: of two terms with one hash, the second stands in a table of its
//! own, so no answer depends on the hash.

use std::collections::hash_map::Entry;
use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use crate::CoreError;

/// Tests keep two bits, so that terms meet in one hash all the time.
const HASH_BITS: u64 = if cfg!(test) { 3 } else { u64::MAX };

/// Letters that belong to no term any more are kept up to this many, or to half of all.
const FEW_DEAD_BYTES: usize = 4_096;

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    length: u32,
}

/// Terms by number and numbers by term.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    text: String,
    /// By number; empty where the number is unused.
    spans: Vec<Span>,
    numbers: FxHashMap<u64, u32>,
    /// The terms whose hash belongs to another.
    collided: FxHashMap<Box<str>, u32>,
    unused: Vec<u32>,
    dead_bytes: usize,
}

fn hash(term: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(term.as_bytes());
    hasher.finish() & HASH_BITS
}

impl Vocabulary {
    /// The terms by number: the bytes of each in `text`, and whether its number is used.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for a term that is there twice, or bytes that are not those of the text.
    pub(super) fn of(terms: impl Iterator<Item = (usize, bool)>, text: String) -> Result<Self, CoreError> {
        let corrupt = |reason: &str| CoreError::Corrupt { what: "text index", reason: reason.to_owned() };
        let mut made = Self::default();
        let mut at = 0_usize;
        for (length, used) in terms {
            let end = at.checked_add(length).filter(|end| text.is_char_boundary(*end));
            let end = end.ok_or_else(|| corrupt("a term ends outside the text of all terms"))?;
            made.spans.push(Span { start: at as u32, length: length as u32 });
            if !used {
                made.unused.push((made.spans.len() - 1) as u32);
            }
            at = end;
        }
        if at != text.len() || u32::try_from(at).is_err() {
            return Err(corrupt("the terms are not as long as their text"));
        }
        made.text = text;
        made.numbers.reserve(made.spans.len() - made.unused.len());
        let mut unused = made.unused.iter().copied().peekable();
        for number in 0..made.spans.len() as u32 {
            if unused.next_if_eq(&number).is_some() {
                continue;
            }
            let Span { start, length } = made.spans[number as usize];
            let term = &made.text[start as usize..(start + length) as usize];
            if let Some(there) = made.numbers.insert(hash(term), number) {
                made.numbers.insert(hash(term), there);
                if made.term(there) == term || made.collided.insert(term.into(), number).is_some() {
                    return Err(corrupt("a term is there twice"));
                }
            }
        }
        Ok(made)
    }

    /// The number of a term that is there.
    pub(super) fn number(&self, term: &str) -> Option<u32> {
        match self.numbers.get(&hash(term)) {
            Some(number) if self.term(*number) == term => Some(*number),
            _ if self.collided.is_empty() => None,
            _ => self.collided.get(term).copied(),
        }
    }

    /// The number of a term, a new one if it is not there; the numbers go from 0 without gaps.
    pub(super) fn intern(&mut self, term: &str) -> u32 {
        if let Some(number) = self.number(term) {
            return number;
        }
        let span = Span { start: self.text.len() as u32, length: term.len() as u32 };
        self.text.push_str(term);
        let number = match self.unused.pop() {
            Some(number) => {
                self.spans[number as usize] = span;
                number
            }
            None => {
                self.spans.push(span);
                (self.spans.len() - 1) as u32
            }
        };
        match self.numbers.entry(hash(term)) {
            Entry::Vacant(entry) => {
                entry.insert(number);
            }
            Entry::Occupied(_) => {
                self.collided.insert(term.into(), number);
            }
        }
        number
    }

    /// Whether `terms` more with `bytes` letters can be numbered.
    ///
    /// # Errors
    /// 2³² terms or bytes.
    pub(super) fn check_room(&self, terms: usize, bytes: usize) -> Result<(), CoreError> {
        if self.spans.len() + terms >= u32::MAX as usize || self.text.len() + bytes >= u32::MAX as usize {
            return Err(CoreError::Engine("one block holds at most 2^32 terms, and bytes of terms".into()));
        }
        Ok(())
    }

    /// Frees the number of a term.
    pub(super) fn release(&mut self, number: u32) {
        let term = &self.text[self.range(number)];
        if self.numbers.get(&hash(term)) == Some(&number) {
            self.numbers.remove(&hash(term));
        } else {
            self.collided.remove(term);
        }
        self.dead_bytes += term.len();
        self.spans[number as usize] = Span::default();
        self.unused.push(number);
        if self.dead_bytes > FEW_DEAD_BYTES.max(self.text.len() / 2) {
            self.leave_out_the_dead();
        }
    }

    /// One more than the highest number.
    pub(super) fn bound(&self) -> usize {
        self.spans.len()
    }

    /// The term of a number; empty where it is unused.
    pub(super) fn term(&self, number: u32) -> &str {
        &self.text[self.range(number)]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.text.capacity()
            + self.spans.capacity() * size_of::<Span>()
            + self.numbers.capacity() * (size_of::<(u64, u32)>() + 1)
            + self.collided.capacity() * (size_of::<(Box<str>, u32)>() + 1)
            + self.unused.capacity() * size_of::<u32>()
    }

    fn range(&self, number: u32) -> std::ops::Range<usize> {
        let Span { start, length } = self.spans[number as usize];
        start as usize..start as usize + length as usize
    }

    fn leave_out_the_dead(&mut self) {
        let mut kept = String::with_capacity(self.text.len() - self.dead_bytes);
        for span in &mut self.spans {
            let start = kept.len() as u32;
            kept.push_str(&self.text[span.start as usize..span.start as usize + span.length as usize]);
            span.start = start;
        }
        self.text = kept;
        self.dead_bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn terms_that_share_a_hash_keep_their_own_numbers(
            changes in prop::collection::vec(("[a-d]{1,2}|[é茶]", any::<bool>()), 0..60)
        ) {
            let mut vocabulary = Vocabulary::default();
            let mut twin: BTreeMap<String, u32> = BTreeMap::new();
            for (term, add) in changes {
                if add {
                    let number = vocabulary.intern(&term);
                    prop_assert_eq!(*twin.entry(term).or_insert(number), number);
                } else if let Some(number) = twin.remove(&term) {
                    vocabulary.release(number);
                }
                if vocabulary.dead_bytes > 3 {
                    vocabulary.leave_out_the_dead();
                }
                for (term, number) in &twin {
                    prop_assert_eq!((vocabulary.number(term), vocabulary.term(*number)), (Some(*number), term.as_str()));
                }
                prop_assert_eq!(vocabulary.bound(), twin.len() + vocabulary.unused.len());
            }
            prop_assert_eq!(vocabulary.number("not there"), None);
        }
    }
}
