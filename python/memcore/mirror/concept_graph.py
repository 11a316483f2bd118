"""The graph of concepts: joined by how many memories hold both, walked apart from the graph of memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import CognitiveGraphEngine, concept_neighbours, pagerank
from memcore.kinds import EdgeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.compute import Bm25Index
    from memcore.params import RetrievalParams

__all__ = ["ConceptGraph"]


@dataclass(frozen=True, slots=True)
class ConceptGraph:
    """Concepts as nodes 1, 2, …; the strength of an edge is its count over the largest count."""

    names: tuple[str, ...]
    graph: CognitiveGraphEngine

    @classmethod
    def of(cls, names: Sequence[str], indexes: Sequence[Bm25Index], params: RetrievalParams) -> ConceptGraph:
        """The graph over `names`, counted over some indexes."""
        numbers = {name: number for number, name in enumerate(names, start=1)}
        found = concept_neighbours(
            list(indexes),
            list(names),
            min_documents=params.concept_min_documents,
            max_share=params.concept_max_share,
            limit=len(names),
        )
        pairs = [
            (numbers[name], numbers[other], count)
            for name, companions in zip(names, found, strict=True)
            for other, count in companions
            if other in numbers
        ]
        graph = CognitiveGraphEngine()
        if pairs:
            sources, targets, counts = (np.array(column) for column in zip(*pairs, strict=True))
            graph.add_edges(
                sources.astype(np.int64),
                targets.astype(np.int64),
                (counts / counts.max()).astype(np.float32),
                np.full(len(pairs), EdgeType.ASSOCIATIVE, np.uint8),
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
