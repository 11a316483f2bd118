"""One partition in memory: its rows, vectors, postings, graph and entities, loaded whole and then kept up to date."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memcore.compute import Bm25Index, CognitiveGraphEngine, IntentEngine, sq8, tokenize
from memcore.dates import ends_in_question
from memcore.kinds import EdgeType, Kind
from memcore.mirror.edges import EdgeTable
from memcore.mirror.entities import EntityTable
from memcore.mirror.past import ChangedIds
from memcore.mirror.rows import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from memcore.storage.rows import EdgeColumns, EntityRow, MemoryColumns

__all__ = ["KIND_CODES", "ArcWeights", "PartitionBlock"]

NO_KIND = 255  # a damaged byte
KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
MOST_ACCESSES = 2**31 - 1  # a hand may write more than the column holds
NO_VECTOR = -1  # never the hash of anything
_serial = count(1)

ArcWeights = tuple[float, float, float, float]
"""Strengths of the arcs question → answer, turn → next, turn → previous, and of mentions."""


class Codes(Protocol):
    """Who gives numbers to names, so that they can be compared as arrays."""

    def speaker_code(self, name: str) -> int:
        """The number of a speaker."""
        ...

    def session_code(self, partition_id: int, session_id: str) -> int:
        """The number of a session of a partition."""
        ...


class PartitionBlock:
    """The engines of one partition. `version` changes with every change of what a search could see."""

    def __init__(self, partition_id: int, codes: Codes, dimension: int | None) -> None:
        self.partition_id = partition_id
        self.serial = next(_serial)
        self.version = 0
        self.past = ChangedIds()
        """Which memories are new, gone, or have another text or vector."""
        self.entity_version = 0
        """Changes with every change of an entity's name or vector."""
        self.rows = RowTable()
        self.entities = EntityTable()
        self.edges = EdgeTable()
        self.graph = CognitiveGraphEngine()
        self.bm25 = Bm25Index()
        self.vectors = None if dimension is None else IntentEngine(dimension, "sq8")
        self.entity_vectors = None if dimension is None else IntentEngine(dimension, "sq8")
        self.arcs: ArcWeights | None = None
        """The strengths that the graph was built with; None where it must be built anew."""
        self._codes = codes
        self._weighed = (-1, 0)

    @property
    def memory_bytes(self) -> int:
        """About how much memory the block takes; weighed once a version."""
        if self._weighed[0] != self.version:
            parts = (self.rows, self.entities, self.edges, self.graph, self.bm25, self.vectors, self.entity_vectors)
            self._weighed = (self.version, sum(part.memory_bytes for part in parts if part is not None))
        return self._weighed[1]

    def has_any(self, ids: Collection[int]) -> bool:
        """Whether one of some ids is a memory or an entity of the partition."""
        rows = self.rows.rows_of(np.fromiter(ids, np.int64))
        return bool((rows >= 0).any()) or not self.entities.names.keys().isdisjoint(ids)

    def put(self, columns: MemoryColumns) -> None:
        """Inserts or replaces memories and the vectors of entities; a memory whose text is damaged is left out."""
        kinds = np.array([KIND_CODES.get(kind, NO_KIND) for kind in columns.kinds], np.uint8)  # type: ignore[call-overload]
        intact = np.array(columns.intact, bool) & (kinds != NO_KIND)
        ids = np.array(columns.ids, np.int64)
        entity = kinds == KIND_CODES[Kind.ENTITY]
        self._put_entities(ids, columns.sq8, entity & intact)
        kept = np.flatnonzero(~entity & intact)
        self._drop(ids[entity | ~intact])
        streams = [_stream(columns, index) for index in kept.tolist()]
        blobs = [columns.sq8[index] for index in kept.tolist()]
        fresh = self._fresh(columns, ids, kinds, kept) | {
            "text": np.fromiter(map(hash, streams), np.int64),
            "vector": np.fromiter((NO_VECTOR if blob is None else hash(blob) for blob in blobs), np.int64),
        }
        new_text, new_vector = self._changed(fresh, "text"), self._changed(fresh, "vector")
        self.rows.put(fresh)
        self.bm25.add_streams(ids[kept][new_text], [streams[place] for place in np.flatnonzero(new_text).tolist()])
        if self.vectors is not None:
            changed = np.flatnonzero(new_vector).tolist()
            _put_vectors(self.vectors, ids[kept][new_vector], [blobs[place] for place in changed])
        if (new_text | new_vector).any():
            self.past.note(int(ids[kept][new_text | new_vector].min()))
        self.version += 1

    def remove(self, ids: Sequence[int]) -> None:
        """Takes memories and entities out of every engine; ids that are not here do nothing."""
        array = np.array(sorted(ids), np.int64)
        self._drop(array)
        self.graph.remove_nodes(array)
        if self.entity_vectors is not None and self.entity_vectors.remove(array):
            self.entity_version += 1
        self.version += 1

    def set_names(self, entities: Iterable[EntityRow]) -> None:
        """Replaces the names and aliases of all entities."""
        self.entities.set_names(entities)
        self.entity_version += 1
        self.version += 1

    def connect(self, arcs: ArcWeights) -> None:
        """Builds the graph anew from the edges, the mentions and the order of turns."""
        self.graph = CognitiveGraphEngine()
        self.arcs = arcs
        self._add_edges(self.edges.both_ways())
        self.add_mentions(*self.entities.mentions())
        self.add_turn_arcs(np.arange(len(self.rows)))
        self.version += 1

    def put_edges(self, sources: Sequence[int], edges: EdgeColumns) -> None:
        """Replaces the edges that start at `sources`; where one went, the graph must be connected anew."""
        if self.edges.set_from(sources, edges):
            self.arcs = None
        elif self.arcs is not None:
            self._add_edges(self.edges.both_ways(sources))

    def _add_edges(self, edges: EdgeColumns) -> None:
        self.graph.add_edges(edges.sources, edges.targets, edges.strengths, edges.types)

    def _drop(self, ids: NDArray[np.int64]) -> None:
        """Takes memories out of rows, postings and vectors. Their arcs stay until the graph is connected anew."""
        if self.rows.remove(ids.tolist()):
            self.bm25.remove(ids)
            if self.vectors is not None:
                self.vectors.remove(ids)
            self.past.note(int(ids.min()))

    def _changed(self, fresh: dict[str, NDArray[Any]], name: str) -> NDArray[np.bool_]:
        """Which of the ascending rows of `fresh` are new, or have another value of one column."""
        rows = self.rows.rows_of(fresh["ids"])
        changed = rows < 0
        changed[~changed] = self.rows.column(name)[rows[~changed]] != fresh[name][~changed]
        return changed

    def _put_entities(self, ids: NDArray[np.int64], blobs: Sequence[bytes | None], chosen: NDArray[np.bool_]) -> None:
        if self.entity_vectors is None:
            return
        removed = self.entity_vectors.remove(ids[~chosen])
        places = np.flatnonzero(chosen).tolist()
        _put_vectors(self.entity_vectors, ids[chosen], [blobs[place] for place in places])
        if removed or places:
            self.entity_version += 1

    def add_mentions(self, memory_ids: NDArray[np.int64], entity_ids: NDArray[np.int64]) -> None:
        """Sets mention edges, in both directions."""
        if self.arcs is None or not len(memory_ids):
            return
        size = 2 * len(memory_ids)
        self.graph.add_edges(
            np.concatenate([memory_ids, entity_ids]),
            np.concatenate([entity_ids, memory_ids]),
            np.full(size, self.arcs[3], np.float32),
            np.full(size, EdgeType.MENTION, np.uint8),
        )

    def add_turn_arcs(self, rows: NDArray[np.int64]) -> None:
        """Sets the arcs between rows and their neighbours in the conversation."""
        if self.arcs is None or not len(rows):
            return
        answer, following, previous, _ = self.arcs
        ids, prev_ids, next_ids = (self.rows.column(name)[rows] for name in ("ids", "prev_id", "next_id"))
        before, after = self.rows.rows_of(prev_ids), self.rows.rows_of(next_ids)
        asked = self.rows.column("question")
        forward = np.where(asked[rows], answer, following)
        here, there = after >= 0, before >= 0
        into = np.where(asked[before[there]], answer, following)
        parts = [
            (ids[here], next_ids[here], forward[here]),
            (next_ids[here], ids[here], np.full(int(here.sum()), previous)),
            (ids[there], prev_ids[there], np.full(int(there.sum()), previous)),
            (prev_ids[there], ids[there], into),
        ]
        sources, targets, strengths = (np.concatenate(column) for column in zip(*parts, strict=True))
        self.graph.add_edges(
            sources, targets, strengths.astype(np.float32), np.full(len(sources), EdgeType.SEQUENCE, np.uint8)
        )

    def _fresh(
        self, columns: MemoryColumns, ids: NDArray[np.int64], kinds: NDArray[np.uint8], kept: NDArray[np.int64]
    ) -> dict[str, NDArray[Any]]:
        def coded(values: Sequence[str | None], code: Callable[[str], int]) -> NDArray[np.int32]:
            chosen = (values[index] for index in kept.tolist())
            return np.fromiter((-1 if value is None else code(value) for value in chosen), np.int32)

        def neighbour(values: Sequence[int | None]) -> NDArray[np.int64]:
            return np.fromiter((values[index] or -1 for index in kept.tolist()), np.int64)

        return {
            "ids": ids[kept],
            "event_time": np.array(columns.event_times, np.float64)[kept] / 1e6,
            "session": coded(columns.session_ids, partial(self._codes.session_code, self.partition_id)),
            "speaker": coded(columns.speakers, self._codes.speaker_code),
            "kind": kinds[kept],
            "importance": np.array(columns.base_importances, np.float32)[kept],
            "access_count": np.array(columns.access_counts, np.int64)[kept].clip(0, MOST_ACCESSES).astype(np.int32),
            "prev_id": neighbour(columns.prev_ids),
            "next_id": neighbour(columns.next_ids),
            "question": np.fromiter((ends_in_question(columns.contents[index]) for index in kept.tolist()), bool),
        }


def _put_vectors(index: IntentEngine, ids: NDArray[np.int64], blobs: Sequence[bytes | None]) -> None:
    """Sets the vectors of ids, and takes away those of ids without one."""
    there = np.array([blob is not None for blob in blobs], bool)
    index.remove(ids[~there])
    if there.any():
        index.add(ids[there], sq8.decode_rows([blob for blob in blobs if blob is not None]))


def _stream(columns: MemoryColumns, index: int) -> str:
    """The stored token stream; a row that was edited by hand has none, and its content alone is analysed."""
    stream = columns.tokens[index]
    return " ".join(tokenize(columns.contents[index])) if stream is None else stream
