//! `memcore._core`: topics, sparse codes, varied choices and the rank score.

use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyUntypedArray};
use pyo3::prelude::*;

use crate::fista::FistaParams;
use crate::nmf::{NmfParams, Updates};
use crate::python::arrays::{Rows, Values};
use crate::python::numbers;
use crate::{CoreError, dpp, fista as sparse, nmf as topics, nnls, rank};

/// A factorisation into topics.
#[pyclass(frozen, get_all, module = "memcore._core")]
pub struct Topics {
    /// float32 (m, k): how much of each topic each row has.
    w: Py<PyArray2<f32>>,
    /// float32 (k, d): the topics.
    h: Py<PyArray2<f32>>,
    /// Updates made.
    iterations: usize,
    /// ‖V − WH‖_F.
    error: f64,
}

#[pymethods]
impl Topics {
    /// The factorisation that was found before.
    #[new]
    fn new(w: Py<PyArray2<f32>>, h: Py<PyArray2<f32>>, iterations: usize, error: f64) -> Self {
        Self { w, h, iterations, error }
    }
}

/// A query on topics.
#[pyclass(frozen, get_all, module = "memcore._core")]
pub struct Projection {
    /// float64 (k,), each at least 0.
    weights: Py<PyArray1<f64>>,
    /// 0 for all topics alike, 1 for one alone.
    depth: f64,
    /// How many topics have more than half an equal share.
    coverage: usize,
    /// The share that the topics do not explain, 0 to 1.
    novelty: f64,
}

/// A vector as a sparse sum of atoms.
#[pyclass(frozen, get_all, module = "memcore._core")]
pub struct SparseCode {
    /// float64 (m,), one for each atom.
    coefficients: Py<PyArray1<f64>>,
    /// float32 (d,): what the atoms leave over.
    residual: Py<PyArray1<f32>>,
    /// The value of the objective.
    objective: f64,
    /// Iterations made.
    iterations: usize,
}

/// Non-negative factors of |matrix|.
#[pyfunction]
#[pyo3(signature = (matrix, *, k, iterations, seed, updates))]
pub fn nmf(
    py: Python<'_>,
    matrix: &Bound<'_, PyAny>,
    k: &Bound<'_, PyAny>,
    iterations: &Bound<'_, PyAny>,
    seed: &Bound<'_, PyAny>,
    updates: &Bound<'_, PyAny>,
) -> PyResult<Topics> {
    let matrix = Rows::<f32>::of(matrix, "matrix")?;
    let seed = numbers::count(seed, "seed")? as u64;
    let params = NmfParams::new(numbers::count(k, "k")?, numbers::count(iterations, "iterations")?, seed)?;
    let params = params.with_updates(updates_of(updates)?);
    let view = rows_of(&matrix)?;
    let found = py.detach(|| topics::nmf(view, params))?;
    Ok(Topics {
        w: found.w.mapv(|x| x as f32).into_pyarray(py).unbind(),
        h: found.h.mapv(|x| x as f32).into_pyarray(py).unbind(),
        iterations: found.iterations,
        error: found.error,
    })
}

fn updates_of(argument: &Bound<'_, PyAny>) -> Result<Updates, CoreError> {
    match argument.extract::<&str>() {
        Ok("multiplicative") => Ok(Updates::Multiplicative),
        Ok("hals") => Ok(Updates::Hals),
        _ => Err(CoreError::invalid("updates", numbers::shown(argument), "give 'multiplicative' or 'hals'")),
    }
}

/// |query| (d,) on the topics |h| (k, d): `.weights`, and how deep, broad and new it is.
///
/// w minimises ½‖|q| − wH‖² over w ≥ 0 (Lawson & Hanson 1974); with p = w/Σw, `.depth` = 1 − H(p)/ln k,
/// `.coverage` = #{p > 0.5/k}, `.novelty` = ‖|q| − wH‖/‖|q|‖. No topic, or w = 0: 0, 0 and 1. One topic: depth 1.
/// Takes float32. Raises InvalidInputError for what is not finite, DimensionError for another d.
///
/// >>> import numpy as np
/// >>> p = nnls_project(np.eye(3, dtype="f4")[:2], np.array([4, 0, 3], "f4"))
/// >>> p.weights.tolist(), p.depth, p.coverage, round(p.novelty, 6)
/// ([4.0, 0.0], 1.0, 1, 0.6)
#[pyfunction]
pub fn nnls_project(py: Python<'_>, h: &Bound<'_, PyAny>, query: &Bound<'_, PyAny>) -> PyResult<Projection> {
    let (h, query) = (Rows::<f32>::of(h, "h")?, Values::<f32>::of(query, "query")?);
    let (topics, vector) = (rows_of(&h)?, ArrayView1::from(query.as_slice()));
    let found = py.detach(|| nnls::nnls_project(topics, vector))?;
    Ok(Projection {
        weights: found.weights.into_pyarray(py).unbind(),
        depth: found.depth,
        coverage: found.coverage,
        novelty: found.novelty,
    })
}

/// The query as a sparse sum of atoms.
#[pyfunction]
#[pyo3(signature = (atoms, query, *, lambda_, iterations))]
pub fn fista(
    py: Python<'_>,
    atoms: &Bound<'_, PyAny>,
    query: &Bound<'_, PyAny>,
    lambda_: &Bound<'_, PyAny>,
    iterations: &Bound<'_, PyAny>,
) -> PyResult<SparseCode> {
    let (atoms, query) = (Rows::<f32>::of(atoms, "atoms")?, Values::<f32>::of(query, "query")?);
    let params = FistaParams::new(numbers::real(lambda_, "lambda_")?, numbers::count(iterations, "iterations")?)?;
    let (rows, vector) = (rows_of(&atoms)?, ArrayView1::from(query.as_slice()));
    let found = py.detach(|| sparse::fista(rows, vector, params))?;
    Ok(SparseCode::of(py, found))
}

impl SparseCode {
    fn of(py: Python<'_>, found: sparse::SparseCode) -> Self {
        Self {
            coefficients: found.coefficients.into_pyarray(py).unbind(),
            residual: found.residual.mapv(|x| x as f32).into_pyarray(py).unbind(),
            objective: found.objective,
            iterations: found.iterations,
        }
    }
}

/// Atoms in which many queries are coded: in a byte a component as well, so that most of them need not be read.
#[pyclass(frozen, module = "memcore._core")]
pub struct Dictionary {
    /// float32 (m, d), which nothing writes to any more.
    #[pyo3(get)]
    atoms: Py<PyArray2<f32>>,
    looked_at_by: sparse::Dictionary,
}

/// Whether neither an array nor one that it is a view of can be written.
fn nobody_writes_to(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mut array = array.clone();
    while array.is_instance_of::<PyUntypedArray>() {
        if array.getattr("flags")?.getattr("writeable")?.is_truthy()? {
            return Ok(false);
        }
        array = array.getattr("base")?;
    }
    Ok(true)
}

#[pymethods]
impl Dictionary {
    /// Of float32 (m, d); kept as it is where it is row after row and nobody can write to it, else as a copy.
    ///
    /// Raises InvalidInputError for another dtype or number of axes, and for a value that is not finite.
    #[new]
    fn new(py: Python<'_>, atoms: &Bound<'_, PyAny>) -> PyResult<Self> {
        let given = Rows::<f32>::of(atoms, "atoms")?;
        let is_fixed = nobody_writes_to(atoms)?;
        let kept = match (&given, atoms.cast::<PyArray2<f32>>()) {
            (Rows::View(_), Ok(array)) if is_fixed => array.clone(),
            _ => {
                let copy = rows_of(&given)?.to_owned().into_pyarray(py);
                copy.getattr("flags")?.setattr("writeable", false)?;
                copy
            }
        };
        let rows = rows_of(&given)?;
        let looked_at_by = py.detach(|| sparse::Dictionary::new(rows))?;
        Ok(Self { atoms: kept.unbind(), looked_at_by })
    }

    /// A query (d,) as few atoms: as `fista`, up to rounding.
    #[pyo3(signature = (query, *, lambda_, iterations))]
    fn code(
        &self,
        py: Python<'_>,
        query: &Bound<'_, PyAny>,
        lambda_: &Bound<'_, PyAny>,
        iterations: &Bound<'_, PyAny>,
    ) -> PyResult<SparseCode> {
        let (atoms, query) = (Rows::<f32>::of(self.atoms.bind(py), "atoms")?, Values::<f32>::of(query, "query")?);
        let params = FistaParams::new(numbers::real(lambda_, "lambda_")?, numbers::count(iterations, "iterations")?)?;
        let (rows, vector) = (rows_of(&atoms)?, ArrayView1::from(query.as_slice()));
        let found = py.detach(|| self.looked_at_by.code(rows, vector, params))?;
        Ok(SparseCode::of(py, found))
    }

    /// Bytes on the heap, without the atoms.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.looked_at_by.memory_bytes()
    }
}

/// A varied choice of rows, in the order of picking.
#[pyfunction]
pub fn dpp_greedy<'py>(
    py: Python<'py>,
    vectors: &Bound<'py, PyAny>,
    quality: &Bound<'py, PyAny>,
    k: &Bound<'py, PyAny>,
    similarity_power: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (vectors, quality) = (Rows::<f32>::of(vectors, "vectors")?, Values::<f64>::of(quality, "quality")?);
    let k = numbers::count(k, "k")?;
    let power = numbers::count(similarity_power, "similarity_power")?;
    let power = u8::try_from(power)
        .map_err(|_| CoreError::invalid("similarity_power", power, "give a whole number from 1 to 255"))?;
    let (rows, quality) = (rows_of(&vectors)?, quality.as_slice());
    let picked = py.detach(|| dpp::dpp_greedy(rows, quality, k, power))?;
    Ok(picked.into_iter().map(|index| index as i64).collect::<Vec<_>>().into_pyarray(py))
}

/// The form `perocore`: a float for four numbers, float64 (n,) where an argument is an array (n,).
///
/// max(0.7·graph + 0.3·relevance, 0) · (1 + importance/10) · (0.8 + 0.2/(1 + ln(1 + days))), days since the event, a
/// moment in the future being 0 days old. Raises InvalidInputError for what is not finite and for an importance
/// outside 0..10, DimensionError for arrays of different length.
///
/// >>> round(rank_score(1.0, 0.5, 5.0, 30.0), 5)
/// 1.07751
#[pyfunction]
pub fn rank_score<'py>(
    py: Python<'py>,
    graph: &Bound<'py, PyAny>,
    relevance: &Bound<'py, PyAny>,
    importance: &Bound<'py, PyAny>,
    days: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = [
        Column::of(graph, "graph")?,
        Column::of(relevance, "relevance")?,
        Column::of(importance, "importance")?,
        Column::of(days, "days")?,
    ];
    let length = columns.iter().find_map(Column::length);
    let [graph, relevance, importance, days] = &columns;
    let scored = py.detach(|| {
        columns.iter().try_for_each(|column| column.check(length))?;
        let score = |i| rank::rank_score(graph.at(i), relevance.at(i), importance.at(i), days.at(i));
        (0..length.unwrap_or(1)).map(score).collect::<Result<Vec<f64>, CoreError>>()
    })?;
    match length {
        Some(_) => Ok(scored.into_pyarray(py).into_any()),
        None => Ok(scored[0].into_pyobject(py)?.into_any()),
    }
}

/// An argument that is one number for all, or one for each.
enum Column {
    One(f64),
    Each(&'static str, Vec<f64>),
}

impl Column {
    fn of(argument: &Bound<'_, PyAny>, field: &'static str) -> PyResult<Self> {
        if argument.cast::<PyUntypedArray>().is_err() {
            let number = argument.extract::<f64>();
            return number.map(Self::One).map_err(|_| {
                let given = format!("a {}", argument.get_type());
                CoreError::invalid(field, given, "give a number, or a numpy array of float64 or float32").into()
            });
        }
        if let Ok(values) = Values::<f32>::of(argument, field) {
            return Ok(Self::Each(field, values.as_slice().iter().map(|value| f64::from(*value)).collect()));
        }
        Ok(Self::Each(field, Values::<f64>::of(argument, field)?.as_slice().to_vec()))
    }

    fn length(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Each(_, values) => Some(values.len()),
        }
    }

    fn check(&self, length: Option<usize>) -> Result<(), CoreError> {
        match (self, length) {
            (Self::Each(field, values), Some(length)) if values.len() != length => {
                Err(CoreError::Dimension { field, expected: length, got: values.len() })
            }
            (Self::Each(..) | Self::One(_), _) => Ok(()),
        }
    }

    fn at(&self, index: usize) -> f64 {
        match self {
            Self::One(value) => *value,
            Self::Each(_, values) => values[index],
        }
    }
}

fn rows_of<'a>(rows: &'a Rows<'_, f32>) -> PyResult<ArrayView2<'a, f32>> {
    let view = ArrayView2::from_shape(rows.shape(), rows.as_slice());
    Ok(view.map_err(|error| CoreError::Engine(format!("rows do not fill a matrix: {error}")))?)
}
