"""Why a candidate has its score: the score as a tree, by the functions that ranked it, and in plain words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.kinds import RankForm
from memcore.pipeline import rank, recall
from memcore.pipeline.retrieval import Pool

if TYPE_CHECKING:
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Explanation", "Term", "explained"]


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a score: a signal, its value, its weight, and what it adds."""

    name: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score taken apart: score = max(Σ contributions of the terms, 0) · multiplier.

    `factors` are what the multiplier is made of, from which value each: in the form `blend` it is 1 + Σ their
    contributions, in every other form the product of their contributions, which are their weights there.
    """

    id: int
    form: str
    score: float
    rank: int
    terms: tuple[Term, ...]
    multiplier: float
    reasons: tuple[str, ...]
    matched: str = ""
    """What of it matches the query: `words`, `meaning`, `words and meaning`, or nothing."""
    factors: tuple[Term, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values."""
        return asdict(self)


_LEAST_SHARE = 0.005  # of the relevance; what is less is no reason
_WORDS = {
    "graph": "memories linked to it, or the turns around it, match",
    "pagerank": "it is well connected to what matches",
    "session": "its conversation holds other matches",
    "date": "it lies in the time that the query names",
    "date_match": "of that time, it matches the words",
    "speaker": "it was said by someone the query names, or is about them",
    "cooccurrence": "it mentions what often comes together with the query's subject",
    "expansion": "it shares telling words with the best matches",
    "question": "it asks instead of answering",
    "answer": "it has what the query asks for: a name, a title or a number",
    "length": "it says more than most",
    "window": "the turns around it have words of the query",
    "residual": "it answers a part of the query that the main matches leave out",
    "cosine": "its meaning matches the query",
    "lexical": "its words match the query",
    "recency": "it is recent",
}
_BY_NAME = "it mentions what the query names, or is linked to it"


def explained(retrieval: Retrieval, reader: Reader, params: RetrievalParams, position: int, place: int) -> Explanation:
    """The score of the candidate at a position of the pool as a tree, by the functions that ranked it."""
    pool, columns = retrieval.pool, reader.columns
    row = pool.rows[position : position + 1]
    importance = columns.importance[row].astype(float)
    identity = int(columns.ids[row[0]])
    score = float(retrieval.scores[position])
    if params.rank_form is not RankForm.BLEND:
        return _published(retrieval, reader, params, position, place)
    terms = tuple(
        Term(name, value, weight, weight * value)
        for name, weight in rank.weights(params, asks_when=retrieval.anchors.asks_when).items()
        if (value := float(pool.signal(name)[position])) != 0.0 and weight != 0.0
    )
    lives = (importance, columns.access_count[row], pool.signal("retention")[position : position + 1])
    factor = float(rank.multiplier(*lives, params)[0])
    lifting = sorted((term for term in terms if term.contribution > 0), key=lambda term: -term.contribution)
    matched = _matched(retrieval, reader, params, int(row[0]))
    words = {**_WORDS, "relevance": _in_words(matched)}
    reasons = tuple(words[term.name] for term in lifting)
    return Explanation(
        identity, str(params.rank_form), score, place, terms, factor, reasons, matched, _factors(lives, params)
    )


def _matched(retrieval: Retrieval, reader: Reader, params: RetrievalParams, row: int) -> str:
    """Whether the words, the meaning or both made the relevance of a row."""
    lexical, cosines = retrieval.channels.get("lexical"), retrieval.channels.get("vector")
    parts = ["words"] if lexical is not None and lexical[row] > 0 else []
    if lexical is not None and cosines is not None and cosines[row] > 0:
        present = np.where(cosines == 0.0, np.nan, cosines)  # a row without a vector has exactly 0
        meaning = recall.fused(np.zeros(len(lexical)), present, reader.allowed, params)[row]
        if meaning >= _LEAST_SHARE:
            parts.append("meaning")
    return " and ".join(parts)


def _in_words(matched: str) -> str:
    subject = f"its {matched}" if matched else "its text"
    return f"{subject} {'matches' if matched in ('', 'meaning') else 'match'} the query"


def _factors(lives: tuple[Any, Any, Any], params: RetrievalParams) -> tuple[Term, ...]:
    """The parts of the multiplier of one candidate: importance (0 to 10), uses, and retention (0 to 1)."""
    span = params.blend_multiplier_cap - 1.0
    values = dict(zip(("importance", "use", "retention"), lives, strict=True))
    return tuple(
        Term(
            name,
            value := float(values[name][0]),
            span * float(part[0]) / value if value else 0.0,
            span * float(part[0]),
        )
        for name, part in rank.factors(*lives, params).items()
    )


def _published(retrieval: Retrieval, reader: Reader, params: RetrievalParams, position: int, place: int) -> Explanation:
    """The tree of one candidate in a form of `forms`; only candidates with a score above 0 are explained."""
    pool, row = retrieval.pool, int(retrieval.pool.rows[position])
    alone = Pool(
        pool.rows[position : position + 1],
        {name: values[position : position + 1] for name, values in pool.signals.items()},
    )
    tree = rank.tree(alone, reader, retrieval.query.moment, params)
    terms = tuple(
        Term(name, value := float(part.value[0]), weight, weight * value)
        for name, part in tree.summands.items()
        if (weight := float(part.weight[0])) != 0.0 and part.value[0] != 0.0
    )
    factors = tuple(
        Term(name, float(part.value[0]), times := float(part.times[0]), times) for name, part in tree.factors.items()
    )
    matched = _matched(retrieval, reader, params, row)
    if params.rank_form is RankForm.PEROCORE:
        matched = "meaning" if "vector" in pool.signals else "words"
    text = _in_words(matched)
    words = {**_WORDS, "relevance": text, "vector": text, "rrf": text if matched else _BY_NAME}
    lifting = sorted((term for term in terms if term.contribution > 0), key=lambda term: -term.contribution)
    return Explanation(
        int(reader.columns.ids[row]),
        str(params.rank_form),
        float(retrieval.scores[position]),
        place,
        terms,
        float(tree.multipliers()[0]),
        tuple(words[term.name] for term in lifting),
        matched,
        factors,
    )
