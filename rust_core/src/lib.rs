//! The arithmetic of memcore: graph, vectors, BM25, NMF, FISTA, DPP, SQ8, tokens.
//!
//! The crate reads no setting, holds no default of a tunable and knows no clock. It opens no file but the engine
//! snapshot (feature `snapshot`). With the feature `python` it is also the extension module `memcore._core`.

pub mod dpp;
pub mod error;
pub mod fista;
pub mod graph;
pub mod hash;
pub mod ids;
pub mod lexical;
pub mod matrix;
pub mod nmf;
pub mod nnls;
mod pages;
pub mod random;
pub mod rank;
pub(crate) mod sealed;
pub mod select;
#[cfg(feature = "snapshot")]
pub mod snapshot;
pub mod sq8;
pub mod topk;
pub mod vectors;

#[cfg(feature = "python")]
mod python;

pub use error::CoreError;
