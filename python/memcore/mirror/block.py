"""One partition in memory: its rows, vectors, postings, graph and entities, loaded whole and then kept up to date."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Protocol

import numpy as np

from memcore.compute import Bm25Index, CognitiveGraphEngine, IntentEngine, sq8, tokenize
from memcore.dates import ends_in_question
from memcore.kinds import EdgeType, Kind
from memcore.mirror.entities import EntityTable
from memcore.mirror.rows import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from memcore.storage.rows import EdgeColumns, MemoryColumns

__all__ = ["KIND_CODES", "ArcWeights", "PartitionBlock"]

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
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
    """The engines of one partition. `version` changes with every change, `epoch` when rows of the past change, `entity_epoch`
    when an entity is put.
    """

    def __init__(self, partition_id: int, codes: Codes, dimension: int | None) -> None:
        self.partition_id = partition_id
        self.serial = next(_serial)
        self.version = 0
        self.epoch = 0
        self.entity_epoch = 0
        self.rows = RowTable()
        self.entities = EntityTable()
        self.graph = CognitiveGraphEngine()
        self.bm25 = Bm25Index()
        self.vectors = None if dimension is None else IntentEngine(dimension, "sq8")
        self.entity_vectors = None if dimension is None else IntentEngine(dimension, "sq8")
        self.damaged: set[int] = set()
        self.arcs: ArcWeights | None = None
        self._codes = codes

    @property
    def memory_bytes(self) -> int:
        """About how much memory the block takes."""
        engines = self.graph.memory_bytes + self.bm25.memory_bytes + self.rows.memory_bytes
        for index in (self.vectors, self.entity_vectors):
            engines += 0 if index is None else index.memory_bytes
        return engines

    def put(self, columns: MemoryColumns) -> None:
        """Inserts or replaces memories. A memory whose text is damaged is left out and its id kept in `damaged`."""
        kinds = np.array([KIND_CODES[Kind(kind)] for kind in columns.kinds], np.uint8)
        intact = np.array(columns.intact, bool)
        ids = np.array(columns.ids, np.int64)
        self.damaged -= set(columns.ids)
        self.damaged |= set(ids[~intact].tolist())
        entity = kinds == KIND_CODES[Kind.ENTITY]
        self._put_vectors(self.entity_vectors, ids, columns.sq8, entity & intact)
        self.entity_epoch += int(entity.any())
        kept = np.flatnonzero(~entity & intact)
        appended = self.rows.put(self._fresh(columns, ids, kinds, kept))
        if not appended:
            self.epoch += 1
            self.bm25.remove(ids[kept])
        self.bm25.add_streams(ids[kept], [_stream(columns, index) for index in kept.tolist()])
        self._put_vectors(self.vectors, ids, columns.sq8, ~entity & intact)
        self.version += 1

    def remove(self, ids: Sequence[int]) -> None:
        """Takes memories and entities out of every engine; ids that are not here do nothing."""
        array = np.array(sorted(ids), np.int64)
        self.rows.remove(ids)
        self.bm25.remove(array)
        self.graph.remove_nodes(array)
        for index in (self.vectors, self.entity_vectors):
            if index is not None:
                index.remove(array)
        self.entities.forget_memories(ids)
        self.damaged -= set(ids)
        self.version += 1
        self.epoch += 1

    def connect(self, arcs: ArcWeights, edges: EdgeColumns) -> None:
        """Builds the graph anew from the edges, the mentions and the order of turns."""
        self.graph = CognitiveGraphEngine()
        self.arcs = arcs
        self.add_edges(edges)
        for entity, memories in self.entities.mention_pairs():
            self.add_mentions(memories, np.full(len(memories), entity, np.int64))
        self.add_turn_arcs(np.arange(len(self.rows)))
        self.version += 1

    def add_edges(self, edges: EdgeColumns) -> None:
        """Sets edges, each in both directions."""
        self.graph.add_edges(
            np.concatenate([edges.sources, edges.targets]),
            np.concatenate([edges.targets, edges.sources]),
            np.concatenate([edges.strengths, edges.strengths]),
            np.concatenate([edges.types, edges.types]),
        )

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
    ) -> dict[str, NDArray[np.generic]]:
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
            "access_count": np.array(columns.access_counts, np.int32)[kept],
            "prev_id": neighbour(columns.prev_ids),
            "next_id": neighbour(columns.next_ids),
            "question": np.fromiter((ends_in_question(columns.contents[index]) for index in kept.tolist()), bool),
        }

    def _put_vectors(
        self,
        index: IntentEngine | None,
        ids: NDArray[np.int64],
        blobs: Sequence[bytes | None],
        chosen: NDArray[np.bool_],
    ) -> None:
        if index is None:
            return
        there = [place for place in np.flatnonzero(chosen).tolist() if blobs[place] is not None]
        missing = [place for place in np.flatnonzero(chosen).tolist() if blobs[place] is None]
        if missing:
            index.remove(ids[missing])
        if there:
            index.add(ids[there], sq8.decode_rows([blob for place in there if (blob := blobs[place]) is not None]))


def _stream(columns: MemoryColumns, index: int) -> str:
    """The stored token stream; a row that was edited by hand has none, and its content alone is analysed."""
    stream = columns.tokens[index]
    return " ".join(tokenize(columns.contents[index])) if stream is None else stream
