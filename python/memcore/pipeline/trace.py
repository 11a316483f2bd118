"""What a search leaves behind: per step time, counts and facts; per candidate every signal; and the score as a tree."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.kinds import RankForm
from memcore.pipeline import rank, recall

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Explanation", "StepRecord", "Term", "Trace", "explained"]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of one search. A step that is off has no facts."""

    name: str
    enabled: bool
    milliseconds: float = 0.0
    candidates_before: int = 0
    candidates_after: int = 0
    facts: object = None

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Trace:
    """How one search went: what was asked, in which scope, what each step did, and every candidate with its signals."""

    query: str
    now: datetime
    revision: int
    agent_id: str
    user_ids: tuple[str, ...]
    session_id: str | None
    scope_size: int
    params: RetrievalParams
    steps: tuple[StepRecord, ...]
    retrieval: Retrieval = field(repr=False)
    ids: NDArray[np.int64] = field(repr=False)
    """The id of each position of the pool."""
    problems: tuple[str, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    channel: str | None = None
    include_dormant: bool = False
    hidden: Mapping[str, int] = field(default_factory=dict)
    """How many memories of the scope the search could not see, by the reason; `blocked` counts those of the channel."""

    space_id: int | None = None
    """The embedding space that was searched; None where no vectors were compared."""

    @property
    def blocked(self) -> int:
        """How many memories were hidden because they were heard in a direct talk and the search is made in a group."""
        return self.hidden.get("channel", 0)

    def step(self, name: str) -> StepRecord:
        """The record of one step by its name.

        Raises:
            KeyError: there is no step of that name.
        """
        for record in self.steps:
            if record.name == name:
                return record
        raise KeyError(name)

    def signals(self, position: int) -> dict[str, float]:
        """The signals of one candidate that are not 0."""
        values = self.retrieval.pool.signals.items()
        return {name: value for name, column in values if (value := float(column[position])) != 0.0}

    @property
    def candidates(self) -> tuple[dict[str, Any], ...]:
        """Every candidate that scored above 0, best first: id, score, signals."""
        scores = self.retrieval.scores
        return tuple(
            {"id": int(self.ids[position]), "score": float(scores[position]), "signals": self.signals(position)}
            for position in self.retrieval.order.tolist()
        )

    @property
    def pick_order(self) -> tuple[int, ...]:
        """The ids of the answer in the order in which diversity chose them."""
        return tuple(self.ids[self.retrieval.pick_order].tolist())

    def to_dict(self) -> dict[str, Any]:
        """The trace as plain values, moments as text."""
        return {
            "query": self.query,
            "now": self.now.isoformat(),
            "revision": self.revision,
            "scope": {
                "agent_id": self.agent_id,
                "user_ids": list(self.user_ids),
                "session_id": self.session_id,
                "size": self.scope_size,
            },
            "params": self.params.model_dump(mode="json"),
            "steps": [_plain(record.to_dict()) for record in self.steps],
            "candidates": list(self.candidates),
            "pick_order": list(self.pick_order),
            "problems": list(self.problems),
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "known_at": None if self.known_at is None else self.known_at.isoformat(),
            "channel": self.channel,
            "include_dormant": self.include_dormant,
            "hidden": dict(self.hidden),
            "blocked": self.blocked,
        }


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a score: a signal, its value, its weight, and what it adds."""

    name: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score taken apart. In the form `blend`, score = max(Σ contributions, 0) · multiplier.

    `factors` are what the multiplier is made of there: 1 + Σ their contributions, each the weight of its value.
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
    "residual": "it answers a part of the query that the main matches leave out",
}


def explained(retrieval: Retrieval, reader: Reader, params: RetrievalParams, position: int, place: int) -> Explanation:
    """The score of the candidate at a position of the pool as a tree, by the functions that ranked it."""
    pool, columns = retrieval.pool, reader.columns
    row = pool.rows[position : position + 1]
    importance = columns.importance[row].astype(float)
    identity = int(columns.ids[row[0]])
    score = float(retrieval.scores[position])
    if params.rank_form is RankForm.PEROCORE:
        return _perocore(retrieval, position, identity=identity, score=score, place=place)
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


def _perocore(retrieval: Retrieval, position: int, *, identity: int, score: float, place: int) -> Explanation:
    """The score as max(0.7·G + 0.3·V, 0) · multiplier; only candidates with a score above 0 are explained."""
    pool = retrieval.pool
    energy = float(pool.signal("energy")[position])
    vector = float((pool.signal("vector") if "vector" in pool.signals else pool.signal("relevance"))[position])
    terms = (Term("graph", energy, 0.7, 0.7 * energy), Term("vector", vector, 0.3, 0.3 * vector))
    factor = score / (terms[0].contribution + terms[1].contribution)
    matched = "meaning" if "vector" in pool.signals else "words"
    words = zip(terms, (_WORDS["graph"], _in_words(matched)), strict=True)
    strongest = sorted(words, key=lambda one: -one[0].contribution)
    reasons = tuple(word for term, word in strongest if term.contribution > 0)
    return Explanation(identity, "perocore", score, place, terms, factor, reasons, matched)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
