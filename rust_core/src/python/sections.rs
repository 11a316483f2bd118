//! What the sections of a snapshot are written from, and what they become.

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::graph::Graph;
use crate::python::graph::CognitiveGraphEngine;
use crate::python::lexical::Bm25Index;
use crate::python::snapshot::{Bytes, SnapshotSection};
use crate::python::vectors::IntentEngine;
use crate::sealed::{Sink, Source, Stored};
use crate::snapshot::Content;
use crate::{CoreError, lexical, vectors};

/// What a section becomes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Bytes,
    Graph,
    Words,
    Vectors,
}

/// What a section became.
pub(super) enum Made {
    Bytes(Vec<u8>),
    Graph(Graph),
    Words(lexical::Bm25Index),
    Vectors(vectors::IntentEngine),
}

impl Kind {
    pub(super) fn of(class: Option<&Bound<'_, PyType>>) -> PyResult<Self> {
        let Some(class) = class else { return Ok(Self::Bytes) };
        if class.is_subclass_of::<CognitiveGraphEngine>()? {
            Ok(Self::Graph)
        } else if class.is_subclass_of::<Bm25Index>()? {
            Ok(Self::Words)
        } else if class.is_subclass_of::<IntentEngine>()? {
            Ok(Self::Vectors)
        } else {
            Err(CoreError::invalid("sections", class.to_string(), "give the class of an engine, or None").into())
        }
    }

    pub(super) fn read(self, source: &mut dyn Source) -> Result<Made, CoreError> {
        Ok(match self {
            Self::Bytes => {
                let mut bytes = vec![0; source.left()];
                crate::pages::advise(&bytes);
                source.fill(&mut bytes)?;
                Made::Bytes(bytes)
            }
            Self::Graph => Made::Graph(Graph::read(source)?),
            Self::Words => Made::Words(lexical::Bm25Index::read(source)?),
            Self::Vectors => Made::Vectors(vectors::IntentEngine::read(source)?),
        })
    }
}

impl Made {
    /// It as an object of its class.
    pub(super) fn given<'py>(self, py: Python<'py>, class: Option<&Bound<'py, PyType>>) -> PyResult<Bound<'py, PyAny>> {
        let class = || class.ok_or_else(|| CoreError::Engine("a section without its class".to_owned()));
        Ok(match self {
            Self::Bytes(bytes) => Bound::new(py, SnapshotSection { bytes: Mutex::new(bytes) })?.into_any(),
            Self::Graph(graph) => CognitiveGraphEngine::given(class()?, graph)?.into_any(),
            Self::Words(index) => Bm25Index::given(class()?, index)?.into_any(),
            Self::Vectors(engine) => IntentEngine::given(class()?, engine)?.into_any(),
        })
    }
}

/// What a section is written from, where the interpreter is not needed.
pub(super) enum Free<'a> {
    Arrays(Vec<&'a [u8]>),
    Graph(&'a CognitiveGraphEngine),
    Words(&'a Bm25Index),
    Vectors(&'a IntentEngine),
}

impl Content for Free<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Arrays(arrays) => arrays.iter().map(|array| array.len()).sum(),
            Self::Graph(graph) => graph.graph.read().stored_bytes(),
            Self::Words(index) => index.index.read().stored_bytes(),
            Self::Vectors(engine) => engine.engine.read().stored_bytes(),
        }
    }

    fn write(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        match self {
            Self::Arrays(arrays) => arrays.iter().try_for_each(|array| sink.put(array)),
            Self::Graph(graph) => graph.graph.read().write(sink),
            Self::Words(index) => index.index.read().write(sink),
            Self::Vectors(engine) => engine.engine.read().write(sink),
        }
    }
}

/// What is given for a section: an engine, or bytes, or arrays of uint8 that follow one another.
pub(super) enum Given<'py> {
    Arrays(Vec<Bytes<'py>>),
    Graph(Bound<'py, CognitiveGraphEngine>),
    Words(Bound<'py, Bm25Index>),
    Vectors(Bound<'py, IntentEngine>),
}

impl<'py> Given<'py> {
    pub(super) fn of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(graph) = value.cast::<CognitiveGraphEngine>() {
            return Ok(Self::Graph(graph.clone()));
        }
        if let Ok(index) = value.cast::<Bm25Index>() {
            return Ok(Self::Words(index.clone()));
        }
        if let Ok(engine) = value.cast::<IntentEngine>() {
            return Ok(Self::Vectors(engine.clone()));
        }
        let parts: Vec<Bound<'py, PyAny>> = match value.cast::<PyList>() {
            Ok(list) => list.iter().collect(),
            Err(_) => vec![value.clone()],
        };
        Ok(Self::Arrays(parts.iter().map(|part| Bytes::of(part, "sections")).collect::<PyResult<_>>()?))
    }

    pub(super) fn free(&self) -> Free<'_> {
        match self {
            Self::Arrays(arrays) => Free::Arrays(arrays.iter().map(Bytes::as_slice).collect()),
            Self::Graph(graph) => Free::Graph(graph.get()),
            Self::Words(index) => Free::Words(index.get()),
            Self::Vectors(engine) => Free::Vectors(engine.get()),
        }
    }
}
