"""What of a memory can be found by words: its speaker, its date in words, and its content."""

from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from memcore._core import token_stream as stream_of
from memcore.dates import date_terms
from memcore.writing.names import speaker_entity

__all__ = ["calendar_moment", "token_stream"]


def token_stream(content: str, *, speaker: str | None, event_time: datetime, words: str | None = None) -> str:
    """The tokens of the indexed text joined with one space, as they are stored beside the content.

    `words` are those of the content alone, where they are known.
    """
    words = stream_of(content) if words is None else words
    parts = (_speaker_stream(speaker), " ".join(date_terms(event_time, content)), words)
    return " ".join(filter(None, parts))


def calendar_moment(
    tokens: str | None, content: str, *, speaker: str | None, event_time: datetime, zone: tzinfo | None
) -> datetime:
    """A moment of the calendar day that the stored tokens of a text have; in `zone` where they tell none.

    The moment itself is stored in UTC, and its day there may be the one before or after.
    """
    if tokens is not None:
        for days in (0, 1, -1):
            try:
                moment = event_time + timedelta(days=days)
            except OverflowError:
                continue
            if tokens == token_stream(content, speaker=speaker, event_time=moment):
                return moment
    try:
        return event_time.astimezone(zone)
    except OverflowError:
        return event_time


@lru_cache(maxsize=1_024)
def _speaker_stream(speaker: str | None) -> str:
    entity = speaker_entity(speaker)
    return "" if entity is None else stream_of(entity.name)
