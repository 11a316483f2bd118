"""The graph of concepts: joined by how many memories hold both, walked apart from the graph of memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import CognitiveGraphEngine, pagerank
from memcore.kinds import EdgeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memcore.compute import Bm25Index
    from memcore.params import RetrievalParams

__all__ = ["ConceptGraph"]

TOGETHER = 4_096  # memories that are counted in one product


@dataclass(frozen=True, slots=True)
class ConceptGraph:
    """Concepts as nodes 1, 2, …; the strength of an edge is its count over the largest count."""

    names: tuple[str, ...]
    graph: CognitiveGraphEngine

    @classmethod
    def of(
        cls, names: Sequence[str], indexes: Sequence[Bm25Index], newest: int, hidden: NDArray[np.int64]
    ) -> ConceptGraph:
        """The graph over `names`, counted over the memories of some indexes up to `newest` but for those `hidden`."""
        shared = _shared(names, indexes, newest, hidden)
        sources, targets = np.nonzero(shared)
        graph = CognitiveGraphEngine()
        if len(sources):
            graph.add_edges(
                sources + 1,
                targets + 1,
                shared[sources, targets] / shared.max(),
                np.full(len(sources), EdgeType.ASSOCIATIVE, np.uint8),
            )
        return cls(tuple(names), graph)

    def mass(self, seeds: Sequence[str], params: RetrievalParams) -> dict[str, float]:
        """The PageRank mass of each concept, restarting at the seeds in equal parts."""
        wanted = sorted(number for number, name in enumerate(self.names, start=1) if name in set(seeds))
        if not wanted:
            return {}
        found = pagerank(
            [self.graph],
            np.array(wanted, np.int64),
            np.ones(len(wanted), np.float32),
            restart=params.pagerank_restart,
            tolerance=params.pagerank_tolerance,
            max_visits=params.pagerank_max_visits,
            allowed=None,
        )
        return {
            self.names[number - 1]: share
            for number, share in zip(found.ids.tolist(), found.scores.tolist(), strict=True)
        }


def _shared(
    names: Sequence[str], indexes: Sequence[Bm25Index], newest: int, hidden: NDArray[np.int64]
) -> NDArray[np.float32]:
    """How many memories hold both of two names, (m, m) with zeros on the diagonal; whole numbers."""
    shared = np.zeros((len(names), len(names)), np.float32)
    for index in indexes:
        documents = [held[held <= newest] for held in map(index.documents, names)]
        ids = np.unique(np.concatenate(documents)) if documents else np.empty(0, np.int64)
        if len(hidden):
            ids = np.setdiff1d(ids, hidden)
        for start in range(0, len(ids), TOGETHER):
            part = ids[start : start + TOGETHER]
            holds = np.array([np.isin(part, held, assume_unique=True) for held in documents], np.float32)
            shared += holds @ holds.T
    np.fill_diagonal(shared, 0.0)
    return shared
