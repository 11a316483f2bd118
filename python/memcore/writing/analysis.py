"""What of a memory can be found by words: its speaker, its date in words, and its content.

Of the date only what tells one day from another is indexed: 年, 月, 日 and 星期 by themselves stand in every date, and
a question that has one of them would match every memory.
"""

from datetime import datetime

from memcore._core import tokenize
from memcore.dates import date_words
from memcore.writing.names import speaker_entity

__all__ = ["token_stream"]

_IN_EVERY_DATE = frozenset(("年", "月", "日", "周", "星期"))


def token_stream(content: str, *, speaker: str | None, event_time: datetime) -> str:
    """The tokens of the indexed text joined with one space, as they are stored beside the content."""
    entity = speaker_entity(speaker)
    date = [token for token in tokenize(date_words(event_time, content)) if token not in _IN_EVERY_DATE]
    return " ".join([*tokenize("" if entity is None else entity.name), *date, *tokenize(content)])
