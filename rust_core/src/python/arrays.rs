//! Numpy arrays as slices: a view where the array is contiguous, a copy where it is not.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::CoreError;

/// A one-dimensional argument.
pub enum Values<'py, T: Element> {
    /// The caller's own memory.
    View(PyReadonlyArray1<'py, T>),
    /// A copy of an array with gaps.
    Copy(Vec<T>),
}

impl<'py, T: Element + Copy> Values<'py, T> {
    /// `argument` as values of `T`. Raises InvalidInputError for another type, dtype or number of axes.
    pub fn of(argument: &Bound<'py, PyAny>, field: &'static str) -> PyResult<Self> {
        let wanted = || wrong_array::<T>(argument, field, 1);
        let array = argument.cast::<PyArray1<T>>().map_err(|_| wanted())?;
        let view = array.try_readonly().map_err(|_| wanted())?;
        if view.as_slice().is_ok() {
            return Ok(Self::View(view));
        }
        Ok(Self::Copy(view.as_array().iter().copied().collect()))
    }

    /// The values in order.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::View(view) => view.as_slice().unwrap_or_default(), // contiguous: `of` has seen to it
            Self::Copy(values) => values,
        }
    }
}

/// A two-dimensional argument, row after row.
pub enum Rows<'py, T: Element> {
    /// The caller's own memory.
    View(PyReadonlyArray2<'py, T>),
    /// A copy of an array that is not row after row.
    Copy(Vec<T>, (usize, usize)),
}

impl<'py, T: Element + Copy> Rows<'py, T> {
    /// `argument` as rows of `T`. Raises InvalidInputError for another type, dtype or number of axes.
    pub fn of(argument: &Bound<'py, PyAny>, field: &'static str) -> PyResult<Self> {
        let wanted = || wrong_array::<T>(argument, field, 2);
        let array = argument.cast::<PyArray2<T>>().map_err(|_| wanted())?;
        let view = array.try_readonly().map_err(|_| wanted())?;
        if view.as_slice().is_ok() && array.is_c_contiguous() {
            return Ok(Self::View(view));
        }
        let values = view.as_array().iter().copied().collect();
        Ok(Self::Copy(values, view.as_array().dim()))
    }

    /// All values, row after row.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::View(view) => view.as_slice().unwrap_or_default(), // contiguous: `of` has seen to it
            Self::Copy(values, _) => values,
        }
    }

    /// (rows, columns)
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::View(view) => view.as_array().dim(),
            Self::Copy(_, shape) => *shape,
        }
    }
}

fn wrong_array<T: Element>(argument: &Bound<'_, PyAny>, field: &'static str, axes: usize) -> PyErr {
    let given = match argument.cast::<PyUntypedArray>() {
        Ok(array) => format!("an array of {} with {} axes", array.dtype(), array.ndim()),
        Err(_) => format!("a {}", argument.get_type()),
    };
    let wanted = T::get_dtype(argument.py());
    let plural = if axes == 1 { "axis" } else { "axes" };
    CoreError::invalid(field, given, format!("give a numpy array of {wanted} with {axes} {plural}")).into()
}
