//! Dot products in the vectors that every processor of a target has: SSE2 on x86-64, NEON on aarch64.

use wide::{f32x8, i8x16, i16x16, i32x8};

pub fn f32_dots(rows: &[f32], query: &[f32], out: &mut [f32]) {
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        *dot = f32_dot(row, query);
    }
}

pub fn i8_dots(rows: &[i8], query: &[i8], out: &mut [i32]) {
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        *dot = i8_dot(row, query);
    }
}

fn f32_dot(row: &[f32], query: &[f32]) -> f32 {
    let ((rows, row_rest), (queries, query_rest)) = (row.as_chunks::<16>(), query.as_chunks::<16>());
    let mut sums = [f32x8::ZERO; 2];
    for (x, y) in rows.iter().zip(queries) {
        for (half, sum) in sums.iter_mut().enumerate() {
            *sum += eight(x, half) * eight(y, half);
        }
    }
    let rest: f32 = row_rest.iter().zip(query_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]).reduce_add() + rest
}

fn eight(values: &[f32; 16], half: usize) -> f32x8 {
    let at = 8 * half;
    f32x8::new(std::array::from_fn(|i| values[at + i]))
}

fn i8_dot(row: &[i8], query: &[i8]) -> i32 {
    let ((rows, row_rest), (queries, query_rest)) = (row.as_chunks::<16>(), query.as_chunks::<16>());
    let mut sum = i32x8::ZERO;
    for (&x, &y) in rows.iter().zip(queries) {
        sum += i16x16::from_i8x16(i8x16::new(x)).dot(i16x16::from_i8x16(i8x16::new(y)));
    }
    let rest: i32 = row_rest.iter().zip(query_rest).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum();
    sum.reduce_add() + rest
}
