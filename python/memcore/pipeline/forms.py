"""The rank forms beside `blend`: five published scores, each a sum, at least 0, times its factors.

With rel the fused relevance, cos the cosine, l = r/(1 + r) of BM25's r, and importance from 0 to 10:

- `perocore`: (0.7·G + 0.3·V) · (1 + importance/10) · (0.8 + 0.2/(1 + ln(1 + days))), with G the energy after spreading
  and the co-occurrence bonus, V the cosine (without vectors rel) and days since the event;
- `layers`: rel^w · (f + (1 − f)·retention), with retention by the curve of a memory's own kind;
- `trove`: 0.6·cos + 0.4·l + 0.2/(1 + days/30), 0 where rel is 0, so that the gate of the fusion `or_gate` holds; what
  has no vector has l instead of the first two;
- `postgres`: Σ 1/(k + rank) · d^((max(0, age − offset)/scale)²) · (1 + u·log10(1 + uses)) · (1 − i + i·importance/10),
  with the age of a claim from its last use and of anything else from the event;
- `diary`: rel · importance/10 · e^(−t/S), with t from the last use, and S the stability in days.

w, f, d, offset, scale, u, i and k are parameters, since their authors tune them; the other numbers are their authors'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memcore import curves
from memcore.kinds import RankForm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Ages
    from memcore.pipeline.retrieval import Pool

    Scores = NDArray[np.float64]

__all__ = ["AGED", "FORMS", "Factor", "Lives", "Summand", "Tree", "vector"]

GRAPH_WEIGHT, VECTOR_WEIGHT = 0.7, 0.3  # of `perocore`, as in `rank_score` of the compute core
COSINE_WEIGHT, LEXICAL_WEIGHT, RECENCY_WEIGHT = 0.6, 0.4, 0.2  # of `trove`
MOST_IMPORTANT = 10.0


class Summand(NamedTuple):
    """What a signal adds to each score: its value times its weight."""

    value: Scores
    weight: Scores


class Factor(NamedTuple):
    """What a score is multiplied by, and the value that this comes from."""

    value: Scores
    times: Scores


class Lives(NamedTuple):
    """What is known of the lives of the candidates: importance (0 to 10), uses, and days since the event."""

    importance: Scores
    uses: Scores
    days: Scores


@dataclass(frozen=True, slots=True)
class Tree:
    """The scores of n candidates: max(Σ value·weight, 0) · Π times; every array has the shape (n,)."""

    summands: Mapping[str, Summand]
    factors: Mapping[str, Factor]

    def scores(self) -> Scores:
        """The score of each candidate, at least 0."""
        total = np.maximum(sum(value * weight for value, weight in self.summands.values()), 0.0)
        return np.asarray(total * self.multipliers(), np.float64)

    def multipliers(self) -> Scores:
        """The product of the factors of each candidate; 1 where there are none."""
        size = len(next(iter(self.summands.values())).value)
        found: Scores = np.ones(size)
        for factor in self.factors.values():
            found = found * factor.times
        return found


def vector(pool: Pool) -> Scores:
    """The cosine of each candidate; the relevance where no vector was compared."""
    return pool.signal("vector") if "vector" in pool.signals else pool.signal("relevance")


def _perocore(pool: Pool, lives: Lives, params: RetrievalParams) -> Tree:
    """The compute core has the score itself (`rank_score`); this takes it apart."""
    del params
    summands = {
        "graph": _weighted(pool.signal("energy"), GRAPH_WEIGHT),
        "cooccurrence": _weighted(pool.signal("cooccurrence"), GRAPH_WEIGHT),
        "vector": _weighted(vector(pool), VECTOR_WEIGHT),
    }
    factors = {
        "importance": Factor(lives.importance, 1.0 + lives.importance / MOST_IMPORTANT),
        "age": Factor(lives.days, curves.logarithmic(lives.days)),
    }
    return Tree(summands, factors)


def _layers(pool: Pool, lives: Lives, params: RetrievalParams) -> Tree:
    """The weight of the relevance is its power w − 1, so that 1 leaves it as it is."""
    del lives
    relevance, retention = pool.signal("relevance"), pool.signal("retention")
    power = np.where(relevance > 0, relevance, 1.0) ** (params.layers_relevance_power - 1.0)
    floor = params.layers_retention_floor
    return Tree(
        {"relevance": Summand(relevance, power)},
        {"retention": Factor(retention, floor + (1.0 - floor) * retention)},
    )


def _trove(pool: Pool, lives: Lives, params: RetrievalParams) -> Tree:
    """The weights are 0 behind a closed gate; a row without a vector has a cosine of exactly 0."""
    del params
    cosine, words = pool.signal("vector"), pool.signal("lexical")
    words = words / (1.0 + words)
    there, passes = cosine != 0.0, (pool.signal("relevance") > 0).astype(np.float64)
    summands = {
        "cosine": Summand(cosine, passes * np.where(there, COSINE_WEIGHT, 0.0)),
        "lexical": Summand(words, passes * np.where(there, LEXICAL_WEIGHT, 1.0)),
        "recency": Summand(curves.hyperbolic(lives.days), passes * RECENCY_WEIGHT),
    }
    return Tree(summands, {})


def _postgres(pool: Pool, lives: Lives, params: RetrievalParams) -> Tree:
    age, share = pool.signal("age"), params.postgres_importance_weight
    kept = curves.gaussian(age, params.postgres_offset_days, params.postgres_scale_days, params.postgres_decay)
    factors = {
        "age": Factor(age, np.asarray(kept, np.float64)),
        "use": Factor(lives.uses, 1.0 + params.postgres_use_weight * np.log10(1.0 + lives.uses)),
        "importance": Factor(lives.importance, 1.0 - share + share * lives.importance / MOST_IMPORTANT),
    }
    return Tree({"rrf": _weighted(pool.signal("rrf"), 1.0)}, factors)


def _diary(pool: Pool, lives: Lives, params: RetrievalParams) -> Tree:
    del params
    age = pool.signal("age")
    factors = {
        "importance": Factor(lives.importance, lives.importance / MOST_IMPORTANT),
        "age": Factor(age, np.asarray(curves.exponential(age, pool.signal("stability")), np.float64)),
    }
    return Tree({"relevance": _weighted(pool.signal("relevance"), 1.0)}, factors)


def _weighted(values: Scores, weight: float) -> Summand:
    return Summand(values, np.full(len(values), weight))


FORMS: Mapping[RankForm, Callable[[Pool, Lives, RetrievalParams], Tree]] = {
    RankForm.PEROCORE: _perocore,
    RankForm.LAYERS: _layers,
    RankForm.TROVE: _trove,
    RankForm.POSTGRES: _postgres,
    RankForm.DIARY: _diary,
}
"""Each form but `blend`, which is in `rank`."""

AGED: Mapping[RankForm, Callable[[Ages], Mapping[str, Scores]]] = {
    RankForm.POSTGRES: lambda ages: {"age": np.where(ages.claims, ages.used, ages.happened)},
    RankForm.DIARY: lambda ages: {"age": ages.used, "stability": ages.stability},
}
"""The signals that two of them take beside those of the other steps, from the ages of the rows."""
