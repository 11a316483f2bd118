//! One text of f64 arithmetic, compiled for each level of instructions and chosen at run time.
//!
//! [`Work::run`] is inlined into a function that has the level's instructions, with [`Lanes`] for its registers; plain
//! loops over arrays become its vectors as well. The level is that of [`super::kernels`], and the same environment
//! variable lowers it.
//!
//! The types of the x86 registers are private, so that only the functions below name them, each behind the detection of
//! its instructions: this is what makes their methods safe to call.

use wide::f64x2;

use super::kernels;

/// Arithmetic that is to run with the best instructions. `run` has to be `#[inline(always)]`, with all that it calls.
pub trait Work {
    /// What is found.
    type Found;

    /// Does the work.
    fn run<L: Lanes>(self) -> Self::Found;
}

/// A register of f64.
pub trait Lanes: Copy {
    /// As many numbers in memory.
    type Chunk;
    /// As many f32.
    type Narrow;
    /// How many they are: 2, 4 or 8.
    const COUNT: usize;

    /// Whole chunks.
    fn chunks(values: &[f64]) -> &[Self::Chunk];
    /// Whole chunks, to be written.
    fn chunks_mut(values: &mut [f64]) -> &mut [Self::Chunk];
    /// From memory.
    fn load(chunk: &Self::Chunk) -> Self;
    /// Whole chunks of f32.
    fn narrow_chunks(values: &[f32]) -> &[Self::Narrow];
    /// From f32 in memory.
    fn widened(chunk: &Self::Narrow) -> Self;
    /// To memory.
    fn store(self, chunk: &mut Self::Chunk);
    /// The same number everywhere.
    fn splat(value: f64) -> Self;
    /// self + other.
    fn plus(self, other: Self) -> Self;
    /// self · other.
    fn times(self, other: Self) -> Self;
    /// self + x·y, rounded once where the processor has an instruction for it.
    fn plus_product(self, x: Self, y: Self) -> Self;

    /// The sum of its numbers, halves first.
    fn sum(self) -> f64;
}

impl Lanes for f64x2 {
    type Chunk = [f64; 2];
    type Narrow = [f32; 2];
    const COUNT: usize = 2;

    #[inline(always)]
    fn chunks(values: &[f64]) -> &[[f64; 2]] {
        values.as_chunks().0
    }

    #[inline(always)]
    fn chunks_mut(values: &mut [f64]) -> &mut [[f64; 2]] {
        values.as_chunks_mut().0
    }

    #[inline(always)]
    fn load(chunk: &[f64; 2]) -> Self {
        Self::new(*chunk)
    }

    #[inline(always)]
    fn narrow_chunks(values: &[f32]) -> &[[f32; 2]] {
        values.as_chunks().0
    }

    #[inline(always)]
    fn widened(chunk: &[f32; 2]) -> Self {
        Self::new(chunk.map(f64::from))
    }

    #[inline(always)]
    fn store(self, chunk: &mut [f64; 2]) {
        *chunk = self.to_array();
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::new([value; 2])
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn plus_product(self, x: Self, y: Self) -> Self {
        x * y + self
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        let [one, two] = self.to_array();
        one + two
    }
}

/// How many bytes ahead memory is asked for: a page, where the processor's own prefetcher stops.
const AHEAD: usize = 4096;

/// Asks for what stands a page behind the first value, so that it is on its way by the time it is read.
#[inline(always)]
pub fn ask_ahead<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let ahead = values.as_ptr().wrapping_byte_add(AHEAD).cast();
        // SAFETY: a prefetch reads nothing, whatever the address, and every x86-64 has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead) }
    }
}

/// Instructions that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Target {
    /// All that this processor can run, lowest first.
    pub fn all() -> Vec<Self> {
        #[allow(unused_mut, reason = "only x86-64 has more than one")]
        let mut all = vec![Self(Instructions::Plain)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push(Self(Instructions::Avx2));
            if is_x86_feature_detected!("avx512f") {
                all.push(Self(Instructions::Avx512));
            }
        }
        all
    }

    /// The one in use.
    pub fn chosen() -> Self {
        let most = match kernels().level {
            "avx512" => 3,
            "avx2" => 2,
            _ => 1,
        };
        Self::all().into_iter().take(most).next_back().unwrap_or(Self(Instructions::Plain))
    }

    /// Does the work with these instructions.
    pub fn run<W: Work>(self, work: W) -> W::Found {
        match self.0 {
            Instructions::Plain => work.run::<f64x2>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an Avx2 is made by `all` only, where avx2 and fma were detected.
            Instructions::Avx2 => unsafe { x86::avx2(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an Avx512 is made by `all` only, where avx2, fma and avx512f were detected.
            Instructions::Avx512 => unsafe { x86::avx512(work) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Lanes, Work};

    #[derive(Clone, Copy)]
    struct Four(__m256d);

    #[derive(Clone, Copy)]
    struct Eight(__m512d);

    #[target_feature(enable = "avx2,fma")]
    pub fn avx2<W: Work>(work: W) -> W::Found {
        work.run::<Four>()
    }

    #[target_feature(enable = "avx2,fma,avx512f")]
    pub fn avx512<W: Work>(work: W) -> W::Found {
        work.run::<Eight>()
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn sum_of_four(values: __m256d) -> f64 {
        let two = _mm_add_pd(_mm256_castpd256_pd128(values), _mm256_extractf128_pd::<1>(values));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }

    #[target_feature(enable = "avx2,avx512f")]
    #[inline]
    fn sum_of_eight(values: __m512d) -> f64 {
        sum_of_four(_mm256_add_pd(_mm512_castpd512_pd256(values), _mm512_extractf64x4_pd::<1>(values)))
    }

    macro_rules! lanes {
        (
            $name:ident, $count:literal, $load:ident, $load_narrow:ident, $widen:ident, $store:ident,
            $splat:ident, $add:ident, $times:ident, $fused:ident, $sum:ident
        ) => {
            impl Lanes for $name {
                type Chunk = [f64; $count];
                type Narrow = [f32; $count];
                const COUNT: usize = $count;

                #[inline(always)]
                fn chunks(values: &[f64]) -> &[Self::Chunk] {
                    values.as_chunks().0
                }

                #[inline(always)]
                fn chunks_mut(values: &mut [f64]) -> &mut [Self::Chunk] {
                    values.as_chunks_mut().0
                }

                #[inline(always)]
                fn load(chunk: &Self::Chunk) -> Self {
                    // SAFETY: the chunk has as many numbers as the register, and needs no alignment; see the module.
                    Self(unsafe { $load(chunk.as_ptr()) })
                }

                #[inline(always)]
                fn narrow_chunks(values: &[f32]) -> &[Self::Narrow] {
                    values.as_chunks().0
                }

                #[inline(always)]
                fn widened(chunk: &Self::Narrow) -> Self {
                    // SAFETY: the chunk has as many numbers as the register, and needs no alignment; see the module.
                    Self(unsafe { $widen($load_narrow(chunk.as_ptr())) })
                }

                #[inline(always)]
                fn store(self, chunk: &mut Self::Chunk) {
                    // SAFETY: the chunk has as many numbers as the register, and needs no alignment; see the module.
                    unsafe { $store(chunk.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn splat(value: f64) -> Self {
                    // SAFETY: the instructions are there; see the module.
                    Self(unsafe { $splat(value) })
                }

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    // SAFETY: the instructions are there; see the module.
                    Self(unsafe { $add(self.0, other.0) })
                }

                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    // SAFETY: the instructions are there; see the module.
                    Self(unsafe { $times(self.0, other.0) })
                }

                #[inline(always)]
                fn plus_product(self, x: Self, y: Self) -> Self {
                    // SAFETY: the instructions are there; see the module.
                    Self(unsafe { $fused(x.0, y.0, self.0) })
                }

                #[inline(always)]
                fn sum(self) -> f64 {
                    // SAFETY: the instructions are there; see the module.
                    unsafe { $sum(self.0) }
                }
            }
        };
    }

    lanes!(
        Four,
        4,
        _mm256_loadu_pd,
        _mm_loadu_ps,
        _mm256_cvtps_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_mul_pd,
        _mm256_fmadd_pd,
        sum_of_four
    );
    lanes!(
        Eight,
        8,
        _mm512_loadu_pd,
        _mm256_loadu_ps,
        _mm512_cvtps_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_add_pd,
        _mm512_mul_pd,
        _mm512_fmadd_pd,
        sum_of_eight
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_in_use_is_one_that_the_processor_has() {
        assert!(Target::all().contains(&Target::chosen()));
    }
}
