"""The atoms of a scope and their topics, kept until the memories that they were made of change.

While a scope has at least eight entities with a vector, these are the atoms. Before that its concepts are: terms that
occur in at least two and at most 5 % of the memories, each the mean of its memories' vectors. Concepts are taken from the
oldest n' memories, n' being the largest whole number of sixteenths of a power of two that fits, so that they stay the
same over many additions and depend on nothing but the store.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from memcore.compute import concepts, nmf
from memcore.mirror.concept_graph import ConceptGraph
from memcore.pipeline.reader import Atoms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.compute import Topics
    from memcore.mirror.scope_rows import ScopeRows
    from memcore.params import RetrievalParams

__all__ = ["AtomCache", "settled"]

T = TypeVar("T")

FEWEST_ENTITIES = 8
KEPT_SCOPES = 16


def settled(size: int) -> int:
    """The largest number ≤ `size` that is a whole number of sixteenths of a power of two: 1,000 → 992, 10,000 → 9,728."""
    step = max(1, (1 << size.bit_length() >> 1) // 16) if size else 1
    return size - size % step


class AtomCache:
    """Concepts, atoms and topics by scope; the least recently used leave."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, object] = OrderedDict()

    def concept_graph(self, scope: ScopeRows, params: RetrievalParams) -> ConceptGraph:
        """The concepts of a scope, joined by the memories that they share."""
        key = ("concepts", *_state(scope), *_concept_params(params))
        found = self._kept.get(key)
        if not isinstance(found, ConceptGraph):
            indexes = [block.bm25 for block in scope.blocks]
            listed = concepts(
                indexes,
                min_documents=params.concept_min_documents,
                max_share=params.concept_max_share,
                limit=params.concept_limit,
                newest=_newest(scope),
            )
            found = self._keep(key, ConceptGraph.of([term for term, _ in listed], indexes, params))
        return found

    def atoms(self, scope: ScopeRows, params: RetrievalParams, dimension: int) -> Atoms:
        """The atoms of a scope: its entities, or its concepts while there are few."""
        key = ("atoms", *_state(scope), *_entity_state(scope), *_concept_params(params))
        found = self._kept.get(key)
        if not isinstance(found, Atoms):
            made = _entity_atoms(scope)
            if made is None:
                made = _concept_atoms(scope, self.concept_graph(scope, params).names, dimension)
            found = self._keep(key, made)
        return found

    def topics(self, scope: ScopeRows, params: RetrievalParams, dimension: int) -> Topics | None:
        """The factorised atoms; None while there are fewer than two."""
        atoms = self.atoms(scope, params, dimension)
        rank = min(params.nmf_n_topics, len(atoms.names))
        if len(atoms.names) < 2:
            return None
        key = ("topics", id(atoms), rank, params.nmf_iterations, params.nmf_seed)
        found = self._kept.get(key)
        if not isinstance(found, tuple) or found[0] is not atoms:
            factors = nmf(np.abs(atoms.matrix), k=rank, iterations=params.nmf_iterations, seed=params.nmf_seed)
            found = self._keep(key, (atoms, factors))
        self._kept.move_to_end(key)
        topics: Topics = found[1]
        return topics

    def _keep(self, key: object, value: T) -> T:
        self._kept[key] = value
        while len(self._kept) > 3 * KEPT_SCOPES:
            self._kept.popitem(last=False)
        return value


def _newest(scope: ScopeRows) -> int:
    """The id of the newest settled memory of a scope; 0 while it is empty."""
    size = settled(len(scope))
    if not size:
        return 0
    ids = scope.columns.ids
    return int(ids[-1] if size == len(ids) and len(scope.blocks) == 1 else np.partition(ids, size - 1)[size - 1])


def _state(scope: ScopeRows) -> tuple[object, ...]:
    return (tuple((block.serial, block.epoch) for block in scope.blocks), settled(len(scope)))


def _entity_state(scope: ScopeRows) -> tuple[object, ...]:
    return tuple(block.entity_epoch for block in scope.blocks)


def _concept_params(params: RetrievalParams) -> tuple[object, ...]:
    return (params.concept_min_documents, params.concept_max_share, params.concept_limit)


def _entity_atoms(scope: ScopeRows) -> Atoms | None:
    indexes = [block.entity_vectors for block in scope.blocks if block.entity_vectors is not None]
    if sum(len(index) for index in indexes) < FEWEST_ENTITIES:
        return None
    names = {key: known[0] for block in scope.blocks for key, known in block.entities.names.items()}
    ids = [index.ids() for index in indexes]
    matrix = np.concatenate([index.vectors(held) for index, held in zip(indexes, ids, strict=True)])
    return Atoms(tuple(names.get(key, str(key)) for key in np.concatenate(ids).tolist()), matrix, of_concepts=False)


def _concept_atoms(scope: ScopeRows, names_in_order: tuple[str, ...], dimension: int) -> Atoms:
    """Unit means of the vectors of each concept's settled memories; a concept without vectors is left out."""
    newest = _newest(scope)
    names: list[str] = []
    means: list[NDArray[np.float32]] = []
    for concept in names_in_order:
        total = np.zeros(dimension)
        for block in scope.blocks:
            if block.vectors is None:
                continue
            ids = block.bm25.documents(concept)
            ids = ids[ids <= newest]
            ids = ids[np.isin(ids, block.vectors.ids(), assume_unique=True)]
            if len(ids):
                total += block.vectors.vectors(ids).sum(axis=0, dtype=np.float64)
        norm = float(np.linalg.norm(total))
        if norm > 0:
            names.append(concept)
            means.append((total / norm).astype(np.float32))
    matrix = np.stack(means) if means else np.empty((0, dimension), np.float32)
    return Atoms(tuple(names), matrix, of_concepts=True)
