//! `memcore._core`: text analysis and [`Bm25Index`](lexical::Bm25Index).

use numpy::{IntoPyArray, PyArray1};
use parking_lot::RwLock;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyType};

use crate::CoreError;
use crate::ids::IdSet;
use crate::lexical::bm25::Bm25Params;
use crate::lexical::tokenize::{Terms, terms};
use crate::lexical::{self, Scope};
use crate::python::arrays::Values;
use crate::python::numbers;
use crate::python::snapshot::Bytes;
use crate::python::texts::{text_of, texts_of};

pub(super) type Ids<'py> = Bound<'py, PyArray1<i64>>;
pub(super) type ScoredIds<'py> = (Ids<'py>, Bound<'py, PyArray1<f64>>);

/// BM25 over the documents of one block.
#[pyclass(frozen, subclass, module = "memcore._core")]
pub struct Bm25Index {
    pub(super) index: RwLock<lexical::Bm25Index>,
    params: Bm25Params,
}

#[pymethods]
impl Bm25Index {
    #[new]
    #[pyo3(signature = (k1, b))]
    fn new(k1: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Self> {
        let params = Bm25Params::new(numbers::real(k1, "k1")?, numbers::real(b, "b")?)?;
        Ok(Self { index: RwLock::new(lexical::Bm25Index::new()), params })
    }

    /// Adds texts; an id that is there is replaced, of an id given twice the last stays. All or nothing.
    ///
    /// Takes int64 (n,) and n strings. Raises InvalidInputError for a negative id and for text that has no UTF-8 form,
    /// DimensionError for another number of texts.
    fn add(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, texts: &Bound<'_, PyAny>) -> PyResult<()> {
        let (ids, texts) = (Values::<i64>::of(ids, "ids")?, texts_of(texts, "texts")?);
        let ids = ids.as_slice();
        py.detach(|| {
            let analyzed: Vec<Terms> = texts.iter().map(|text| terms(text)).collect();
            let documents: Vec<Vec<&str>> = analyzed.iter().map(|terms| terms.of_document().collect()).collect();
            self.index.write().add("texts", ids, &documents)
        })?;
        Ok(())
    }

    /// Adds texts that were analysed before, each as its terms joined with one space; else like `add`.
    fn add_streams(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, streams: &Bound<'_, PyAny>) -> PyResult<()> {
        let (ids, streams) = (Values::<i64>::of(ids, "ids")?, texts_of(streams, "streams")?);
        let ids = ids.as_slice();
        py.detach(|| {
            let documents: Vec<Vec<&str>> =
                streams.iter().map(|stream| stream.split_ascii_whitespace().collect()).collect();
            self.index.write().add("streams", ids, &documents)
        })?;
        Ok(())
    }

    /// Takes documents out and returns how many there were.
    fn remove(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ids = Values::<i64>::of(ids, "ids")?;
        let ids = ids.as_slice();
        Ok(py.detach(|| self.index.write().remove(ids)))
    }

    /// The `k` best documents for a query, by score descending, then id.
    #[pyo3(signature = (query, k, allowed))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        k: &Bound<'py, PyAny>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<ScoredIds<'py>> {
        let (query, k) = (text_of(query, "query")?, numbers::count(k, "k")?);
        let allowed = allowed.map(|ids| Values::<i64>::of(ids, "allowed")).transpose()?;
        let allowed = allowed.as_ref().map(Values::as_slice);
        let found = py.detach(|| {
            let allowed = allowed.map(|ids| IdSet::new("allowed", ids)).transpose()?;
            Ok::<_, CoreError>(Scope::whole(&[&self.index.read()]).search(&query, self.params, k, allowed.as_ref()))
        })?;
        let (scores, ids): (Vec<f64>, Vec<i64>) = found.into_iter().unzip();
        Ok((ids.into_pyarray(py), scores.into_pyarray(py)))
    }

    /// The ids of the documents that hold a term, ascending.
    fn documents<'py>(&self, py: Python<'py>, term: &Bound<'py, PyAny>) -> PyResult<Ids<'py>> {
        let term = text_of(term, "term")?;
        Ok(py.detach(|| self.index.read().documents(&term)).into_pyarray(py))
    }

    /// The terms of a document, each once, sorted; none for an id that is not there.
    fn terms_of(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let id = numbers::id(id, "id")?;
        Ok(py.detach(|| self.index.read().terms_of(id)))
    }

    /// The index as bytes, which `from_bytes` reads.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.index.read().dump())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The index whose `to_bytes` these are, with the constants given. Raises EngineError for bytes that are cut off,
    /// changed or of another version.
    #[classmethod]
    #[pyo3(signature = (data, k1, b))]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
        k1: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let made = cls.call1((k1, b))?.cast_into::<Self>()?;
        let bytes = Bytes::of(data, "data")?;
        let bytes = bytes.as_slice();
        let restored = cls.py().detach(|| lexical::Bm25Index::restore(bytes))?;
        *made.get().index.write() = restored;
        Ok(made)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.index.read().len())
    }

    fn __contains__(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> bool {
        numbers::id(id, "id").is_ok_and(|id| py.detach(|| self.index.read().contains(id)))
    }

    /// Bytes of memory in use, about.
    #[getter]
    fn memory_bytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.index.read().memory_bytes())
    }
}

impl Bm25Index {
    /// An object of a class, with its own constants, with an index that was restored.
    pub(super) fn given<'py>(class: &Bound<'py, PyType>, restored: lexical::Bm25Index) -> PyResult<Bound<'py, Self>> {
        let made = class.call0()?.cast_into::<Self>()?;
        *made.get().index.write() = restored;
        Ok(made)
    }
}

/// The terms that a text is found by, in order, repeats included.
///
/// NFKC, lower case, accents folded; words stemmed (Snowball English: Porter 2001); Chinese as dictionary words and
/// bigrams; codes such as `GB/s` whole and in parts. Punctuation and emoji give none. Linear in the text.
/// Raises InvalidInputError for what is no string and for lone surrogates.
///
/// >>> tokenize("Running at 3 GB/s, 喝酒")
/// ['run', 'at', '3', 'gb/s', 'gb', 's', '喝酒', '喝酒']
#[pyfunction]
pub fn tokenize<'py>(py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let text = text_of(text, "text")?;
    let found = py.detach(|| terms(&text));
    let listed: Vec<&str> = found.of_document().collect();
    PyList::new(py, listed)
}

/// The terms of `tokenize` joined with one space, as `Bm25Index.add_streams` takes them; no list is made of them.
///
/// Raises InvalidInputError as `tokenize`.
///
/// >>> token_stream("Running at 3 GB/s")
/// 'run at 3 gb/s gb s'
#[pyfunction]
pub fn token_stream(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = text_of(text, "text")?;
    Ok(py.detach(|| lexical::token_stream(&text)))
}

/// The `token_stream` of each text, on all threads, while the interpreter's lock is released. Raises as `token_stream`.
#[pyfunction]
pub fn token_streams(py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let texts = texts_of(texts, "texts")?;
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    Ok(py.detach(|| lexical::token_streams(&texts)))
}

/// The terms of a query in order, each once, without stop words unless it has nothing else.
///
/// >>> query_terms("Where does Ana live now?")
/// ['ana', 'live']
#[pyfunction]
pub fn query_terms(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let text = text_of(text, "text")?;
    Ok(py.detach(|| lexical::query_terms(&text)))
}
