//! Eight sums beside each other, gathered by AVX-512 where the processor has it.
//!
//! No product is joined with a sum and no order changes, so both ways have the same bits. The `unsafe` here is one gather
//! whose places are held to the slice, and loads and a store of arrays of their very size.

use super::incoming::LANES;

/// Σ strength · given[source] for each lane.
fn portable(sources: &[u32], strengths: &[u16], given: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (from, strength) in sources.as_chunks::<LANES>().0.iter().zip(strengths.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += f64::from(strength[lane]) * given[from[lane] as usize];
        }
    }
    sums
}

/// The same. `given` is neither empty nor longer than 2^31.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn gathered(sources: &[u32], strengths: &[u16], given: &[f64]) -> [f64; LANES] {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_cvtepu16_epi32, _mm256_loadu_si256, _mm256_min_epu32, _mm256_set1_epi32, _mm512_add_pd,
        _mm512_cvtepi32_pd, _mm512_i32gather_pd, _mm512_mul_pd, _mm512_setzero_pd, _mm512_storeu_pd,
    };
    assert!((1..=1 << 31).contains(&given.len()), "places that an i32 holds");
    let last = _mm256_set1_epi32((given.len() - 1) as i32);
    let mut sums = _mm512_setzero_pd();
    for (from, strength) in sources.as_chunks::<LANES>().0.iter().zip(strengths.as_chunks::<LANES>().0) {
        // SAFETY: eight u32 are the 32 bytes that are read, and eight u16 the 16 bytes.
        let (from, strength) =
            unsafe { (_mm256_loadu_si256(from.as_ptr().cast()), _mm_loadu_si128(strength.as_ptr().cast())) };
        let places = _mm256_min_epu32(from, last);
        // SAFETY: as unsigned numbers no place is above the last of `given`, which is at most 2^31 - 1: not negative.
        let held = unsafe { _mm512_i32gather_pd::<8>(places, given.as_ptr().cast()) };
        let strength = _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(strength));
        sums = _mm512_add_pd(sums, _mm512_mul_pd(strength, held));
    }
    let mut found = [0.0; LANES];
    // SAFETY: eight f64 are the 64 bytes that are written.
    unsafe { _mm512_storeu_pd(found.as_mut_ptr(), sums) };
    found
}

/// The sums of an interleaved group. Every source is a place in `given`.
#[inline]
pub(super) fn sums(sources: &[u32], strengths: &[u16], given: &[f64]) -> [f64; LANES] {
    #[cfg(target_arch = "x86_64")]
    if (1..=1 << 31).contains(&given.len())
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
    {
        // SAFETY: the features that the function was compiled for were found on this processor.
        return unsafe { gathered(sources, strengths, given) };
    }
    portable(sources, strengths, given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_level_has_the_bits_of_the_plain_sum(
            cells in prop::collection::vec((0u32..50, any::<u16>()), 0..400), given in prop::collection::vec(0f64..1.0, 50)
        ) {
            let whole = cells.len() / LANES * LANES;
            let (sources, strengths): (Vec<u32>, Vec<u16>) = cells[..whole].iter().copied().unzip();
            let mut plain = [0.0; LANES];
            for (i, (source, strength)) in sources.iter().zip(&strengths).enumerate() {
                plain[i % LANES] += f64::from(*strength) * given[*source as usize];
            }
            prop_assert_eq!(sums(&sources, &strengths, &given).map(f64::to_bits), plain.map(f64::to_bits));
            prop_assert_eq!(portable(&sources, &strengths, &given).map(f64::to_bits), plain.map(f64::to_bits));
        }
    }
}
