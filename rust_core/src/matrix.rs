//! The border of the algorithms: float32 rows as checked float64 matrices.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::CoreError;

/// A matrix in float64.
///
/// # Errors
/// A value that is not finite; the message names its row.
pub fn finite_rows(field: &'static str, rows: ArrayView2<'_, f32>) -> Result<Array2<f64>, CoreError> {
    check_finite_rows(field, rows)?;
    Ok(rows.mapv(f64::from))
}

/// # Errors
/// A value that is not finite; the message names its row.
pub fn check_finite_rows(field: &'static str, rows: ArrayView2<'_, f32>) -> Result<(), CoreError> {
    // Without a way out in the middle the loop is one of vectors.
    let is_finite = |row: ArrayView1<'_, f32>| row.iter().fold(true, |all, value| all & value.is_finite());
    match rows.outer_iter().position(|row| !is_finite(row)) {
        Some(row) => Err(CoreError::invalid(field, format!("row {row} with NaN or infinity"), "give finite numbers")),
        None => Ok(()),
    }
}

/// A vector of the given dimension in float64.
///
/// # Errors
/// Another dimension, or a value that is not finite.
pub fn finite_vector(
    field: &'static str,
    vector: ArrayView1<'_, f32>,
    dimension: usize,
) -> Result<Array1<f64>, CoreError> {
    if vector.len() != dimension {
        return Err(CoreError::Dimension { field, expected: dimension, got: vector.len() });
    }
    if let Some(at) = vector.iter().position(|value| !value.is_finite()) {
        return Err(CoreError::invalid(field, format!("{} at {at}", vector[at]), "give finite numbers"));
    }
    Ok(vector.mapv(f64::from))
}

/// The Euclidean length. No square of a float32 overflows or vanishes in float64.
pub fn norm<'v>(values: impl Iterator<Item = &'v f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_named_with_its_place() {
        let rows = ndarray::array![[1.0, 2.0], [f32::NAN, 0.0]];
        assert!(finite_rows("matrix", rows.view()).unwrap_err().to_string().contains("row 1"));
        let vector = ndarray::array![1.0, f32::INFINITY];
        assert!(finite_vector("query", vector.view(), 2).unwrap_err().to_string().contains("inf at 1"));
        assert!(matches!(
            finite_vector("query", vector.view(), 3),
            Err(CoreError::Dimension { expected: 3, got: 2, .. })
        ));
    }

    #[test]
    fn the_norm_of_the_smallest_and_greatest_float32_is_finite_and_right() {
        assert_eq!(norm([3.0, -4.0].iter()), 5.0);
        assert!((norm([f64::from(f32::MAX)].iter()) / f64::from(f32::MAX) - 1.0).abs() < 1e-12);
        assert!((norm([1e-45, 0.0].iter()) / 1e-45 - 1.0).abs() < 1e-12);
    }
}
