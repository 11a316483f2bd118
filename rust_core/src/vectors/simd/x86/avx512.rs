//! Dot products for AVX-512 with VNNI.
//!
//! VNNI multiplies unsigned by signed bytes, so the rows are biased: Σ(r + 128)·q − 128·Σq = Σr·q. The correction is the
//! query's own and computed once a call; a row costs one exclusive or for it and no product, and nothing is stored.

use std::arch::x86_64::*;

use super::ahead;
use crate::vectors::simd::Kernels;

/// Given out by [`super::levels`] alone, where avx512f, bw and vnni were detected.
pub const KERNELS: Kernels = Kernels { level: "avx512", f32_dots, i8_dots, i8_batch };

fn f32_dots(rows: &[f32], query: &[f32], out: &mut [f32]) {
    // SAFETY: reachable only through KERNELS, which `levels` gives out where avx512f was detected.
    unsafe { f32_rows(rows, query, out) }
}

fn i8_dots(rows: &[i8], query: &[i8], out: &mut [i32]) {
    // SAFETY: reachable only through KERNELS, which `levels` gives out where avx512f, bw and vnni were detected.
    unsafe { i8_rows(rows, query, out) }
}

fn i8_batch(rows: &[i8], queries: &[i8], count: usize, out: &mut [i32]) {
    // SAFETY: reachable only through KERNELS, which `levels` gives out where avx512f, bw and vnni were detected.
    unsafe { i8_rows_of_queries(rows, queries, count, out) }
}

#[target_feature(enable = "avx512f")]
fn f32_rows(rows: &[f32], query: &[f32], out: &mut [f32]) {
    let length = query.len();
    let (queries, query_rest) = query.as_chunks::<32>();
    for (i, (row, dot)) in rows.chunks_exact(length).zip(out).enumerate() {
        let next = ahead(rows, i * length, length);
        let (mut even, mut odd) = (_mm512_setzero_ps(), _mm512_setzero_ps());
        let (chunks, row_rest) = row.as_chunks::<32>();
        for (at, (x, y)) in chunks.iter().zip(queries).enumerate() {
            // SAFETY: each chunk has twice sixteen components, and the loads need no alignment; a prefetch never faults.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(32 * at).cast());
                _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(32 * at + 16).cast());
                even = _mm512_fmadd_ps(_mm512_loadu_ps(x.as_ptr()), _mm512_loadu_ps(y.as_ptr()), even);
                odd = _mm512_fmadd_ps(_mm512_loadu_ps(x.as_ptr().add(16)), _mm512_loadu_ps(y.as_ptr().add(16)), odd);
            }
        }
        for (at, (x, y)) in row_rest.chunks(16).zip(query_rest.chunks(16)).enumerate() {
            let mask = ((1u32 << x.len()) - 1) as __mmask16;
            // SAFETY: the mask lets only the first `x.len()` (= `y.len()`) lanes be read.
            let (x, y) = unsafe { (_mm512_maskz_loadu_ps(mask, x.as_ptr()), _mm512_maskz_loadu_ps(mask, y.as_ptr())) };
            if at == 0 {
                even = _mm512_fmadd_ps(x, y, even);
            } else {
                odd = _mm512_fmadd_ps(x, y, odd);
            }
        }
        *dot = _mm512_reduce_add_ps(_mm512_add_ps(even, odd));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn i8_rows(rows: &[i8], query: &[i8], out: &mut [i32]) {
    let length = query.len();
    let bias = bias(query);
    let (fours, rest) = out.as_chunks_mut::<4>();
    let first_rest = 4 * fours.len();
    for (i, dots) in fours.iter_mut().enumerate() {
        let at = 4 * i * length;
        let [sums] = tile::<4, 1>(&rows[at..at + 4 * length], [query], Some(ahead(rows, at, 4 * length)));
        *dots = totals(sums, bias);
    }
    for (i, dot) in rest.iter_mut().enumerate() {
        let at = (first_rest + i) * length;
        let [[sum]] = tile::<1, 1>(&rows[at..at + length], [query], Some(ahead(rows, at, length)));
        *dot = _mm512_reduce_add_epi32(sum) - bias;
    }
}

/// Four rows with four queries at a time: each load serves four products.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn i8_rows_of_queries(rows: &[i8], queries: &[i8], count: usize, out: &mut [i32]) {
    let (length, height) = (queries.len() / count, out.len() / count);
    let tall = height - height % 4;
    let wide = count - count % 4;
    let query = |i: usize| &queries[i * length..(i + 1) * length];
    let mut biases = Vec::with_capacity(count);
    for i in 0..wide {
        biases.push(bias(query(i)));
    }
    for first_row in (0..tall).step_by(4) {
        let at = first_row * length;
        let group = &rows[at..at + 4 * length];
        for first in (0..wide).step_by(4) {
            let four = [query(first), query(first + 1), query(first + 2), query(first + 3)];
            let next = (first == 0).then(|| ahead(rows, at, 4 * length));
            let sums = tile::<4, 4>(group, four, next);
            for (i, sums) in sums.into_iter().enumerate() {
                let at = (first + i) * height + first_row;
                out[at..at + 4].copy_from_slice(&totals(sums, biases[first + i]));
            }
        }
    }
    for (i, out) in out.chunks_exact_mut(height).enumerate() {
        let from = if i < wide { tall } else { 0 };
        i8_rows(&rows[from * length..], query(i), &mut out[from..]);
    }
}

/// The products of `R` biased rows with `Q` queries, in sixteen sums for each pair. As many rows are asked for at `next`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
#[allow(clippy::needless_range_loop, reason = "counted loops are unrolled, which keeps the sums in registers")]
fn tile<const R: usize, const Q: usize>(
    rows: &[i8],
    queries: [&[i8]; Q],
    next: Option<*const i8>,
) -> [[__m512i; R]; Q] {
    let length = queries[0].len();
    assert!(rows.len() == R * length, "rows and queries do not fit");
    for query in queries {
        assert!(query.len() == length, "queries are not of one length");
    }
    let bias = _mm512_set1_epi8(i8::MIN);
    let mut sums = [[_mm512_setzero_si512(); R]; Q];
    let whole = length - length % 64;
    let mut at = 0;
    while at < whole {
        let mut biased = [bias; R];
        for row in 0..R {
            // SAFETY: `row < R` and `at + 64 ≤ length`, within `rows`; a prefetch never faults.
            biased[row] = unsafe {
                if let Some(next) = next {
                    _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(row * length + at));
                }
                _mm512_xor_si512(_mm512_loadu_si512(rows.as_ptr().add(row * length + at).cast()), bias)
            };
        }
        for i in 0..Q {
            // SAFETY: `at + 64 ≤ length`, that of every query.
            let query = unsafe { _mm512_loadu_si512(queries[i].as_ptr().add(at).cast()) };
            for row in 0..R {
                sums[i][row] = _mm512_dpbusd_epi32(sums[i][row], biased[row], query);
            }
        }
        at += 64;
    }
    if whole < length {
        let mask = u64::MAX >> (64 - (length - whole));
        for i in 0..Q {
            // SAFETY: the mask lets only the last `length − whole` bytes of the query be read.
            let query = unsafe { _mm512_maskz_loadu_epi8(mask, queries[i].as_ptr().add(whole)) };
            for row in 0..R {
                // SAFETY: the mask lets only the last `length − whole` bytes of the row be read.
                let last = unsafe { _mm512_maskz_loadu_epi8(mask, rows.as_ptr().add(row * length + whole)) };
                // What the bias makes of the bytes that were not read is multiplied with 0.
                sums[i][row] = _mm512_dpbusd_epi32(sums[i][row], _mm512_xor_si512(last, bias), query);
            }
        }
    }
    sums
}

/// 128·Σq, what the bias of the rows adds to a product with the query.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn bias(query: &[i8]) -> i32 {
    let mut sum = _mm512_setzero_si512();
    for part in query.chunks(64) {
        // SAFETY: the mask lets only the first `part.len()` bytes be read.
        let part = unsafe { _mm512_maskz_loadu_epi8(u64::MAX >> (64 - part.len()), part.as_ptr()) };
        sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), part);
    }
    128 * _mm512_reduce_add_epi32(sum)
}

/// The sum of each of four registers, less `bias`: transposed and added at once.
#[target_feature(enable = "avx512f")]
#[inline]
fn totals([a, b, c, d]: [__m512i; 4], bias: i32) -> [i32; 4] {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let quarter = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    let mut totals = [0; 4];
    // SAFETY: the store writes the four integers that `totals` has, and needs no alignment.
    unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), _mm_sub_epi32(quarter, _mm_set1_epi32(bias))) };
    totals
}
