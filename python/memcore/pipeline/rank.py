"""Step 7, ranking: one score for each candidate, by one of six forms.

- `blend`: (relevance + Σ weight · signal) · multiplier, never below 0. The multiplier grows from 1 to the cap (1.15)
  with importance, use and retention together, so that none of them outweighs relevance: base_a > cap · base_b puts a
  before b. Retention is what the curve of its kind has left of a memory.
- `perocore`, `layers`, `trove`, `postgres`, `diary`: five published scores; see `forms`.

`explanation` gives the same numbers one by one; the scores are its sums and products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import rank_score
from memcore.kinds import RankForm
from memcore.pipeline import forms
from memcore.pipeline.answers import answering
from memcore.pipeline.dialogue import last_line
from memcore.pipeline.window import WeighedTerms, window_coverage
from memcore.sets import among, distinct

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Columns, Reader
    from memcore.pipeline.retrieval import Anchors, Pool, Retrieval

    Scores = NDArray[np.float64]

__all__ = ["Facts", "factors", "multiplier", "run", "scores", "tree", "weights"]

SECONDS_A_DAY = 86_400.0
SHORTEST, LONGEST = -3.0, 1.0  # bounds of the logarithm of a relative length
_LEAST_WEIGHT = 1e-12  # of a length: to divide by less could overflow, and takes nothing that counts
HELD = 0.5  # the retention from which on a memory is not held back


@dataclass(frozen=True, slots=True)
class Facts:
    """The form, and how many candidates have a score above 0."""

    form: str
    scored: int


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with its candidates scored and ordered: score descending, then id ascending."""
    if params.rank_form is RankForm.BLEND and params.weight_window and retrieval.terms:
        retrieval = retrieval.but(weighed=WeighedTerms(retrieval.terms, reader))
    pool = _complete(retrieval, reader, params)
    values = scores(pool, retrieval.anchors, reader, retrieval.query.moment, params)
    ids = reader.columns.ids[pool.rows]
    order = np.lexsort((ids, -values))
    order = order[values[order] > 0]
    return retrieval.but(pool=pool, scores=values, order=order), Facts(str(params.rank_form), len(order))


def weights(params: RetrievalParams, *, asks_when: bool) -> dict[str, float]:
    """What a unit of each signal adds in the form `blend`."""
    return {
        "relevance": 1.0,
        "graph": params.weight_graph * (params.weight_graph_when if asks_when else 1.0),
        "pagerank": params.weight_pagerank,
        "session": params.weight_session,
        "date": params.weight_date,
        "date_match": params.weight_date_match,
        "speaker": params.weight_speaker,
        "question": -params.weight_question,
        "answer": params.weight_answer,
        "length": params.weight_length,
        "window": params.weight_window,
        "cooccurrence": params.weight_cooccurrence,
        "residual": params.weight_residual,
        "expansion": params.weight_expansion,
    }


def multiplier(importance: Scores, uses: NDArray[np.int32], retention: Scores, params: RetrievalParams) -> Scores:
    """1 + (cap − 1)·Σ factors: from 1 to the cap, which only the first of all memories could reach."""
    total = sum(factors(importance, uses, retention, params).values(), start=np.zeros(len(importance)))
    return 1.0 + (params.blend_multiplier_cap - 1.0) * total


def factors(
    importance: Scores, uses: NDArray[np.int32], retention: Scores, params: RetrievalParams
) -> dict[str, Scores]:
    """What makes the multiplier, each part from 0 on, 1 together at most; s is `blend_retention_share`.

    (1 − s)·importance/20, (1 − s)·u/2 with u = l/(1 + l) and l = ln(1 + uses), and s·min(2·retention, 1): what has kept
    half of itself is not held back.
    """
    share = params.blend_retention_share
    familiarity = np.log1p(uses)
    familiarity = familiarity / (1.0 + familiarity)
    return {
        "importance": (1.0 - share) * importance / 20.0,
        "use": (1.0 - share) * familiarity / 2.0,
        "retention": share * np.minimum(retention / HELD, 1.0),
    }


def scores(pool: Pool, anchors: Anchors, reader: Reader, moment: datetime, params: RetrievalParams) -> Scores:
    """The score of each row of the pool, shape (n,), at least 0."""
    columns = reader.columns
    importance = columns.importance[pool.rows].astype(np.float64)
    if params.rank_form is RankForm.PEROCORE:
        days, graph = _days(pool, reader, moment), pool.signal("energy") + pool.signal("cooccurrence")
        return np.asarray(rank_score(graph, forms.vector(pool), importance, days), np.float64)
    if params.rank_form is not RankForm.BLEND:
        return tree(pool, reader, moment, params).scores()
    return np.maximum(_base(pool, anchors, params), 0.0) * multiplier(
        importance, columns.access_count[pool.rows], pool.signal("retention"), params
    )


def tree(pool: Pool, reader: Reader, moment: datetime, params: RetrievalParams) -> forms.Tree:
    """The scores of the pool taken apart, in every form but `blend`."""
    columns = reader.columns
    lives = forms.Lives(
        importance=columns.importance[pool.rows].astype(np.float64),
        uses=columns.access_count[pool.rows].astype(np.float64),
        days=_days(pool, reader, moment),
    )
    return forms.FORMS[params.rank_form](pool, lives, params)


def _days(pool: Pool, reader: Reader, moment: datetime) -> Scores:
    """The days since the event of each row; 0 for what is to come."""
    return np.maximum(moment.timestamp() - reader.columns.event_time[pool.rows], 0.0) / SECONDS_A_DAY


def _complete(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> Pool:
    """The pool with the signals that need no step of their own, and those of recall for what later steps brought."""
    pool, columns, anchors = retrieval.pool, reader.columns, retrieval.anchors
    known: Mapping[str, Scores] = {
        "relevance": retrieval.relevance[pool.rows],
        **{name: over_scope[pool.rows] for name, over_scope in retrieval.channels.items()},
        "speaker": _spoken_by_or_about(pool.rows, anchors, reader),
        "date": _nearness(columns.event_time[pool.rows], anchors),
        "energy": retrieval.energies.of(columns.ids[pool.rows]),
        "retention": reader.retention(pool.rows, retrieval.query.moment),
    }
    if retrieval.expansion is not None:
        known = {**known, "expansion": retrieval.expansion.matches(pool.rows, reader, params)}
    if params.rank_form in forms.AGED:
        known = {**known, **forms.AGED[params.rank_form](reader.ages(pool.rows, retrieval.query.moment))}
    pool = pool.with_all(known)
    pool = pool.with_values("question", _asked_only(pool, columns))
    return _with_tellings(pool, retrieval, reader, params)


def _with_tellings(pool: Pool, retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> Pool:
    """The pool with what makes a match likely to be the answer; it tells nothing where nothing else matches.

    In a conversation much is said in passing: a short turn loses, at most half of what the rest gives, so that no match
    is lost by it.
    """
    if params.rank_form is not RankForm.BLEND:
        return pool
    rest = _base(pool, retrieval.anchors, params)
    matches, text = rest > 0.0, retrieval.query.text
    if params.weight_answer:
        pool = pool.with_values("answer", answering(text, reader.columns.holds[pool.rows]) * matches)
    if params.weight_window:
        terms = retrieval.weighed
        shares = np.zeros(len(pool)) if terms is None else window_coverage(pool.rows, terms, reader)
        pool = pool.with_values("window", shares * matches)
    if params.weight_length and last_line(text) is None:
        lengths = np.clip(reader.relative_lengths(pool.rows), SHORTEST, LONGEST)
        spoken = reader.columns.session[pool.rows] >= 0
        least = -0.5 * rest / max(params.weight_length, _LEAST_WEIGHT)
        pool = pool.with_values("length", np.maximum(lengths, least) * (matches & spoken))
    return pool


def _base(pool: Pool, anchors: Anchors, params: RetrievalParams) -> Scores:
    base = np.zeros(len(pool))
    for name, weight in weights(params, asks_when=anchors.asks_when).items():
        if weight and (values := pool.signals.get(name)) is not None:
            base += weight * values
    return base


def _spoken_by_or_about(rows: NDArray[np.int64], anchors: Anchors, reader: Reader) -> Scores:
    """1 where the speaker is named by the query, or where a memory that nobody said mentions an entity that is."""
    speakers = reader.columns.speaker[rows]
    named = np.zeros(len(rows), bool)
    for speaker in anchors.speakers:
        named |= speakers == speaker
    silent = speakers < 0
    if silent.any():
        for entity in anchors.entities:
            named |= silent & among(rows, distinct(reader.naming(entity)))
    return named.astype(np.float64)


def _asked_only(pool: Pool, columns: Columns) -> Scores:
    """The relevance of turns that end in a question: they repeat the words of what is asked and do not answer it."""
    asks = columns.question[pool.rows] & (columns.session[pool.rows] >= 0)
    return np.where(asks, pool.signal("relevance"), 0.0)


def _nearness(times: Scores, anchors: Anchors) -> Scores:
    """1 within a named span of days, ½ in the week after a span of at most two days, else 0; the best of the spans."""
    near = np.zeros(len(times))
    for span in anchors.dates:
        start, end = span.start.timestamp(), span.end.timestamp()
        near = np.maximum(near, ((times >= start) & (times < end)).astype(np.float64))
        if end - start <= 2 * SECONDS_A_DAY:
            near = np.maximum(near, 0.5 * ((times >= end) & (times < end + 7 * SECONDS_A_DAY)))
    return near
