"""Step 8, diversity: the best set, not only the best rows.

Greedy MAP of a determinantal point process (Chen, Zhang & Zhou 2018) over the best limit × multiplier candidates with
L_ij = q_i · cos(v_i, v_j)^power · q_j and q = score^weight. The answer is ordered by score; the pick order is kept.

How high a cosine of unrelated texts lies depends on the embedder: .1 in one space, .83 in another, where every two
memories would look alike. So the power is the least, from `dpp_similarity_power` on, at which unrelated texts count as
alike by no more than `dpp_unrelated`: a whole power keeps the kernel positive semidefinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import dpp_greedy

if TYPE_CHECKING:
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Facts", "power", "run"]

HIGHEST_POWER = 255


@dataclass(frozen=True, slots=True)
class Facts:
    """How many were weighed, and how many of the answer would not be in it by score alone."""

    considered: int
    exchanged: int
    power: int = 0
    """The power of the cosine; 0 where there was nothing to choose."""


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with its answer picked."""
    limit = retrieval.query.limit
    considered = retrieval.order[: limit * params.dpp_candidate_multiplier]
    if not params.enable_dpp or len(considered) <= limit:
        picked = considered[:limit]
        return retrieval.but(picked=picked, pick_order=picked), Facts(len(considered), 0)
    quality = retrieval.scores[considered] ** params.dpp_quality_weight
    vectors, raised = reader.vectors(retrieval.pool.rows[considered]), power(reader, params)
    chosen = dpp_greedy(vectors, quality, k=limit, similarity_power=raised)
    picked = considered[np.sort(chosen)]
    facts = Facts(len(considered), int((chosen >= limit).sum()), raised)
    return retrieval.but(picked=picked, pick_order=considered[chosen]), facts


def power(reader: Reader, params: RetrievalParams) -> int:
    """The least power from `dpp_similarity_power` on that leaves of the cosine of unrelated texts `dpp_unrelated`.

    At most 255; where that cosine is not known, or not between 0 and 1, the parameter as it stands.
    """
    unrelated = reader.dense_base()
    if unrelated is None or not 0.0 < unrelated < 1.0 or params.dpp_unrelated >= 1.0:
        return params.dpp_similarity_power
    least = math.ceil(math.log(params.dpp_unrelated) / math.log(unrelated))
    return min(max(least, params.dpp_similarity_power), HIGHEST_POWER)
