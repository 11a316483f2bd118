//! An engine of bytes as bytes, for a snapshot, and back.
//!
//! Little-endian: the rows, a byte a component, which become the engine's own where they lie; for each its length as
//! f64 and its id as i64; dimension and count as u64; version u32; magic `MSV8`. Who reads it has checked that it is
//! what was written; what only a wrong program could have written may answer wrongly, but stays inside itself.

use std::sync::OnceLock;

use super::{IntentEngine, Precision, Rows};
use crate::CoreError;
use crate::ids::IdMap;

const MAGIC: [u8; 4] = *b"MSV8";
/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 1;
const TRAILER_BYTES: usize = 24;

fn corrupt(reason: impl Into<String>) -> CoreError {
    CoreError::Corrupt { what: "vector index", reason: reason.into() }
}

impl IntentEngine {
    /// The engine as bytes, which [`IntentEngine::restore`] reads.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] when the precision is f32.
    pub fn dump(&self) -> Result<Vec<u8>, CoreError> {
        let Rows::Sq8 { values, norms } = &self.rows else {
            return Err(CoreError::invalid("precision", "f32", "only an engine of sq8 is kept as bytes"));
        };
        let mut bytes = Vec::with_capacity(values.len() + 16 * norms.len() + TRAILER_BYTES);
        bytes.extend_from_slice(bytemuck::cast_slice(values));
        norms.iter().for_each(|norm| bytes.extend_from_slice(&norm.to_le_bytes()));
        self.ids.as_slice().iter().for_each(|id| bytes.extend_from_slice(&id.to_le_bytes()));
        [self.dimension, norms.len()].iter().for_each(|&count| bytes.extend_from_slice(&(count as u64).to_le_bytes()));
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&MAGIC);
        Ok(bytes)
    }

    /// The engine that was dumped: it answers like it, bit for bit, also after changes.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are cut off, of another version, or do not agree with each other.
    pub fn restore(mut bytes: Vec<u8>) -> Result<Self, CoreError> {
        let early = || corrupt("it ends too early");
        let (rest, trailer) = bytes.split_last_chunk::<TRAILER_BYTES>().ok_or_else(early)?;
        if trailer[20..] != MAGIC {
            return Err(corrupt("it does not end like one"));
        }
        let version = u32::from_le_bytes([trailer[16], trailer[17], trailer[18], trailer[19]]);
        if version != VERSION {
            return Err(corrupt(format!("version {version}, where {VERSION} is read")));
        }
        let words = trailer[..16].as_chunks::<8>().0;
        let [dimension, count] = [words[0], words[1]].map(|word| usize::try_from(u64::from_le_bytes(word)));
        let (Ok(dimension), Ok(count)) = (dimension, count) else { return Err(early()) };
        let sizes = dimension.checked_mul(count).zip(count.checked_mul(16));
        let whole = sizes.and_then(|(values, beside)| Some((values, values.checked_add(beside)?)));
        let (values, _) = whole.filter(|(_, whole)| *whole == rest.len()).ok_or_else(early)?;
        let words = rest[values..].as_chunks::<8>().0;
        let norms: Vec<f64> = words[..count].iter().map(|word| f64::from_le_bytes(*word)).collect();
        let ids: Vec<i64> = words[count..].iter().map(|word| i64::from_le_bytes(*word)).collect();
        if !norms.iter().all(|norm| norm.is_finite() && *norm > 0.0) {
            return Err(corrupt("a row has no length"));
        }
        if ids.iter().any(|id| *id < 0) {
            return Err(corrupt("an id is negative"));
        }
        let ids = IdMap::with_slots(ids).ok_or_else(|| corrupt("an id is there twice"))?;
        let mut engine = Self::new(dimension, Precision::Sq8)?;
        bytes.truncate(values);
        engine.rows = Rows::Sq8 { values: bytemuck::allocation::cast_vec(bytes), norms };
        engine.ids = ids;
        engine.order = OnceLock::new();
        Ok(engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(rows: i64) -> IntentEngine {
        let mut engine = IntentEngine::new(5, Precision::Sq8).unwrap();
        for id in 0..rows {
            let vector: Vec<f32> = (0..5).map(|at| ((id * 31 + at * 17) % 23) as f32 - 11.0 + 0.5).collect();
            engine.add(&[id * 7 % 1_009], &vector).unwrap();
        }
        engine
    }

    #[test]
    fn a_restored_engine_answers_and_changes_like_the_dumped_one() {
        let mut engine = engine(300);
        engine.remove(&[0, 7, 21]).unwrap();
        let mut restored = IntentEngine::restore(engine.dump().unwrap()).unwrap();
        for _ in 0..2 {
            let query = [0.3, -1.0, 0.2, 0.9, 0.1];
            assert_eq!(restored.search(&query, 50, None).unwrap(), engine.search(&query, 50, None).unwrap());
            assert_eq!(restored.ids(), engine.ids());
            assert_eq!(restored.vectors(&[14]).unwrap(), engine.vectors(&[14]).unwrap());
            for one in [&mut engine, &mut restored] {
                one.remove(&[28, 35]).unwrap();
                one.add(&[5_000, 42], &[1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 4.0, 3.0, 2.0, 1.0]).unwrap();
            }
        }
        let empty = IntentEngine::new(3, Precision::Sq8).unwrap();
        assert!(IntentEngine::restore(empty.dump().unwrap()).unwrap().is_empty());
    }

    #[test]
    fn bytes_that_do_not_agree_are_refused() {
        let bytes = engine(20).dump().unwrap();
        for at in 0..bytes.len() {
            assert!(IntentEngine::restore(bytes[..at].to_vec()).is_err(), "{at}");
        }
        for at in 100..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x80;
            if let Ok(engine) = IntentEngine::restore(changed) {
                engine.search(&[1.0; 5], 3, None).unwrap();
            }
        }
    }
}
