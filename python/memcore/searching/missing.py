"""Why a memory is not among the hits of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.errors import shown
from memcore.pipeline.recall import Facts as Recalled
from memcore.records import checked_id
from memcore.searching.hiding import hidden_at_the_time, never_shown
from memcore.searching.result import WhyNot
from memcore.storage import filters, memories
from memcore.writing.reach import Reach, found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from memcore.mirror.visibility import Hidden
    from memcore.pipeline.trace import Trace
    from memcore.searching.request import SearchRequest
    from memcore.searching.result import SearchResult
    from memcore.settings import Settings
    from memcore.storage.as_known import Standing
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["Missing", "fits"]


@dataclass(frozen=True, slots=True)
class Missing:
    """Answers `why_not` for one search, from its trace and the store as it is now."""

    database: Database
    request: SearchRequest
    settings: Settings
    trace: Trace
    returned: frozenset[int]
    known: NDArray[np.int64]
    """The ids of the memories that the scope had."""
    hidden: Hidden
    """Those of them that the search could not see."""
    then: Mapping[int, Standing]
    """How those that stand otherwise today stood at the moment of knowing."""
    allowed: NDArray[np.bool_] | None = None
    """Which of them the search could see; None: all."""
    with_vector: NDArray[np.bool_] | None = None
    """Which of them had a vector; None where the search compared none."""

    def __call__(self, identity: int) -> WhyNot:
        """What kept a memory out.

        Raises:
            InvalidInputError: `identity` is no id.
            NotFoundError: it is no memory of the users of the search, nor a shared one.
        """
        wanted = checked_id("id", identity)
        scope = self.request.scope
        with self.database.read() as connection:
            row = found(connection, Reach(scope.agent_id, scope.user_ids), [wanted], field="id")[0]
            filtered = self._filtered(connection, row)
        if filtered is not None:
            return filtered
        return self._by_rank(wanted)

    def _filtered(self, connection: Connection, row: MemoryRow) -> WhyNot | None:
        request = self.request
        hidden = None if self._was_known(row.id) else never_shown(connection, row, self.settings, request.now)
        hidden = hidden or self._hidden(connection, row)
        if hidden is not None:
            return hidden
        if request.kinds is not None and row.kind not in request.kinds:
            return WhyNot(
                row.id, "kind", f"it is a {row.kind}, and the search asked for {', '.join(sorted(request.kinds))}"
            )
        if request.scope.session_id is not None and row.session_id != request.scope.session_id:
            return WhyNot(
                row.id,
                "session",
                f"it belongs to session {shown(row.session_id)}, not {shown(request.scope.session_id)}",
            )
        if request.filters:
            condition = filters.condition(dict(request.filters))
            ids = memories.matching_ids(connection, request.scope, condition)
            if row.id not in set(ids.tolist()):
                return WhyNot(row.id, "filters", "it does not meet the filters of the search")
        return None

    def _was_known(self, memory_id: int) -> bool:
        """Whether a memory that is out by now was known at the moment that the search looked from."""
        stood = self.then.get(memory_id)
        return stood is not None and stood.known and memory_id in self.known

    def _hidden(self, connection: Connection, row: MemoryRow) -> WhyNot | None:
        """Why the search could not see a memory; None where it could."""
        for place in np.flatnonzero(self.known == row.id).tolist():
            reason = self.hidden.reason(place)
            asked_for_others = reason == "kind" and self.request.kinds is not None
            if reason is not None and not asked_for_others:
                then = self.then.get(row.id)
                return hidden_at_the_time(connection, row, reason, self.request, self.settings, then=then)
        return None

    def _by_rank(self, wanted: int) -> WhyNot:
        trace, limit = self.trace, self.request.limit
        retrieval = trace.retrieval
        if wanted not in self.known:
            return WhyNot(wanted, "later", "it was stored after the search, or repaired since")
        positions = np.flatnonzero(trace.ids == wanted)
        place = np.flatnonzero(retrieval.order == positions[0]) if len(positions) else np.empty(0, np.int64)
        if not len(place) and len(positions):
            detail = f"it was a candidate, and the rank form {trace.params.rank_form} gives it a score of 0"
            return WhyNot(wanted, "no relevance", detail)
        if not len(place):
            return self._no_candidate(wanted)
        rank = int(place[0]) + 1
        score = float(retrieval.scores[positions[0]])
        if wanted in self.returned:
            return WhyNot(wanted, "returned", f"it is a hit, at rank {rank} by score", rank, score)
        if rank <= limit:
            detail = f"it ranks {rank} by score; {limit} were asked for, and diversity preferred others"
            return WhyNot(wanted, "diversity", detail, rank, score)
        return WhyNot(wanted, "rank", f"it ranks {rank} by score, and {limit} were asked for", rank, score)

    def _no_candidate(self, wanted: int) -> WhyNot:
        """Why no step took it up: nothing in it matches, or much else matches better."""
        row = int(np.flatnonzero(self.known == wanted)[0])
        params, retrieval = self.trace.params, self.trace.retrieval
        most = max(params.recall_candidates, params.recall_multiplier * self.request.limit)
        unseen = self.with_vector is not None and not self.with_vector[row]
        waits = "it has no vector yet, which maintain(['embed']) makes"
        for channel, floor in (("lexical", 0.0), ("vector", self._floor())):
            values = retrieval.channels.get(channel)
            if values is None or floor is None or values[row] < floor or (channel, values[row]) == ("lexical", 0.0):
                continue
            if channel == "vector" and unseen:
                continue
            better = values > values[row] if self.allowed is None else (values > values[row]) & self.allowed
            rank = int(better.sum()) + 1
            by = "its words" if channel == "lexical" else "its meaning"
            detail = f"{by} match the query, at rank {rank} of all; {most} go on to be ranked (recall_candidates)"
            return WhyNot(wanted, "candidates", f"{detail}; {waits}" if unseen else detail)
        if self.with_vector is None:
            meaning = "no vector was compared"
        else:
            meaning = waits if unseen else "its meaning is too far"
        detail = f"nothing in it matches the query: no word, no name, no day, no neighbour, and {meaning}"
        return WhyNot(wanted, "no relevance", detail)

    def _floor(self) -> float | None:
        """The least cosine of a candidate by its meaning; None where none was compared."""
        facts = self.trace.step("recall").facts
        return facts.dense_floor if isinstance(facts, Recalled) else None


def fits(result: SearchResult, identity: int) -> WhyNot:
    """`why_not`, and for a hit whether the context block has room for it.

    Raises:
        NotFoundError: it is no memory of the users of the search, nor a shared one.
    """
    answer = result.why_not(identity)
    budget = result.trace.params.context_max_chars
    if answer.reason != "returned" or answer.id in result.block().ids:
        return answer
    detail = f"{answer.detail}; the context block of {budget} characters is full before it"
    return WhyNot(answer.id, "budget", detail, answer.rank, answer.score)
