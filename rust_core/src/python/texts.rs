//! Python strings as UTF-8: what has no UTF-8 form, or is no string, is refused by name.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

use crate::CoreError;

/// `argument` as UTF-8. Raises InvalidInputError for what is no string and for lone surrogates.
pub fn text_of(argument: &Bound<'_, PyAny>, field: &'static str) -> PyResult<PyBackedStr> {
    let Ok(text) = argument.cast::<PyString>() else {
        let given = format!("a {}", argument.get_type());
        return Err(CoreError::invalid(field, given, "give a string").into());
    };
    text.extract().map_err(|_| {
        CoreError::invalid(field, "a string with a lone surrogate", "give text that can be written as UTF-8").into()
    })
}

/// Each string of a sequence as UTF-8. Raises InvalidInputError as [`text_of`], and for a string in place of a sequence.
pub fn texts_of(argument: &Bound<'_, PyAny>, field: &'static str) -> PyResult<Vec<PyBackedStr>> {
    let items = if argument.is_instance_of::<PyString>() { None } else { argument.try_iter().ok() };
    let Some(items) = items else {
        let given = format!("a {}", argument.get_type());
        return Err(CoreError::invalid(field, given, "give a sequence of strings").into());
    };
    items.map(|item| text_of(&item?, field)).collect()
}
