"""The blocks of a scope side by side: one row space, built once for a revision of those blocks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.mirror.rows import DTYPES
from memcore.mirror.visibility import Lives
from memcore.pipeline.reader import Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.mirror.block import PartitionBlock
    from memcore.pipeline.reader import Neighbour

__all__ = ["TERMS_REMEMBERED", "ScopeRows", "mean_lengths"]

TERMS_REMEMBERED = 1_024


def mean_lengths(kinds: NDArray[np.uint8], lengths: NDArray[np.int32]) -> NDArray[np.float64]:
    """By the code of a kind, shape (256,), the mean of its lengths; 0 where there are none."""
    counts = np.bincount(kinds, minlength=256)
    return np.bincount(kinds, weights=lengths, minlength=256) / np.maximum(counts, 1)


class ScopeRows:
    """Rows ascend by block, then by id. Nothing here depends on a query."""

    def __init__(self, blocks: tuple[PartitionBlock, ...]) -> None:
        self.blocks = blocks
        self.offsets = np.cumsum([0, *(len(block.rows) for block in blocks)])
        self._joined: dict[str, NDArray[Any]] = {}
        self._mentioning: dict[int, NDArray[np.int64]] = {}
        self._with_term: dict[str, NDArray[np.int64]] = {}
        self.companions: dict[tuple[str, int, float, int], tuple[Neighbour, ...]] = {}
        """Of a term, with the bounds by which it was asked, the terms that share memories with it."""
        self.columns = Columns(
            ids=self.column("ids"),
            event_time=self.column("event_time"),
            session=self.column("session"),
            speaker=self.column("speaker"),
            importance=self.column("importance"),
            access_count=self.column("access_count"),
            question=self.column("question"),
            holds=self.column("holds"),
        )

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def column(self, name: str) -> NDArray[Any]:
        """One column over all blocks; no copy while there is one block, else one a version."""
        parts = [block.rows.column(name) for block in self.blocks]
        if len(parts) == 1:
            return parts[0]
        if name not in self._joined:
            self._joined[name] = np.concatenate(parts) if parts else np.empty(0, DTYPES[name])
        return self._joined[name]

    def rows_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each id, −1 where it is in no block."""
        rows = np.full(len(ids), -1, np.int64)
        for block, offset in zip(self.blocks, self.offsets.tolist(), strict=False):
            found = block.rows.rows_of(ids)
            rows = np.where(found >= 0, found + offset, rows)
        return rows

    def with_term(self, term: str) -> NDArray[np.int64]:
        """The rows whose text has a term, ascending; remembered, since companions are asked for again and again."""
        rows = self._with_term.get(term)
        if rows is None:
            parts = []
            for block, offset in zip(self.blocks, self.offsets.tolist(), strict=False):
                found = block.rows.rows_of(block.bm25.documents(term))
                parts.append(found[found >= 0] + offset)
            rows = np.concatenate(parts) if parts else np.empty(0, np.int64)
            if len(self._with_term) < TERMS_REMEMBERED:
                self._with_term[term] = rows
        return rows

    @cached_property
    def next_rows(self) -> NDArray[np.int64]:
        """The row of the turn behind each row in its conversation, −1 where there is none; (n + 1,), −1 behind −1."""
        return np.append(self.rows_of(self.column("next_id")), -1)

    @cached_property
    def prev_rows(self) -> NDArray[np.int64]:
        """The row of the turn before each row in its conversation, −1 where there is none; (n + 1,), −1 before −1."""
        return np.append(self.rows_of(self.column("prev_id")), -1)

    @cached_property
    def newest(self) -> float | None:
        """The latest event, in seconds since 1970; None where there is no row."""
        times = self.column("event_time")
        return float(times.max()) if len(times) else None

    @cached_property
    def mean_lengths(self) -> NDArray[np.float64]:
        """By the code of a kind, the mean number of terms of its rows; 0 where it has none."""
        return mean_lengths(self.column("kind"), self.column("length"))

    def mentioning(self, entity_id: int) -> NDArray[np.int64]:
        """The rows that mention an entity, ascending."""
        found = self._mentioning.get(entity_id)
        if found is None:
            parts = [self.rows_of(block.entities.mentioning(entity_id)) for block in self.blocks]
            rows = np.sort(np.concatenate(parts)) if parts else np.empty(0, np.int64)
            found = rows[rows >= 0]
            if len(self._mentioning) < TERMS_REMEMBERED:
                self._mentioning[entity_id] = found
        return found

    @cached_property
    def lives(self) -> Lives:
        """From when until when each row may be seen."""
        return Lives(self.column)

    @cached_property
    def unseen(self) -> NDArray[np.int64]:
        """The nodes of the graphs that no search may see: entities, and memories that the edges of another block join.

        The memories that a block itself may not show have no place in its graph.
        """
        entities = np.array(sorted(set().union(*(block.entities.unseen for block in self.blocks))), np.int64)
        if len(self.blocks) < 2 or not any(len(block.unseen) for block in self.blocks):
            return entities
        memories = [np.setdiff1d(block.unseen_ids, self.columns.ids) for block in self.blocks]
        edges = [ends for block in self.blocks for ends in (block.edges.all.sources, block.edges.all.targets)]
        return np.union1d(entities, np.intersect1d(np.concatenate(memories), np.concatenate(edges)))

    @cached_property
    def has_vector(self) -> NDArray[np.bool_]:
        """Which rows have a vector."""
        there = np.zeros(len(self), bool)
        for rows in self.vector_rows:
            there[rows] = True
        return there

    @cached_property
    def vector_rows(self) -> tuple[NDArray[np.int64], ...]:
        """For each block the rows of its vectors, in the order in which the index gives them."""
        rows: list[NDArray[np.int64]] = []
        for block, offset in zip(self.blocks, self.offsets.tolist(), strict=False):
            ids = np.empty(0, np.int64) if block.vectors is None else block.vectors.ids()
            rows.append(block.rows.rows_of(ids) + offset)
        return tuple(rows)

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float64] | None:
        """The cosine of each row to a unit vector (d,), NaN without a vector; None when no row has one."""
        if self._is_aligned and (index := self.blocks[0].vectors) is not None:
            return index.cosines(vector).astype(np.float64)
        values = np.full(len(self), np.nan)
        found = False
        for block, rows in zip(self.blocks, self.vector_rows, strict=True):
            if block.vectors is not None and len(rows):
                values[rows] = block.vectors.cosines(vector)
                found = True
        return values if found else None

    @cached_property
    def _is_aligned(self) -> bool:
        """Whether there is one block, and each of its rows has a vector: its vectors are in the order of its rows."""
        return len(self.blocks) == 1 and len(self) > 0 and len(self.vector_rows[0]) == len(self)

    def vectors(self, rows: NDArray[np.int64], dimension: int) -> NDArray[np.float32]:
        """(n, d) unit vectors of rows, zeros where there is none."""
        matrix = np.zeros((len(rows), dimension), np.float32)
        there = self.has_vector[rows]
        for block, start, end in zip(self.blocks, self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            places = np.flatnonzero(there & (rows >= start) & (rows < end))
            if len(places) and block.vectors is not None:
                matrix[places] = block.vectors.vectors(self.columns.ids[rows[places]])
        return matrix
