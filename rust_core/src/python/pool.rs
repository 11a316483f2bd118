//! `memcore._core`: columns over a pool of candidates. The work is too little to let go of the interpreter for.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::python::arrays::Values;
use crate::python::numbers;
use crate::select::pool;

/// Rows with the columns that are aligned with them.
type Pool<'py> = (Bound<'py, PyArray1<i64>>, Vec<Bound<'py, PyArray1<f64>>>);

/// A pool with one more column: its rows and `new_rows`, int64, ascending, each once, and all columns, float64, aligned
/// with them, the new one last; 0 where a column had no such row.
///
/// Takes int64 (n,), ascending, float64 columns (n,), int64 (m,), ascending, and float64 (m,). Raises DimensionError for
/// columns that are not as long as their rows.
///
/// >>> import numpy as np
/// >>> rows, columns = joined_pool(np.array([1, 4]), [np.array([0.5, 0.2])], np.array([2]), np.array([0.7]))
/// >>> rows.tolist(), [column.tolist() for column in columns]
/// ([1, 2, 4], [[0.5, 0.0, 0.2], [0.0, 0.7, 0.0]])
#[pyfunction]
pub fn joined_pool<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    columns: Vec<Bound<'py, PyAny>>,
    new_rows: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
) -> PyResult<Pool<'py>> {
    let (rows, new_rows) = (Values::<i64>::of(rows, "rows")?, Values::<i64>::of(new_rows, "new_rows")?);
    let values = Values::<f64>::of(values, "values")?;
    let columns = columns.iter().map(|column| Values::<f64>::of(column, "columns")).collect::<PyResult<Vec<_>>>()?;
    let columns: Vec<&[f64]> = columns.iter().map(Values::as_slice).collect();
    let found = pool::joined(rows.as_slice(), &columns, new_rows.as_slice(), values.as_slice())?;
    let columns = found.columns.into_iter().map(|column| column.into_pyarray(py)).collect();
    Ok((found.rows.into_pyarray(py), columns))
}

/// For each row the mean, float64 (n,), of the `best` largest values of its group, a missing one counting 0; 0 where the
/// group is below 0.
///
/// Takes int32 (n,) and float64 (n,). Raises DimensionError for arrays of different length, InvalidInputError for
/// `best` < 1.
///
/// >>> import numpy as np
/// >>> best_means(np.array([7, 7, -1], np.int32), np.array([1.0, 0.5, 3.0]), 2).tolist()
/// [0.75, 0.75, 0.0]
#[pyfunction]
pub fn best_means<'py>(
    py: Python<'py>,
    groups: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    best: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (groups, values) = (Values::<i32>::of(groups, "groups")?, Values::<f64>::of(values, "values")?);
    let best = numbers::count(best, "best")?;
    Ok(pool::best_means(groups.as_slice(), values.as_slice(), best)?.into_pyarray(py))
}

/// For each set of bits the share, float64 (n,), of all weights that those of its bits have; 0 where they sum to nothing.
///
/// Takes uint64 (n,) and at most 64 weights, float64, that of the lowest bit first. Raises InvalidInputError for more.
///
/// >>> import numpy as np
/// >>> bit_shares(np.array([0b10, 0b11], np.uint64), np.array([1.0, 3.0])).tolist()
/// [0.75, 1.0]
#[pyfunction]
pub fn bit_shares<'py>(
    py: Python<'py>,
    bits: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (bits, weights) = (Values::<u64>::of(bits, "bits")?, Values::<f64>::of(weights, "weights")?);
    Ok(pool::bit_shares(bits.as_slice(), weights.as_slice())?.into_pyarray(py))
}
