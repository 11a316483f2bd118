//! `memcore._core`: text analysis, [`Bm25Index`](lexical::Bm25Index), and what several indexes answer as one.

use numpy::{IntoPyArray, PyArray1};
use parking_lot::{RwLock, RwLockReadGuard};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList, PyType};

use crate::CoreError;
use crate::ids::IdSet;
use crate::lexical::bm25::Bm25Params;
use crate::lexical::concepts::{self, ConceptParams};
use crate::lexical::in_rows;
use crate::lexical::scope::Scores;
use crate::lexical::tokenize::{Terms, terms};
use crate::lexical::{self, Scope};
use crate::python::arrays::Values;
use crate::python::numbers;
use crate::python::texts::{text_of, texts_of};

type Ids<'py> = Bound<'py, PyArray1<i64>>;
type ScoredIds<'py> = (Ids<'py>, Bound<'py, PyArray1<f64>>);

/// BM25 over the documents of one block.
#[pyclass(frozen, subclass, module = "memcore._core")]
pub struct Bm25Index {
    index: RwLock<lexical::Bm25Index>,
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
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.index.read().dump());
        PyBytes::new(py, &bytes)
    }

    /// The index whose `to_bytes` these are, with the constants given. Raises EngineError for bytes that are cut off,
    /// changed or of another version.
    #[classmethod]
    #[pyo3(signature = (data, k1, b))]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyBytes>,
        k1: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let made = cls.call1((k1, b))?.cast_into::<Self>()?;
        let bytes = data.as_bytes();
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

/// The `token_stream` of each text, all of them while the interpreter's lock is released. Raises as `token_stream`.
#[pyfunction]
pub fn token_streams(py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let texts = texts_of(texts, "texts")?;
    Ok(py.detach(|| texts.iter().map(|text| lexical::token_stream(text)).collect()))
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

/// The BM25 scores of several indexes as one collection: for each index the ids that hold a term, ascending, and scores.
///
/// N, document frequencies and lengths are summed over the indexes. A term that is given twice counts twice. The
/// documents `hidden`, int64 (n,), have no score and count in no sum.
#[pyfunction]
#[pyo3(signature = (indexes, terms, *, k1, b, hidden=None))]
pub fn bm25_scores<'py>(
    py: Python<'py>,
    indexes: Vec<Py<Bm25Index>>,
    terms: &Bound<'py, PyAny>,
    k1: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    hidden: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<ScoredIds<'py>>> {
    let (terms, params) =
        (texts_of(terms, "terms")?, Bm25Params::new(numbers::real(k1, "k1")?, numbers::real(b, "b")?)?);
    let found = in_scope(py, &indexes, hidden, |scope| scope.scores(&borrowed(&terms), params))?;
    let arrays = |Scores { ids, scores }: Scores| (ids.into_pyarray(py), scores.into_pyarray(py));
    Ok(found.into_iter().map(arrays).collect())
}

/// The BM25 score of each row, float64 (n,), 0 where no term occurs; else as `bm25_scores`.
///
/// `rows` holds for each index the ids of its rows, int64, ascending; n is the number of all of them.
#[pyfunction]
#[pyo3(signature = (indexes, terms, rows, *, k1, b, hidden=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn bm25_row_scores<'py>(
    py: Python<'py>,
    indexes: Vec<Py<Bm25Index>>,
    terms: &Bound<'py, PyAny>,
    rows: Vec<Bound<'py, PyAny>>,
    k1: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    hidden: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (terms, params) =
        (texts_of(terms, "terms")?, Bm25Params::new(numbers::real(k1, "k1")?, numbers::real(b, "b")?)?);
    let rows = rows.iter().map(|ids| Values::<i64>::of(ids, "rows")).collect::<PyResult<Vec<_>>>()?;
    let rows: Vec<&[i64]> = rows.iter().map(Values::as_slice).collect();
    let found = in_scope(py, &indexes, hidden, |scope| in_rows::row_scores(scope, &borrowed(&terms), params, &rows))?;
    Ok(found?.into_pyarray(py))
}

/// The BM25 score of the document of each id, float64 (n,), as `bm25_scores` has it; 0 for an id without a document.
///
/// Takes int64 (n,).
#[pyfunction]
#[pyo3(signature = (indexes, terms, ids, *, k1, b, hidden=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn bm25_scores_of<'py>(
    py: Python<'py>,
    indexes: Vec<Py<Bm25Index>>,
    terms: &Bound<'py, PyAny>,
    ids: &Bound<'py, PyAny>,
    k1: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    hidden: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (terms, params) =
        (texts_of(terms, "terms")?, Bm25Params::new(numbers::real(k1, "k1")?, numbers::real(b, "b")?)?);
    let ids = Values::<i64>::of(ids, "ids")?;
    let ids = ids.as_slice();
    let found = in_scope(py, &indexes, hidden, |scope| in_rows::scores_of(scope, &borrowed(&terms), params, ids))?;
    Ok(found.into_pyarray(py))
}

/// Which of at most 64 terms the document of each id has: uint64 (n,), the first term in the lowest bit.
///
/// Takes int64 (n,). An id without a document has none.
#[pyfunction]
pub fn held_terms<'py>(
    py: Python<'py>,
    indexes: Vec<Py<Bm25Index>>,
    terms: &Bound<'py, PyAny>,
    ids: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (terms, ids) = (texts_of(terms, "terms")?, Values::<i64>::of(ids, "ids")?);
    let ids = ids.as_slice();
    let found = py.detach(|| {
        let read: Vec<_> = indexes.iter().map(|block| block.get().index.read_recursive()).collect();
        in_rows::held(&read.iter().map(|index| &**index).collect::<Vec<_>>(), &borrowed(&terms), ids)
    })?;
    Ok(found.into_pyarray(py))
}

/// In how many documents of the indexes, but for those `hidden`, each term occurs.
#[pyfunction]
#[pyo3(signature = (indexes, terms, *, hidden=None))]
pub fn bm25_document_frequencies(
    py: Python<'_>,
    indexes: Vec<Py<Bm25Index>>,
    terms: &Bound<'_, PyAny>,
    hidden: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<usize>> {
    let terms = texts_of(terms, "terms")?;
    in_scope(py, &indexes, hidden, |scope| scope.document_frequencies(&borrowed(&terms)))
}

/// The terms of the indexes, but for documents `hidden`, that contain a fragment: in most documents first, then by name.
#[pyfunction]
#[pyo3(signature = (indexes, fragment, limit, *, hidden=None))]
pub fn terms_containing(
    py: Python<'_>,
    indexes: Vec<Py<Bm25Index>>,
    fragment: &Bound<'_, PyAny>,
    limit: &Bound<'_, PyAny>,
    hidden: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let (fragment, limit) = (text_of(fragment, "fragment")?, numbers::count(limit, "limit")?);
    in_scope(py, &indexes, hidden, |scope| scope.terms_containing(&fragment, limit))
}

/// The concepts of the documents up to the id `newest` with their frequencies there, most frequent first, then by name.
///
/// A concept is a term of two characters or more, one of them a letter, no stop word, found in at least `min_documents`
/// of those documents and at most `max_share` (0 to 1) of them; `limit` keeps the first. Documents `hidden` do not count.
#[pyfunction(name = "concepts")]
#[pyo3(signature = (indexes, *, min_documents, max_share, newest, limit, hidden=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn concept_terms(
    py: Python<'_>,
    indexes: Vec<Py<Bm25Index>>,
    min_documents: &Bound<'_, PyAny>,
    max_share: &Bound<'_, PyAny>,
    newest: i64,
    limit: &Bound<'_, PyAny>,
    hidden: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, usize)>> {
    let params = concept_params(min_documents, max_share)?;
    let limit = numbers::count(limit, "limit")?;
    in_scope(py, &indexes, hidden, |scope| concepts::concepts(scope, params, newest, limit))
}

/// For each term the concepts that share documents with it, and how many: most first, then by name. Documents `hidden`
/// do not count.
#[pyfunction]
#[pyo3(signature = (indexes, terms, *, min_documents, max_share, limit, hidden=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn concept_neighbours(
    py: Python<'_>,
    indexes: Vec<Py<Bm25Index>>,
    terms: &Bound<'_, PyAny>,
    min_documents: &Bound<'_, PyAny>,
    max_share: &Bound<'_, PyAny>,
    limit: &Bound<'_, PyAny>,
    hidden: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Vec<(String, usize)>>> {
    let (terms, limit) = (texts_of(terms, "terms")?, numbers::count(limit, "limit")?);
    let params = concept_params(min_documents, max_share)?;
    in_scope(py, &indexes, hidden, |scope| concepts::concept_neighbours(scope, &borrowed(&terms), params, limit))
}

fn concept_params(min_documents: &Bound<'_, PyAny>, max_share: &Bound<'_, PyAny>) -> PyResult<ConceptParams> {
    let least = numbers::count(min_documents, "min_documents")?;
    Ok(ConceptParams::new(least, numbers::real(max_share, "max_share")?)?)
}

fn borrowed(terms: &[PyBackedStr]) -> Vec<&str> {
    terms.iter().map(|term| &**term).collect()
}

/// Reads all blocks at once, without the documents that are hidden. A block that is named twice is locked twice, so the
/// second lock may not wait for a writer.
fn in_scope<T: Send>(
    py: Python<'_>,
    blocks: &[Py<Bm25Index>],
    hidden: Option<&Bound<'_, PyAny>>,
    read: impl FnOnce(&Scope<'_>) -> T + Send,
) -> PyResult<T> {
    let hidden = hidden.map(|ids| Values::<i64>::of(ids, "hidden")).transpose()?;
    let hidden = hidden.as_ref().map_or(&[][..], Values::as_slice);
    let found = py.detach(|| {
        let locked: Vec<RwLockReadGuard<'_, lexical::Bm25Index>> =
            blocks.iter().map(|block| block.get().index.read_recursive()).collect();
        let indexes: Vec<&lexical::Bm25Index> = locked.iter().map(|guard| &**guard).collect();
        Scope::without(&indexes, hidden).map(|scope| read(&scope))
    });
    Ok(found?)
}
