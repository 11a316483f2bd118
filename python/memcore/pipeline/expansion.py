"""Query expansion: what shares the telling words of the best matches may belong to the same answer.

Pseudo-relevance feedback (Rocchio 1971; Lavrenko & Croft 2001): of the terms of the most relevant candidates, those
that the query does not have, weighed by Σ relevance · ln(1 + n/(1 + df)) with n memories in the scope of which df have
the term, the heaviest are looked up as a second query. A memory that gave the terms gets nothing from them, and what
the query itself does not find is not found by its expansion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.sets import among, distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader

    Scores = NDArray[np.float64]

__all__ = ["Expansion", "expansion"]

MOST_SHARED = 0.5
"""The share of the memories of a scope that may have a term which still tells them apart."""
LEAST_RELEVANCE = 0.3
"""A memory that matches less says nothing about what is meant."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """The second query: its terms, heaviest first, and the rows that gave them."""

    terms: tuple[str, ...]
    given_by: NDArray[np.int64]

    def matches(self, rows: NDArray[np.int64], reader: Reader, params: RetrievalParams) -> Scores:
        """How well each of some rows matches, 0 to 1, against the best of what gave the terms, which gets nothing."""
        high = float(reader.lexical_at(self.terms, self.given_by, params).max(initial=0.0))
        if high <= 0.0:
            return np.zeros(len(rows))
        found = np.minimum(reader.lexical_at(self.terms, rows, params) / high, 1.0)
        found[among(rows, distinct(self.given_by))] = 0.0
        return found


def expansion(
    rows: NDArray[np.int64], relevance: Scores, terms: tuple[str, ...], reader: Reader, params: RetrievalParams
) -> Expansion | None:
    """What the best of the candidates `rows` lead to; None where they lead nowhere."""
    best = rows[np.lexsort((rows, -relevance[rows]))][: params.expansion_memories]
    best = best[relevance[best] > LEAST_RELEVANCE]
    heaviest = _heaviest(best, relevance, frozenset(terms), reader, params)
    return Expansion(tuple(heaviest), best) if heaviest else None


def _heaviest(
    best: NDArray[np.int64], relevance: Scores, known: frozenset[str], reader: Reader, params: RetrievalParams
) -> list[str]:
    """The terms of the best candidates that tell most; what one memory alone has, or most of them, leads nowhere."""
    weights: dict[str, float] = {}
    for row in best.tolist():
        for term in reader.terms_of(row):
            if term not in known:
                weights[term] = weights.get(term, 0.0) + float(relevance[row])
    names = sorted(weights)
    if not names:
        return []
    frequencies = reader.document_frequencies(names)
    rarity = (
        np.log1p(len(relevance) / (1.0 + frequencies))
        * (frequencies > 1)
        * (frequencies <= MOST_SHARED * len(relevance))
    )
    telling = rarity * np.array([weights[name] for name in names])
    order = np.argsort(-telling, kind="stable")[: params.expansion_terms]
    return [names[place] for place in order.tolist() if telling[place] > 0.0]
