//! Sorting by an unsigned key in linear time.

const BITS: u32 = 11;
const FEW: usize = 512;
/// From this many on three digits decide most of an order, below it two.
const MANY: usize = 1 << 18;

/// Sorts pairs by their key, ascending and stable. O(n · digits in which keys differ).
pub(super) fn sort_by_key(pairs: &mut Vec<(u64, u32)>) {
    if pairs.len() < FEW {
        pairs.sort_by_key(|pair| pair.0);
        return;
    }
    let differ = differing(pairs.iter().map(|pair| pair.0));
    let mut other = vec![(0, 0); pairs.len()];
    let mut shift = differ.trailing_zeros();
    while shift < u64::BITS && differ >> shift != 0 {
        distribute(pairs, &mut other, |pair| digit(pair.0, shift));
        std::mem::swap(pairs, &mut other);
        shift += BITS;
    }
}

/// A place behind a key of 32 bits, for [`sort_packed`].
pub(super) fn packed(key: u32, place: u32) -> u64 {
    u64::from(key) << u32::BITS | u64::from(place)
}

/// Sorts places by the key that they are [`packed`] with, and those of one key by `then`. O(n), and a comparison for keys
/// that are equal in the digits in which most are not.
pub(super) fn sort_packed<K: Ord>(places: &mut Vec<u64>, then: impl Fn(u32) -> K) {
    let by_all = |packed: &u64| (packed >> u32::BITS, then(*packed as u32));
    if places.len() < FEW {
        places.sort_unstable_by_key(by_all);
        return;
    }
    let differ = differing(places.iter().copied()) >> u32::BITS << u32::BITS;
    let digits = if places.len() < MANY { 2 } else { 3 };
    let high = u64::BITS - differ.leading_zeros();
    let low = differ.trailing_zeros().max(high.saturating_sub(digits * BITS)).max(u32::BITS);
    let mut other = vec![0; places.len()];
    let mut shift = low;
    while shift < high {
        distribute(places, &mut other, |&packed| digit(packed, shift));
        std::mem::swap(places, &mut other);
        shift += BITS;
    }
    // What was not looked at yet is below the digits: runs that are equal above it are short.
    let above = |packed: u64| packed.checked_shr(low).unwrap_or(0);
    for run in places.chunk_by_mut(|&a, &b| above(a) == above(b)).filter(|run| run.len() > 1) {
        run.sort_unstable_by_key(by_all);
    }
}

/// The bits in which not all keys are equal.
fn differing(keys: impl Iterator<Item = u64>) -> u64 {
    let (all, any) = keys.fold((u64::MAX, 0), |(all, any), key| (all & key, any | key));
    all ^ any
}

fn digit(key: u64, shift: u32) -> usize {
    (key >> shift) as usize & ((1 << BITS) - 1)
}

/// Copies `from` to `to` in the order of a digit, stable.
fn distribute<T: Copy>(from: &[T], to: &mut [T], digit: impl Fn(&T) -> usize) {
    let mut starts = [0u32; 1 << BITS];
    from.iter().for_each(|entry| starts[digit(entry)] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    for entry in from {
        let start = &mut starts[digit(entry)];
        to[*start as usize] = *entry;
        *start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_equals_the_stable_sort(
            keys in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..5, Just(u64::MAX)], 0..3_000), narrow in 0u32..64
        ) {
            let mut pairs: Vec<(u64, u32)> = keys.iter().zip(0..).map(|(key, i)| (key >> narrow << (narrow / 2), i)).collect();
            let mut sorted = pairs.clone();
            sorted.sort_by_key(|pair| pair.0);
            sort_by_key(&mut pairs);
            prop_assert_eq!(pairs, sorted);
        }

        #[test]
        fn packed_places_are_in_order_of_key_then_of_what_comes_then(
            keys in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..5, Just(u32::MAX)], 0..3_000), narrow in 0u32..32,
            copies in 1_usize..40
        ) {
            let keys: Vec<u32> = keys.iter().map(|key| key >> narrow << (narrow / 2)).collect();
            let keys = keys.repeat(copies);
            let mut places: Vec<u64> = keys.iter().zip(0..).map(|(&key, i)| packed(key, i)).collect();
            let mut sorted = places.clone();
            sorted.sort_by_key(|packed| (packed >> 32, std::cmp::Reverse(*packed as u32)));
            sort_packed(&mut places, |place| -i64::from(place));
            prop_assert_eq!(places, sorted);
        }
    }
}
