"""Running a recorded search again: its moment, its scope, its arguments, and its parameters or others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from memcore.kinds import Channel, Kind
from memcore.learning.observed import observed
from memcore.params import RetrievalParams, overridden
from memcore.scope import Scope
from memcore.searching.request import SearchRequest

if TYPE_CHECKING:
    from memcore.records.learning import SearchTrace
    from memcore.searching.search import Searcher

__all__ = ["Found", "difference", "own_params", "rerun"]

NEAR = 1e-9
"""How far two scores may be apart that count as the same."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search that was run again found: of its pool what is recorded (place, id, score), and its answer."""

    pool: tuple[tuple[int, int, float], ...]
    pool_size: int
    answer: tuple[int, ...]
    picks: tuple[int, ...]
    space_id: int | None


def own_params(trace: SearchTrace) -> RetrievalParams:
    """The parameters that a search was made with; what this version has beside them, at its defaults.

    Raises:
        ParamsError: this version does not know one of them, or not that value.
    """
    return overridden(RetrievalParams(), trace.params)


def rerun(searcher: Searcher, agent_id: str, trace: SearchTrace, params: RetrievalParams) -> Found:
    """What a search finds now, from its own moment.

    Raises:
        MemcoreError: the search is refused by now, or the store cannot be read.
    """
    vector = trace.given_vector
    request = SearchRequest(
        query=trace.query,
        scope=Scope(agent_id, trace.user_ids, trace.session_id),
        limit=trace.limit,
        kinds=None if trace.kinds is None else frozenset(map(Kind, trace.kinds)),
        filters=trace.filters,
        embedding=None if vector is None else np.array(vector, np.float32),
        now=trace.now,
        asked_at=trace.asked_at,
        params=params,  # type: ignore[arg-type]  # a whole set takes the place of the present one
        as_of=trace.as_of,
        known_at=trace.known_at,
        channel=None if trace.channel is None else Channel(trace.channel),
        include_dormant=trace.include_dormant,
    )
    seen = observed(request, searcher.search(request), trace.recorded_at)
    return Found(seen.candidates(), seen.pool_size, seen.answer, seen.picks, seen.space_id)


def difference(trace: SearchTrace, found: Found) -> int | None:
    """The first position of the pool at which a search finds something else than it found; None where it is the same.

    A difference behind the pool, in its size or in the answer made of it, has the position after its last.
    """
    recorded = [(one.place, one.id, one.score) for one in trace.pool if one.place is not None]
    for old, new in zip_longest(recorded, found.pool):
        if old is None or new is None or old[:2] != new[:2] or not _near(old[2], new[2]):
            return min(one[0] for one in (old, new) if one is not None)
    same = (trace.pool_size, trace.answer_ids, trace.pick_order) == (found.pool_size, found.answer, found.picks)
    behind = recorded[-1][0] + 1 if recorded else 0
    return None if same else behind


def _near(old: float | None, new: float) -> bool:
    return old is not None and abs(old - new) <= NEAR
