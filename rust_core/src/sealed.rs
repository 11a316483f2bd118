//! What the engines are kept as: a mark, a version and a body, in the order of bytes of the machine.
//!
//! They are written piece by piece to a [`Sink`] and read from a [`Source`] straight into what they become, so that
//! nothing is there twice. A section of a snapshot has a checksum beside it; as bytes of their own they end with one.

use bytemuck::Pod;

use crate::CoreError;
use crate::hash::checksum;

const SUM_BYTES: usize = 8;

/// Where bytes go, in order.
pub trait Sink {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// Whatever keeps them from being taken.
    fn put(&mut self, bytes: &[u8]) -> Result<(), CoreError>;
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), CoreError> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Where bytes come from, in order.
pub trait Source {
    /// How many there are yet.
    fn left(&self) -> usize;

    /// The next bytes; there are as many.
    ///
    /// # Errors
    /// Whatever keeps them from being had.
    fn fill(&mut self, into: &mut [u8]) -> Result<(), CoreError>;
}

impl Source for &[u8] {
    fn left(&self) -> usize {
        self.len()
    }

    fn fill(&mut self, into: &mut [u8]) -> Result<(), CoreError> {
        let taken;
        (taken, *self) = self.split_at(into.len());
        into.copy_from_slice(taken);
        Ok(())
    }
}

/// One kind of bytes: what it is called in an error, how it begins, which version is written and read.
#[derive(Debug)]
pub struct Form {
    pub(crate) what: &'static str,
    pub(crate) mark: [u8; 4],
    pub(crate) version: u32,
}

impl Form {
    pub(crate) fn corrupt(&self, reason: impl Into<String>) -> CoreError {
        CoreError::Corrupt { what: self.what, reason: reason.into() }
    }
}

/// What is kept as bytes, and made of them again.
pub trait Stored: Sized {
    /// The kind of bytes.
    const FORM: &'static Form;

    /// How many bytes the body has.
    fn body_bytes(&self) -> usize;

    /// Writes the body.
    ///
    /// # Errors
    /// Those of the sink; [`CoreError::InvalidInput`] for what is not kept.
    fn write_body(&self, sink: &mut dyn Sink) -> Result<(), CoreError>;

    /// What the body is of. Nothing says that it is what was written: whatever it is, the answer stays inside itself.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`]; those of the source.
    fn read_body(reader: &mut Reader<'_>) -> Result<Self, CoreError>;

    /// How many bytes [`Stored::write`] gives.
    fn stored_bytes(&self) -> usize {
        Self::FORM.mark.len() + size_of::<u32>() + self.body_bytes()
    }

    /// Writes mark, version and body.
    ///
    /// # Errors
    /// As [`Stored::write_body`].
    fn write(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        sink.put(&Self::FORM.mark)?;
        put(sink, &[Self::FORM.version])?;
        self.write_body(sink)
    }

    /// What [`Stored::write`] gave, to the last byte of the source.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for another kind or version, and for what cannot have been written; those of the source.
    fn read(source: &mut dyn Source) -> Result<Self, CoreError> {
        let mut reader = Reader { form: Self::FORM, source };
        if reader.values::<u8>(4)? != Self::FORM.mark {
            return Err(Self::FORM.corrupt("it does not begin like one"));
        }
        let version = reader.values::<u32>(1)?[0];
        if version != Self::FORM.version {
            return Err(Self::FORM.corrupt(format!("version {version}, where {} is read", Self::FORM.version)));
        }
        let made = Self::read_body(&mut reader)?;
        if reader.source.left() == 0 { Ok(made) } else { Err(Self::FORM.corrupt("its counts do not agree")) }
    }

    /// It as bytes, which [`Stored::restored`] reads.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for what is not kept.
    fn dumped(&self) -> Result<Vec<u8>, CoreError> {
        let mut bytes = Vec::with_capacity(self.stored_bytes() + SUM_BYTES);
        self.write(&mut bytes)?;
        Ok(seal(bytes))
    }

    /// What was dumped.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are not those that were sealed, and as [`Stored::read`].
    fn restored(bytes: &[u8]) -> Result<Self, CoreError> {
        let ends = bytes.split_last_chunk::<SUM_BYTES>();
        let (mut bytes, sum) = ends.ok_or_else(|| Self::FORM.corrupt("it ends too early"))?;
        if *sum != checksum(bytes).to_le_bytes() {
            return Err(Self::FORM.corrupt("its checksum is another"));
        }
        Self::read(&mut bytes)
    }
}

/// The same bytes with their checksum behind them.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Writes values one after another.
pub(crate) fn put<T: Pod>(sink: &mut dyn Sink, values: &[T]) -> Result<(), CoreError> {
    sink.put(bytemuck::cast_slice(values))
}

/// Writes counts as u64.
pub(crate) fn put_counts(sink: &mut dyn Sink, counts: &[usize]) -> Result<(), CoreError> {
    counts.iter().try_for_each(|&count| put(sink, &[count as u64]))
}

/// Writes values that come one after another, some thousands at a time.
pub(crate) fn put_each<T: Pod>(sink: &mut dyn Sink, values: impl Iterator<Item = T>) -> Result<(), CoreError> {
    const AT_ONCE: usize = 4_096;
    let mut held = Vec::with_capacity(AT_ONCE);
    for value in values {
        held.push(value);
        if held.len() == AT_ONCE {
            put(sink, &held)?;
            held.clear();
        }
    }
    put(sink, &held)
}

/// Values that are taken from the front.
pub struct Reader<'s> {
    form: &'static Form,
    source: &'s mut dyn Source,
}

impl Reader<'_> {
    /// The next `count` values, in a vector that has no room for more.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] where there are fewer; those of the source.
    pub(crate) fn values<T: Pod>(&mut self, count: usize) -> Result<Vec<T>, CoreError> {
        let wanted = count.checked_mul(size_of::<T>()).filter(|wanted| *wanted <= self.source.left());
        wanted.ok_or_else(|| self.form.corrupt("it ends too early"))?;
        let mut values = bytemuck::zeroed_vec(count);
        crate::pages::advise(&values);
        self.source.fill(bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// Counts as u64.
    ///
    /// # Errors
    /// As [`Reader::values`].
    pub(crate) fn counts<const N: usize>(&mut self) -> Result<[usize; N], CoreError> {
        let mut counts = [0; N];
        for (count, word) in counts.iter_mut().zip(self.values::<u64>(N)?) {
            *count = usize::try_from(word).map_err(|_| self.form.corrupt("a count is too great"))?;
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Numbers<const VERSION: u32>(Vec<u8>);

    impl<const VERSION: u32> Stored for Numbers<VERSION> {
        const FORM: &'static Form = &Form { what: "numbers", mark: *b"MNUM", version: VERSION };

        fn body_bytes(&self) -> usize {
            8 + self.0.len()
        }

        fn write_body(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
            put_counts(sink, &[self.0.len()])?;
            put_each(sink, self.0.iter().copied())
        }

        fn read_body(reader: &mut Reader<'_>) -> Result<Self, CoreError> {
            let [count] = reader.counts()?;
            let values = reader.values(count)?;
            assert!(reader.values::<u64>(usize::MAX).is_err());
            Ok(Self(values))
        }
    }

    proptest! {
        #[test]
        fn what_was_sealed_opens_and_what_was_cut_or_changed_does_not(
            body in prop::collection::vec(any::<u8>(), 0..9_000), at in any::<prop::sample::Index>(), bit in 0..8_u32
        ) {
            let numbers = Numbers::<3>(body);
            let bytes = numbers.dumped().unwrap();
            prop_assert_eq!(numbers.stored_bytes() + 8, bytes.len());
            prop_assert_eq!(Numbers::restored(&bytes).unwrap(), numbers);
            let at = at.index(bytes.len());
            prop_assert!(Numbers::<3>::restored(&bytes[..at]).is_err());
            prop_assert!(Numbers::<3>::restored(&seal(bytes[..at.min(bytes.len() - 9)].to_vec())).is_err());
            let mut changed = bytes;
            changed[at] ^= 1 << bit;
            prop_assert!(Numbers::<3>::restored(&changed).is_err());
        }
    }

    #[test]
    fn another_version_is_named() {
        let error = Numbers::<3>::restored(&Numbers::<4>(vec![1]).dumped().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "numbers is damaged: version 4, where 3 is read");
        let longer = [&Numbers::<3>(vec![1]).dumped().unwrap()[..17], &[7]].concat();
        let error = Numbers::<3>::restored(&seal(longer)).unwrap_err();
        assert_eq!(error.to_string(), "numbers is damaged: its counts do not agree");
    }
}
