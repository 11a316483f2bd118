"""Recall, nDCG and MRR of one ranking, and bootstrap intervals over questions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

__all__ = ["METRICS", "interval", "scored"]

METRICS = ("R@5", "R@8", "R@10", "R@20", "nDCG@10", "MRR")
RESAMPLES = 2_000


def scored(ranking: Sequence[str], evidence: AbstractSet[str]) -> tuple[float, ...]:
    """The metrics of a ranking, in the order of `METRICS`; recall is the share of the evidence that came back."""
    recalls = [len(evidence.intersection(ranking[:k])) / len(evidence) for k in (5, 8, 10, 20)]
    gain = sum(1.0 / math.log2(place + 2) for place, name in enumerate(ranking[:10]) if name in evidence)
    ideal = sum(1.0 / math.log2(place + 2) for place in range(min(10, len(evidence))))
    first = next((1.0 / (place + 1) for place, name in enumerate(ranking) if name in evidence), 0.0)
    return (*recalls, gain / ideal, first)


def interval(values: NDArray[np.float64], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of the mean of values (n,), by bootstrap."""
    draws = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)
