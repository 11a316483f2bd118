//! What the structures of a snapshot share: bytes behind a header, and a reader that never leaves them.
//!
//! Little-endian: a mark of four bytes, version u32, checksum u64 of what follows.

use crate::CoreError;

const HEADER_BYTES: usize = 16;

/// One kind of bytes: what it is called in an error, how it begins, which version is written and read.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) what: &'static str,
    pub(crate) mark: [u8; 4],
    pub(crate) version: u32,
}

impl Form {
    pub(crate) fn corrupt(&self, reason: impl Into<String>) -> CoreError {
        CoreError::Corrupt { what: self.what, reason: reason.into() }
    }

    /// A header with room for its checksum, and for `more` bytes behind it.
    pub(crate) fn begin(&self, more: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + more);
        bytes.extend_from_slice(&self.mark);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        bytes
    }

    /// What follows the header.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for another kind or version, and for bytes that are not those that were sealed.
    pub(crate) fn open<'b>(&'static self, bytes: &'b [u8]) -> Result<Reader<'b>, CoreError> {
        let mut reader = Reader { form: self, bytes };
        if reader.take(4, 1)? != self.mark {
            return Err(self.corrupt("it does not begin like one"));
        }
        let version = reader.words(1)?[0];
        if version != self.version {
            return Err(self.corrupt(format!("version {version}, where {} is read", self.version)));
        }
        let wanted = reader.take(1, 8)?;
        if wanted != checksum(reader.bytes).to_le_bytes() {
            return Err(self.corrupt("its checksum is another"));
        }
        Ok(reader)
    }
}

/// The same bytes with the checksum of what follows the header in it.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= HEADER_BYTES {
        let sum = checksum(&bytes[HEADER_BYTES..]);
        bytes[8..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// Four sums of products side by side; any one changed word changes the result.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let word = |part: &[u8]| {
        let mut padded = [0; 8];
        padded[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(padded)
    };
    let mut sums = [1, 2, 3, bytes.len() as u64];
    let blocks = bytes.chunks_exact(32);
    let rest = blocks.remainder();
    for block in blocks {
        for (sum, part) in sums.iter_mut().zip(block.chunks_exact(8)) {
            *sum = step(*sum, word(part));
        }
    }
    let ends = rest.chunks(8).map(word);
    sums.into_iter().chain(ends).fold(0, step)
}

/// Bytes that are taken from the front.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    form: &'static Form,
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    /// The next `count` values of `size` bytes.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] where there are fewer; so for the other ways to take.
    pub(crate) fn take(&mut self, count: usize, size: usize) -> Result<&'b [u8], CoreError> {
        let wanted = count.checked_mul(size).filter(|wanted| *wanted <= self.bytes.len());
        let taken;
        (taken, self.bytes) = self.bytes.split_at(wanted.ok_or_else(|| self.form.corrupt("it ends too early"))?);
        Ok(taken)
    }

    pub(crate) fn words(&mut self, count: usize) -> Result<Vec<u32>, CoreError> {
        let words = self.take(count, 4)?.as_chunks::<4>().0;
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    pub(crate) fn longs(&mut self, count: usize) -> Result<Vec<i64>, CoreError> {
        let words = self.take(count, 8)?.as_chunks::<8>().0;
        Ok(words.iter().map(|word| i64::from_le_bytes(*word)).collect())
    }

    /// Counts as u64.
    pub(crate) fn counts<const N: usize>(&mut self) -> Result<[usize; N], CoreError> {
        let words = self.take(N, 8)?.as_chunks::<8>().0;
        let mut counts = [0; N];
        for (count, word) in counts.iter_mut().zip(words) {
            let read = usize::try_from(u64::from_le_bytes(*word));
            *count = read.map_err(|_| self.form.corrupt("a count is too great"))?;
        }
        Ok(counts)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    static FORM: Form = Form { what: "numbers", mark: *b"MNUM", version: 3 };

    proptest! {
        #[test]
        fn what_was_sealed_opens_and_what_was_cut_or_changed_does_not(
            body in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), bit in 0..8_u32
        ) {
            let mut bytes = FORM.begin(body.len());
            bytes.extend_from_slice(&body);
            let bytes = seal(bytes);
            let mut reader = FORM.open(&bytes).unwrap();
            prop_assert_eq!(reader.take(body.len(), 1).unwrap(), &body[..]);
            prop_assert!(reader.is_empty() && reader.take(usize::MAX, 8).is_err() && reader.counts::<1>().is_err());
            let at = at.index(bytes.len());
            prop_assert!(FORM.open(&bytes[..at]).is_err());
            let mut changed = bytes;
            changed[at] ^= 1 << bit;
            prop_assert!(FORM.open(&changed).is_err());
        }
    }

    #[test]
    fn another_version_is_named() {
        static NEXT: Form = Form { what: "numbers", mark: *b"MNUM", version: 4 };
        let error = FORM.open(&seal(NEXT.begin(0))).unwrap_err();
        assert_eq!(error.to_string(), "numbers is damaged: version 4, where 3 is read");
    }
}
