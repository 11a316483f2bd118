//! Memory ids (i64, ≥ 0) and the dense slots (u32) that the engines count with.
//!
//! [`IdMap`] is the one mapping between the two, O(1) both ways. [`IdSet`] answers "is this id in the scope" for the
//! `allowed` arguments: a bitmap where the ids lie close together, a hash set where they do not.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::CoreError;

const VACANT: i64 = -1;

/// Refuses negative ids.
///
/// # Errors
/// [`CoreError::InvalidInput`] with the first negative id and its place in `ids`.
pub fn check_ids(field: &'static str, ids: &[i64]) -> Result<(), CoreError> {
    match ids.iter().position(|&id| id < 0) {
        Some(i) => Err(CoreError::invalid(field, format!("{} at {i}", ids[i]), "ids are integers from 0 to 2^63 - 1")),
        None => Ok(()),
    }
}

/// Ids and their slots. A slot that was released is given to the next new id.
#[derive(Debug, Clone, Default)]
pub struct IdMap {
    slots: FxHashMap<i64, u32>,
    ids: Vec<i64>,
    free: Vec<u32>,
}

impl IdMap {
    /// The slot of `id`, if it has one.
    pub fn slot(&self, id: i64) -> Option<u32> {
        self.slots.get(&id).copied()
    }

    /// The id in a slot that is in use.
    pub fn id(&self, slot: u32) -> i64 {
        let id = self.ids[slot as usize];
        debug_assert_ne!(id, VACANT, "slot {slot} is free");
        id
    }

    /// Whether an id has this slot.
    pub fn is_used(&self, slot: u32) -> bool {
        self.ids.get(slot as usize).is_some_and(|&id| id != VACANT)
    }

    /// The slot of `id`, a new one if it has none.
    ///
    /// # Errors
    /// [`CoreError::Engine`] when all 2^32 slots are taken.
    pub fn intern(&mut self, id: i64) -> Result<u32, CoreError> {
        if let Some(&slot) = self.slots.get(&id) {
            return Ok(slot);
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                self.ids[slot as usize] = id;
                slot
            }
            None => {
                let slot = u32::try_from(self.ids.len())
                    .map_err(|_| CoreError::Engine("one block holds at most 2^32 ids".to_owned()))?;
                self.ids.push(id);
                slot
            }
        };
        self.slots.insert(id, slot);
        Ok(slot)
    }

    /// Frees the slot of `id` and returns it.
    pub fn release(&mut self, id: i64) -> Option<u32> {
        let slot = self.slots.remove(&id)?;
        self.ids[slot as usize] = VACANT;
        self.free.push(slot);
        Some(slot)
    }

    /// Frees the slot of `id` and returns it, after giving it to the id in the last slot: rows without gaps stay so.
    /// A map is emptied either by this or by [`IdMap::release`], not by both.
    pub fn swap_release(&mut self, id: i64) -> Option<u32> {
        debug_assert!(self.free.is_empty(), "a map with gaps");
        let slot = self.slots.remove(&id)?;
        self.ids.swap_remove(slot as usize);
        if let Some(&moved) = self.ids.get(slot as usize) {
            self.slots.insert(moved, slot);
        }
        Some(slot)
    }

    /// The ids in order of their slots, when no slot is free.
    pub fn as_slice(&self) -> &[i64] {
        debug_assert!(self.free.is_empty(), "a map with gaps");
        &self.ids
    }

    /// The ids in order of their slots, with what is no id in a slot that is free.
    pub fn with_gaps(&self) -> &[i64] {
        &self.ids
    }

    /// The map of [`IdMap::with_gaps`]; None when an id is there twice, or is negative without being a gap.
    pub fn with_slots(ids: Vec<i64>) -> Option<Self> {
        u32::try_from(ids.len()).ok()?;
        let mut made = Self::default();
        made.slots.reserve(ids.len());
        for (slot, id) in (0_u32..).zip(&ids) {
            if *id == VACANT {
                made.free.push(slot);
            } else if *id < 0 || made.slots.insert(*id, slot).is_some() {
                return None;
            }
        }
        made.ids = ids;
        Some(made)
    }

    /// How many ids have a slot.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether no id has a slot.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// One more than the highest slot that was ever used.
    pub fn slot_bound(&self) -> usize {
        self.ids.len()
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        // A hash table keeps one control byte beside each (id, slot) pair.
        self.slots.capacity() * (size_of::<(i64, u32)>() + 1)
            + self.ids.capacity() * size_of::<i64>()
            + self.free.capacity() * size_of::<u32>()
    }
}

/// A set of ids that only answers whether an id is in it.
#[derive(Debug, Clone)]
pub enum IdSet {
    /// One bit an id, from `first` on.
    Bitmap {
        /// The lowest id.
        first: i64,
        /// Bit `id − first`.
        words: Vec<u64>,
    },
    /// Ids that lie too far apart for a bitmap.
    Hashed(FxHashSet<i64>),
}

impl IdSet {
    /// The set of `ids`, in time and space O(len) however far apart they lie.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] when an id is negative.
    pub fn new(field: &'static str, ids: &[i64]) -> Result<Self, CoreError> {
        check_ids(field, ids)?;
        let (first, last) = ids.iter().fold((i64::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)));
        // Both ends are ≥ 0, so the difference does not overflow. A word an id is the most a bitmap may cost.
        let words = if ids.is_empty() { 0 } else { ((last - first) / 64) as usize + 1 };
        if words > ids.len() + 64 {
            return Ok(Self::Hashed(ids.iter().copied().collect()));
        }
        let mut bitmap = vec![0u64; words];
        for &id in ids {
            let bit = (id - first) as usize;
            bitmap[bit / 64] |= 1 << (bit % 64);
        }
        Ok(Self::Bitmap { first, words: bitmap })
    }

    /// Whether `id` is in the set.
    pub fn contains(&self, id: i64) -> bool {
        match self {
            Self::Bitmap { first, words } => {
                let Some(bit) = id.checked_sub(*first).and_then(|bit| usize::try_from(bit).ok()) else { return false };
                words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
            }
            Self::Hashed(ids) => ids.contains(&id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_released_slot_is_used_again_and_the_others_stay() {
        let mut map = IdMap::default();
        let slots: Vec<u32> = [70, 7, i64::MAX].iter().map(|&id| map.intern(id).unwrap()).collect();
        assert_eq!(slots, vec![0, 1, 2]);
        assert_eq!(map.release(7), Some(1));
        assert_eq!((map.slot(7), map.release(7)), (None, None));
        assert_eq!(map.intern(8).unwrap(), 1);
        assert_eq!((map.id(1), map.id(2), map.len(), map.slot_bound()), (8, i64::MAX, 3, 3));
        assert_eq!(map.intern(70).unwrap(), 0, "an id keeps its slot");
    }

    #[test]
    fn the_last_id_moves_into_a_slot_that_is_freed_without_a_gap() {
        let mut map = IdMap::default();
        [70, 7, 9].iter().for_each(|&id| assert!(map.intern(id).is_ok()));
        assert_eq!((map.swap_release(70), map.as_slice()), (Some(0), &[9, 7][..]));
        assert_eq!((map.slot(9), map.swap_release(70)), (Some(0), None));
        assert_eq!((map.swap_release(7), map.swap_release(9), map.is_empty()), (Some(1), Some(0), true));
    }

    #[test]
    fn a_negative_id_is_named_with_its_place() {
        let error = check_ids("ids", &[1, -1]).unwrap_err();
        assert!(error.to_string().starts_with("ids: -1 at 1"), "{error}");
        assert!(IdSet::new("allowed", &[i64::MIN]).is_err());
    }

    #[test]
    fn far_apart_ids_make_no_bitmap() {
        let set = IdSet::new("allowed", &[0, i64::MAX]).unwrap();
        assert!(matches!(set, IdSet::Hashed(_)));
        assert!(set.contains(i64::MAX) && !set.contains(5));
    }

    proptest! {
        #[test]
        fn both_forms_answer_like_a_list(
            ids in prop::collection::vec(prop_oneof![0i64..300, 0i64..=i64::MAX], 0..40), asked in -5i64..310
        ) {
            let set = IdSet::new("allowed", &ids).unwrap();
            prop_assert_eq!(set.contains(asked), ids.contains(&asked));
            prop_assert!(ids.iter().all(|&id| set.contains(id)));
            prop_assert!(!set.contains(i64::MIN));
        }
    }
}
