//! The bindings: convert the arguments, detach from the interpreter, convert the result.

mod algorithms;
mod arrays;
mod error;
mod graph;
mod lexical;
mod numbers;
mod pool;
mod scopes;
mod sections;
mod select;
mod snapshot;
mod sq8;
mod texts;
mod vectors;

use pyo3::prelude::*;

/// The compiled part of memcore. Use the names of `memcore`, not these.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::algorithms::{
        Dictionary, Projection, SparseCode, Topics, dpp_greedy, fista, nmf, nnls_project, rank_score,
    };
    #[pymodule_export]
    use super::error::{DimensionError, EngineError, InvalidInputError, MemcoreError};
    #[pymodule_export]
    use super::graph::{CognitiveGraphEngine, PyPageRank, pagerank_over, spread_over};
    #[pymodule_export]
    use super::lexical::{Bm25Index, query_terms, token_stream, token_streams, tokenize};
    #[pymodule_export]
    use super::pool::{best_means, bit_shares, joined_pool};
    #[pymodule_export]
    use super::scopes::{
        bm25_document_frequencies, bm25_row_scores, bm25_scores, bm25_scores_of, concept_neighbours, concept_terms,
        held_terms, telling_terms, terms_containing,
    };
    #[pymodule_export]
    use super::select::{best_rows, fresh_rows, fused, recall_candidates};
    #[pymodule_export]
    use super::snapshot::{
        SnapshotPartition, SnapshotSection, hash_of, hashes, snapshot_erase, snapshot_kept, snapshot_open,
        snapshot_write,
    };
    #[pymodule_export]
    use super::sq8::Sq8Namespace;
    #[pymodule_export]
    use super::vectors::{IntentEngine, simd_level};

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        // Python's logging is the one place for lines of the core; a second initialisation changes nothing.
        drop(pyo3_log::try_init());
        m.add("__version__", env!("CARGO_PKG_VERSION"))?;
        m.add("ANALYZER_VERSION", crate::lexical::ANALYZER_VERSION)
    }
}
