//! Text to terms, and terms to scores.
//!
//! [`tokenize`](tokenize::tokenize) turns a document into terms, [`query_terms`] a query;
//! [`Bm25Index`] keeps postings, [`Scope`] scores several indexes as one collection, and [`concepts`] reads from the
//! same postings which terms stand for a subject.

pub mod bm25;
pub mod concepts;
mod forward;
mod full;
pub mod in_rows;
mod maxscore;
pub mod normalize;
mod postings;
pub mod query;
pub mod runs;
pub mod scope;
mod shown;
#[cfg(test)]
mod skipping_tests;
pub mod stopwords;
pub mod stored;
pub mod telling;
pub mod tokenize;
#[cfg(test)]
mod twin_tests;
mod vocabulary;
mod weights;

pub use bm25::Bm25Index;
pub use query::query_terms;
pub use scope::Scope;
pub use tokenize::{ANALYZER_VERSION, token_stream, token_streams, tokenize};
