//! The documents that hold a term, with what a score needs of each, and bounds of the whole list.

use smallvec::SmallVec;

/// One document of a list, in six bytes: a score reads nothing else, but for texts and repeats beyond a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, packed(2))]
pub(super) struct Posting {
    pub(super) slot: u32,
    /// How often the document has the term; [`MANY`] stands for that and more, which the index knows.
    pub(super) count: u8,
    /// How many tokens the document has, in the same way.
    pub(super) length: u8,
}

/// The byte that stands for itself and more.
pub(super) const MANY: u8 = u8::MAX;

/// A number as a byte of a posting.
pub(super) fn in_a_byte(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(MANY)
}

/// So many postings stand in the list itself, in the room of a pointer to more. Most terms have no more.
pub(super) const SHORT: usize = 2;
pub(super) type Postings = SmallVec<[Posting; SHORT]>;

/// The postings of a term, by slot.
#[derive(Debug, Clone)]
pub(super) struct PostingList {
    postings: Postings,
    bounds: Bounds,
}

/// What no posting of a list goes beyond. After removals it may be wider than the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The shortest length among postings of count 1, 2, and 3 or more.
    pub(super) shortest: [u8; 3],
    /// The highest count.
    pub(super) most: u8,
}

impl Default for PostingList {
    fn default() -> Self {
        Self::none()
    }
}

impl Bounds {
    const NONE: Self = Self { shortest: [MANY; 3], most: 0 };

    fn admit(&mut self, posting: Posting) {
        let shortest = &mut self.shortest[usize::from(posting.count.clamp(1, 3)) - 1];
        *shortest = posting.length.min(*shortest);
        self.most = self.most.max(posting.count);
    }

    /// As bytes, and back.
    pub(super) fn to_bytes(self) -> [u8; 4] {
        let [one, two, more] = self.shortest;
        [one, two, more, self.most]
    }

    pub(super) fn from_bytes([one, two, more, most]: [u8; 4]) -> Self {
        Self { shortest: [one, two, more], most }
    }

    fn of(postings: &[Posting]) -> Self {
        let mut made = Self::NONE;
        postings.iter().for_each(|posting| made.admit(*posting));
        made
    }
}

impl PostingList {
    /// A list without a posting.
    fn none() -> Self {
        Self { postings: Postings::new(), bounds: Bounds::NONE }
    }

    /// A list of postings whose slots ascend, with bounds that hold for them.
    pub(super) fn of(postings: Postings, bounds: Bounds) -> Self {
        Self { postings, bounds }
    }

    pub(super) fn as_slice(&self) -> &[Posting] {
        &self.postings
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Adds a document that is not there.
    pub(super) fn insert(&mut self, posting: Posting) {
        self.bounds.admit(posting);
        match self.postings.last() {
            Some(last) if last.slot > posting.slot => {
                let at = self.postings.partition_point(|other| other.slot < posting.slot);
                self.postings.insert(at, posting);
            }
            _ => self.postings.push(posting),
        }
    }

    /// Takes the documents of some slots out, which ascend.
    pub(super) fn remove(&mut self, mut slots: impl ExactSizeIterator<Item = u32>) {
        if slots.len() <= 4 {
            for slot in slots {
                if let Ok(at) = self.postings.binary_search_by_key(&slot, |posting| posting.slot) {
                    self.postings.remove(at);
                }
            }
            if self.postings.len() < 64 {
                self.bounds = Bounds::of(&self.postings);
            }
        } else {
            let mut next = slots.next();
            self.postings.retain(|posting| {
                while next.is_some_and(|slot| slot < posting.slot) {
                    next = slots.next();
                }
                next != Some(posting.slot)
            });
            self.bounds = Bounds::of(&self.postings);
        }
        if self.postings.capacity() > 4 * self.postings.len() {
            self.postings.shrink_to_fit();
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        if self.postings.spilled() { self.postings.capacity() * size_of::<Posting>() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_postings_take_no_more_than_the_list_does() {
        assert_eq!(size_of::<Postings>(), size_of::<Vec<Posting>>());
        let mut list = PostingList::default();
        for slot in [7, 3, 5] {
            list.insert(Posting { slot, count: 1, length: 9 });
            assert_eq!(list.memory_bytes() > 0, list.as_slice().len() > 2);
        }
        list.remove([3].into_iter());
        assert_eq!(list.as_slice().iter().map(|posting| posting.slot).collect::<Vec<_>>(), [5, 7]);
    }
}
