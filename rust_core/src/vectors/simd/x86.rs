//! Dot products for AVX2 with FMA and for AVX-512 with VNNI. The only `unsafe` of the crate.
//!
//! A table is handed out only after its features were detected, which is what makes its functions safe to call.

use std::arch::x86_64::*;

use super::Kernels;

const AVX2: Kernels = Kernels { level: "avx2", f32_dots: f32_dots_avx2, i8_dots: i8_dots_avx2 };
const AVX512: Kernels = Kernels { level: "avx512", f32_dots: f32_dots_avx512, i8_dots: i8_dots_avx512 };

/// The levels above the portable one that this processor can run, lowest first.
pub fn levels() -> Vec<Kernels> {
    let mut levels = Vec::new();
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        levels.push(AVX2);
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
        {
            levels.push(AVX512);
        }
    }
    levels
}

fn f32_dots_avx2(rows: &[f32], query: &[f32], out: &mut [f32]) {
    // SAFETY: reachable only through AVX2, which `levels` gives out where avx2 and fma were detected.
    unsafe { f32_rows_avx2(rows, query, out) }
}

fn i8_dots_avx2(rows: &[i8], query: &[i8], out: &mut [i32]) {
    // SAFETY: reachable only through AVX2, which `levels` gives out where avx2 was detected.
    unsafe { i8_rows_avx2(rows, query, out) }
}

fn f32_dots_avx512(rows: &[f32], query: &[f32], out: &mut [f32]) {
    // SAFETY: reachable only through AVX512, which `levels` gives out where avx512f was detected.
    unsafe { f32_rows_avx512(rows, query, out) }
}

fn i8_dots_avx512(rows: &[i8], query: &[i8], out: &mut [i32]) {
    // SAFETY: reachable only through AVX512, which `levels` gives out where avx512f, bw and vnni were detected.
    unsafe { i8_rows_avx512(rows, query, out) }
}

#[target_feature(enable = "avx2,fma")]
fn f32_rows_avx2(rows: &[f32], query: &[f32], out: &mut [f32]) {
    let (queries, query_rest) = query.as_chunks::<32>();
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        let (chunks, row_rest) = row.as_chunks::<32>();
        let mut sums = [_mm256_setzero_ps(); 4];
        for (x, y) in chunks.iter().zip(queries) {
            for (part, sum) in sums.iter_mut().enumerate() {
                // SAFETY: `8·part + 8 ≤ 32`, the length of both chunks; the loads need no alignment.
                let (x, y) =
                    unsafe { (_mm256_loadu_ps(x.as_ptr().add(8 * part)), _mm256_loadu_ps(y.as_ptr().add(8 * part))) };
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
fn i8_rows_avx2(rows: &[i8], query: &[i8], out: &mut [i32]) {
    let (queries, query_rest) = query.as_chunks::<32>();
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        let (chunks, row_rest) = row.as_chunks::<32>();
        let mut sums = [_mm256_setzero_si256(); 2];
        for (x, y) in chunks.iter().zip(queries) {
            for (half, sum) in sums.iter_mut().enumerate() {
                // SAFETY: `16·half + 16 ≤ 32`, the length of both chunks; the loads need no alignment.
                let (x, y) = unsafe {
                    (
                        _mm_loadu_si128(x.as_ptr().add(16 * half).cast()),
                        _mm_loadu_si128(y.as_ptr().add(16 * half).cast()),
                    )
                };
                let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(x), _mm256_cvtepi8_epi16(y));
                *sum = _mm256_add_epi32(*sum, products);
            }
        }
        let rest: i32 = row_rest.iter().zip(query_rest).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum();
        *dot = sum_epi32(_mm256_add_epi32(sums[0], sums[1])) + rest;
    }
}

#[target_feature(enable = "avx2")]
fn sum_epi32(sum: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}

#[target_feature(enable = "avx512f")]
fn f32_rows_avx512(rows: &[f32], query: &[f32], out: &mut [f32]) {
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        let mut sums = [_mm512_setzero_ps(); 2];
        for (i, (x, y)) in row.chunks(16).zip(query.chunks(16)).enumerate() {
            let mask = ((1u32 << x.len()) - 1) as __mmask16;
            // SAFETY: the mask lets only the first `x.len()` (= `y.len()`) lanes be read.
            let (x, y) = unsafe { (_mm512_maskz_loadu_ps(mask, x.as_ptr()), _mm512_maskz_loadu_ps(mask, y.as_ptr())) };
            sums[i % 2] = _mm512_fmadd_ps(x, y, sums[i % 2]);
        }
        *dot = _mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1]));
    }
}

/// VNNI multiplies unsigned by signed bytes, so the query is biased: Σ(q + 128)·r − 128·Σr = Σq·r.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn i8_rows_avx512(rows: &[i8], query: &[i8], out: &mut [i32]) {
    let (bias, ones) = (_mm512_set1_epi8(i8::MIN), _mm512_set1_epi8(1));
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        let (mut biased, mut total) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (r, q) in row.chunks(64).zip(query.chunks(64)) {
            let mask = u64::MAX >> (64 - r.len());
            // SAFETY: the mask lets only the first `r.len()` (= `q.len()`) bytes be read.
            let (r, q) =
                unsafe { (_mm512_maskz_loadu_epi8(mask, r.as_ptr()), _mm512_maskz_loadu_epi8(mask, q.as_ptr())) };
            biased = _mm512_dpbusd_epi32(biased, _mm512_xor_si512(q, bias), r);
            total = _mm512_dpbusd_epi32(total, ones, r);
        }
        *dot = _mm512_reduce_add_epi32(biased) - 128 * _mm512_reduce_add_epi32(total);
    }
}
