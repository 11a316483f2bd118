//! `memcore._core.sq8`: vectors as one byte a component.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::python::arrays::{Rows, Values};
use crate::{CoreError, sq8};

/// Vectors as one signed byte a component. A namespace: it has no instances.
#[pyclass(frozen, name = "sq8", module = "memcore._core")]
pub struct Sq8Namespace;

#[pymethods]
impl Sq8Namespace {
    /// The blob of a vector: 16 bytes and one a component.
    ///
    /// Takes float32 (d,). Raises InvalidInputError when it is empty, all zero, or not finite.
    #[staticmethod]
    fn encode<'py>(py: Python<'py>, vector: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let vector = Values::<f32>::of(vector, "vector")?;
        let values = vector.as_slice();
        Ok(PyBytes::new(py, &py.detach(|| sq8::encode(values))?))
    }

    /// The float32 vector (d,) that a blob stands for.
    ///
    /// Raises EngineError when the bytes are damaged.
    #[staticmethod]
    fn decode<'py>(py: Python<'py>, blob: &[u8]) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(py.detach(|| sq8::decode(blob))?.into_pyarray(py))
    }

    /// The cosine of two blobs, from integers alone, −1 to 1.
    ///
    /// Raises EngineError when bytes are damaged, DimensionError when the two differ in dimension.
    #[staticmethod]
    fn cosine(py: Python<'_>, blob_a: &[u8], blob_b: &[u8]) -> PyResult<f64> {
        Ok(py.detach(|| sq8::cosine(blob_a, blob_b))?)
    }

    /// The size of the largest component of a float32 vector (d,), 0 for none; NaN where one is not finite.
    #[staticmethod]
    fn largest(vector: &Bound<'_, PyAny>) -> PyResult<f32> {
        Ok(sq8::largest(Values::<f32>::of(vector, "vector")?.as_slice()))
    }

    /// A blob for each row of a float32 matrix (n, d).
    ///
    /// Raises InvalidInputError, with the row, where `encode` would.
    #[staticmethod]
    fn encode_rows<'py>(py: Python<'py>, matrix: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let rows = Rows::<f32>::of(matrix, "matrix")?;
        let (values, (_, columns)) = (rows.as_slice(), rows.shape());
        let blobs = py.detach(|| each_row(values, columns))?;
        Ok(blobs.iter().map(|blob| PyBytes::new(py, blob)).collect())
    }

    /// The float32 matrix (n, d) of `n` blobs; (0, 0) for none.
    ///
    /// Raises EngineError, with the row, when bytes are damaged, DimensionError when a row's dimension is not the first's.
    #[staticmethod]
    fn decode_rows<'py>(py: Python<'py>, blobs: Vec<Bound<'py, PyBytes>>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let views: Vec<&[u8]> = blobs.iter().map(|blob| blob.as_bytes()).collect();
        let (values, columns) = py.detach(|| stacked(&views))?;
        let matrix = Array2::from_shape_vec((views.len(), columns), values)
            .map_err(|error| CoreError::Engine(format!("rows do not fill a matrix: {error}")))?;
        Ok(matrix.into_pyarray(py))
    }
}

fn each_row(values: &[f32], columns: usize) -> Result<Vec<Vec<u8>>, CoreError> {
    if columns == 0 {
        return Err(CoreError::invalid("matrix", "rows of no components", "give at least one column"));
    }
    values.chunks_exact(columns).enumerate().map(|(row, v)| sq8::encode(v).map_err(|e| at_row(e, row))).collect()
}

fn stacked(blobs: &[&[u8]]) -> Result<(Vec<f32>, usize), CoreError> {
    let mut values = Vec::new();
    let mut columns = 0;
    for (row, blob) in blobs.iter().enumerate() {
        let vector = sq8::decode(blob).map_err(|e| at_row(e, row))?;
        if row == 0 {
            columns = vector.len();
            values.reserve(columns * blobs.len());
        } else if vector.len() != columns {
            return Err(CoreError::Dimension { field: "blobs", expected: columns, got: vector.len() });
        }
        values.extend_from_slice(&vector);
    }
    Ok((values, columns))
}

fn at_row(error: CoreError, row: usize) -> CoreError {
    match error {
        CoreError::InvalidInput { value, hint, .. } => {
            CoreError::invalid("matrix", format!("row {row}: {value}"), hint)
        }
        CoreError::Corrupt { what, reason } => CoreError::Corrupt { what, reason: format!("row {row}: {reason}") },
        other @ (CoreError::Dimension { .. } | CoreError::Engine(_)) => other,
    }
}
