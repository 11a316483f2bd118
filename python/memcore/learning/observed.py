"""A search as it is noted in passing, and what is kept of it.

In the call itself only what would go with it is copied: some numbers of the first candidates. The rest is made when the
trace is written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memcore.storage.search_traces import NewTrace, NewTraced, signals_text
from memcore.storage.trace_reading import filters_text
from memcore.storage.trace_zones import zone_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.retrieval import Retrieval
    from memcore.searching.request import SearchRequest
    from memcore.searching.result import SearchResult
    from memcore.settings import Settings

__all__ = ["MOST_OF_A_POOL", "Observed", "observed", "pool_bound"]

MOST_OF_A_POOL = 300
"""Candidates of a trace at most; those of the answer are kept beside them, whatever place they have."""


@dataclass(slots=True)
class Observed:
    """A search that `waits` to be written. Until it is, `trace_id` is None.

    `skipped`: it was not to be kept; `lost`: it could not be. `entered` and `fill_ups` grow with each block that is
    made of the answer.
    """

    request: SearchRequest
    filters: str | None
    recorded_at: datetime
    revision: int
    space_id: int | None
    params: RetrievalParams
    scope_size: int
    pool_size: int
    took: Mapping[str, float]
    places: NDArray[np.int64]
    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    signals: Mapping[str, NDArray[np.float64]]
    picks: tuple[int, ...]
    answer: tuple[int, ...]
    entered: set[int] = field(default_factory=set)
    fill_ups: set[int] = field(default_factory=set)
    trace_id: int | None = None
    waits: bool = False
    skipped: bool = False
    lost: bool = False

    def new_trace(self, settings: Settings) -> NewTrace:
        """What is kept of it."""
        request = self.request
        return NewTrace(
            agent_id=request.scope.agent_id,
            user_ids=request.scope.user_ids,
            session_id=request.scope.session_id,
            query=request.query,
            recorded_at=self.recorded_at,
            present=request.now,
            asked_at=request.asked_at,
            as_of=request.as_of,
            known_at=request.known_at,
            filters=self.filters,
            given_vector=None if request.embedding is None else request.embedding.astype("<f4").tobytes(),
            setup=_setup(request, self.params, settings),
            revision=self.revision,
            space_id=self.space_id,
            scope_size=self.scope_size,
            pool_size=self.pool_size,
            took=self.took,
            memories=self._memories(),
        )

    def _memories(self) -> tuple[NewTraced, ...]:
        picks = {number: place for place, number in enumerate(self.picks)}
        answer = {number: place for place, number in enumerate(self.answer)}
        columns = {name: column.tolist() for name, column in self.signals.items()}
        return tuple(
            NewTraced(
                id=number,
                place=place,
                score=score,
                pick=picks.get(number),
                answer=answer.get(number),
                signals=signals_text({name: of[row] for name, of in columns.items() if of[row] != 0.0}),
            )
            for row, (place, number, score) in enumerate(self.candidates())
        )

    def candidates(self) -> tuple[tuple[int, int, float], ...]:
        """The place, the id and the score of each candidate that is kept, best first."""
        return tuple(zip(self.places.tolist(), self.ids.tolist(), self.scores.tolist(), strict=True))


def observed(request: SearchRequest, result: SearchResult, recorded_at: datetime) -> Observed:
    """What is noted of a search: its first candidates, and those of the answer that have a place behind them.

    Raises:
        InvalidInputError: its filters hold something that cannot be kept.
    """
    trace = result.trace
    retrieval = trace.retrieval
    places = _kept_places(retrieval, pool_bound(request.limit, trace.params))
    kept = retrieval.order[places]
    return Observed(
        request=request,
        filters=filters_text(request.filters),
        recorded_at=recorded_at,
        revision=trace.revision,
        space_id=trace.space_id,
        params=trace.params,
        scope_size=trace.scope_size,
        pool_size=len(retrieval.order),
        took={step.name: step.milliseconds for step in trace.steps if step.enabled},
        places=places,
        ids=trace.ids[kept],
        scores=retrieval.scores[kept],
        signals={name: column[kept] for name, column in retrieval.pool.signals.items()},
        picks=trace.pick_order,
        answer=tuple(hit.id for hit in result),
    )


def pool_bound(limit: int, params: RetrievalParams) -> int:
    """How many of the first candidates are kept: those that diversity chose from, up to `MOST_OF_A_POOL`."""
    return min(limit * params.dpp_candidate_multiplier, MOST_OF_A_POOL)


def _kept_places(retrieval: Retrieval, bound: int) -> NDArray[np.int64]:
    """The places, ascending, of the first candidates, and of those behind them that diversity picked."""
    order = retrieval.order
    if len(order) <= bound:
        return np.arange(len(order))
    behind = bound + np.flatnonzero(np.isin(order[bound:], retrieval.picked))
    return np.concatenate([np.arange(bound), behind])


def _setup(request: SearchRequest, params: RetrievalParams, settings: Settings) -> str:
    """All of a search that is no word of anybody, as JSON."""
    zone, kept = zone_text(request.asked_at)
    document: dict[str, object] = {
        "limit": request.limit,
        "kinds": None if request.kinds is None else sorted(request.kinds),
        "channel": request.channel,
        "include_dormant": request.include_dormant,
        "zone": zone,
        "layers": sorted(settings.layers),
        "retention_days": {str(kind): days for kind, days in sorted(settings.retention_days.items())},
        "params": params.model_dump(mode="json"),
    }
    if not kept:
        document["zone_kept"] = False
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
