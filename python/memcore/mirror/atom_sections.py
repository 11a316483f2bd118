"""Concepts, atoms and topics as the sections of an engine snapshot, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.compute import CognitiveGraphEngine, Topics
from memcore.mirror.concept_graph import ConceptGraph
from memcore.pipeline.reader import Atoms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memcore.storage.engine_file import Section

__all__ = ["kinds_of", "made_of", "sections_of"]


def sections_of(made: Mapping[str, object]) -> list[Section]:
    """The sections of what was made of the memories of a scope, by its name."""
    entries: dict[str, dict[str, Any]] = {}
    sections: list[Section] = []

    def added(name: str, part: str, content: object) -> None:
        sections.append((f"{name} {part}", content))

    for name, value in made.items():
        if isinstance(value, Atoms):
            entries[name] = {"names": value.names, "shape": value.matrix.shape, "of_concepts": value.of_concepts}
            added(name, "matrix", value.matrix.ravel().view(np.uint8))
        elif isinstance(value, ConceptGraph):
            entries[name] = {"names": value.names}
            added(name, "graph", value.graph)
        elif isinstance(value, Topics):
            entries[name] = {"w": value.w.shape, "h": value.h.shape, "rest": [value.iterations, value.error]}
            added(name, "w", value.w.ravel().view(np.uint8))
            added(name, "h", value.h.ravel().view(np.uint8))
        elif isinstance(value, tuple):
            entries[name] = {"concepts": value}
    return [*sections, ("entries", json.dumps(entries).encode())]


def kinds_of(names: Iterable[str]) -> dict[str, type | None]:
    """What sections become, by their names."""
    return {name: CognitiveGraphEngine if name.endswith(" graph") else None for name in names}


def made_of(sections: Mapping[str, Any]) -> dict[str, object]:
    """What the sections were made of, by its name.

    Raises:
        KeyError: a section is missing.
        ValueError: a section is not what it should be.
    """

    def matrix(name: str, part: str, shape: list[int]) -> Any:
        return sections[f"{name} {part}"].array().view(np.float32).reshape(shape)

    made: dict[str, object] = {}
    for name, entry in json.loads(sections["entries"].array().tobytes()).items():
        if "concepts" in entry:
            made[name] = tuple(entry["concepts"])
        elif "rest" in entry:
            made[name] = Topics(matrix(name, "w", entry["w"]), matrix(name, "h", entry["h"]), *entry["rest"])
        elif "shape" in entry:
            values = matrix(name, "matrix", entry["shape"])
            made[name] = Atoms(tuple(entry["names"]), values, of_concepts=entry["of_concepts"])
        else:
            made[name] = ConceptGraph(tuple(entry["names"]), sections[f"{name} graph"])
    return made
