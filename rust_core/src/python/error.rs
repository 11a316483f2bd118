//! [`CoreError`] to Python exceptions, in one exhaustive match.

use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};

use crate::CoreError;

create_exception!(memcore, MemcoreError, PyException, "The root of every error that memcore raises.");
create_exception!(
    memcore,
    InvalidInputError,
    MemcoreError,
    "An argument is outside what the call accepts. The message names the field, the value and what would do."
);
create_exception!(
    memcore,
    DimensionError,
    InvalidInputError,
    "A vector or matrix has another dimension than its receiver."
);
create_exception!(
    memcore,
    EngineError,
    MemcoreError,
    "The compute core cannot go on: an invariant broke or bytes are damaged."
);

impl From<CoreError> for PyErr {
    fn from(error: CoreError) -> Self {
        let text = error.to_string();
        match error {
            CoreError::InvalidInput { .. } => InvalidInputError::new_err(text),
            CoreError::Dimension { .. } => DimensionError::new_err(text),
            CoreError::Corrupt { .. } | CoreError::Engine(_) => EngineError::new_err(text),
        }
    }
}
