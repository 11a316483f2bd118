//! Dot products as their definition has them: the reference that every faster kernel is held to.

/// `out[i] = Σ_j rows[i·d + j]·query[j]`, summed in f64.
pub fn f32_dots(rows: &[f32], query: &[f32], out: &mut [f32]) {
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        *dot = row.iter().zip(query).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>() as f32;
    }
}

/// `out[i] = Σ_j rows[i·d + j]·query[j]`, exact.
pub fn i8_dots(rows: &[i8], query: &[i8], out: &mut [i32]) {
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        *dot = row.iter().zip(query).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum();
    }
}
