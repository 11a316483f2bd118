"""The edges of a partition as they are stored, and as the graph has them: in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memcore.storage.engine_columns import EdgeColumns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["EdgeTable", "both_ways"]


class EdgeTable:
    """Stored edges by (source, target, type).

    An edge joins both its ends. Where the opposite edge of the same type is stored too, each keeps its own strength.
    """

    def __init__(self) -> None:
        nobody = np.empty(0, np.int64)
        self._stored = EdgeColumns(nobody, nobody, np.empty(0, np.float32), np.empty(0, np.uint8))

    def __len__(self) -> int:
        return len(self._stored.sources)

    @property
    def memory_bytes(self) -> int:
        """What the arrays take."""
        return sum(column.nbytes for column in _columns(self._stored))

    def set_all(self, edges: EdgeColumns) -> None:
        """Replaces every edge."""
        self._stored = edges

    def set_from(self, sources: Iterable[int], edges: EdgeColumns) -> bool:
        """Replaces the edges that start at `sources`. True when one that was there is there no more."""
        replaced = np.isin(self._stored.sources, np.fromiter(sources, np.int64))
        gone = not _keys(_among(self._stored, replaced)) <= _keys(edges)
        kept = _columns(_among(self._stored, ~replaced))
        self._stored = EdgeColumns(*(np.concatenate(pair) for pair in zip(kept, _columns(edges), strict=True)))
        return gone

    @property
    def all(self) -> EdgeColumns:
        """Every edge, as it is stored."""
        return self._stored

    def at(self, ends: Iterable[int]) -> EdgeColumns:
        """The edges with one of `ends` at either end."""
        near = np.fromiter(ends, np.int64)
        return _among(self._stored, np.isin(self._stored.sources, near) | np.isin(self._stored.targets, near))


def both_ways(edges: EdgeColumns) -> EdgeColumns:
    """Edges in both directions: opposites first, so that one that is stored wins."""
    return EdgeColumns(
        np.concatenate([edges.targets, edges.sources]),
        np.concatenate([edges.sources, edges.targets]),
        np.concatenate([edges.strengths, edges.strengths]),
        np.concatenate([edges.types, edges.types]),
    )


def _columns(edges: EdgeColumns) -> tuple[NDArray[np.generic], ...]:
    return (edges.sources, edges.targets, edges.strengths, edges.types)


def _among(edges: EdgeColumns, chosen: NDArray[np.bool_]) -> EdgeColumns:
    return EdgeColumns(edges.sources[chosen], edges.targets[chosen], edges.strengths[chosen], edges.types[chosen])


def _keys(edges: EdgeColumns) -> set[tuple[int, int, int]]:
    return set(zip(edges.sources.tolist(), edges.targets.tolist(), edges.types.tolist(), strict=True))
