//! An engine of bytes as bytes, for a snapshot, and back.
//!
//! Mark `MSV8`; dimension and count; for each row its id as i64 and its length as f64; the rows, a byte a component.

use std::sync::OnceLock;

use super::{IntentEngine, Precision, Rows};
use crate::CoreError;
use crate::ids::IdMap;
use crate::sealed::{Form, Reader, Sink, Stored, put, put_counts};

/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 2;
static FORM: Form = Form { what: "vector index", mark: *b"MSV8", version: VERSION };

impl Stored for IntentEngine {
    const FORM: &'static Form = &FORM;

    fn body_bytes(&self) -> usize {
        16 + (16 + self.dimension) * self.len()
    }

    fn write_body(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        let Rows::Sq8 { values, norms } = &self.rows else {
            return Err(CoreError::invalid("precision", "f32", "only an engine of sq8 is kept as bytes"));
        };
        put_counts(sink, &[self.dimension, norms.len()])?;
        put(sink, self.ids.as_slice())?;
        put(sink, norms)?;
        put(sink, values)
    }

    fn read_body(reader: &mut Reader<'_>) -> Result<Self, CoreError> {
        let [dimension, count] = reader.counts()?;
        let mut engine = Self::new(dimension, Precision::Sq8).map_err(|error| FORM.corrupt(error.to_string()))?;
        let ids = reader.values::<i64>(count)?;
        let norms = reader.values::<f64>(count)?;
        if !norms.iter().all(|norm| norm.is_finite() && *norm > 0.0) {
            return Err(FORM.corrupt("a row has no length"));
        }
        if ids.iter().any(|id| *id < 0) {
            return Err(FORM.corrupt("an id is negative"));
        }
        engine.ids = IdMap::with_slots(ids).ok_or_else(|| FORM.corrupt("an id is there twice"))?;
        let values = reader.values::<i8>(dimension.saturating_mul(count))?;
        engine.rows = Rows::Sq8 { values, norms };
        engine.order = OnceLock::new();
        Ok(engine)
    }
}

impl IntentEngine {
    /// The engine as bytes, which [`IntentEngine::restore`] reads.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] when the precision is f32.
    pub fn dump(&self) -> Result<Vec<u8>, CoreError> {
        self.dumped()
    }

    /// The engine that was dumped: it answers like it, bit for bit, also after changes.
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are cut off, changed, of another version, or do not agree with each other.
    pub fn restore(bytes: &[u8]) -> Result<Self, CoreError> {
        Self::restored(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealed::seal;

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
        let mut restored = IntentEngine::restore(&engine.dump().unwrap()).unwrap();
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
        assert!(IntentEngine::restore(&empty.dump().unwrap()).unwrap().is_empty());
    }

    #[test]
    fn bytes_that_do_not_agree_are_refused() {
        let bytes = engine(20).dump().unwrap();
        for at in 0..bytes.len() {
            assert!(IntentEngine::restore(&bytes[..at]).is_err(), "{at}");
        }
        let body = &bytes[..bytes.len() - 8];
        for at in 0..body.len() {
            assert!(IntentEngine::restore(&seal(body[..at].to_vec())).is_err(), "{at}");
            let mut changed = body.to_vec();
            changed[at] ^= 0x80;
            if let Ok(engine) = IntentEngine::restore(&seal(changed)) {
                engine.search(&[1.0; 5], 3, None).unwrap();
            }
        }
    }
}
