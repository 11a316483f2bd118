"""The words of a query that a turn's neighbours have: a question and its answer share a subject, not its words.

A passage of the turns around one is matched as a whole (passage retrieval, Callan 1994): of the query's terms, weighed
by their rarity, those that the two turns before it and the one after it have, and it has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memcore.pipeline.reader import Reader

    Scores = NDArray[np.float64]

__all__ = ["window_coverage"]

AROUND = (-2, -1, 1)
MOST_TERMS = 63


def window_coverage(rows: NDArray[np.int64], terms: Sequence[str], reader: Reader) -> Scores:
    """The share of the query's terms, 0 to 1, that the turns around each row have and it has not, shape (n,).

    Terms weigh ln(1 + (n − df + ½)/(df + ½)) with n memories in the scope, of which df have the term; of more than 63
    terms the rarest count.
    """
    nothing = np.zeros(len(rows))
    around = [beside for step in AROUND if ((beside := reader.beside(rows, step)) >= 0).any()]
    if not around or not terms:
        return nothing
    names = list(dict.fromkeys(terms))
    frequencies = reader.document_frequencies(names)
    size = len(reader.columns.ids) if reader.allowed is None else int(reader.allowed.sum())
    weights = np.log1p((np.maximum(size - frequencies, 0.0) + 0.5) / (frequencies + 0.5))
    rarest = np.argsort(-weights, kind="stable")[:MOST_TERMS]
    whole = float(weights[rarest].sum())
    has = np.zeros(len(reader.columns.ids), np.uint64)
    for bit, place in enumerate(rarest.tolist()):
        has[reader.concept_rows(names[place])] |= np.uint64(1) << np.uint64(bit)
    seen = np.zeros(len(rows), np.uint64)
    for beside in around:
        seen |= np.where(beside >= 0, has[beside], np.uint64(0))
    seen &= ~has[rows]
    covered = nothing
    for bit, place in enumerate(rarest.tolist()):
        covered = covered + weights[place] * ((seen >> np.uint64(bit)) & np.uint64(1))
    return covered / whole if whole > 0.0 else nothing
