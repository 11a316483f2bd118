//! Memory ids (i64, ≥ 0) and the dense slots (u32) that the engines count with.
//!
//! [`IdMap`] is the one mapping between the two, O(1) both ways. [`IdSet`] answers "is this id in the scope" for the
//! `allowed` arguments: a bitmap where the ids lie close together, a hash set where they do not.

mod map;

use rustc_hash::FxHashSet;

use crate::CoreError;

pub use map::IdMap;
pub(crate) use map::push_tightly;

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
