//! Ids and the slots that the engines count with.

use rustc_hash::FxHashMap;

use crate::CoreError;

const VACANT: i64 = -1;
const NONE: u32 = u32::MAX;
/// Ids a table is kept for even where few of them are in use.
const NARROW: u64 = 64;

/// Ids and their slots. A slot that was released is given to the next new id.
///
/// Where the ids lie close together their slots stand in a table by id, 4 bytes an id of the range; where they do not,
/// in a hash map.
#[derive(Debug, Clone, Default)]
pub struct IdMap {
    slots: Slots,
    ids: Vec<i64>,
    free: Vec<u32>,
}

#[derive(Debug, Clone)]
enum Slots {
    /// The slot of id `first + i`, or `NONE`; at most about 4 ids of the range for each that has a slot.
    Table { first: i64, slots: Vec<u32>, used: usize },
    /// For ids far apart; `again` is how many there must be for the range to be looked at again.
    Hashed { slots: FxHashMap<i64, u32>, again: usize },
}

impl Default for Slots {
    fn default() -> Self {
        Self::Table { first: 0, slots: Vec::new(), used: 0 }
    }
}

/// How many ids there are from `low` to `high`, both of them ≥ 0.
fn width(low: i64, high: i64) -> u64 {
    (high - low) as u64 + 1
}

impl Slots {
    #[inline]
    fn get(&self, id: i64) -> Option<u32> {
        match self {
            Self::Table { first, slots, .. } => {
                let at = usize::try_from(id.checked_sub(*first)?).ok()?;
                slots.get(at).copied().filter(|&slot| slot != NONE)
            }
            Self::Hashed { slots, .. } => slots.get(&id).copied(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Table { used, .. } => *used,
            Self::Hashed { slots, .. } => slots.len(),
        }
    }

    /// Gives `id`, which has none, a slot. `ids` are those of all slots.
    fn insert(&mut self, id: i64, slot: u32, ids: &[i64]) {
        if let Self::Table { first, slots, used } = self {
            if reach(first, slots, *used, id) {
                slots[(id - *first) as usize] = slot;
                *used += 1;
                return;
            }
            let known = slots.iter().enumerate().filter(|(_, slot)| **slot != NONE);
            let hashed: FxHashMap<i64, u32> = known.map(|(i, &slot)| (*first + i as i64, slot)).collect();
            *self = Self::Hashed { again: 2 * hashed.len() + NARROW as usize, slots: hashed };
        }
        if let Self::Hashed { slots, again } = self {
            slots.insert(id, slot);
            if slots.len() >= *again {
                *again = 2 * slots.len();
                self.draw_together(ids);
            }
        }
    }

    /// Back to a table where the ids lie close together by now.
    fn draw_together(&mut self, ids: &[i64]) {
        let Self::Hashed { slots: hashed, .. } = self else { return };
        let there = ids.iter().filter(|&&id| id != VACANT);
        let (low, high) = there.fold((i64::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)));
        if low > high || width(low, high) > 3 * hashed.len() as u64 {
            return;
        }
        let mut slots = vec![NONE; width(low, high) as usize];
        hashed.iter().for_each(|(&id, &slot)| slots[(id - low) as usize] = slot);
        *self = Self::Table { first: low, slots, used: hashed.len() };
    }

    fn set(&mut self, id: i64, slot: u32) {
        match self {
            Self::Table { first, slots, .. } => slots[(id - *first) as usize] = slot,
            Self::Hashed { slots, .. } => {
                slots.insert(id, slot);
            }
        }
    }

    fn remove(&mut self, id: i64) -> Option<u32> {
        let slot = self.get(id)?;
        match self {
            Self::Table { first, slots, used } => {
                slots[(id - *first) as usize] = NONE;
                *used -= 1;
            }
            Self::Hashed { slots, .. } => {
                slots.remove(&id);
            }
        }
        Some(slot)
    }
}

/// Makes room for `id` in a table, an eighth more than is needed; false where the range would be too wide.
fn reach(first: &mut i64, slots: &mut Vec<u32>, used: usize, id: i64) -> bool {
    if slots.is_empty() {
        *first = id;
        slots.push(NONE);
        return true;
    }
    let last = *first + (slots.len() as i64 - 1);
    let (low, high) = (id.min(*first), id.max(last));
    if width(low, high) > 4 * (used as u64 + 1) + NARROW {
        return false;
    }
    if id > last {
        let more = (id - last) as usize;
        if slots.capacity() < slots.len() + more {
            slots.reserve_exact(more.max(slots.len() / 8));
        }
        slots.resize(slots.len() + more, NONE);
    } else if id < *first {
        let slack = (slots.len() / 8) as i64;
        let low = (id - slack).max(0);
        slots.splice(0..0, std::iter::repeat_n(NONE, (*first - low) as usize));
        *first = low;
    }
    true
}

/// Appends a value; the room grows by an eighth, not by double.
pub(crate) fn push_tightly<T>(values: &mut Vec<T>, value: T) {
    if values.len() == values.capacity() {
        values.reserve_exact((values.len() / 8).max(4));
    }
    values.push(value);
}

impl IdMap {
    /// The slot of `id`, if it has one.
    #[inline]
    pub fn slot(&self, id: i64) -> Option<u32> {
        self.slots.get(id)
    }

    /// The id in a slot that is in use.
    #[inline]
    pub fn id(&self, slot: u32) -> i64 {
        let id = self.ids[slot as usize];
        debug_assert_ne!(id, VACANT, "slot {slot} is free");
        id
    }

    /// Whether an id has this slot.
    pub fn is_used(&self, slot: u32) -> bool {
        self.ids.get(slot as usize).is_some_and(|&id| id != VACANT)
    }

    /// The slots in use, ascending.
    pub fn used(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids.iter().enumerate().filter(|(_, id)| **id != VACANT).map(|(slot, _)| slot as u32)
    }

    /// The slot of `id`, a new one if it has none.
    ///
    /// # Errors
    /// [`CoreError::Engine`] when all slots are taken.
    pub fn intern(&mut self, id: i64) -> Result<u32, CoreError> {
        if let Some(slot) = self.slots.get(id) {
            return Ok(slot);
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                self.ids[slot as usize] = id;
                slot
            }
            None => {
                let slot = u32::try_from(self.ids.len()).ok().filter(|&slot| slot < NONE);
                let slot = slot.ok_or_else(|| CoreError::Engine("one block holds at most 2^32 - 1 ids".to_owned()))?;
                push_tightly(&mut self.ids, id);
                slot
            }
        };
        self.slots.insert(id, slot, &self.ids);
        Ok(slot)
    }

    /// Frees the slot of `id` and returns it.
    pub fn release(&mut self, id: i64) -> Option<u32> {
        let slot = self.slots.remove(id)?;
        self.ids[slot as usize] = VACANT;
        self.free.push(slot);
        Some(slot)
    }

    /// Frees the slot of `id` and returns it, after giving it to the id in the last slot: rows without gaps stay so.
    /// A map is emptied either by this or by [`IdMap::release`], not by both.
    pub fn swap_release(&mut self, id: i64) -> Option<u32> {
        debug_assert!(self.free.is_empty(), "a map with gaps");
        let slot = self.slots.remove(id)?;
        self.ids.swap_remove(slot as usize);
        if let Some(&moved) = self.ids.get(slot as usize) {
            self.slots.set(moved, slot);
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
        u32::try_from(ids.len()).ok().filter(|&len| len < NONE)?;
        let free: Vec<u32> = (0..ids.len() as u32).filter(|&slot| ids[slot as usize] == VACANT).collect();
        let there = || (0_u32..).zip(&ids).filter(|(_, id)| **id != VACANT);
        let (low, high) = there().fold((i64::MAX, -1), |(low, high), (_, &id)| (low.min(id), high.max(id)));
        let used = ids.len() - free.len();
        let slots = if used == 0 {
            Slots::default()
        } else if low < 0 {
            return None;
        } else if width(low, high) <= 4 * used as u64 + NARROW {
            let mut slots = vec![NONE; width(low, high) as usize];
            for (slot, id) in there() {
                if std::mem::replace(&mut slots[(id - low) as usize], slot) != NONE {
                    return None;
                }
            }
            Slots::Table { first: low, slots, used }
        } else {
            let mut slots = FxHashMap::with_capacity_and_hasher(used, Default::default());
            for (slot, id) in there() {
                if slots.insert(*id, slot).is_some() {
                    return None;
                }
            }
            Slots::Hashed { again: 2 * used + NARROW as usize, slots }
        };
        Some(Self { slots, ids, free })
    }

    /// How many ids have a slot.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether no id has a slot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the highest slot that was ever used.
    pub fn slot_bound(&self) -> usize {
        self.ids.len()
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let slots = match &self.slots {
            Slots::Table { slots, .. } => slots.capacity() * size_of::<u32>(),
            // A hash table has up to an eighth of its buckets free, and one control byte beside each pair.
            Slots::Hashed { slots, .. } => slots.capacity() * 8 / 7 * (size_of::<(i64, u32)>() + 1),
        };
        slots + self.ids.capacity() * size_of::<i64>() + self.free.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests;
