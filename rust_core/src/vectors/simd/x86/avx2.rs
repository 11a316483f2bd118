//! Dot products for AVX2 with FMA.

use std::arch::x86_64::*;

use super::ahead;
use crate::vectors::simd::{Kernels, each_query};

/// Given out by [`super::levels`] alone, where avx2 and fma were detected.
pub const KERNELS: Kernels = Kernels { level: "avx2", f32_dots, i8_dots, i8_batch };

fn f32_dots(rows: &[f32], query: &[f32], out: &mut [f32]) {
    // SAFETY: reachable only through KERNELS, which `levels` gives out where avx2 and fma were detected.
    unsafe { f32_rows(rows, query, out) }
}

fn i8_dots(rows: &[i8], query: &[i8], out: &mut [i32]) {
    // SAFETY: reachable only through KERNELS, which `levels` gives out where avx2 was detected.
    unsafe { i8_rows(rows, query, out) }
}

/// A row costs more to multiply than to load, so that a batch is its queries one by one.
fn i8_batch(rows: &[i8], queries: &[i8], count: usize, out: &mut [i32]) {
    each_query(i8_dots, rows, queries, count, out);
}

#[target_feature(enable = "avx2,fma")]
fn f32_rows(rows: &[f32], query: &[f32], out: &mut [f32]) {
    let (queries, query_rest) = query.as_chunks::<32>();
    for (i, (row, dot)) in rows.chunks_exact(query.len()).zip(out).enumerate() {
        let next = ahead(rows, i * query.len(), query.len());
        let (chunks, row_rest) = row.as_chunks::<32>();
        let mut sums = [_mm256_setzero_ps(); 4];
        for (at, (x, y)) in chunks.iter().zip(queries).enumerate() {
            for (part, sum) in sums.iter_mut().enumerate() {
                // SAFETY: `8·part + 8 ≤ 32`, the length of both chunks; the loads need no alignment. A prefetch never
                // faults.
                let (x, y) = unsafe {
                    if part % 2 == 0 {
                        _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(32 * at + 8 * part).cast());
                    }
                    (_mm256_loadu_ps(x.as_ptr().add(8 * part)), _mm256_loadu_ps(y.as_ptr().add(8 * part)))
                };
                *sum = _mm256_fmadd_ps(x, y, *sum);
            }
        }
        let rest: f32 = row_rest.iter().zip(query_rest).map(|(x, y)| x * y).sum();
        let sum = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
        *dot = sum_ps(sum) + rest;
    }
}

#[target_feature(enable = "avx2")]
fn sum_ps(sum: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
}

#[target_feature(enable = "avx2")]
fn i8_rows(rows: &[i8], query: &[i8], out: &mut [i32]) {
    let length = query.len();
    let (fours, rest) = out.as_chunks_mut::<4>();
    let first_rest = 4 * fours.len();
    for (i, dots) in fours.iter_mut().enumerate() {
        let at = 4 * i * length;
        let (sums, tails) = i8_tile::<4>(&rows[at..at + 4 * length], query, ahead(rows, at, 4 * length));
        for ((dot, sum), tail) in dots.iter_mut().zip(sums).zip(tails) {
            *dot = sum_epi32(sum) + tail;
        }
    }
    for (i, dot) in rest.iter_mut().enumerate() {
        let at = (first_rest + i) * length;
        let ([sum], [tail]) = i8_tile::<1>(&rows[at..at + length], query, ahead(rows, at, length));
        *dot = sum_epi32(sum) + tail;
    }
}

/// The products of `R` rows with the query, in eight sums a row, and those of the components after the last 32.
///
/// The instruction multiplies unsigned by signed bytes: |r|·(q with the sign of r) = r·q. Two products of at most 127²
/// fit its 16 bits, since no component is −128.
#[target_feature(enable = "avx2")]
#[inline]
#[allow(clippy::needless_range_loop, reason = "counted loops are unrolled, which keeps the sums in registers")]
fn i8_tile<const R: usize>(rows: &[i8], query: &[i8], next: *const i8) -> ([__m256i; R], [i32; R]) {
    let length = query.len();
    assert_eq!(rows.len(), R * length, "rows and query do not fit");
    let whole = length - length % 32;
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); R];
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + 32 ≤ whole ≤ length`; the load needs no alignment.
        let q = unsafe { _mm256_loadu_si256(query.as_ptr().add(at).cast()) };
        for row in 0..R {
            // SAFETY: `row < R` and `at + 32 ≤ length`, within `rows`; a prefetch never faults.
            let r = unsafe {
                if at % 64 == 0 {
                    _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(row * length + at));
                }
                _mm256_loadu_si256(rows.as_ptr().add(row * length + at).cast())
            };
            let products = _mm256_maddubs_epi16(_mm256_abs_epi8(r), _mm256_sign_epi8(q, r));
            sums[row] = _mm256_add_epi32(sums[row], _mm256_madd_epi16(products, ones));
        }
        at += 32;
    }
    let mut tails = [0; R];
    for (row, tail) in tails.iter_mut().enumerate() {
        let rest = rows[row * length + whole..(row + 1) * length].iter();
        *tail = rest.zip(&query[whole..]).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum();
    }
    (sums, tails)
}

#[target_feature(enable = "avx2")]
fn sum_epi32(sum: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}
