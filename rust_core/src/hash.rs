//! Hashes that are the same in every process and on every machine: XXH3 of 64 bits.
//!
//! They tell whether something changed and whether bytes are those that were written. Nothing is secret about them.

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// What stands for nothing; never the hash of anything.
pub const NOTHING: i64 = -1;

/// The checksum of some bytes.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The checksum of bytes that come one after another.
#[derive(Default)]
pub struct Checksum(Xxh3Default);

impl Checksum {
    /// Takes the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all bytes until now.
    pub fn value(&self) -> u64 {
        self.0.digest()
    }
}

/// The hash of some bytes as a column has it; never [`NOTHING`].
pub fn signed(bytes: &[u8]) -> i64 {
    match xxh3_64(bytes) as i64 {
        NOTHING => NOTHING - 1,
        hash => hash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_stays_what_it_is() {
        assert_eq!(checksum(b""), 0x2d06_8005_38d3_94c2);
        let mut parts = Checksum::default();
        [&b"mem"[..], b"", b"core"].iter().for_each(|part| parts.add(part));
        assert_eq!(parts.value(), checksum(b"memcore"));
        assert_eq!(signed(b"memcore"), checksum(b"memcore") as i64);
        assert_ne!(signed(b"memcore"), signed(b"memcorf"));
    }
}
