"""How sure an answer is: whether what was found is about what was asked, before anybody reads it.

Two things tell a question that the store can answer from one that it cannot: the best matches have its words, alone or
with the turns around them, and the nearest of them is nearer in meaning than chance would bring one. A logistic curve
over the two is a probability (Platt 1999). Where a query is a dialogue, of which no memory has more than a few words,
meaning tells alone. `python -m benches.confidence --fit` fits the coefficients, on conversations under a free licence
and on 200 questions of nothing in them; companion chats lie so close to their questions that the fit of both together
trusts meaning too much, and there words count for more than it says (decision 27).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.dates import subject_terms
from memcore.kinds import Confidence
from memcore.pipeline.dialogue import last_line
from memcore.pipeline.recall import nearness_floor
from memcore.pipeline.window import WeighedTerms, passage_coverage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Evidence", "Sureness", "evidence", "sureness"]

BEST = 5
"""Hits that are looked at."""
_SURE = 30.0
"""Log-odds beyond which nothing is surer: a space whose cosines hardly differ gives any margin."""
_COEFFICIENTS: dict[tuple[bool, bool], tuple[float, float, float]] = {
    (True, True): (-2.4, 5.0, 0.5),
    (True, False): (-3.1, 9.4, 0.0),
    (False, True): (-2.0, 0.0, 0.83),
    (False, False): (0.0, 0.0, 0.0),
}
"""By whether coverage and margin are known: a constant, and what a unit of each adds to the log-odds."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer: the share of the query's words, and how far above chance the nearest meaning is.

    `coverage` is None for a dialogue, `margin` (in the spread of unrelated cosines) where nothing has a vector.
    """

    coverage: float | None
    margin: float | None


@dataclass(frozen=True, slots=True)
class Sureness:
    """The probability that something of what was asked is among the hits, the same in a word, and what tells it."""

    probability: float
    confidence: Confidence
    evidence: Evidence


def evidence(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> Evidence:
    """What speaks for the first hits."""
    best = retrieval.picked[:BEST]
    rows = retrieval.pool.rows[best]
    coverage = _coverage(retrieval, reader, rows) if params.enable_lexical else None
    spread, cosines = reader.dense_spread(), retrieval.pool.signals.get("vector")
    if spread is None or cosines is None:
        return Evidence(coverage, None)
    nearest = float(cosines[best].max(initial=-1.0))
    return Evidence(coverage, (nearest - nearness_floor(retrieval, reader, params)) / spread)


def _coverage(retrieval: Retrieval, reader: Reader, rows: NDArray[np.int64]) -> float | None:
    """The largest share of what is asked for; a date that the query names counts as one term, its words do not.

    None for a dialogue, and where nothing can be looked up.
    """
    text, dates = retrieval.query.text, retrieval.anchors.dates
    terms = set(subject_terms(text, dates))
    asked = [term for term in retrieval.terms if term in terms] if dates else retrieval.terms
    if last_line(text) is not None or not (asked or dates):
        return None
    times = reader.columns.event_time
    spans = [(date.start.timestamp(), date.end.timestamp()) for date in dates]
    days = [np.flatnonzero((times >= start) & (times < end)) for start, end in spans]
    seen = days if reader.allowed is None else [named[reader.allowed[named]] for named in days]
    known = retrieval.weighed if asked == retrieval.terms and not seen else None
    return float(passage_coverage(rows, known or WeighedTerms(asked, reader, seen), reader).max(initial=0.0))


def sureness(found: Evidence, params: RetrievalParams) -> Sureness:
    """The probability, and its word by the parameters `confidence_low` and `confidence_good`."""
    constant, covered, near = _COEFFICIENTS[found.coverage is not None, found.margin is not None]
    logit = constant + covered * (found.coverage or 0.0) + near * (found.margin or 0.0)
    probability = 1.0 / (1.0 + math.exp(-min(max(logit, -_SURE), _SURE)))
    if probability >= params.confidence_good:
        return Sureness(probability, Confidence.GOOD, found)
    return Sureness(probability, Confidence.LOW if probability >= params.confidence_low else Confidence.NONE, found)
