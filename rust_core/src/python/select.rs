//! `memcore._core`: the best rows of a scope, and relevance by words and meaning.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::python::arrays::Values;
use crate::python::numbers;
use crate::select::candidates::{self, Candidates, Channels};
use crate::select::{self, Fusion};

/// Rows with how many match, are near and are anchored.
type Recalled<'py> = (Bound<'py, PyArray1<i64>>, usize, usize, usize);

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

/// The candidates of a recall: rows, int64, ascending, and of how many the words match, how many are near, how many are
/// anchored.
///
/// They are the `each` best rows of those that match (`lexical` above 0) by it, of those that are near (a cosine of at
/// least `floor`) by it, of those `anchored` by relevance, and of those that match or are near by relevance. Takes
/// float64 (n,), NaN for no cosine, and bool (n,), None for no row that is anchored and for all that are allowed.
/// Raises DimensionError for arrays of different length.
///
/// >>> import numpy as np
/// >>> words, near = np.array([0.0, 2.0, 1.0]), np.array([0.9, 0.1, 0.0])
/// >>> rows, *counts = candidates(words, near, words / 2 + near, None, None, floor=0.5, each=1)
/// >>> rows.tolist(), counts
/// ([0, 1], [2, 1, 0])
#[pyfunction(name = "candidates")]
#[pyo3(signature = (lexical, cosines, relevance, anchored, allowed, *, floor, each))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn recall_candidates<'py>(
    py: Python<'py>,
    lexical: &Bound<'py, PyAny>,
    cosines: Option<&Bound<'py, PyAny>>,
    relevance: &Bound<'py, PyAny>,
    anchored: Option<&Bound<'py, PyAny>>,
    allowed: Option<&Bound<'py, PyAny>>,
    floor: &Bound<'py, PyAny>,
    each: &Bound<'py, PyAny>,
) -> PyResult<Recalled<'py>> {
    let (lexical, relevance) = (Values::<f64>::of(lexical, "lexical")?, Values::<f64>::of(relevance, "relevance")?);
    let cosines = cosines.map(|values| Values::<f64>::of(values, "cosines")).transpose()?;
    let anchored = anchored.map(|rows| Values::<bool>::of(rows, "anchored")).transpose()?;
    let allowed = allowed.map(|rows| Values::<bool>::of(rows, "allowed")).transpose()?;
    let channels = Channels {
        lexical: lexical.as_slice(),
        cosines: cosines.as_ref().map(Values::as_slice),
        relevance: relevance.as_slice(),
        anchored: anchored.as_ref().map(Values::as_slice),
        allowed: allowed.as_ref().map(Values::as_slice),
    };
    let (floor, each) = (numbers::real(floor, "floor")?, numbers::count(each, "each")?);
    let found = py.detach(|| candidates::candidates(channels, floor, each))?;
    let Candidates { rows, matching, near, anchored } = found;
    Ok((rows.into_pyarray(py), matching, near, anchored))
}

/// The rows, int64, ascending, of the `count` largest values above 0 that are not `taken`, and the least and the largest
/// of all values that are `allowed`, NaN aside (∞ and −∞ of nothing).
///
/// Takes float64 (n,), bool (n,) or None for all, and rows, int64 (m,). Raises DimensionError for arrays of different
/// length, InvalidInputError for a row that is none.
///
/// >>> import numpy as np
/// >>> rows, least, most = fresh_rows(np.array([0.2, 0.9, -1.0, 0.5]), None, np.array([1]), 1)
/// >>> rows.tolist(), least, most
/// ([3], -1.0, 0.9)
#[pyfunction]
pub fn fresh_rows<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    allowed: Option<&Bound<'py, PyAny>>,
    taken: &Bound<'py, PyAny>,
    count: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, f64, f64)> {
    let (values, taken) = (Values::<f64>::of(values, "values")?, Values::<i64>::of(taken, "taken")?);
    let allowed = allowed.map(|rows| Values::<bool>::of(rows, "allowed")).transpose()?;
    let count = numbers::count(count, "count")?;
    let (values, taken, allowed) = (values.as_slice(), taken.as_slice(), allowed.as_ref().map(Values::as_slice));
    let found = py.detach(|| candidates::fresh_rows(values, allowed, taken, count))?;
    Ok((found.rows.into_pyarray(py), found.range.0, found.range.1))
}
