//! `memcore._core`: the best rows of a scope, and relevance by words and meaning.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::python::arrays::Values;
use crate::python::numbers;
use crate::select::{self, Fusion};

/// The rows of the largest values, int64, ascending: at most `count` of those where `among` is True.
///
/// Of equal values the lower rows are taken; NaN is below everything. Takes float64 (n,) and bool (n,). Raises
/// DimensionError for arrays of different length.
///
/// >>> import numpy as np
/// >>> best_rows(np.array([0.2, 0.9, 0.9, 0.5]), np.array([True, True, True, False]), 2).tolist()
/// [1, 2]
#[pyfunction]
pub fn best_rows<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    among: &Bound<'py, PyAny>,
    count: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (values, among) = (Values::<f64>::of(values, "values")?, Values::<bool>::of(among, "among")?);
    let (values, among) = (values.as_slice(), among.as_slice());
    let count = numbers::count(count, "count")?;
    Ok(py.detach(|| select::best_rows(values, among, count))?.into_pyarray(py))
}

/// How relevant each row is by its BM25 score and its cosine, float64 (n,): (1 − share)·words + share·meaning.
///
/// Words are the score over the largest; meaning is (cosine − low)/(high − low), clipped to `least`..1, with `low` the
/// quantile `low_quantile` and `high` the largest of the cosines. Where a cosine is NaN words stand alone. Only rows
/// that are `allowed` (bool (n,), None for all) say what is largest. Takes float64 (n,). Raises DimensionError for
/// arrays of different length.
///
/// >>> import numpy as np
/// >>> fused(np.array([2.0, 0.0]), np.array([0.1, 0.5]), None, share=0.5, low_quantile=0.0, least=0.0).tolist()
/// [0.5, 0.5]
#[pyfunction]
#[pyo3(signature = (lexical, cosines, allowed, *, share, low_quantile, least))]
pub fn fused<'py>(
    py: Python<'py>,
    lexical: &Bound<'py, PyAny>,
    cosines: &Bound<'py, PyAny>,
    allowed: Option<&Bound<'py, PyAny>>,
    share: &Bound<'py, PyAny>,
    low_quantile: &Bound<'py, PyAny>,
    least: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (lexical, cosines) = (Values::<f64>::of(lexical, "lexical")?, Values::<f64>::of(cosines, "cosines")?);
    let allowed = allowed.map(|rows| Values::<bool>::of(rows, "allowed")).transpose()?;
    let fusion = Fusion {
        share: numbers::real(share, "share")?,
        low_quantile: numbers::real(low_quantile, "low_quantile")?,
        least: numbers::real(least, "least")?,
    };
    let (lexical, cosines, allowed) = (lexical.as_slice(), cosines.as_slice(), allowed.as_ref().map(Values::as_slice));
    Ok(py.detach(|| select::fused(lexical, cosines, allowed, fusion))?.into_pyarray(py))
}
