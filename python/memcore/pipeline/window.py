"""The words of a query that a turn's neighbours have: a question and its answer share a subject, not its words.

A passage of the turns around one is matched as a whole (passage retrieval, Callan 1994): of the query's terms, weighed
by their rarity, those that the two turns before it and the one after it have, and it has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import bit_shares
from memcore.sets import among, distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memcore.pipeline.reader import Reader

    Scores = NDArray[np.float64]

__all__ = ["WeighedTerms", "passage_coverage", "window_coverage"]

AROUND = (-2, -1, 1)
MOST_TERMS = 63


def window_coverage(rows: NDArray[np.int64], terms: WeighedTerms, reader: Reader) -> Scores:
    """The share of the query's terms, 0 to 1, that the turns around each row have and it has not, shape (n,)."""
    around = _around(rows, reader)
    if not around:
        return np.zeros(len(rows))
    own, *others = terms.held([rows, *around])
    return terms.share(np.bitwise_or.reduce(others) & ~own)


def passage_coverage(rows: NDArray[np.int64], terms: WeighedTerms, reader: Reader) -> Scores:
    """The share of the query's terms, 0 to 1, that each row has together with the turns around it, shape (n,)."""
    return terms.share(np.bitwise_or.reduce(terms.held([rows, *_around(rows, reader)])))


def _around(rows: NDArray[np.int64], reader: Reader) -> list[NDArray[np.int64]]:
    return [beside for step in AROUND if ((beside := reader.beside(rows, step)) >= 0).any()]


class WeighedTerms:
    """The terms of a query by their rarity, and which of them rows have, a bit for each.

    Terms weigh ln(1 + (n − df + ½)/(df + ½)) with n memories in the scope, of which df have the term; of more than 63
    terms the rarest count. `holders` are the rows of what the query asks for beside its terms, such as a day; each
    counts as a term.
    """

    def __init__(self, terms: Sequence[str], reader: Reader, holders: Sequence[NDArray[np.int64]] = ()) -> None:
        names = list(dict.fromkeys(terms))
        frequencies = np.concatenate([reader.document_frequencies(names), [float(len(rows)) for rows in holders]])
        size = len(reader.columns.ids) if reader.allowed is None else int(reader.allowed.sum())
        rarity = np.log1p((np.maximum(size - frequencies, 0.0) + 0.5) / (frequencies + 0.5))
        rarest = np.argsort(-rarity, kind="stable")[:MOST_TERMS].tolist()
        named = [place for place in rarest if place < len(names)]
        beside = [place for place in rarest if place >= len(names)]
        self._weights = rarity[named + beside]
        self._names = [names[place] for place in named]
        self._holders = [holders[place - len(names)] for place in beside]
        self._reader = reader

    def held(self, places: Sequence[NDArray[np.int64]]) -> list[NDArray[np.uint64]]:
        """The bits of several rows each, all of one length; −1 is no row."""
        rows = np.concatenate(places)
        bits = self._reader.holding(self._names, rows)
        for bit, holder in enumerate(self._holders, len(self._names)):
            bits |= among(rows, distinct(holder)).astype(np.uint64) << np.uint64(bit)
        return list(bits.reshape(len(places), -1))

    def share(self, bits: NDArray[np.uint64]) -> Scores:
        """The share of the weights whose bits are set."""
        return bit_shares(bits, self._weights)
