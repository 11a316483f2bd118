//! Eight sums beside each other, with the widest registers of the processor.
//!
//! One body in safe code, compiled for several levels: the compiler makes gathers of it where there are some. It neither
//! joins products with sums nor changes their order, so every level has the same bits.

use super::incoming::LANES;

/// Σ strength · given[source] for each lane; a source outside `given`, which there is none of, counts as the last.
#[inline(always)]
fn body(sources: &[u32], strengths: &[u16], given: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    let Some(last) = given.len().checked_sub(1) else { return sums };
    let last = u32::try_from(last).unwrap_or(u32::MAX);
    for (from, strength) in sources.as_chunks::<LANES>().0.iter().zip(strengths.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += f64::from(strength[lane]) * given[from[lane].min(last) as usize];
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
fn with_avx512(sources: &[u32], strengths: &[u16], given: &[f64]) -> [f64; LANES] {
    body(sources, strengths, given)
}

/// The sums of an interleaved group.
#[inline]
pub(super) fn sums(sources: &[u32], strengths: &[u16], given: &[f64]) -> [f64; LANES] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
    {
        // SAFETY: the features that the function was compiled for were all found on this processor.
        return unsafe { with_avx512(sources, strengths, given) };
    }
    body(sources, strengths, given)
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
            prop_assert_eq!(body(&sources, &strengths, &given).map(f64::to_bits), plain.map(f64::to_bits));
        }
    }
}
