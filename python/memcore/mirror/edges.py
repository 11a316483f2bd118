"""The edges of a partition as they are stored, and as the graph has them: in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memcore.storage.engine_columns import EdgeColumns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["EdgeTable", "ShortEdges", "both_ways", "shortened"]


class ShortEdges(NamedTuple):
    """Edges as an engine snapshot has them: every end once, with how many edges start at it; an edge names its target.

    `targets` are places in `nodes`.
    """

    nodes: NDArray[np.int64]
    degrees: NDArray[np.uint32]
    targets: NDArray[np.uint32]
    strengths: NDArray[np.float32]
    types: NDArray[np.uint8]


class EdgeTable:
    """Stored edges by (source, target, type).

    An edge joins both its ends. Where the opposite edge of the same type is stored too, each keeps its own strength.
    """

    def __init__(self) -> None:
        nobody = np.empty(0, np.int64)
        self._stored = EdgeColumns(nobody, nobody, np.empty(0, np.float32), np.empty(0, np.uint8))
        self._short: ShortEdges | None = None

    def __len__(self) -> int:
        return len(self.all.sources if self._short is None else self._short.targets)

    @property
    def memory_bytes(self) -> int:
        """What the arrays take."""
        held: tuple[NDArray[Any], ...] = _columns(self._stored) if self._short is None else self._short
        return sum(column.nbytes for column in held)

    def set_short(self, edges: ShortEdges) -> None:
        """Replaces every edge; they are made long when they are first asked for."""
        self._short = edges

    @property
    def short(self) -> ShortEdges:
        """Every edge, in less than half the bytes."""
        return shortened(self._stored) if self._short is None else self._short

    def set_all(self, edges: EdgeColumns) -> None:
        """Replaces every edge."""
        self._stored, self._short = edges, None

    def set_from(self, sources: Iterable[int], edges: EdgeColumns) -> bool:
        """Replaces the edges that start at `sources`. True when one that was there is there no more."""
        stored = self.all
        replaced = np.isin(stored.sources, np.fromiter(sources, np.int64))
        gone = not _keys(_among(stored, replaced)) <= _keys(edges)
        kept = _columns(_among(stored, ~replaced))
        self._stored = EdgeColumns(*(np.concatenate(pair) for pair in zip(kept, _columns(edges), strict=True)))
        return gone

    @property
    def all(self) -> EdgeColumns:
        """Every edge, as it is stored."""
        if self._short is not None:
            self._stored, self._short = lengthened(self._short), None
        return self._stored

    def at(self, ends: Iterable[int]) -> EdgeColumns:
        """The edges with one of `ends` at either end."""
        near = np.fromiter(ends, np.int64)
        stored = self.all
        return _among(stored, np.isin(stored.sources, near) | np.isin(stored.targets, near))


def shortened(edges: EdgeColumns) -> ShortEdges:
    """Edges in less than half the bytes, ascending by source."""
    nodes = np.union1d(edges.sources, edges.targets)
    order = np.argsort(edges.sources, kind="stable")
    degrees = np.bincount(np.searchsorted(nodes, edges.sources), minlength=len(nodes)).astype(np.uint32)
    targets = np.searchsorted(nodes, edges.targets[order]).astype(np.uint32)
    return ShortEdges(nodes, degrees, targets, edges.strengths[order], edges.types[order])


def lengthened(short: ShortEdges) -> EdgeColumns:
    """The edges that were shortened.

    Raises:
        ValueError: degrees and edges do not agree.
    """
    sources = np.repeat(short.nodes, short.degrees)
    if len(sources) != len(short.targets):
        raise ValueError("degrees and edges do not agree")
    return EdgeColumns(sources, short.nodes[short.targets], short.strengths, short.types)


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
