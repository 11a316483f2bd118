//! Sorting by an unsigned key in linear time.

const BITS: u32 = 11;
const FEW: usize = 512;
/// Digits that decide most of an order; what ties in them is compared.
const MOST_DIGITS: u32 = 3;

/// Sorts pairs by their key, ascending and stable. O(n · digits in which keys differ).
pub(super) fn sort_by_key(pairs: &mut Vec<(u64, u32)>) {
    sort_by_digits(pairs, u64::BITS);
}

/// Sorts by so many digits from the highest bit on in which keys differ; few pairs by the whole key.
fn sort_by_digits(pairs: &mut Vec<(u64, u32)>, digits: u32) {
    if pairs.len() < FEW {
        pairs.sort_by_key(|pair| pair.0);
        return;
    }
    let (all, any) = pairs.iter().fold((u64::MAX, 0), |(all, any), pair| (all & pair.0, any | pair.0));
    let differ = all ^ any;
    if differ == 0 {
        return;
    }
    let mut other = vec![(0, 0); pairs.len()];
    let mut shift = unsorted_bits(pairs, digits);
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
    sort_by_digits(pairs, MOST_DIGITS);
    // What was not looked at yet is below the digits: runs that are equal above it are short.
    let low = unsorted_bits(pairs, MOST_DIGITS);
    let above = |key: u64| key.checked_shr(low).unwrap_or(0);
    for run in pairs.chunk_by_mut(|a, b| above(a.0) == above(b.0)).filter(|run| run.len() > 1) {
        run.sort_unstable_by_key(|pair| (pair.0, id(pair.1)));
    }
}

/// The bits at the bottom that [`sort_by_digits`] does not look at.
fn unsorted_bits(pairs: &[(u64, u32)], digits: u32) -> u32 {
    let (all, any) = pairs.iter().fold((u64::MAX, 0), |(all, any), pair| (all & pair.0, any | pair.0));
    let differ = all ^ any;
    let high = u64::BITS - differ.leading_zeros();
    differ.trailing_zeros().min(u64::BITS - 1).max(high.saturating_sub(digits.saturating_mul(BITS)))
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
