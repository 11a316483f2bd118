//! Text to terms, and terms to scores.
//!
//! [`tokenize`](tokenize::tokenize) turns a document into terms, [`query_terms`](query::query_terms) a query;
//! [`Bm25Index`] keeps postings, [`Scope`] scores several indexes as one collection, and [`concepts`] reads from the
//! same postings which terms stand for a subject.

pub mod bm25;
pub mod concepts;
pub mod normalize;
pub mod query;
pub mod runs;
pub mod scope;
mod shown;
pub mod stopwords;
pub mod tokenize;
#[cfg(test)]
mod twin_tests;

pub use bm25::Bm25Index;
pub use query::query_terms;
pub use scope::Scope;
pub use tokenize::{ANALYZER_VERSION, tokenize};
