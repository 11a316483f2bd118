//! `CognitiveGraphEngine`, and `spread` and `pagerank` over several of them.

use numpy::{IntoPyArray, PyArray1};
use parking_lot::{RwLock, RwLockReadGuard};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::CoreError;
use crate::graph::pagerank::{PageRank, PageRankParams, pagerank};
use crate::graph::spread::{Spread, SpreadParams, spread};
use crate::graph::{Graph, Union};
use crate::ids::IdSet;
use crate::python::arrays::Values;
use crate::python::numbers;
use crate::python::snapshot::Bytes;

type Column<'py, T> = Bound<'py, PyArray1<T>>;
type Edges<'py> = (Column<'py, i64>, Column<'py, f32>, Column<'py, u8>);

/// Directed, typed, weighted edges between memory ids, and walks over them.
#[pyclass(frozen, subclass, module = "memcore._core")]
pub struct CognitiveGraphEngine {
    pub(super) graph: RwLock<Graph>,
}

#[pymethods]
impl CognitiveGraphEngine {
    #[new]
    #[pyo3(signature = (max_degree))]
    fn new(max_degree: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let cap = max_degree.map(|cap| numbers::count(cap, "max_degree")).transpose()?;
        Ok(Self { graph: RwLock::new(Graph::new(cap)?) })
    }

    /// Sets the edges (source, target, type) to their strengths; the last of equal keys wins. All or nothing.
    ///
    /// Takes int64, int64, float32 and uint8 (n,). Raises InvalidInputError for a negative id, a strength that is not
    /// finite, an unknown type, or columns of different length. Strengths are held to 0..1.
    fn add_edges(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        strengths: &Bound<'_, PyAny>,
        types: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (sources, targets) = (Values::<i64>::of(sources, "sources")?, Values::<i64>::of(targets, "targets")?);
        let (strengths, types) = (Values::<f32>::of(strengths, "strengths")?, Values::<u8>::of(types, "types")?);
        let columns = (sources.as_slice(), targets.as_slice(), strengths.as_slice(), types.as_slice());
        Ok(py.detach(|| self.graph.write().add_edges(columns.0, columns.1, columns.2, columns.3))?)
    }

    /// How many edges were removed: all, of whatever type, from `sources[i]` to `targets[i]`.
    fn remove_edges(&self, py: Python<'_>, sources: &Bound<'_, PyAny>, targets: &Bound<'_, PyAny>) -> PyResult<usize> {
        let (sources, targets) = (Values::<i64>::of(sources, "sources")?, Values::<i64>::of(targets, "targets")?);
        let (sources, targets) = (sources.as_slice(), targets.as_slice());
        Ok(py.detach(|| self.graph.write().remove_edges(sources, targets))?)
    }

    /// How many of `ids` were removed, with every edge from and to them.
    fn remove_nodes(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ids = Values::<i64>::of(ids, "ids")?;
        let ids = ids.as_slice();
        Ok(py.detach(|| self.graph.write().remove_nodes(ids))?)
    }

    /// The edges out of `id`: (targets, strengths, types), sorted by target, then type.
    fn neighbors<'py>(&self, py: Python<'py>, id: &Bound<'py, PyAny>) -> PyResult<Edges<'py>> {
        let id = numbers::id(id, "id")?;
        let found = py.detach(|| self.graph.read().neighbors(id))?;
        Ok((found.targets.into_pyarray(py), found.strengths.into_pyarray(py), found.types.into_pyarray(py)))
    }

    /// How many ids an edge touches.
    #[getter]
    fn node_count(&self, py: Python<'_>) -> usize {
        py.detach(|| self.graph.read().node_count())
    }

    /// How many edges walks may follow.
    #[getter]
    fn edge_count(&self, py: Python<'_>) -> usize {
        py.detach(|| self.graph.read().edge_count())
    }

    /// Bytes on the heap.
    #[getter]
    fn memory_bytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.graph.read().memory_bytes())
    }

    /// The graph as bytes, which `from_bytes` reads.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.graph.read().dump())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The graph whose `to_bytes` these are, with its cap. Raises EngineError for bytes that are cut off, changed or of
    /// another version.
    #[classmethod]
    #[pyo3(signature = (data))]
    fn from_bytes<'py>(cls: &Bound<'py, PyType>, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let bytes = Bytes::of(data, "data")?;
        let bytes = bytes.as_slice();
        let restored = cls.py().detach(|| Graph::restore(bytes))?;
        Self::given(cls, restored)
    }

    /// Energy spread from seeds (PEDSA): (ids int64, energies float32), the greatest |energy| first, ties by id.
    #[pyo3(signature = (seed_ids, seed_energies, *, steps, decay, threshold, teleport_alpha, max_active, allowed))]
    #[allow(clippy::too_many_arguments, reason = "keywords in Python")]
    fn spread<'py>(
        &self,
        py: Python<'py>,
        seed_ids: &Bound<'py, PyAny>,
        seed_energies: &Bound<'py, PyAny>,
        steps: &Bound<'py, PyAny>,
        decay: &Bound<'py, PyAny>,
        threshold: &Bound<'py, PyAny>,
        teleport_alpha: &Bound<'py, PyAny>,
        max_active: &Bound<'py, PyAny>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Column<'py, i64>, Column<'py, f32>)> {
        let params = spread_params(steps, decay, threshold, teleport_alpha, max_active, None)?;
        let found = Call::new(seed_ids, seed_energies, "seed_energies", allowed)?.spread(py, &[self], &params)?;
        Ok((found.ids.into_pyarray(py), found.energies.into_pyarray(py)))
    }

    /// Personalised PageRank from seeds.
    #[pyo3(signature = (seed_ids, seed_weights, *, restart, tolerance, max_visits, allowed))]
    #[allow(clippy::too_many_arguments, reason = "keywords in Python")]
    fn pagerank<'py>(
        &self,
        py: Python<'py>,
        seed_ids: &Bound<'py, PyAny>,
        seed_weights: &Bound<'py, PyAny>,
        restart: &Bound<'py, PyAny>,
        tolerance: &Bound<'py, PyAny>,
        max_visits: &Bound<'py, PyAny>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyPageRank> {
        let params = pagerank_params(restart, tolerance, max_visits)?;
        Call::new(seed_ids, seed_weights, "seed_weights", allowed)?.pagerank(py, &[self], &params)
    }
}

/// What a personalised PageRank found.
#[pyclass(frozen, name = "PageRank", module = "memcore._core")]
pub struct PyPageRank {
    /// int64 (n,), the greatest score first, ties by id.
    #[pyo3(get)]
    ids: Py<PyArray1<i64>>,
    /// float64 (n,), above 0.
    #[pyo3(get)]
    scores: Py<PyArray1<f64>>,
    /// How many times the vector was multiplied.
    #[pyo3(get)]
    iterations: usize,
    /// Whether the last step was below the tolerance.
    #[pyo3(get)]
    converged: bool,
    /// Whether the budget ran out and the scores come from bounded hops.
    #[pyo3(get)]
    fell_back: bool,
}

impl CognitiveGraphEngine {
    /// An object of a class with a graph that was restored.
    pub(super) fn given<'py>(class: &Bound<'py, PyType>, restored: Graph) -> PyResult<Bound<'py, Self>> {
        let made = class.call1((restored.max_degree(),))?.cast_into::<Self>()?;
        *made.get().graph.write() = restored;
        Ok(made)
    }
}

/// Energy spread over the union of several blocks: (ids int64, energies float32, how many nodes met the bound of ±2).
#[pyfunction(name = "spread")]
#[pyo3(signature = (
    graphs, seed_ids, seed_energies, *, steps, decay, threshold, teleport_alpha, max_active, max_outflow, allowed,
    hidden=None
))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn spread_over<'py>(
    py: Python<'py>,
    graphs: Vec<Py<CognitiveGraphEngine>>,
    seed_ids: &Bound<'py, PyAny>,
    seed_energies: &Bound<'py, PyAny>,
    steps: &Bound<'py, PyAny>,
    decay: &Bound<'py, PyAny>,
    threshold: &Bound<'py, PyAny>,
    teleport_alpha: &Bound<'py, PyAny>,
    max_active: &Bound<'py, PyAny>,
    max_outflow: Option<&Bound<'py, PyAny>>,
    allowed: Option<&Bound<'py, PyAny>>,
    hidden: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Column<'py, i64>, Column<'py, f32>, usize)> {
    let params = spread_params(steps, decay, threshold, teleport_alpha, max_active, max_outflow)?;
    let engines: Vec<&CognitiveGraphEngine> = graphs.iter().map(Py::get).collect();
    let call = Call::new(seed_ids, seed_energies, "seed_energies", allowed)?.without(hidden)?;
    let found = call.spread(py, &engines, &params)?;
    Ok((found.ids.into_pyarray(py), found.energies.into_pyarray(py), found.clamped))
}

/// Personalised PageRank over the union of several blocks.
#[pyfunction(name = "pagerank")]
#[pyo3(signature = (graphs, seed_ids, seed_weights, *, restart, tolerance, max_visits, allowed, hidden=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn pagerank_over<'py>(
    py: Python<'py>,
    graphs: Vec<Py<CognitiveGraphEngine>>,
    seed_ids: &Bound<'py, PyAny>,
    seed_weights: &Bound<'py, PyAny>,
    restart: &Bound<'py, PyAny>,
    tolerance: &Bound<'py, PyAny>,
    max_visits: &Bound<'py, PyAny>,
    allowed: Option<&Bound<'py, PyAny>>,
    hidden: Option<&Bound<'py, PyAny>>,
) -> PyResult<PyPageRank> {
    let params = pagerank_params(restart, tolerance, max_visits)?;
    let engines: Vec<&CognitiveGraphEngine> = graphs.iter().map(Py::get).collect();
    Call::new(seed_ids, seed_weights, "seed_weights", allowed)?.without(hidden)?.pagerank(py, &engines, &params)
}

fn spread_params(
    steps: &Bound<'_, PyAny>,
    decay: &Bound<'_, PyAny>,
    threshold: &Bound<'_, PyAny>,
    teleport_alpha: &Bound<'_, PyAny>,
    max_active: &Bound<'_, PyAny>,
    max_outflow: Option<&Bound<'_, PyAny>>,
) -> PyResult<SpreadParams> {
    Ok(SpreadParams {
        steps: numbers::count(steps, "steps")?,
        decay: numbers::real(decay, "decay")?,
        threshold: numbers::real(threshold, "threshold")?,
        teleport_alpha: numbers::real(teleport_alpha, "teleport_alpha")?,
        max_active: numbers::count(max_active, "max_active")?,
        max_outflow: max_outflow.map(|bound| numbers::real(bound, "max_outflow")).transpose()?,
    })
}

fn pagerank_params(
    restart: &Bound<'_, PyAny>,
    tolerance: &Bound<'_, PyAny>,
    max_visits: &Bound<'_, PyAny>,
) -> PyResult<PageRankParams> {
    Ok(PageRankParams {
        restart: numbers::real(restart, "restart")?,
        tolerance: numbers::real(tolerance, "tolerance")?,
        max_visits: numbers::count(max_visits, "max_visits")?,
    })
}

/// The arguments that both walks share.
struct Call<'py> {
    seed_ids: Values<'py, i64>,
    seed_values: Values<'py, f32>,
    allowed: Option<Values<'py, i64>>,
    hidden: Option<Values<'py, i64>>,
}

impl<'py> Call<'py> {
    fn new(
        seed_ids: &Bound<'py, PyAny>,
        seed_values: &Bound<'py, PyAny>,
        values_field: &'static str,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            seed_ids: Values::of(seed_ids, "seed_ids")?,
            seed_values: Values::of(seed_values, values_field)?,
            allowed: allowed.map(|ids| Values::of(ids, "allowed")).transpose()?,
            hidden: None,
        })
    }

    /// The same walk without the nodes `hidden`.
    fn without(self, hidden: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        Ok(Self { hidden: hidden.map(|ids| Values::of(ids, "hidden")).transpose()?, ..self })
    }

    fn spread(&self, py: Python<'_>, engines: &[&CognitiveGraphEngine], params: &SpreadParams) -> PyResult<Spread> {
        self.walk(py, engines, |union, ids, energies| spread(union, ids, energies, params))
    }

    fn pagerank(
        &self,
        py: Python<'_>,
        engines: &[&CognitiveGraphEngine],
        params: &PageRankParams,
    ) -> PyResult<PyPageRank> {
        let found: PageRank = self.walk(py, engines, |union, ids, weights| pagerank(union, ids, weights, params))?;
        if found.fell_back {
            // The interpreter is attached again here, and no engine is locked.
            log::debug!(target: "memcore", "PageRank went over its budget of edge visits; bounded hops were used");
        }
        Ok(PyPageRank {
            ids: found.ids.into_pyarray(py).unbind(),
            scores: found.scores.into_pyarray(py).unbind(),
            iterations: found.iterations,
            converged: found.converged,
            fell_back: found.fell_back,
        })
    }

    /// Runs `walk` detached, with every block locked for reading.
    fn walk<T: Send>(
        &self,
        py: Python<'_>,
        engines: &[&CognitiveGraphEngine],
        walk: impl Fn(&Union<'_>, &[i64], &[f32]) -> Result<T, CoreError> + Send + Sync,
    ) -> PyResult<T> {
        let (ids, values) = (self.seed_ids.as_slice(), self.seed_values.as_slice());
        let (allowed, hidden) =
            (self.allowed.as_ref().map(Values::as_slice), self.hidden.as_ref().map(Values::as_slice));
        let found = py.detach(|| {
            let scope = allowed.map(|ids| IdSet::new("allowed", ids)).transpose()?;
            let outside = hidden.map(|ids| IdSet::new("hidden", ids)).transpose()?;
            // Recursive: one block may be named twice while a writer waits.
            let locked: Vec<RwLockReadGuard<'_, Graph>> =
                engines.iter().map(|engine| engine.graph.read_recursive()).collect();
            let blocks: Vec<&Graph> = locked.iter().map(|guard| &**guard).collect();
            walk(&Union::new(&blocks, scope.as_ref()).without(outside.as_ref()), ids, values)
        });
        Ok(found?)
    }
}
