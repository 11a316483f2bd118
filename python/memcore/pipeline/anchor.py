"""Step 1, anchors: the entities, speakers and days that the query names.

An entity is named when its name or an alias stands in the query, the longest match winning. Days are read against
`now`, or against the newest event that the search may see where that is over thirty days older: a conversation that
ended last year is asked about in its own time. Where nothing happened on the days that this gives, and something did on
those that count from `now`, the latter are meant: "two years ago" of a conversation that ended two years ago.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memcore.dates import asks_when, query_dates
from memcore.pipeline.dialogue import asked_now
from memcore.pipeline.retrieval import Anchors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memcore.dates import DateSpan
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Facts", "run"]

STALE = timedelta(days=30)
EARLIEST = datetime(1000, 1, 1, tzinfo=UTC)  # a row written by hand may hold any number


@dataclass(frozen=True, slots=True)
class Facts:
    """What the query names, in words."""

    entities: tuple[str, ...]
    dates: tuple[str, ...]
    clock: datetime


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with its anchors."""
    del params
    query = retrieval.query
    entities = reader.named_in(query.text)
    now_said = asked_now(query.text)
    clock, dates = _dates(now_said, query.now, reader)
    anchors = Anchors(
        entities=entities,
        speakers=reader.speaker_codes([entity.id for entity in entities]),
        dates=dates,
        clock=clock,
        asks_when=asks_when(now_said),
    )
    spans = tuple(f"{span.start.isoformat()}/{span.end.isoformat()}" for span in dates)
    return retrieval.but(anchors=anchors), Facts(tuple(entity.name for entity in entities), spans, clock)


def _dates(text: str, now: datetime, reader: Reader) -> tuple[datetime, tuple[DateSpan, ...]]:
    """The moment that the days of `text` count from, and these days."""
    clock = _clock(reader.newest(), now)
    dates = query_dates(text, clock)
    if clock is not now and dates:
        times = reader.columns.event_time
        times = times if reader.allowed is None else times[reader.allowed]
        if not _happened(times, dates):
            from_now = query_dates(text, now)
            if _happened(times, from_now):
                return now, from_now
    return clock, dates


def _happened(times: NDArray[np.float64], dates: tuple[DateSpan, ...]) -> bool:
    """Whether any of `times`, in seconds, lies in one of the spans."""
    return any(((times >= span.start.timestamp()) & (times < span.end.timestamp())).any() for span in dates)


def _clock(newest: float | None, now: datetime) -> datetime:
    if newest is None:
        return now
    if now.timestamp() - newest <= STALE.total_seconds():
        return now
    return datetime.fromtimestamp(max(newest, EARLIEST.timestamp()), UTC).astimezone(now.tzinfo)
