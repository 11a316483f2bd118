"""Replaying recorded searches: which of them find what they found, and what other parameters would have found."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.errors import InvalidInputError, MemcoreError, ParamsError, without_values
from memcore.kinds import Mismatch
from memcore.learning.metrics import compared, mean, scored
from memcore.learning.profiles import changed
from memcore.learning.reasons import Since
from memcore.learning.remembering import remembering
from memcore.learning.rerun import difference, own_params, rerun
from memcore.params import overridden
from memcore.records.replay import ReplayedRound, ReplayReport
from memcore.storage import labels, search_traces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memcore.params import RetrievalParams
    from memcore.records.learning import SearchTrace
    from memcore.records.replay import Comparison, Quality
    from memcore.searching.search import Searcher

__all__ = ["ENTERED", "HELPFUL", "all_traces", "gains_of", "replayed", "weighed"]

ENTERED, HELPFUL = 1.0, 2.0
"""What a memory is worth that stood in a prompt of the search, and one that was called helpful after it."""
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class _Replaying:
    """One replay: the searches are run by `searcher`, on the store as it is."""

    searcher: Searcher
    agent_id: str
    changes: Mapping[str, Any] | RetrievalParams | None
    k: int
    since: Since

    def round(self, trace: SearchTrace, gains: Mapping[int, float]) -> ReplayedRound:
        """One search, run with its own parameters, and with those that are to be tried."""
        try:
            own = own_params(trace)
        except ParamsError as error:
            return ReplayedRound(trace.id, matches=False, reason=Mismatch.PARAMETERS, detail=str(error))
        try:
            found = rerun(self.searcher, self.agent_id, trace, own)
            tried = found
            if self.changes is not None:
                tried = rerun(self.searcher, self.agent_id, trace, overridden(own, self.changes))
        except MemcoreError as error:
            return ReplayedRound(trace.id, matches=False, reason=Mismatch.FAILED, detail=str(without_values(error)))
        place = difference(trace, found)
        reason, detail = (None, "") if place is None else self.since.why(trace, found)
        return ReplayedRound(
            trace_id=trace.id,
            matches=place is None,
            reason=reason,
            detail=detail,
            place=place,
            overlap=_overlap(trace.answer_ids, found.answer),
            before=scored(found.answer, gains, self.k) if gains else None,
            after=scored(tried.answer, gains, self.k) if gains and self.changes is not None else None,
            changed=tried.answer != found.answer,
        )


def replayed(
    searcher: Searcher,
    agent_id: str,
    traces: Sequence[SearchTrace] | None,
    *,
    changes: Mapping[str, Any] | RetrievalParams | None,
    k: int,
    progress: Callable[[int, int], None] | None = None,
) -> ReplayReport:
    """Run recorded searches (None: all of the agent) again, with their own parameters, and with `changes` to them.

    Raises:
        ParamsError: `changes` has an unknown name or a value out of range.
        StorageError: the store cannot be read.
    """
    database = searcher.database
    present = searcher.params.current()
    differing = {} if changes is None else changed(present, overridden(present, changes))
    total, batches = _batches(searcher, agent_id, traces)
    rounds: list[ReplayedRound] = []
    oldest: int | None = None
    kept = remembering(searcher)
    for batch in batches:
        first = min(trace.revision for trace in batch)
        if oldest is None or first < oldest:
            oldest = first
            with database.read() as connection:
                since = Since(connection, agent_id, first, searcher.settings)
        replaying = _Replaying(kept, agent_id, changes, k, since)
        for trace, gains in zip(batch, gains_of(searcher, batch), strict=True):
            rounds.append(replaying.round(trace, gains))
            if progress is not None:
                progress(len(rounds), total)
    return _report(rounds, differing, k, tried=changes is not None)


def _report(rounds: list[ReplayedRound], changes: Mapping[str, Any], k: int, *, tried: bool) -> ReplayReport:
    labelled = [one.before for one in rounds if one.before is not None]
    overlaps = [one.overlap for one in rounds if one.overlap is not None]
    after = [one.after for one in rounds if one.after is not None]
    return ReplayReport(
        rounds=len(rounds),
        matched=sum(one.matches for one in rounds),
        mismatched=dict(sorted(Counter(one.reason for one in rounds if one.reason is not None).items())),
        overlap=math.fsum(overlaps) / len(overlaps) if overlaps else None,
        labelled=len(labelled),
        k=k,
        quality=mean(labelled),
        changes=changes,
        comparison=compared(labelled, after) if tried else None,
        changed=sum(one.changed for one in rounds),
        details=tuple(rounds),
    )


def _overlap(then: Sequence[int], now: Sequence[int]) -> float:
    """The share of an answer that is in another one; of an empty one, whether the other is too."""
    return len(set(then).intersection(now)) / len(then) if then else float(not now)


def weighed(
    searcher: Searcher,
    agent_id: str,
    traces: Sequence[SearchTrace] | None,
    sets: tuple[RetrievalParams, RetrievalParams],
    *,
    k: int,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison | None:
    """How two whole sets of parameters answer recorded searches (None: all of the agent); None where none is labelled.

    Searches that fail by now are left out.

    Raises:
        StorageError: the store cannot be read.
    """
    total, batches = _batches(searcher, agent_id, traces)
    kept = remembering(searcher)
    qualities: tuple[list[Quality], list[Quality]] = ([], [])
    done = 0
    for batch in batches:
        for trace, gains in zip(batch, gains_of(searcher, batch), strict=True):
            done += 1
            if progress is not None:
                progress(done, total)
            if not gains:
                continue
            try:
                answers = [rerun(kept, agent_id, trace, params).answer for params in sets]
            except InvalidInputError:
                continue
            for of_set, answer in zip(qualities, answers, strict=True):
                of_set.append(scored(answer, gains, k))
    return compared(*qualities)


def gains_of(searcher: Searcher, traces: Sequence[SearchTrace]) -> list[dict[int, float]]:
    """What each memory of each search is worth, as far as anything says so; memories that were deleted are left out.

    What entered a prompt, and was no fill-up, is worth something; more, where it was called helpful after the search,
    and nothing where it was called unhelpful or wrong.
    """
    named = {one.id for trace in traces for one in trace.memories if one.entered or one.answer is not None}
    with searcher.database.read() as connection:
        said = labels.labels(connection, named)
    found = []
    for trace in traces:
        gains = dict.fromkeys(trace.entered_ids, ENTERED)
        concerned = {*trace.entered_ids, *trace.answer_ids}
        for label in said:
            if label.memory_id in concerned and label.recorded_at >= trace.recorded_at:
                gains[label.memory_id] = HELPFUL if label.helpful else 0.0
        found.append({memory_id: gain for memory_id, gain in gains.items() if gain > 0})
    return found


def all_traces(searcher: Searcher, agent_id: str, traces: Sequence[SearchTrace] | None) -> list[SearchTrace]:
    """The traces that are given, or all of the agent, oldest first."""
    return [trace for batch in _batches(searcher, agent_id, traces)[1] for trace in batch]


def _batches(
    searcher: Searcher, agent_id: str, traces: Sequence[SearchTrace] | None
) -> tuple[int, Iterator[Sequence[SearchTrace]]]:
    """How many traces there are, and they themselves, some at a time."""
    if traces is not None:
        given = traces
        return len(given), (given[start : start + _AT_ONCE] for start in range(0, len(given), _AT_ONCE))
    with searcher.database.read() as connection:
        ids = search_traces.ids(connection, agent_id)

    def fetched() -> Iterator[Sequence[SearchTrace]]:
        for start in range(0, len(ids), _AT_ONCE):
            with searcher.database.read() as connection:
                batch = search_traces.fetch(connection, agent_id, ids[start : start + _AT_ONCE])
            if batch:
                yield batch

    return len(ids), fetched()
