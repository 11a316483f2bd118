//! `memcore._core`: what several indexes of words answer as one.

use numpy::{IntoPyArray, PyArray1};
use parking_lot::RwLockReadGuard;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use crate::lexical::bm25::Bm25Params;
use crate::lexical::concepts::{self, ConceptParams};
use crate::lexical::in_rows;
use crate::lexical::scope::Scores;
use crate::lexical::telling::{self, Telling};
use crate::lexical::{self, Scope};
use crate::python::arrays::Values;
use crate::python::lexical::{Bm25Index, ScoredIds};
use crate::python::numbers;
use crate::python::texts::{text_of, texts_of};

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
    let (terms, params) = (texts_of(terms, "terms")?, bm25_params(k1, b)?);
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
    let (terms, params) = (texts_of(terms, "terms")?, bm25_params(k1, b)?);
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
    let (terms, params) = (texts_of(terms, "terms")?, bm25_params(k1, b)?);
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

/// The terms of the documents of `ids` that tell most of them, heaviest first, then by name, without those `known`.
///
/// A term weighs the sum of the `weights` of the documents that have it · ln(1 + n/(1 + df)), with n = `documents` of
/// which df have it; one of a single document, or of more than `max_share` (0 to 1) of n, tells nothing. Takes int64
/// (n,) and float64 (n,). Documents `hidden` do not count. (Rocchio 1971; Lavrenko & Croft 2001)
#[pyfunction]
#[pyo3(signature = (indexes, ids, weights, known, *, documents, max_share, limit, hidden=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn telling_terms(
    py: Python<'_>,
    indexes: Vec<Py<Bm25Index>>,
    ids: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    known: &Bound<'_, PyAny>,
    documents: &Bound<'_, PyAny>,
    max_share: &Bound<'_, PyAny>,
    limit: &Bound<'_, PyAny>,
    hidden: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let (ids, weights) = (Values::<i64>::of(ids, "ids")?, Values::<f64>::of(weights, "weights")?);
    let (ids, weights, known) = (ids.as_slice(), weights.as_slice(), texts_of(known, "known")?);
    let (documents, limit) = (numbers::count(documents, "documents")?, numbers::count(limit, "limit")?);
    let told = Telling { documents, max_share: numbers::real(max_share, "max_share")?, limit };
    let found =
        in_scope(py, &indexes, hidden, |scope| telling::telling_terms(scope, ids, weights, &borrowed(&known), told))?;
    Ok(found?)
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

fn bm25_params(k1: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Bm25Params> {
    Ok(Bm25Params::new(numbers::real(k1, "k1")?, numbers::real(b, "b")?)?)
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
