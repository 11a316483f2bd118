"""The graph of a partition: its edges, the mentions of entities, and the arcs between turns.

What a search may never see has no place in it: energy does not pass through such a memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memcore.compute import CognitiveGraphEngine
from memcore.kinds import EdgeType
from memcore.mirror.edges import both_ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.mirror.rows import RowTable
    from memcore.storage.engine_columns import EdgeColumns

    Ids = NDArray[np.int64]

__all__ = ["ArcWeights", "add_edges", "add_mentions", "add_turn_arcs", "connected"]


class ArcWeights(NamedTuple):
    """With which numbers a graph is built: the strengths of its arcs, and how many edges of a node are walked."""

    answer: float
    """From a turn that ends in a question to the next turn."""
    following: float
    previous: float
    mention: float
    max_degree: int | None = None
    """The strongest edges of a node that walks follow; None: all."""


def connected(
    rows: RowTable, edges: EdgeColumns, mentions: tuple[Ids, Ids], arcs: ArcWeights, unseen: Ids
) -> CognitiveGraphEngine:
    """A graph of all edges, mentions and turns of a partition, without the memories `unseen`."""
    graph = CognitiveGraphEngine(arcs.max_degree)
    add_edges(graph, both_ways(edges), unseen)
    add_mentions(graph, *mentions, arcs.mention, rows)
    add_turn_arcs(graph, rows, np.arange(len(rows)), arcs)
    return graph


def add_edges(graph: CognitiveGraphEngine, edges: EdgeColumns, unseen: Ids) -> None:
    """Sets edges, but for those with an end in `unseen`."""
    sources, targets, strengths, types = edges.sources, edges.targets, edges.strengths, edges.types
    if len(unseen) and len(sources):
        seen = ~(np.isin(sources, unseen) | np.isin(targets, unseen))
        sources, targets, strengths, types = sources[seen], targets[seen], strengths[seen], types[seen]
    graph.add_edges(sources, targets, strengths, types)


def add_mentions(
    graph: CognitiveGraphEngine, memory_ids: Ids, entity_ids: Ids, strength: float, rows: RowTable
) -> None:
    """Sets mention edges, in both directions, of the memories that have a row."""
    there = rows.rows_of(memory_ids) >= 0
    memory_ids, entity_ids = memory_ids[there], entity_ids[there]
    if not len(memory_ids):
        return
    size = 2 * len(memory_ids)
    graph.add_edges(
        np.concatenate([memory_ids, entity_ids]),
        np.concatenate([entity_ids, memory_ids]),
        np.full(size, strength, np.float32),
        np.full(size, EdgeType.MENTION, np.uint8),
    )


def add_turn_arcs(graph: CognitiveGraphEngine, rows: RowTable, of: Ids, arcs: ArcWeights) -> None:
    """Sets the arcs between the rows `of` and their neighbours in the conversation."""
    if not len(of):
        return
    ids, prev_ids, next_ids = (rows.column(name)[of] for name in ("ids", "prev_id", "next_id"))
    before, after = rows.rows_of(prev_ids), rows.rows_of(next_ids)
    asked = rows.column("question")
    forward = np.where(asked[of], arcs.answer, arcs.following)
    here, there = after >= 0, before >= 0
    into = np.where(asked[before[there]], arcs.answer, arcs.following)
    parts = [
        (ids[here], next_ids[here], forward[here]),
        (next_ids[here], ids[here], np.full(int(here.sum()), arcs.previous)),
        (ids[there], prev_ids[there], np.full(int(there.sum()), arcs.previous)),
        (prev_ids[there], ids[there], into),
    ]
    sources, targets, strengths = (np.concatenate(column) for column in zip(*parts, strict=True))
    graph.add_edges(sources, targets, strengths.astype(np.float32), np.full(len(sources), EdgeType.SEQUENCE, np.uint8))
