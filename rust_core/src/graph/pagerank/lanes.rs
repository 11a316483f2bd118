//! Cells of edges by target in groups of eight rows, and eight sums beside each other over them.
//!
//! A cell is the number of a source and a strength: 16 bits of each, and of a number the bits above in planes, one byte of
//! a plane for eight cells, so that 100,000 nodes take 4⅛ bytes an edge. AVX-512 gathers where `vectors::simd` chose that
//! level. No product is joined with a sum and no order changes, so every level has the same bits.

/// Rows of a group, and cells beside each other.
pub(super) const LANES: usize = 8;

/// Whatever count of planes.
pub(super) const ANY: usize = usize::MAX;

const LOW: u32 = 16;

/// What the cells hold.
#[derive(Debug)]
pub(super) struct Cells {
    sources: Vec<[u16; LANES]>,
    strengths: Vec<[u16; LANES]>,
    /// `count` bytes for eight cells: bit 16 of each, bit 17 of each, …
    planes: Vec<u8>,
    count: usize,
}

impl Cells {
    /// So many times eight cells without strength, for sources below `nodes`.
    pub(super) fn new(eights: usize, nodes: usize) -> Self {
        let bits = usize::BITS - nodes.saturating_sub(1).leading_zeros();
        let count = bits.saturating_sub(LOW) as usize;
        let (sources, strengths) = (vec![[0; LANES]; eights], vec![[0; LANES]; eights]);
        Self { sources, strengths, planes: vec![0; eights * count], count }
    }

    /// Fills a cell that holds nothing yet.
    #[inline]
    pub(super) fn set(&mut self, at: usize, source: u32, strength: u16) {
        let (eight, lane) = (at / LANES, at % LANES);
        self.sources[eight][lane] = source as u16;
        self.strengths[eight][lane] = strength;
        if source >> LOW == 0 {
            return;
        }
        for (plane, bits) in self.planes[eight * self.count..][..self.count].iter_mut().enumerate() {
            *bits |= ((source >> LOW >> plane & 1) as u8) << lane;
        }
    }

    /// The source and the strength of a cell.
    #[inline]
    pub(super) fn get(&self, at: usize) -> (u32, u16) {
        let (eight, lane) = (at / LANES, at % LANES);
        let planes = self.planes[eight * self.count..][..self.count].iter().zip(LOW..);
        let high = planes.fold(0, |high, (bits, plane)| high | u32::from(bits >> lane & 1) << plane);
        (u32::from(self.sources[eight][lane]) | high, self.strengths[eight][lane])
    }

    /// How many times eight there are.
    pub(super) fn eights(&self) -> usize {
        self.sources.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        2 * self.sources.capacity() * size_of::<[u16; LANES]>() + self.planes.capacity()
    }

    /// Σ strength · given[source] for each lane of some times eight cells.
    #[inline(always)]
    pub(super) fn sums(&self, eights: std::ops::Range<usize>, given: &[f64]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        let planes = &self.planes[eights.start * self.count..eights.end * self.count];
        let cells = self.sources[eights.clone()].iter().zip(&self.strengths[eights]);
        for (i, (low, strengths)) in cells.enumerate() {
            let mut sources = low.map(u32::from);
            for (bits, plane) in planes[i * self.count..][..self.count].iter().zip(LOW..) {
                for (lane, source) in sources.iter_mut().enumerate() {
                    *source |= u32::from(bits >> lane & 1) << plane;
                }
            }
            for lane in 0..LANES {
                sums[lane] += f64::from(strengths[lane]) * given[sources[lane] as usize];
            }
        }
        sums
    }

    /// How many planes there are.
    pub(super) fn planes(&self) -> usize {
        self.count
    }

    /// The same by gathers, compiled for `PLANES` planes, or [`ANY`]; for as many as `given` has, from 1 to 2^31.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    pub(super) fn gathered<const PLANES: usize>(&self, eights: std::ops::Range<usize>, given: &[f64]) -> [f64; LANES] {
        use std::arch::x86_64::{
            _mm_loadu_si128, _mm256_cvtepu16_epi32, _mm256_mask_or_epi32, _mm256_min_epu32, _mm256_set1_epi32,
            _mm512_add_pd, _mm512_cvtepi32_pd, _mm512_i32gather_pd, _mm512_mul_pd, _mm512_setzero_pd, _mm512_storeu_pd,
        };
        assert!((1..=1 << 31).contains(&given.len()), "places that an i32 holds");
        let count = if PLANES == ANY { self.count } else { PLANES };
        assert_eq!(count, self.count, "planes");
        let last = _mm256_set1_epi32((given.len() - 1) as i32);
        let mut sums = _mm512_setzero_pd();
        let planes = &self.planes[eights.start * count..eights.end * count];
        let cells = self.sources[eights.clone()].iter().zip(&self.strengths[eights]);
        for (i, (low, strengths)) in cells.enumerate() {
            // SAFETY: eight u16 are the 16 bytes that are read, of each of the two.
            let (low, strengths) =
                unsafe { (_mm_loadu_si128(low.as_ptr().cast()), _mm_loadu_si128(strengths.as_ptr().cast())) };
            let mut sources = _mm256_cvtepu16_epi32(low);
            for (&bits, plane) in planes[i * count..][..count].iter().zip(LOW..) {
                sources = _mm256_mask_or_epi32(sources, bits, sources, _mm256_set1_epi32(1 << plane));
            }
            let places = _mm256_min_epu32(sources, last);
            // SAFETY: as unsigned numbers no place is above the last of `given`, at most 2^31 - 1: none is negative.
            let held = unsafe { _mm512_i32gather_pd::<8>(places, given.as_ptr().cast()) };
            let strengths = _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(strengths));
            sums = _mm512_add_pd(sums, _mm512_mul_pd(strengths, held));
        }
        let mut found = [0.0; LANES];
        // SAFETY: eight f64 are the 64 bytes that are written.
        unsafe { _mm512_storeu_pd(found.as_mut_ptr(), sums) };
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_level_has_the_bits_of_the_plain_sum(
            nodes in prop_oneof![1_usize..50, 65_530_usize..65_550, 200_000_usize..400_000],
            drawn in prop::collection::vec((any::<prop::sample::Index>(), any::<u16>()), 0..400), start in 0_usize..9
        ) {
            let eights = drawn.len() / LANES;
            let mut cells = Cells::new(eights, nodes);
            let given: Vec<f64> = (0..nodes).map(|i| 1.0 / (i + 3) as f64).collect();
            let start = start.min(eights);
            let mut plain = [0.0; LANES];
            for (i, (source, strength)) in drawn[..eights * LANES].iter().enumerate() {
                let source = source.index(nodes) as u32;
                cells.set(i, source, *strength);
                prop_assert_eq!(cells.get(i), (source, *strength));
                if i >= start * LANES {
                    plain[i % LANES] += f64::from(*strength) * given[source as usize];
                }
            }
            let plain = plain.map(f64::to_bits);
            prop_assert_eq!(cells.sums(start..eights, &given).map(f64::to_bits), plain);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                // SAFETY: the features that it was compiled for were found.
                prop_assert_eq!(unsafe { cells.gathered::<ANY>(start..eights, &given) }.map(f64::to_bits), plain);
            }
        }
    }
}
