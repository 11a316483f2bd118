"""nDCG, recall and the first hit of a ranking, and whether a difference is more than chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from memcore.records.replay import Comparison, Quality

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["compared", "mean", "scored"]

RESAMPLES = 2_000


def scored(ranking: Sequence[int], gains: Mapping[int, float], k: int) -> Quality:
    """How good a ranking of ids is, given what each is worth; what is not named is worth nothing.

    >>> scored([4, 7, 9], {7: 1.0}, 2)
    Quality(ndcg=0.6309297535714575, recall=1.0, mrr=0.5)
    """
    first = ranking[:k]
    gain = math.fsum(gains.get(one, 0.0) / math.log2(place + 2) for place, one in enumerate(first))
    best = sorted(gains.values(), reverse=True)[:k]
    ideal = math.fsum(value / math.log2(place + 2) for place, value in enumerate(best))
    worth = {one for one, value in gains.items() if value > 0}
    found = next((1.0 / (place + 1) for place, one in enumerate(ranking) if one in worth), 0.0)
    return Quality(gain / ideal, len(worth.intersection(first)) / len(worth), found)


def mean(qualities: Sequence[Quality]) -> Quality | None:
    """The mean of each number; None where there is nothing to take it of."""
    if not qualities:
        return None
    count = len(qualities)
    return Quality(
        math.fsum(one.ndcg for one in qualities) / count,
        math.fsum(one.recall for one in qualities) / count,
        math.fsum(one.mrr for one in qualities) / count,
    )


def compared(before: Sequence[Quality], after: Sequence[Quality], seed: int = 0) -> Comparison | None:
    """The means of two rankings of the same rounds, and the 95 % interval of the difference in nDCG, by bootstrap."""
    import numpy as np

    first, second = mean(before), mean(after)
    if first is None or second is None:
        return None
    gained = np.array([new.ndcg - old.ndcg for old, new in zip(before, after, strict=True)])
    draws = np.random.default_rng(seed).integers(0, len(gained), (RESAMPLES, len(gained)))
    low, high = np.quantile(gained[draws].mean(axis=1), [0.025, 0.975])
    return Comparison(
        rounds=len(gained),
        before=first,
        after=second,
        low=float(low),
        high=float(high),
        better=int((gained > 0).sum()),
        worse=int((gained < 0).sum()),
    )
