//! Sorting by an unsigned key in linear time.

const BITS: u32 = 11;
const FEW: usize = 512;

/// Sorts pairs by their key, ascending and stable. O(n · digits in which keys differ).
pub(super) fn sort_by_key(pairs: &mut Vec<(u64, u32)>) {
    if pairs.len() < FEW {
        pairs.sort_by_key(|pair| pair.0);
        return;
    }
    let (all, any) = pairs.iter().fold((u64::MAX, 0), |(all, any), pair| (all & pair.0, any | pair.0));
    let differ = all ^ any;
    let mut other = vec![(0, 0); pairs.len()];
    let mut shift = differ.trailing_zeros();
    while shift < u64::BITS && differ >> shift != 0 {
        let digit = |key: u64| (key >> shift) as usize & ((1 << BITS) - 1);
        let mut starts = [0u32; 1 << BITS];
        pairs.iter().for_each(|pair| starts[digit(pair.0)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &pair in pairs.iter() {
            let start = &mut starts[digit(pair.0)];
            other[*start as usize] = pair;
            *start += 1;
        }
        std::mem::swap(pairs, &mut other);
        shift += BITS;
    }
}

/// Sorts by key, and pairs of one key by the id of their place.
pub(super) fn sort_by_key_then_id(pairs: &mut Vec<(u64, u32)>, id: impl Fn(u32) -> i64) {
    sort_by_key(pairs);
    for run in pairs.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        run.sort_unstable_by_key(|pair| id(pair.1));
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
            let mut turned = sorted.clone();
            turned.sort_by_key(|pair| (pair.0, std::cmp::Reverse(pair.1)));
            sort_by_key(&mut pairs);
            prop_assert_eq!(&pairs, &sorted);
            sort_by_key_then_id(&mut pairs, |place| -i64::from(place));
            prop_assert_eq!(pairs, turned);
        }
    }
}
