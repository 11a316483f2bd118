use std::collections::BTreeMap;

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
fn a_map_is_made_again_of_its_ids_with_their_gaps() {
    for far in [3, 1 << 40] {
        let mut map = IdMap::default();
        [70, 7, far, 9].iter().for_each(|&id| assert!(map.intern(id).is_ok()));
        map.release(7);
        let again = IdMap::with_slots(map.with_gaps().to_vec()).unwrap();
        for id in [70, 7, far, 9, 1] {
            assert_eq!(again.slot(id), map.slot(id), "{id}");
        }
        assert_eq!((again.len(), again.slot_bound()), (3, 4));
    }
    assert!(IdMap::with_slots(vec![4, 4]).is_none());
    assert!(IdMap::with_slots(vec![4, 1 << 40, 4]).is_none());
    assert!(IdMap::with_slots(vec![4, -7]).is_none());
    assert!(IdMap::with_slots(vec![-1]).is_some_and(|map| map.is_empty()));
}

#[test]
fn ids_close_together_take_a_table_in_whatever_order_they_come() {
    for step in [1i64, 2, -1] {
        let mut map = IdMap::default();
        (0..1_000).for_each(|i| assert!(map.intern(5_000 + step * i).is_ok()));
        assert!(matches!(map.slots, Slots::Table { .. }));
        map.intern(i64::MAX).unwrap();
        assert!(matches!(map.slots, Slots::Hashed { .. }));
    }
    let mut map = IdMap::default();
    (0..1_000).for_each(|i| assert!(map.intern(i * 373 % 1_000).is_ok()));
    assert!(matches!(map.slots, Slots::Table { .. }), "drawn together when there are many");
}

proptest! {
    #[test]
    fn both_forms_answer_like_a_plain_map(
        moves in prop::collection::vec((any::<bool>(), prop_oneof![0i64..400, 0i64..=i64::MAX]), 0..400)
    ) {
        let (mut map, mut plain) = (IdMap::default(), BTreeMap::new());
        for (adds, id) in moves {
            if adds {
                let slot = map.intern(id).unwrap();
                prop_assert_eq!(*plain.entry(id).or_insert(slot), slot);
            } else {
                prop_assert_eq!(map.release(id), plain.remove(&id));
            }
            prop_assert_eq!(map.len(), plain.len());
        }
        prop_assert!(plain.iter().all(|(&id, &slot)| map.slot(id) == Some(slot) && map.id(slot) == id));
        prop_assert_eq!(map.used().collect::<Vec<_>>().len(), plain.len());
        prop_assert!((0..400).all(|id| map.slot(id).is_some() == plain.contains_key(&id)));
        prop_assert_eq!(map.slot(-1), None);
    }
}
