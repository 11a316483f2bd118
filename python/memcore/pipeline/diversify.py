"""Step 8, diversity: the best set, not only the best rows.

Greedy MAP of a determinantal point process (Chen, Zhang & Zhou 2018) over the best limit × multiplier candidates with
L_ij = q_i · cos(v_i, v_j)^power · q_j and q = score^weight. The answer is ordered by score; the pick order is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import dpp_greedy

if TYPE_CHECKING:
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Facts", "run"]


@dataclass(frozen=True, slots=True)
class Facts:
    """How many were weighed, and how many of the answer would not be in it by score alone."""

    considered: int
    exchanged: int


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with its answer picked."""
    limit = retrieval.query.limit
    considered = retrieval.order[: limit * params.dpp_candidate_multiplier]
    if not params.enable_dpp or len(considered) <= limit:
        picked = considered[:limit]
        return retrieval.but(picked=picked, pick_order=picked), Facts(len(considered), 0)
    quality = retrieval.scores[considered] ** params.dpp_quality_weight
    vectors = reader.vectors(retrieval.pool.rows[considered])
    chosen = dpp_greedy(vectors, quality, k=limit, similarity_power=params.dpp_similarity_power)
    picked = considered[np.sort(chosen)]
    return retrieval.but(picked=picked, pick_order=considered[chosen]), Facts(
        len(considered), int((chosen >= limit).sum())
    )
