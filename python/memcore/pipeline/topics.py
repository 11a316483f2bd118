"""Step 3, topics: where the query lies among the themes of the scope.

The atoms (entities, or concepts) are factorised V ≈ WH (Lee & Seung 2001); the query is projected on H by non-negative
least squares. Depth 1 means that one theme explains it, coverage counts the themes that matter, novelty is the share of
the query that no theme explains. Novelty decides whether step 4 looks for what the main themes hide. The step is off
unless `enable_nmf` is set: on no evaluation file did its gate give anything over an open one, and the first search of a
scope waits for the factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.compute import nnls_project

if TYPE_CHECKING:
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Facts", "run"]


@dataclass(frozen=True, slots=True)
class Facts:
    """The three readings; without topics depth and coverage are 0 and novelty is 1."""

    topics: int
    depth: float
    coverage: int
    novelty: float


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with the query's place among the topics."""
    vector = retrieval.query.vector
    if vector is None or not len(retrieval.pool):
        return retrieval, Facts(0, 0.0, 0, 1.0)
    topics = reader.topics(params)
    if topics is None:
        return retrieval, Facts(0, 0.0, 0, 1.0)
    projection = nnls_project(topics.h, vector)
    facts = Facts(len(topics.h), projection.depth, projection.coverage, projection.novelty)
    return retrieval.but(projection=projection), facts
