"""What a search gives back: hits, the trace, and ways to ask why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from memcore.errors import InvalidInputError, NotFoundError, shown
from memcore.kinds import Confidence
from memcore.pipeline import confidence, explanation, reconstruct, trace
from memcore.pipeline.retrieval import Query, Retrieval
from memcore.records import checked_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.records import Conflict

__all__ = ["Evidence", "Hit", "SearchResult", "WhyNot", "nothing"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that was found. `signals` holds what spoke for it; `SearchResult.explain` says how it adds up."""

    id: int
    content: str
    kind: str
    score: float
    user_id: str | None
    session_id: str | None
    speaker: str | None
    event_time: datetime
    importance: float
    metadata: Mapping[str, Any]
    source_ref: str | None
    signals: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The hit as plain values."""
        return {**asdict(self), "kind": str(self.kind), "event_time": self.event_time.isoformat()}


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a memory is not among the hits: one word, and the same in plain words. `returned` when it is among them."""

    id: int
    reason: str
    detail: str
    rank: int | None = None
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the answer was made from, kept to explain it."""

    retrieval: Retrieval
    reader: Reader
    params: RetrievalParams
    neighbours: Callable[[Sequence[int]], Mapping[int, reconstruct.Line]]
    lines: Callable[[], tuple[reconstruct.Line, ...]]
    sure: confidence.Evidence
    against: Mapping[int, tuple[reconstruct.Line, ...]]
    missing: Callable[[int], WhyNot]


class SearchResult(Sequence[Hit]):
    """The hits, best first. `trace` tells how they were found.

    `conflicts` are the open contradictions that a hit is one side of, where the search could see both sides.
    """

    def __init__(
        self,
        hits: Sequence[Hit],
        trace: trace.Trace,
        evidence: Evidence | None = None,
        conflicts: tuple[Conflict, ...] = (),
    ) -> None:
        self._hits = tuple(hits)
        self._evidence = evidence
        self._told: Callable[[reconstruct.Block], None] | None = None
        self.trace = trace
        self.conflicts = conflicts

    @cached_property
    def sureness(self) -> confidence.Sureness:
        """How probable it is that something of what was asked is among the hits, with the word for it."""
        if self._evidence is None or not self._hits:
            return confidence.Sureness(0.0, Confidence.NONE, confidence.Evidence(None, None))
        return confidence.sureness(self._evidence.sure, self._evidence.params)

    @property
    def confidence(self) -> Confidence:
        """How sure the search is that what was asked is among the hits: `none`, `low` or `good`."""
        return self.sureness.confidence

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __repr__(self) -> str:
        return f"SearchResult({len(self._hits)} hits)"

    def block(self, *, max_chars: int | None = None, max_tokens: int | None = None) -> reconstruct.Block:
        """The context block with the ids of the hits that stand in it; see `context`."""
        budget = None if max_chars is None else checked_budget("max_chars", max_chars)
        if max_tokens is not None:
            if max_chars is not None:
                raise InvalidInputError("max_tokens: not accepted beside max_chars; give one of them")
            budget = checked_budget("max_tokens", max_tokens)
        if self._evidence is None:
            return reconstruct.Block("", ())
        lines, against = self._evidence.lines(), self._evidence.against
        around = self._evidence.neighbours([line.id for line in lines])
        measure = reconstruct.characters if max_tokens is None else reconstruct.tokens
        if budget is None:
            budget = self._evidence.params.context_max_chars
        made = reconstruct.block(lines, around, against, budget=budget, measure=measure)
        if self._told is not None:
            self._told(made)
        return made

    def tell(self, told: Callable[[reconstruct.Block], None]) -> None:
        """Lets `told` know of each block that is made of the hits from now on."""
        self._told = told

    def context(self, max_chars: int | None = None, *, max_tokens: int | None = None) -> str:
        """The hits as one block for a prompt, framed as evidence; empty when nothing was found or nothing fits.

        What contradicts a hit stands beside it, also where it was no hit itself, and both are marked.
        At most `max_chars` characters (by default the parameter `context_max_chars`, 600), or at most `max_tokens`
        tokens by an upper estimate: one for each wide character, one for each three others.

        Raises:
            InvalidInputError: a budget is no integer of at least 1, or both are given.
        """
        return self.block(max_chars=max_chars, max_tokens=max_tokens).text

    def explain(self, hit: Hit | int) -> explanation.Explanation:
        """The score of a hit (or of a candidate's id) taken apart, by the functions that made it.

        Raises:
            InvalidInputError: `hit` is neither a hit nor an id.
            NotFoundError: it was no candidate of this search; `why_not` tells why.
        """
        wanted = hit.id if isinstance(hit, Hit) else checked_id("hit", hit)
        if self._evidence is not None:
            retrieval, reader = self._evidence.retrieval, self._evidence.reader
            ids = reader.columns.ids[retrieval.pool.rows[retrieval.order]].tolist()
            if wanted in ids:
                place = ids.index(wanted)
                position = int(retrieval.order[place])
                return explanation.explained(retrieval, reader, self._evidence.params, position, place + 1)
        raise NotFoundError(f"hit: {wanted} was no candidate of this search; why_not({wanted}) tells why")

    def why_not(self, id: int) -> WhyNot:
        """What kept a memory out of the hits.

        Raises:
            InvalidInputError: `id` is no id.
            NotFoundError: there is no such memory in the scope's agent and users.
        """
        wanted = checked_id("id", id)
        if self._evidence is None:
            raise NotFoundError(f"id: {wanted} cannot be looked for; the search failed, see the log")
        return self._evidence.missing(wanted)


def checked_budget(field: str, value: object) -> int:
    """`value` as the most characters, or tokens, of a block.

    Raises:
        InvalidInputError: it is no integer of at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInputError(f"{field}: {shown(value)} is not accepted; give an integer of at least 1")
    return value


def nothing(agent_id: str, now: datetime, params: RetrievalParams, problem: Exception) -> SearchResult:
    """An empty answer that names the problem in its trace."""
    empty = trace.Trace(
        query="",
        now=now,
        revision=0,
        agent_id=agent_id,
        user_ids=(),
        session_id=None,
        scope_size=0,
        params=params,
        steps=(),
        retrieval=Retrieval(Query("", 0, now)),
        ids=np.empty(0, np.int64),
        problems=(f"{type(problem).__name__}: {problem}",),
    )
    return SearchResult((), empty)
