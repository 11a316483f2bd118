//! The engine snapshot, and the hashes that tell whether something changed.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyType};

use crate::CoreError;
use crate::hash::{NOTHING, checksum, signed};
use crate::python::arrays::Values;
use crate::python::sections::{Free, Given, Kind};
use crate::snapshot::{self, Content, Part, Refusal};

/// Bytes that are read where they lie, whoever has them.
pub enum Bytes<'py> {
    /// Of the interpreter.
    Plain(Bound<'py, PyBytes>),
    /// An array of uint8.
    Array(Values<'py, u8>),
}

impl<'py> Bytes<'py> {
    /// `argument` as bytes. Raises InvalidInputError for what is neither `bytes` nor an array of uint8.
    pub fn of(argument: &Bound<'py, PyAny>, field: &'static str) -> PyResult<Self> {
        match argument.cast::<PyBytes>() {
            Ok(plain) => Ok(Self::Plain(plain.clone())),
            Err(_) => Ok(Self::Array(Values::of(argument, field)?)),
        }
    }

    /// The bytes in order.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Plain(plain) => plain.as_bytes(),
            Self::Array(values) => values.as_slice(),
        }
    }
}

/// The bytes of one section of a snapshot, checked; they can be taken once.
#[pyclass(frozen, module = "memcore._core")]
pub struct SnapshotSection {
    pub(super) bytes: Mutex<Vec<u8>>,
}

#[pymethods]
impl SnapshotSection {
    /// The bytes, uint8 (n,); nothing is left of them here.
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.take().into_pyarray(py)
    }

    fn __len__(&self) -> usize {
        self.bytes.lock().len()
    }
}

impl SnapshotSection {
    /// The bytes; nothing is left of them here.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes.lock())
    }
}

/// What a snapshot has of one partition, not read yet.
#[pyclass(frozen, module = "memcore._core")]
pub struct SnapshotPartition {
    kept: snapshot::Kept,
}

#[pymethods]
impl SnapshotPartition {
    /// Of what it was made.
    #[getter]
    fn about(&self) -> &str {
        self.kept.about()
    }

    /// The names of its sections.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.kept.names().collect()
    }

    /// Some sections, each by its name and the class of what it becomes, or (whether the file is useless, why they cannot
    /// be had). None for the class: it becomes a `SnapshotSection`. Several threads may read.
    fn read<'py>(
        &self,
        py: Python<'py>,
        sections: Vec<(String, Option<Bound<'py, PyType>>)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kinds = sections.iter().map(|(name, class)| Ok((name.as_str(), Kind::of(class.as_ref())?)));
        let kinds: Vec<(&str, Kind)> = kinds.collect::<PyResult<_>>()?;
        let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        let made = py.detach(|| {
            let mut made = Vec::with_capacity(kinds.len());
            let read = self.kept.read_each(&names, |name, source| {
                let at = names.iter().position(|one| *one == name);
                if let Some(at) = at {
                    made.push((at, kinds[at].1.read(source)?));
                }
                Ok(())
            });
            read.map(|()| made)
        });
        match made {
            Ok(made) => {
                let found = PyDict::new(py);
                for (at, value) in made {
                    let (name, class) = &sections[at];
                    found.set_item(name, value.given(py, class.as_ref())?)?;
                }
                Ok(found.into_any())
            }
            Err(refusal) => refused(py, &refusal),
        }
    }
}

/// What the snapshot at `path` has of a partition of a store, or (whether the file is useless, why it has
/// nothing).
#[pyfunction]
pub fn snapshot_open<'py>(py: Python<'py>, path: PathBuf, store: &str, partition: i64) -> PyResult<Bound<'py, PyAny>> {
    match py.detach(|| snapshot::open(&path, store, partition)) {
        Ok(kept) => Ok(Bound::new(py, SnapshotPartition { kept })?.into_any()),
        Err(refusal) => refused(py, &refusal),
    }
}

/// Of what each partition in the snapshot at `path` was made, by its number, or (whether the file is useless,
/// why nothing is known).
#[pyfunction]
pub fn snapshot_kept<'py>(py: Python<'py>, path: PathBuf, store: &str) -> PyResult<Bound<'py, PyAny>> {
    match py.detach(|| snapshot::kept(&path, store)) {
        Ok(found) => {
            let abouts = PyDict::new(py);
            found.into_iter().try_for_each(|(number, about)| abouts.set_item(number, about))?;
            Ok(abouts.into_any())
        }
        Err(refusal) => refused(py, &refusal),
    }
}

/// Writes partitions, each (number, about, [(name, content)]), into the file at `path`, which is there and may be empty.
///
/// A content is an engine, bytes, an array of uint8, or a list of such arrays that follow one another. None when it is
/// done; else (whether the file is useless, the reason). Nobody else may write or erase it.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn snapshot_write<'py>(
    py: Python<'py>,
    path: PathBuf,
    store: &str,
    partitions: Vec<(i64, String, Vec<(String, Bound<'py, PyAny>)>)>,
) -> PyResult<Option<(bool, String)>> {
    let mut given: Vec<Vec<Given<'py>>> = Vec::with_capacity(partitions.len());
    for (_, _, sections) in &partitions {
        given.push(sections.iter().map(|(_, content)| Given::of(content)).collect::<PyResult<_>>()?);
    }
    let free: Vec<Vec<Free<'_>>> = given.iter().map(|contents| contents.iter().map(Given::free).collect()).collect();
    let parts: Vec<Part<'_>> = partitions
        .iter()
        .zip(&free)
        .map(|((partition, about, sections), contents)| Part {
            partition: *partition,
            about,
            sections: sections
                .iter()
                .zip(contents)
                .map(|((name, _), content)| (name.as_str(), content as &dyn Content))
                .collect(),
        })
        .collect();
    Ok(match py.detach(|| snapshot::write(&path, store, &parts)) {
        Ok(()) => None,
        Err(refusal) => Some(told(&refusal)),
    })
}

/// Writes zeros over the snapshot at `path` and removes it; whether there was one. Raises OSError.
#[pyfunction]
pub fn snapshot_erase(py: Python<'_>, path: PathBuf) -> PyResult<bool> {
    Ok(py.detach(|| snapshot::erase(&path))?)
}

/// A hash of each string or bytes, −1 for None: int64 (n,). It is the same in every process.
#[pyfunction]
pub fn hashes<'py>(py: Python<'py>, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let mut found = Vec::with_capacity(values.len().unwrap_or(0));
    for value in values.try_iter()? {
        let value = value?;
        found.push(if value.is_none() {
            NOTHING
        } else if let Ok(text) = value.cast::<PyString>() {
            text.to_str().map_or_else(|_| signed(text.to_string_lossy().as_bytes()), |text| signed(text.as_bytes()))
        } else {
            let Ok(plain) = value.cast::<PyBytes>() else {
                let given = format!("a {}", value.get_type());
                return Err(CoreError::invalid("values", given, "give strings, bytes or None").into());
            };
            signed(plain.as_bytes())
        });
    }
    Ok(found.into_pyarray(py))
}

/// One hash of the bytes of several arrays of uint8, the same in every process.
#[pyfunction]
pub fn hash_of<'py>(py: Python<'py>, parts: Vec<Bound<'py, PyAny>>) -> PyResult<u64> {
    let parts = parts.iter().map(|part| Bytes::of(part, "parts")).collect::<PyResult<Vec<_>>>()?;
    let slices: Vec<&[u8]> = parts.iter().map(Bytes::as_slice).collect();
    Ok(py.detach(|| {
        let sums = slices.iter().flat_map(|part| [part.len() as u64, checksum(part)]);
        checksum(&sums.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }))
}

/// Whether the file is of no use to anybody, and must be erased before it is written, and why it was refused.
fn told(refusal: &Refusal) -> (bool, String) {
    let useless = matches!(refusal, Refusal::NotOurs(_) | Refusal::Other(_) | Refusal::Damaged(_));
    (useless, refusal.to_string())
}

fn refused<'py>(py: Python<'py>, refusal: &Refusal) -> PyResult<Bound<'py, PyAny>> {
    Ok(told(refusal).into_pyobject(py)?.into_any())
}
