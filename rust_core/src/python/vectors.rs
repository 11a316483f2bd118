//! `IntentEngine`.

use numpy::ndarray::Array2;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use parking_lot::RwLock;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::CoreError;
use crate::python::arrays::{Rows, Values};
use crate::python::numbers;
use crate::python::snapshot::Bytes;
use crate::vectors::{IntentEngine as Engine, Nearest, Precision, simd};

/// Unit vectors by id, and the exact nearest of them by cosine.
#[pyclass(frozen, subclass, module = "memcore._core")]
pub struct IntentEngine {
    pub(super) engine: RwLock<Engine>,
    dimension: usize,
    precision: Precision,
}

#[pymethods]
impl IntentEngine {
    #[new]
    fn new(dimension: &Bound<'_, PyAny>, precision: &Bound<'_, PyAny>) -> PyResult<Self> {
        let dimension = numbers::count(dimension, "dimension")?;
        let precision = match precision.extract::<&str>() {
            Ok("f32") => Precision::F32,
            Ok("sq8") => Precision::Sq8,
            _ => return Err(CoreError::invalid("precision", numbers::shown(precision), "give 'sq8' or 'f32'").into()),
        };
        Ok(Self { engine: RwLock::new(Engine::new(dimension, precision)?), dimension, precision })
    }

    /// Adds rows, normalised; an id that is there gets the new one. All or nothing.
    ///
    /// Takes int64 (n,) and float32 (n, d). Raises InvalidInputError, with the row, for one that is all zero or not
    /// finite, DimensionError for another d.
    fn add(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, vectors: &Bound<'_, PyAny>) -> PyResult<()> {
        let (ids, vectors) = (Values::<i64>::of(ids, "ids")?, Rows::<f32>::of(vectors, "vectors")?);
        let (ids, (rows, columns)) = (ids.as_slice(), vectors.shape());
        if rows != ids.len() {
            let hint = format!("give one for each of the {} ids", ids.len());
            return Err(CoreError::invalid("vectors", format!("{rows} rows"), hint).into());
        }
        self.expect_dimension("vectors", columns)?;
        let vectors = vectors.as_slice();
        Ok(py.detach(|| self.engine.write().add(ids, vectors))?)
    }

    /// Adds the vectors of blobs of `sq8`, as bytes: the same as `add` of what they stand for.
    ///
    /// Raises EngineError, with the row, for a damaged one, DimensionError for another d or another number of them.
    fn add_blobs(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, blobs: Vec<Bound<'_, PyBytes>>) -> PyResult<()> {
        let ids = Values::<i64>::of(ids, "ids")?;
        let ids = ids.as_slice();
        let views: Vec<&[u8]> = blobs.iter().map(|blob| blob.as_bytes()).collect();
        Ok(py.detach(|| self.engine.write().add_blobs(ids, &views))?)
    }

    /// How many of `ids` (int64) were there and are removed.
    fn remove(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ids = Values::<i64>::of(ids, "ids")?;
        let ids = ids.as_slice();
        Ok(py.detach(|| self.engine.write().remove(ids))?)
    }

    /// The nearest rows: (ids int64, cosines float32), the best first, ties by id.
    ///
    /// For a query (d,) both are (m,), for a batch (q, d) both are (q, m), with m = min(k, rows in the scope).
    /// Raises InvalidInputError for a query that is all zero or not finite and for k < 1, DimensionError for another d.
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        k: &Bound<'py, PyAny>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let k = numbers::count(k, "k")?;
        let allowed = allowed.map(|ids| Values::<i64>::of(ids, "allowed")).transpose()?;
        let allowed = allowed.as_ref().map(Values::as_slice);
        if query.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() == 2) {
            return self.search_batch(py, &Rows::of(query, "query")?, k, allowed);
        }
        let query = Values::<f32>::of(query, "query")?;
        let query = query.as_slice();
        let found = py.detach(|| self.engine.read().search(query, k, allowed))?;
        Ok((found.ids.into_pyarray(py).into_any(), found.cosines.into_pyarray(py).into_any()))
    }

    /// Every id, int64 (n,), ascending.
    fn ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        py.detach(|| self.engine.read().ids()).into_pyarray(py)
    }

    /// The cosine of every row with the query (d,): float32 (n,), aligned with `ids()`.
    fn cosines<'py>(&self, py: Python<'py>, query: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let query = Values::<f32>::of(query, "query")?;
        let query = query.as_slice();
        Ok(py.detach(|| self.engine.read().cosines(query))?.into_pyarray(py))
    }

    /// The unit vectors of `ids`: float32 (m, d). Raises InvalidInputError for an id that has none.
    fn vectors<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let ids = Values::<i64>::of(ids, "ids")?;
        let ids = ids.as_slice();
        let values = py.detach(|| self.engine.read().vectors(ids))?;
        matrix(py, values, ids.len(), self.dimension)
    }

    /// The index as bytes, which `from_bytes` reads. Raises InvalidInputError for the precision "f32".
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.engine.read().dump())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The index whose `to_bytes` these are. Raises EngineError for bytes that are cut off, changed or of another version.
    #[classmethod]
    fn from_bytes<'py>(cls: &Bound<'py, PyType>, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let bytes = Bytes::of(data, "data")?;
        let bytes = bytes.as_slice();
        let restored = cls.py().detach(|| Engine::restore(bytes))?;
        Self::given(cls, restored)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.engine.read().len())
    }

    fn __contains__(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> bool {
        numbers::id(id, "id").is_ok_and(|id| py.detach(|| self.engine.read().contains(id)))
    }

    /// Components of a row.
    #[getter]
    fn dimension(&self) -> usize {
        self.dimension
    }

    /// How rows are kept: "sq8" (one byte a component) or "f32".
    #[getter]
    fn precision(&self) -> &'static str {
        match self.precision {
            Precision::F32 => "f32",
            Precision::Sq8 => "sq8",
        }
    }

    /// Bytes on the heap.
    #[getter]
    fn memory_bytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.engine.read().memory_bytes())
    }
}

impl IntentEngine {
    /// An object of a class with an engine that was restored.
    pub(super) fn given<'py>(class: &Bound<'py, PyType>, restored: Engine) -> PyResult<Bound<'py, Self>> {
        let made = class.call1((restored.dimension(), "sq8"))?.cast_into::<Self>()?;
        *made.get().engine.write() = restored;
        Ok(made)
    }

    fn expect_dimension(&self, field: &'static str, got: usize) -> Result<(), CoreError> {
        let expected = self.dimension;
        if got == expected { Ok(()) } else { Err(CoreError::Dimension { field, expected, got }) }
    }

    /// Every query under one lock: the batch sees one state.
    fn search_batch<'py>(
        &self,
        py: Python<'py>,
        queries: &Rows<'py, f32>,
        k: usize,
        allowed: Option<&[i64]>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (count, columns) = queries.shape();
        self.expect_dimension("query", columns)?;
        let values = queries.as_slice();
        let found: Vec<Nearest> = py.detach(|| self.engine.read().search_batch(values, k, allowed))?;
        let width = found.first().map_or(0, |nearest| nearest.ids.len());
        let ids = found.iter().flat_map(|nearest| nearest.ids.iter().copied()).collect();
        let cosines = found.iter().flat_map(|nearest| nearest.cosines.iter().copied()).collect();
        Ok((matrix::<i64>(py, ids, count, width)?.into_any(), matrix::<f32>(py, cosines, count, width)?.into_any()))
    }
}

/// The level of SIMD in use: "scalar", "portable", "avx2" or "avx512". `MEMCORE_SIMD` may have lowered it.
#[pyfunction]
pub fn simd_level() -> &'static str {
    simd::kernels().level
}

fn matrix<T: Element>(py: Python<'_>, values: Vec<T>, rows: usize, columns: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let filled = Array2::from_shape_vec((rows, columns), values);
    Ok(filled.map_err(|error| CoreError::Engine(format!("rows do not fill a matrix: {error}")))?.into_pyarray(py))
}
