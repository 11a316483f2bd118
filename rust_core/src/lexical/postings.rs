//! The documents that hold a term, with what a score needs of each, and bounds of the whole list.

use bytemuck::{Pod, Zeroable};
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

// SAFETY: every part of it may be zero.
unsafe impl Zeroable for Posting {}
// SAFETY: `repr(C)`, 4 + 1 + 1 bytes with an alignment of 2: no padding, and every part may be any bits.
unsafe impl Pod for Posting {}

/// The byte that stands for itself and more.
pub(super) const MANY: u8 = u8::MAX;

/// A number as a byte of a posting.
pub(super) fn in_a_byte(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(MANY)
}

/// So many postings stand in the list itself, in the room of a pointer to more. Most terms have no more.
pub(super) const SHORT: usize = 2;
/// Restored postings that are of no list any more are kept up to this many, or to half of all.
const FEW_DEAD: usize = if cfg!(test) { 8 } else { 4_096 };
pub(super) type Postings = SmallVec<[Posting; SHORT]>;

/// The postings of a term, by slot.
#[derive(Debug, Clone)]
pub(super) enum PostingList {
    /// They are its own.
    Own { bounds: Bounds, postings: Postings },
    /// They lie among those that were restored together, until one of them changes.
    Restored { bounds: Bounds, start: u32, length: u32 },
}

/// The postings of a term, to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'i> {
    postings: &'i [Posting],
    bounds: Bounds,
}

impl<'i> List<'i> {
    pub(super) fn as_slice(&self) -> &'i [Posting] {
        self.postings
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }
}

/// The lists of all terms, by their number.
#[derive(Debug, Default)]
pub(super) struct Lists {
    lists: Vec<PostingList>,
    restored: Vec<Posting>,
    /// How many of `restored` are of no list any more.
    dead: usize,
}

impl Lists {
    /// The lists that were restored, and the postings of those that have none of their own.
    pub(super) fn of(lists: Vec<PostingList>, restored: Vec<Posting>) -> Self {
        Self { lists, restored, dead: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    /// The list of a number, to be read.
    #[inline]
    pub(super) fn list(&self, number: u32) -> List<'_> {
        match &self.lists[number as usize] {
            PostingList::Own { bounds, postings } => List { postings, bounds: *bounds },
            PostingList::Restored { bounds, start, length } => {
                List { postings: &self.restored[*start as usize..][..*length as usize], bounds: *bounds }
            }
        }
    }

    /// Every list in the order of the numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = List<'_>> {
        (0..self.lists.len() as u32).map(|number| self.list(number))
    }

    /// Makes empty lists until there are so many.
    pub(super) fn grow(&mut self, count: usize) {
        self.lists.resize_with(count, PostingList::none);
    }

    /// Adds a document that is not there to the list of a number.
    pub(super) fn insert(&mut self, number: u32, posting: Posting) {
        let (bounds, postings) = self.own(number);
        bounds.admit(posting);
        match postings.last() {
            Some(last) if last.slot > posting.slot => {
                let at = postings.partition_point(|other| other.slot < posting.slot);
                postings.insert(at, posting);
            }
            _ => postings.push(posting),
        }
    }

    /// Takes the documents of some slots, which ascend, out of the list of a number; whether it is empty now.
    pub(super) fn remove(&mut self, number: u32, mut slots: impl ExactSizeIterator<Item = u32>) -> bool {
        let (bounds, postings) = self.own(number);
        if slots.len() <= 4 {
            for slot in slots {
                if let Ok(at) = postings.binary_search_by_key(&slot, |posting| posting.slot) {
                    postings.remove(at);
                }
            }
            if postings.len() < 64 {
                *bounds = Bounds::of(postings);
            }
        } else {
            let mut next = slots.next();
            postings.retain(|posting| {
                while next.is_some_and(|slot| slot < posting.slot) {
                    next = slots.next();
                }
                next != Some(posting.slot)
            });
            *bounds = Bounds::of(postings);
        }
        if postings.capacity() > 4 * postings.len() {
            postings.shrink_to_fit();
        }
        postings.is_empty()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let own = |list: &PostingList| match list {
            PostingList::Own { postings, .. } if postings.spilled() => postings.capacity() * size_of::<Posting>(),
            PostingList::Own { .. } | PostingList::Restored { .. } => 0,
        };
        self.lists.iter().map(own).sum::<usize>()
            + self.lists.capacity() * size_of::<PostingList>()
            + self.restored.capacity() * size_of::<Posting>()
    }

    /// The list of a number, which has its postings for itself from now on.
    fn own(&mut self, number: u32) -> (&mut Bounds, &mut Postings) {
        let list = &mut self.lists[number as usize];
        self.dead += list.take_out(&self.restored);
        if self.dead > FEW_DEAD.max(self.restored.len() / 2) {
            for list in &mut self.lists {
                list.take_out(&self.restored);
            }
            (self.restored, self.dead) = (Vec::new(), 0);
        }
        match &mut self.lists[number as usize] {
            PostingList::Own { bounds, postings } => (bounds, postings),
            PostingList::Restored { .. } => unreachable!("it was taken out"),
        }
    }
}

/// What no posting of a list goes beyond. After removals it may be wider than the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The shortest length among postings of count 1, 2, and 3 or more.
    pub(super) shortest: [u8; 3],
    /// The highest count.
    pub(super) most: u8,
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
        Self::Own { bounds: Bounds::NONE, postings: Postings::new() }
    }

    /// Gives a list its postings for itself; how many it took from those that were restored.
    fn take_out(&mut self, restored: &[Posting]) -> usize {
        let Self::Restored { bounds, start, length } = *self else { return 0 };
        let postings = Postings::from_slice(&restored[start as usize..][..length as usize]);
        *self = Self::Own { bounds, postings };
        length as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_postings_take_no_more_than_the_list_does() {
        assert_eq!(size_of::<Postings>(), size_of::<Vec<Posting>>());
        assert_eq!(size_of::<PostingList>(), 32);
        let mut lists = Lists::default();
        lists.grow(1);
        let bare = lists.memory_bytes();
        for slot in [7, 3, 5] {
            lists.insert(0, Posting { slot, count: 1, length: 9 });
            assert_eq!(lists.memory_bytes() > bare, lists.list(0).as_slice().len() > 2);
        }
        assert!(!lists.remove(0, [3].into_iter()));
        assert_eq!(lists.list(0).as_slice().iter().map(|posting| posting.slot).collect::<Vec<_>>(), [5, 7]);
        assert!(lists.remove(0, [5, 7].into_iter()));
    }
}
