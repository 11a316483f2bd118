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
        givers = len(self.given_by)
        found = reader.lexical_at(self.terms, np.concatenate([self.given_by, rows]), params)
        high = float(found[:givers].max(initial=0.0))
        if high <= 0.0:
            return np.zeros(len(rows))
        matched = np.minimum(found[givers:] / high, 1.0)
        for giver in self.given_by.tolist():
            matched[rows == giver] = 0.0
        return matched


def expansion(
    rows: NDArray[np.int64], relevance: Scores, terms: tuple[str, ...], reader: Reader, params: RetrievalParams
) -> Expansion | None:
    """What the best of the candidates `rows` lead to; None where they lead nowhere."""
    best = rows[np.lexsort((rows, -relevance[rows]))][: params.expansion_memories]
    best = best[relevance[best] > LEAST_RELEVANCE]
    heaviest = reader.telling(best, relevance[best], terms, most_shared=MOST_SHARED, limit=params.expansion_terms)
    return Expansion(tuple(heaviest), best) if heaviest else None
