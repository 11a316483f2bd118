//! Python numbers as ids, counts and reals, with the errors of memcore instead of the interpreter's.

use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::CoreError;

/// The most characters of a value in an error message.
const LONGEST_SHOWN: usize = 200;

/// A memory id. Raises InvalidInputError for what is not an integer from 0 to 2^63 − 1.
pub fn id(argument: &Bound<'_, PyAny>, field: &'static str) -> PyResult<i64> {
    integer(argument).ok_or_else(|| refused(argument, field, "ids are integers from 0 to 2^63 - 1"))
}

/// A number of things. Raises InvalidInputError for what is not an integer of at least 0.
pub fn count(argument: &Bound<'_, PyAny>, field: &'static str) -> PyResult<usize> {
    let value = integer(argument).and_then(|value| usize::try_from(value).ok());
    value.ok_or_else(|| refused(argument, field, "give an integer of at least 0"))
}

/// A real number, which may still be outside its range. Raises InvalidInputError for what is not a number.
pub fn real(argument: &Bound<'_, PyAny>, field: &'static str) -> PyResult<f64> {
    let value = if argument.is_instance_of::<PyBool>() { None } else { argument.extract::<f64>().ok() };
    value.ok_or_else(|| refused(argument, field, "give a number"))
}

fn integer(argument: &Bound<'_, PyAny>) -> Option<i64> {
    if argument.is_instance_of::<PyBool>() {
        return None; // True is no id
    }
    argument.extract::<i64>().ok().filter(|&value| value >= 0)
}

fn refused(argument: &Bound<'_, PyAny>, field: &'static str, hint: &str) -> PyErr {
    CoreError::invalid(field, shown(argument), hint).into()
}

/// A value as an error message shows it: the start of its `repr`, or "an object" where it has none.
pub fn shown(argument: &Bound<'_, PyAny>) -> String {
    let Ok(text) = argument.repr() else {
        return "an object".to_owned();
    };
    let text = text.to_string_lossy();
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
