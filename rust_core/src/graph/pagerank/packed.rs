//! A column of numbers most of which are small.

/// Numbers in a small type; those that do not fit stand beside it.
#[derive(Debug)]
pub(super) struct Packed<T> {
    small: Vec<T>,
    /// (place, number), ascending.
    great: Vec<(u32, u64)>,
}

impl<T: Copy + PartialEq + TryFrom<u64> + Into<u64>> Packed<T> {
    /// `most` is the greatest number of the type.
    pub(super) fn of(most: T, numbers: impl ExactSizeIterator<Item = u64>) -> Self {
        let mut packed = Self { small: Vec::with_capacity(numbers.len()), great: Vec::new() };
        for (place, number) in (0..).zip(numbers) {
            let small = T::try_from(number).unwrap_or(most);
            if small.into() != number {
                packed.great.push((place, number));
            }
            packed.small.push(small);
        }
        packed
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        let mut great = self.great.iter();
        let mut next = great.next();
        (0..).zip(&self.small).map(move |(place, &small)| match next {
            Some(&(at, number)) if at == place => {
                next = great.next();
                number
            }
            _ => small.into(),
        })
    }

    /// The sum of those whose place `counts`.
    pub(super) fn sum_where(&self, counts: impl Fn(usize) -> bool) -> u64 {
        let small = (0..).zip(&self.small).map(|(place, &small)| if counts(place) { small.into() } else { 0 });
        let great = self.great.iter().filter(|(place, _)| counts(*place as usize));
        let beside = great.map(|&(place, number)| number - self.small[place as usize].into());
        small.sum::<u64>() + beside.sum::<u64>()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.small.capacity() * size_of::<T>() + self.great.capacity() * size_of::<(u32, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_is_kept(numbers in prop::collection::vec(prop_oneof![0_u64..260, any::<u64>()], 0..60)) {
            prop_assert_eq!(&Packed::of(u8::MAX, numbers.iter().copied()).iter().collect::<Vec<_>>(), &numbers);
            prop_assert_eq!(&Packed::of(u32::MAX, numbers.iter().copied()).iter().collect::<Vec<_>>(), &numbers);
            let numbers: Vec<u64> = numbers.into_iter().map(|number| number >> 8).collect();
            let even = numbers.iter().step_by(2).sum::<u64>();
            prop_assert_eq!(Packed::of(u8::MAX, numbers.iter().copied()).sum_where(|place| place % 2 == 0), even);
        }
    }
}
