//! The levels of x86-64 above the portable one: AVX2 with FMA, and AVX-512 with VNNI. Where else the crate has `unsafe`
//! is listed in ARCHITECTURE.md.
//!
//! A table is handed out only after its features were detected, which is what makes its functions safe to call.

mod avx2;
mod avx512;

use super::Kernels;

/// How many bytes before they are multiplied rows are asked for. The processor's own prefetcher stops at the end of a
/// page; one page ahead the next one is translated and on its way by the time it is read.
const AHEAD: usize = 4096;

/// The levels above the portable one that this processor can run, lowest first.
pub fn levels() -> Vec<Kernels> {
    let mut levels = Vec::new();
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        levels.push(avx2::KERNELS);
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni")
        {
            levels.push(avx512::KERNELS);
        }
    }
    levels
}

/// Where the `length` items at `at` begin one page later; where they begin themselves when that is beyond the end, so
/// that a short run of rows has nothing fetched that it does not read.
fn ahead<T>(rows: &[T], at: usize, length: usize) -> *const T {
    let later = at + AHEAD / size_of::<T>();
    rows.as_ptr().wrapping_add(if later + length <= rows.len() { later } else { at })
}
