"""What of a memory can be found by words: its speaker, its date in words, and its content."""

from datetime import datetime

from memcore._core import tokenize
from memcore.dates import date_words
from memcore.writing.names import speaker_entity

__all__ = ["indexed_text", "token_stream"]


def indexed_text(content: str, *, speaker: str | None, event_time: datetime) -> str:
    """Speaker, date words and content, a line each; a speaker that is only a role, such as `user`, is left out."""
    entity = speaker_entity(speaker)
    return "\n".join(([] if entity is None else [entity.name]) + [date_words(event_time, content), content])


def token_stream(content: str, *, speaker: str | None, event_time: datetime) -> str:
    """The tokens of the indexed text joined with one space, as they are stored beside the content."""
    return " ".join(tokenize(indexed_text(content, speaker=speaker, event_time=event_time)))
