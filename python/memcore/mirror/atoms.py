"""The atoms of a scope and their topics, kept until the memories that they were made of change.

While a scope has at least eight entities with a vector, these are the atoms. Before that its concepts are: terms that
occur in at least two and at most 5 % of the memories, each the mean of its memories' vectors. Concepts are taken from
the oldest n' memories, n' being the largest whole number of sixteenths of a power of two that fits, so that they stay
the same over many additions and depend on nothing but the store. Memories that are hidden from a search are no part of
what it is made of.

What is made has a name that every process gives it, a hash of all that it is made of. By it the next process finds it
in an engine snapshot.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from memcore.compute import concepts, hash_of, nmf
from memcore.mirror.concept_graph import ConceptGraph
from memcore.mirror.visibility import NOTHING_HIDDEN, Hidden
from memcore.pipeline.reader import Atoms
from memcore.sets import among

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from memcore.compute import Topics
    from memcore.mirror.block import PartitionBlock
    from memcore.mirror.scope_rows import ScopeRows
    from memcore.params import RetrievalParams

__all__ = ["AtomCache", "settled"]

T = TypeVar("T")

FEWEST_ENTITIES = 8
KEPT = 256


def settled(size: int) -> int:
    """The largest number ≤ `size` that is a whole number of sixteenths of a power of two.

    >>> [settled(size) for size in (0, 31, 1_000, 10_000)]
    [0, 31, 992, 9728]
    """
    step = max(1, (1 << size.bit_length() >> 1) // 16) if size else 1
    return size - size % step


@dataclass(slots=True)
class _Kept:
    """Something made of the memories up to an id, and the counts of changes after which it was last seen to stand.

    `name` is empty where it is not for other processes.
    """

    value: object
    counts: tuple[int, ...] = ()
    versions: tuple[int, ...] = ()
    """Those of the entities, where it was made of these."""
    name: str = ""
    serials: tuple[int, ...] = ()
    newest: int = 0

    def stands(self, blocks: Sequence[PartitionBlock]) -> bool:
        """Whether the blocks that it was made of still give the same."""
        if self.versions:
            return self.versions == tuple(block.entity_version for block in blocks)
        since = zip(blocks, self.counts, strict=True)
        return not any(block.past.reached(self.newest, count) for block, count in since)


@dataclass(frozen=True, slots=True)
class _Factors:
    """Topics, and the atoms that they were made of."""

    atoms: Atoms
    topics: Topics


class AtomCache:
    """Concepts, atoms and topics by scope; the least recently used leave."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, _Kept] = OrderedDict()
        self._left: dict[str, object] = {}

    def remember(self, made: Mapping[str, object]) -> None:
        """Takes what another process made, by its name, for when it is asked for."""
        self._left = dict(list((self._left | dict(made)).items())[-KEPT:])

    def standing(self, blocks: Sequence[PartitionBlock]) -> dict[int, dict[str, object]]:
        """What was made of these blocks, and would be made of them now: by the last partition of its scope, by name."""
        by_serial = {block.serial: block for block in blocks}
        found: dict[int, dict[str, object]] = {}
        owners: dict[int, int] = {}
        for kept in self._kept.values():
            of = [by_serial[serial] for serial in kept.serials if serial in by_serial]
            if len(of) < max(1, len(kept.serials)) or not kept.stands(of):
                continue
            if isinstance(kept.value, Atoms):
                owners[id(kept.value)] = of[-1].partition_id
            if kept.name:
                found.setdefault(of[-1].partition_id, {})[kept.name] = kept.value
        for kept in self._kept.values():
            if isinstance(kept.value, _Factors) and (owner := owners.get(id(kept.value.atoms))) is not None:
                found.setdefault(owner, {})[kept.name] = kept.value.topics
        return found

    def concept_graph(self, scope: ScopeRows, params: RetrievalParams, hidden: Hidden = NOTHING_HIDDEN) -> ConceptGraph:
        """The concepts of a scope, joined by the settled memories that they share."""
        names = self._concepts(scope, hidden, params)
        newest = _newest(scope, hidden)
        indexes = [block.bm25 for block in scope.blocks]
        return self._settled(
            ("graph", *_concept_params(params)),
            scope,
            hidden,
            lambda: ConceptGraph.of(names, indexes, newest, hidden.ids),
        )

    def atoms(
        self, scope: ScopeRows, params: RetrievalParams, dimension: int, hidden: Hidden = NOTHING_HIDDEN
    ) -> Atoms:
        """The atoms of a scope: its entities, or its concepts while there are few."""
        if has_entity_atoms(scope):
            versions = tuple(block.entity_version for block in scope.blocks)
            serials, limit = _serials(scope), params.concept_limit
            key = ("entities", limit, serials, versions)
            if key not in self._kept:
                self._kept[key] = _Kept(_entity_atoms(scope, limit), versions=versions, serials=serials)
            return cast("Atoms", self._last_used(key))
        names = self._concepts(scope, hidden, params)
        return self._settled(
            ("atoms", dimension, *_concept_params(params)),
            scope,
            hidden,
            lambda: _concept_atoms(scope, hidden, names, dimension),
        )

    def topics(
        self, scope: ScopeRows, params: RetrievalParams, dimension: int, hidden: Hidden = NOTHING_HIDDEN
    ) -> Topics | None:
        """The factorised atoms; None while there are fewer than two."""
        atoms = self.atoms(scope, params, dimension, hidden)
        rank = min(params.nmf_n_topics, len(atoms.names))
        if len(atoms.names) < 2:
            return None

        how = (rank, params.nmf_iterations, params.nmf_seed)
        key = ("topics", id(atoms), *how)
        found = self._kept.get(key)
        if found is None or cast("_Factors", found.value).atoms is not atoms:  # an id that was given again
            name = f"topics {hash_of([repr(how).encode(), atoms.matrix.ravel().view(np.uint8)]):016x}"

            def factorised() -> Topics:
                matrix = np.abs(atoms.matrix)
                return nmf(matrix, k=rank, iterations=params.nmf_iterations, seed=params.nmf_seed)

            self._kept[key] = _Kept(_Factors(atoms, self._left_or(name, factorised)), name=name)
        return cast("_Factors", self._last_used(key)).topics

    def _concepts(self, scope: ScopeRows, hidden: Hidden, params: RetrievalParams) -> tuple[str, ...]:
        def listed() -> tuple[str, ...]:
            found = concepts(
                [block.bm25 for block in scope.blocks],
                min_documents=params.concept_min_documents,
                max_share=params.concept_max_share,
                limit=params.concept_limit,
                newest=_newest(scope, hidden),
                hidden=hidden.ids if len(hidden) else None,
            )
            return tuple(term for term, _ in found)

        return self._settled(("concepts", *_concept_params(params)), scope, hidden, listed)

    def _settled(self, key: tuple[object, ...], scope: ScopeRows, hidden: Hidden, make: Callable[[], T]) -> T:
        """What was made of the settled memories of a scope, made again when one of them has changed or is hidden."""
        made_of = (settled(len(scope) - len(hidden)), _digest(scope, hidden))
        how, key = (*key, *made_of), (*key, _serials(scope), *made_of)
        counts = tuple(block.past.count for block in scope.blocks)
        found = self._kept.get(key)
        if found is not None and found.counts != counts:
            if found.stands(scope.blocks):
                found.counts = counts
            else:
                found = None
        if found is None:
            newest = _newest(scope, hidden)
            name = f"{key[0]} {hash_of([repr(how).encode(), *_contents(scope, newest)]):016x}"
            value = self._left_or(name, make)
            self._kept[key] = _Kept(value, counts, name=name, serials=_serials(scope), newest=newest)
        return cast("T", self._last_used(key))

    def _left_or(self, name: str, make: Callable[[], T]) -> T:
        """What another process left under a name, or what is made now."""
        left = self._left.pop(name, None)
        return make() if left is None else cast("T", left)

    def _last_used(self, key: object) -> object:
        """What is kept under a key, which becomes the last to leave."""
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return self._kept[key].value


def has_entity_atoms(scope: ScopeRows) -> bool:
    """Whether enough entities of a scope have a vector for them to be its atoms."""
    return sum(len(index) for block in scope.blocks if (index := block.entity_vectors) is not None) >= FEWEST_ENTITIES


def _newest(scope: ScopeRows, hidden: Hidden) -> int:
    """The id of the newest settled memory of a scope; 0 while it is empty."""
    size = settled(len(scope) - len(hidden))
    if not size:
        return 0
    ids = scope.columns.ids if hidden.mask is None else scope.columns.ids[~hidden.mask]
    return int(ids[size - 1] if len(scope.blocks) == 1 else np.partition(ids, size - 1)[size - 1])


def _digest(scope: ScopeRows, hidden: Hidden) -> bytes:
    """What tells one set of hidden memories from another, as far as they are no newer than the settled ones."""
    if not len(hidden):
        return b""
    ids = np.sort(hidden.ids)
    return blake2b(ids[ids <= _newest(scope, hidden)].tobytes(), digest_size=16).digest()


def _contents(scope: ScopeRows, newest: int) -> list[NDArray[np.uint8]]:
    """Of each block its number, and ids, texts and vectors of its memories up to an id, as bytes."""
    parts: list[NDArray[Any]] = []
    for block in scope.blocks:
        end = int(np.searchsorted(block.rows.column("ids"), newest, side="right"))
        parts += [
            np.array([block.partition_id]),
            *(block.rows.column(name)[:end] for name in ("ids", "text", "vector")),
        ]
    return [np.ascontiguousarray(part).view(np.uint8) for part in parts]


def _serials(scope: ScopeRows) -> tuple[int, ...]:
    return tuple(block.serial for block in scope.blocks)


def _concept_params(params: RetrievalParams) -> tuple[object, ...]:
    return (params.concept_min_documents, params.concept_max_share, params.concept_limit)


def _entity_atoms(scope: ScopeRows, limit: int) -> Atoms:
    """The unit vectors of the first `limit` entities, those that were declared first."""
    indexes = [block.entity_vectors for block in scope.blocks if block.entity_vectors is not None]
    names = {key: known[0] for block in reversed(scope.blocks) for key, known in block.entities.names.items()}
    first = np.sort(np.concatenate([index.ids() for index in indexes]))[:limit]
    ids = [held[held <= first[-1]] for held in (index.ids() for index in indexes)]
    matrix = np.concatenate([index.vectors(held) for index, held in zip(indexes, ids, strict=True)])
    return Atoms(tuple(names.get(key, str(key)) for key in np.concatenate(ids).tolist()), matrix, of_concepts=False)


def _concept_atoms(scope: ScopeRows, hidden: Hidden, concept_names: tuple[str, ...], dimension: int) -> Atoms:
    """Unit means of the vectors of each concept's settled memories; a concept without vectors is left out."""
    newest, outside = _newest(scope, hidden), np.sort(hidden.ids)
    parts = [(block.bm25, index, index.ids()) for block in scope.blocks if (index := block.vectors) is not None]
    names: list[str] = []
    means: list[NDArray[np.float32]] = []
    for concept in concept_names:
        total = np.zeros(dimension)
        for bm25, index, held in parts:
            ids = bm25.documents(concept)
            ids = ids[(ids <= newest) & among(ids, held) & ~among(ids, outside)]
            if len(ids):
                total += index.vectors(ids).sum(axis=0, dtype=np.float64)
        norm = float(np.linalg.norm(total))
        if norm > 0:
            names.append(concept)
            means.append((total / norm).astype(np.float32))
    matrix = np.stack(means) if means else np.empty((0, dimension), np.float32)
    return Atoms(tuple(names), matrix, of_concepts=True)
