"""Step 2, recall: the lexical, the dense and the known-entity channel, fused into one relevance per memory.

Lexical is BM25 (Robertson & Zaragoza 2009), dense is the cosine of unit vectors. A memory is a candidate when a term of
the query (or a query without words, as it stands) occurs in it, when it mentions a named entity or lies on a named day,
or when its cosine reaches the space's floor; so nonsense finds nothing. Fusion, by parameter, over every memory of the
scope:

- `normalized`: (1 − w)·r/max(r) + w·(cos − low)/(max(cos) − low), at least 0, with both maxima and `low`, a quantile
  (0 is the least, shipped is the median: what lies below it says nothing), taken over the scope for this query; w is
  `fusion_dense_weight`, or `dialogue_dense_weight` where the query is a conversation of several lines;
- `weighted`: 0.4·r/(1 + r) + 0.6·(cos + 1)/2;
- `rrf`: Σ 1/(k + rank), an absent channel counting 0 (Cormack, Clarke & Büttcher 2009), over its largest value; where
  the query names an entity, what a walk from the named entities reaches is a third channel, with step 5 or without;
- `or_gate`: 0.6·cos + 0.4·l where l = r/(1 + r) ≥ .5 or cos ≥ .55, else 0.

A query that asks several questions one after the other is fused for each too: a memory has the most of what the whole
gives it and `fusion_parts` times what its best question does. What answers one of two has half the words of both.

A memory without a vector keeps its lexical part alone. The channel `rrf`, for the rank form `postgres`, is the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore import compute
from memcore.compute import candidates
from memcore.dates import dated_query_terms, is_spoken
from memcore.kinds import FusionForm, RankForm
from memcore.pipeline.dialogue import last_line, questions
from memcore.pipeline.expansion import expansion
from memcore.pipeline.retrieval import Pool
from memcore.sets import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.dates import DateSpan
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Anchors, Retrieval

    Scores = NDArray[np.float64]

__all__ = ["Facts", "fused", "nearness_floor", "reciprocal", "run"]

LEAST = 1e-6
VAGUE = 0.5  # the certainty up to which a date does not say which days it means
ALIKE = 0.75  # the share of the best match by words from which on they tell two memories less apart than days
TELLING = 2  # terms of a question that is looked up by itself
CALENDAR = 0.8  # the most that days of the calendar count, whose words have counted already


@dataclass(frozen=True, slots=True)
class Facts:
    """How many each channel offered, and what decided."""

    terms: tuple[str, ...]
    lexical: int
    dense: int
    anchored: int
    dense_floor: float | None
    vector: str
    """`used`, `no query vector`, `no stored vectors` or `off`."""
    questions: int = 1
    """How many questions were looked up, each by itself where there are several."""


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with its relevance and its first candidates."""
    terms = _terms(retrieval, reader) if params.enable_lexical else ()
    last = last_line(retrieval.query.text)
    lexical = _lexical(retrieval, terms, last, reader, params)
    cosines, vector = _cosines(retrieval, reader, params)
    floor = nearness_floor(retrieval, reader, params) if cosines is not None else None
    walked = _walked(retrieval.anchors, reader, params)
    anchored = _anchored(retrieval.anchors, walked, reader)
    relevance = fused(lexical, cosines, reader.allowed, params, dialogue=last is not None, walked=walked)
    parts = _parts(retrieval, terms, cosines, reader, params)
    for part in parts:
        relevance = np.maximum(relevance, params.fusion_parts * part)
    each = max(params.recall_candidates, params.recall_multiplier * retrieval.query.limit)
    rows, matched, close, held = candidates(
        lexical, cosines, relevance, anchored, reader.allowed, floor=np.inf if floor is None else floor, each=each
    )
    channels = {"lexical": lexical, "date_match": _date_match(retrieval, reader, lexical)}
    if params.rank_form is RankForm.POSTGRES:
        channels["rrf"] = reciprocal(lexical, cosines, walked, reader.allowed, params)
    if cosines is not None:
        cosines[np.isnan(cosines)] = 0.0
        channels["vector"] = cosines
    expanded = expansion(rows, relevance, terms, reader, params) if params.enable_expansion and len(rows) else None
    pool = Pool(rows).filled("relevance", relevance)
    facts = Facts(terms, matched, close, held, floor, vector, max(len(parts), 1))
    found = retrieval.but(terms=terms, relevance=relevance, channels=channels, expansion=expanded, pool=pool)
    return found, facts


def _lexical(
    retrieval: Retrieval, terms: tuple[str, ...], last: str | None, reader: Reader, params: RetrievalParams
) -> Scores:
    """BM25 of every row; of a dialogue, the terms of its last line once more."""
    lexical = reader.lexical(terms, params)
    if last is not None and terms and params.dialogue_last_line:
        said_now = set(dated_query_terms(last, (), retrieval.query.now.tzinfo))
        lexical += params.dialogue_last_line * reader.lexical([term for term in terms if term in said_now], params)
    if params.enable_lexical and not terms and not any(is_spoken(date) for date in retrieval.anchors.dates):
        lexical[reader.quoting(retrieval.query.text)] = 1.0  # no word, no BM25: what is quoted is quoted equally
    return lexical


def fused(
    lexical: Scores,
    cosines: Scores | None,
    allowed: NDArray[np.bool_] | None,
    params: RetrievalParams,
    *,
    dialogue: bool = False,
    walked: Scores | None = None,
) -> Scores:
    """The relevance of every row, 0 to 1: shape (n,) from BM25 (n,) and cosines (n,) with NaN for no vector.

    `walked` is what a walk from the named entities leaves at each row; None where there was no walk.
    """
    form = params.fusion
    if form is FusionForm.RRF:
        largest = (2.0 if walked is None else 3.0) / (params.rrf_k + 1.0)
        return reciprocal(lexical, cosines, walked, allowed, params) / largest
    saturated = lexical / (1.0 + lexical)
    if cosines is None:
        return _share_of_best(lexical, allowed) if form is FusionForm.NORMALIZED else saturated
    if form is FusionForm.NORMALIZED:
        share = params.dialogue_dense_weight if dialogue else params.fusion_dense_weight
        return compute.fused(lexical, cosines, allowed, share=share, low_quantile=params.fusion_dense_low, least=LEAST)
    present = ~np.isnan(cosines)
    filled = np.where(present, cosines, 0.0)
    if form is FusionForm.WEIGHTED:
        return np.where(present, 0.4 * saturated + 0.6 * (filled + 1.0) / 2.0, saturated)
    passes = (saturated >= params.or_gate_lexical) | (present & (filled >= params.or_gate_cosine))
    both = np.where(present, np.clip(0.6 * filled + 0.4 * saturated, 0.0, None), saturated)
    return np.where(passes, both, 0.0)


def _parts(
    retrieval: Retrieval, terms: tuple[str, ...], cosines: Scores | None, reader: Reader, params: RetrievalParams
) -> list[Scores]:
    """The relevance of every row to each question of a query that asks several; nothing where fewer than two tell.

    A question of one term, such as "right?", tells nothing. One that was not embedded has the cosines of the whole.
    """
    query = retrieval.query
    asked = questions(query.text) if params.fusion_parts else ()
    found: list[Scores] = []
    for place, question in enumerate(asked):
        said = set(dated_query_terms(question, (), query.now.tzinfo))
        own = [term for term in terms if term in said]
        if len(own if params.enable_lexical else said) < TELLING:
            continue
        near = cosines if place >= len(query.parts) or cosines is None else reader.cosines(query.parts[place])
        found.append(fused(reader.lexical(own, params), near, reader.allowed, params))
    return found if len(found) > 1 else []


def reciprocal(
    lexical: Scores,
    cosines: Scores | None,
    walked: Scores | None,
    allowed: NDArray[np.bool_] | None,
    params: RetrievalParams,
) -> Scores:
    """Σ 1/(k + rank) of every row over the channels that there are; a value that is not above 0 has no rank."""
    seen = np.ones(len(lexical), bool) if allowed is None else allowed
    ranks = np.zeros(len(lexical))
    for channel in (lexical, cosines, walked):
        if channel is not None:
            values = np.nan_to_num(channel, nan=0.0)
            ranks += _reciprocal_ranks(values, seen & (values > 0), params.rrf_k)
    return ranks


def _walked(anchors: Anchors, reader: Reader, params: RetrievalParams) -> Scores | None:
    """Where reciprocal ranks are asked for, the energy that spreading from the named entities leaves at each row."""
    asked = params.fusion is FusionForm.RRF or params.rank_form is RankForm.POSTGRES
    if not (asked and anchors.entities):
        return None
    ids = distinct(np.array([entity.id for entity in anchors.entities], np.int64))
    walk = reader.spread(ids, np.full(len(ids), params.anchor_energy, np.float32), params)
    rows = reader.rows_of(walk.ids)
    energy = np.zeros(len(reader.columns.ids))
    energy[rows[rows >= 0]] = walk.values[rows >= 0]
    return energy


def _terms(retrieval: Retrieval, reader: Reader) -> tuple[str, ...]:
    """What is looked up; where nothing happened on a date that counts from now, its words too: they may be quoted."""
    query = retrieval.query
    times = reader.columns.event_time
    times = times if reader.allowed is None else times[reader.allowed]
    dates = [date for date in retrieval.anchors.dates if not is_spoken(date) or _within(times, date).any()]
    return reader.expanded(dated_query_terms(query.text, dates, query.now.tzinfo))


def nearness_floor(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> float:
    """The scope's floor, and at least as near as the query is to nonsense; a floor by parameter stands alone."""
    floor = reader.dense_floor(params)
    return floor if params.recall_dense_floor is not None else max(floor, retrieval.query.nonsense)


def _cosines(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Scores | None, str]:
    if not params.enable_dense:
        return None, "off"
    if retrieval.query.vector is None:
        return None, "no query vector"
    cosines = reader.cosines(retrieval.query.vector)
    return cosines, "no stored vectors" if cosines is None else "used"


def _anchored(anchors: Anchors, walked: Scores | None, reader: Reader) -> NDArray[np.bool_] | None:
    """Which rows mention a named entity, lie within a named span of days or were walked to; None: nothing is named."""
    if walked is None and not (anchors.entities or anchors.dates):
        return None
    columns = reader.columns
    anchored = np.zeros(len(columns.ids), bool) if walked is None else walked > 0
    for entity in anchors.entities:
        anchored[reader.mentioning(entity.id)] = True
    for span in anchors.dates:
        anchored |= _within(columns.event_time, span)
    return anchored


def _date_match(retrieval: Retrieval, reader: Reader, lexical: Scores) -> Scores:
    """How well the words match a memory of the days that are asked for, 0 to 1, so that days decide where words do not.

    For days that are told by their distance from now it is the share s of the best match, or 1 where nothing matches;
    the words of other dates are in s already: there it is .8·(s − .75)/.25, at least 0. Vague dates give 0.
    """
    times = reader.columns.event_time
    matched = np.zeros(len(times))
    spans = [span for span in retrieval.anchors.dates if span.certainty > VAGUE]
    if not spans:
        return matched
    share = _share_of_best(lexical, reader.allowed)
    if not share.any():
        share = np.ones(len(times))
    alike = CALENDAR * np.clip((share - ALIKE) / (1.0 - ALIKE), 0.0, None)
    for span in spans:
        matched = np.maximum(matched, _within(times, span) * (share if is_spoken(span) else alike))
    return matched


def _within(times: Scores, span: DateSpan) -> NDArray[np.bool_]:
    """Which of `times`, in seconds, lie within a span."""
    inside: NDArray[np.bool_] = (times >= span.start.timestamp()) & (times < span.end.timestamp())
    return inside


def _share_of_best(values: Scores, visible: NDArray[np.bool_] | None) -> Scores:
    """x/max over the visible rows: min-max with 0, the score of a memory without the terms, as the least."""
    seen = values if visible is None else values[visible]
    high = float(seen.max()) if len(seen) else 0.0
    return np.minimum(values, high) / high if high > 0 else np.zeros(len(values))


def _reciprocal_ranks(values: Scores, present: NDArray[np.bool_], constant: float) -> Scores:
    """1/(k + rank); equal values share the better rank, so that the order of insertion decides nothing."""
    ranks = np.zeros(len(values))
    ordered = np.sort(-values[present])
    ranks[present] = 1.0 / (constant + 1.0 + np.searchsorted(ordered, -values[present], side="left"))
    return ranks
