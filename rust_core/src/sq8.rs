//! Vectors as one signed byte a component (scalar quantisation), and the blob that holds them.
//!
//! `q_i = round(x_i / s)` with `s = max|x| / 127`, halves to even, so `|x_i − s·q_i| ≤ s/2` and −128 never occurs.
//! The scale cancels in a cosine, which is therefore computed from integers alone: `Σ a_i·b_i / (‖a‖·‖b‖)` is exact
//! up to one division, and the same on every processor.
//!
//! Blob, little-endian: magic `MSQ8`, version u32, dimension u32, scale f32, then `dimension` bytes.
//! Time and space O(d).

use crate::CoreError;

/// The first four bytes of every blob.
pub const MAGIC: [u8; 4] = *b"MSQ8";
/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 1;
/// Bytes before the components.
pub const HEADER_BYTES: usize = 16;

const WHAT: &str = "sq8 blob";

/// A vector as integers: `x ≈ scale · values`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sq8 {
    /// The step of the quantisation, finite and above 0.
    pub scale: f32,
    /// The components, each in −127..=127, not all 0.
    pub values: Vec<i8>,
}

impl Sq8 {
    /// The integer form of `vector`.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] when it is empty, holds NaN or an infinity, or has no direction (all zero, or so
    /// small that the scale is not a normal f32).
    pub fn quantize(vector: &[f32]) -> Result<Self, CoreError> {
        let scale = scale_of(vector)?;
        // Quotients of two f32 in f64: no rounding before the one to an integer. None is beyond ±127.00002, since the
        // scale is max/127 up to one part in 2^24.
        let step = f64::from(scale);
        let values = vector.iter().map(|&x| nearest(f64::from(x) / step)).collect();
        Ok(Self { scale, values })
    }

    /// The vector that the integers stand for, `scale · values`, finite.
    pub fn dequantize(&self) -> Vec<f32> {
        // 127 · scale may round past the largest f32.
        self.values.iter().map(|&q| (f32::from(q) * self.scale).clamp(f32::MIN, f32::MAX)).collect()
    }

    /// The Euclidean length of the integers (not of the vector: the scale is left out).
    pub fn norm(&self) -> f64 {
        (dot(&self.values, &self.values) as f64).sqrt()
    }

    fn to_bytes(&self) -> Result<Vec<u8>, CoreError> {
        let dimension = u32::try_from(self.values.len())
            .map_err(|_| CoreError::invalid("vector", self.values.len(), "give fewer than 2^32 components"))?;
        let mut blob = Vec::with_capacity(HEADER_BYTES + self.values.len());
        blob.extend_from_slice(&MAGIC);
        blob.extend_from_slice(&VERSION.to_le_bytes());
        blob.extend_from_slice(&dimension.to_le_bytes());
        blob.extend_from_slice(&self.scale.to_le_bytes());
        blob.extend(self.values.iter().map(|&q| q as u8));
        Ok(blob)
    }

    /// What [`Sq8::quantize`] gives of the vector of a blob: its own integers, where one of them is as large as can be.
    ///
    /// # Errors
    /// As [`decode`]; as [`Sq8::quantize`].
    pub(crate) fn again(blob: &[u8]) -> Result<Self, CoreError> {
        const USUAL: std::ops::Range<f32> = 1e-30..1e30;
        let found = Self::from_bytes(blob)?;
        // The scale of the vector is then that of the blob up to two roundings, and every quotient the same integer.
        let is_whole = found.values.iter().any(|q| q.unsigned_abs() == 127) && USUAL.contains(&found.scale);
        if is_whole { Ok(found) } else { Self::quantize(&found.dequantize()) }
    }

    fn from_bytes(blob: &[u8]) -> Result<Self, CoreError> {
        if blob.len() < HEADER_BYTES {
            return Err(corrupt(format!("{} bytes are fewer than its header of {HEADER_BYTES}", blob.len())));
        }
        let (header, body) = blob.split_at(HEADER_BYTES);
        if header[..4] != MAGIC {
            return Err(corrupt("it does not begin with MSQ8".to_owned()));
        }
        let version = u32::from_le_bytes(field(header, 4));
        if version != VERSION {
            return Err(corrupt(format!("version {version} is not {VERSION}")));
        }
        let dimension = u32::from_le_bytes(field(header, 8)) as usize;
        if dimension == 0 || dimension != body.len() {
            return Err(corrupt(format!("dimension {dimension} stands before {} components", body.len())));
        }
        let scale = f32::from_le_bytes(field(header, 12));
        if !(scale.is_normal() && scale > 0.0) {
            return Err(corrupt(format!("scale {scale} is not a positive number")));
        }
        Ok(Self { scale, values: components(body)? })
    }
}

/// The blob of `vector`, [`HEADER_BYTES`] + d bytes.
///
/// # Errors
/// As [`Sq8::quantize`].
///
/// ```
/// use memcore_core::sq8;
///
/// let blob = sq8::encode(&[0.5, -1.0])?;
/// assert_eq!(blob.len(), sq8::HEADER_BYTES + 2);
/// assert!((sq8::decode(&blob)?[0] - 0.5).abs() < 0.004);
/// # Ok::<(), memcore_core::CoreError>(())
/// ```
pub fn encode(vector: &[f32]) -> Result<Vec<u8>, CoreError> {
    Sq8::quantize(vector)?.to_bytes()
}

/// The vector that `blob` stands for, each component within half a step of the one that was encoded.
///
/// # Errors
/// [`CoreError::Corrupt`] when the blob is truncated, too long, of another format or version, or holds a value that no
/// encoding writes.
pub fn decode(blob: &[u8]) -> Result<Vec<f32>, CoreError> {
    Ok(Sq8::from_bytes(blob)?.dequantize())
}

/// The cosine of two blobs, −1..=1.
///
/// # Errors
/// [`CoreError::Corrupt`] for damaged bytes, [`CoreError::Dimension`] when the two differ in dimension.
pub fn cosine(a: &[u8], b: &[u8]) -> Result<f64, CoreError> {
    let (a, b) = (Sq8::from_bytes(a)?, Sq8::from_bytes(b)?);
    if a.values.len() != b.values.len() {
        return Err(CoreError::Dimension { field: "blob_b", expected: a.values.len(), got: b.values.len() });
    }
    Ok(cosine_from_dot(dot(&a.values, &b.values), a.norm(), b.norm()))
}

/// `dot / (norm_a·norm_b)`, held to −1..=1 against the rounding of the square roots.
pub(crate) fn cosine_from_dot(dot: i64, norm_a: f64, norm_b: f64) -> f64 {
    (dot as f64 / (norm_a * norm_b)).clamp(-1.0, 1.0)
}

/// `x` to the nearest integer, halves to even, for |x| < 127.5.
///
/// Adding 1.5·2^52 leaves no bit of the sum for a fraction, so the addition itself rounds (IEEE 754, ties to even) and
/// the integer stands in the low bits. Unlike a call to `rint` this is done for several numbers at once.
fn nearest(x: f64) -> i8 {
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0;
    (x + NO_FRACTION).to_bits() as u8 as i8
}

fn dot(a: &[i8], b: &[i8]) -> i64 {
    // 4096 products of at most 127² fit an i32.
    let block = |(a, b): (&[i8], &[i8])| a.iter().zip(b).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum::<i32>();
    a.chunks(4096).zip(b.chunks(4096)).map(block).map(i64::from).sum()
}

/// The size of the largest component, 0 where there is none; NaN where one is not finite.
pub fn largest(vector: &[f32]) -> f32 {
    let bits = vector.iter().map(|x| x.to_bits() & (u32::MAX >> 1)).max().unwrap_or(0); // sizes in their order, NaN last
    if bits < f32::INFINITY.to_bits() { f32::from_bits(bits) } else { f32::NAN }
}

fn scale_of(vector: &[f32]) -> Result<f32, CoreError> {
    if vector.is_empty() {
        return Err(CoreError::invalid("vector", "an empty vector", "give at least one component"));
    }
    if let Some(i) = vector.iter().position(|x| !x.is_finite()) {
        return Err(CoreError::invalid("vector", format!("{} at {i}", vector[i]), "give finite components"));
    }
    let scale = vector.iter().fold(0.0f32, |max, x| max.max(x.abs())) / 127.0;
    if !scale.is_normal() {
        return Err(CoreError::invalid("vector", "a vector of zeros", "give one with a direction"));
    }
    Ok(scale)
}

fn components(body: &[u8]) -> Result<Vec<i8>, CoreError> {
    let values: Vec<i8> = body.iter().map(|&byte| byte as i8).collect();
    if let Some(i) = values.iter().position(|&q| q == i8::MIN) {
        return Err(corrupt(format!("component {i} is -128")));
    }
    if values.iter().all(|&q| q == 0) {
        return Err(corrupt("every component is 0".to_owned()));
    }
    Ok(values)
}

fn field(header: &[u8], at: usize) -> [u8; 4] {
    [header[at], header[at + 1], header[at + 2], header[at + 3]]
}

fn corrupt(reason: String) -> CoreError {
    CoreError::Corrupt { what: WHAT, reason }
}

#[cfg(test)]
#[path = "sq8_tests.rs"]
mod tests;
