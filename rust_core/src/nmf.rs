//! See the module list in the crate documentation.
