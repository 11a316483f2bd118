//! The one error type of the crate.

use thiserror::Error;

/// Everything that can go wrong in the core. Each message names the field, the value and what would do.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CoreError {
    /// An argument is outside what the function accepts.
    #[error("{field}: {value} is not accepted; {hint}")]
    InvalidInput {
        /// The argument's public name.
        field: &'static str,
        /// The value that was given, as text.
        value: String,
        /// What would be accepted.
        hint: String,
    },
    /// Two shapes that must agree do not.
    #[error("{field}: dimension {got} given, {expected} expected")]
    Dimension {
        /// The argument's public name.
        field: &'static str,
        /// The dimension that the receiver has.
        expected: usize,
        /// The dimension that was given.
        got: usize,
    },
    /// Bytes that are not what their header says.
    #[error("{what} is damaged: {reason}")]
    Corrupt {
        /// What the bytes were meant to be.
        what: &'static str,
        /// How they differ from it.
        reason: String,
    },
    /// An invariant of the engine itself does not hold, or a capacity is exhausted.
    #[error("engine: {0}")]
    Engine(String),
}

impl CoreError {
    /// An [`CoreError::InvalidInput`] in one line.
    pub fn invalid(field: &'static str, value: impl ToString, hint: impl Into<String>) -> Self {
        Self::InvalidInput { field, value: value.to_string(), hint: hint.into() }
    }
}
