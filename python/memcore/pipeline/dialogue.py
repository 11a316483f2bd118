"""What of a long query is asked: of a conversation so far, of a monologue with its question last, several at once."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["asked_now", "last_line", "questions"]

_END = re.compile(r"[。！？!?…]+|\.(?=\s|$)")
_ASKS = re.compile(r"[?？][!！?？…]*$|[!！][?？]+$")
_FEW_SENTENCES = 3
MOST_QUESTIONS = 8
REMEMBERED = 64  # a search asks the same of its query several times


@lru_cache(maxsize=REMEMBERED)
def last_line(text: str) -> str | None:
    """The last line with a word of a text that has several such lines, else None."""
    lines = [line.strip() for line in text.splitlines() if any(character.isalnum() for character in line)]
    return lines[-1] if len(lines) > 1 else None


def asked_now(text: str) -> str:
    """The part of a query that asks for a time: the last line of several, of more than three sentences the last two.

    >>> asked_now("When did we meet?")
    'When did we meet?'
    >>> asked_now("It rained today. I slept badly yesterday. So be it! Well. Who lent me the tent?")
    'Well. Who lent me the tent?'
    """
    line = last_line(text)
    said = text if line is None else line
    sentences = [one for one in _sentences(said) if any(character.isalnum() for character in one)]
    return said if len(sentences) <= _FEW_SENTENCES else "".join(sentences[-2:]).strip()


def questions(text: str) -> tuple[str, ...]:
    """The questions of a text that asks several, the first eight; none of a dialogue, or where it asks one.

    >>> questions("Where did Ana go? And what did she buy there?")
    ('Where did Ana go?', 'And what did she buy there?')
    >>> questions("Where did Ana go?")
    ()
    """
    if last_line(text) is not None:
        return ()
    sentences = (one.strip() for one in _sentences(text))
    asked = tuple(one for one in sentences if _ASKS.search(one) and any(map(str.isalnum, one)))
    return asked[:MOST_QUESTIONS] if len(asked) > 1 else ()


@lru_cache(maxsize=REMEMBERED)
def _sentences(text: str) -> tuple[str, ...]:
    """A text cut behind its sentences; the point of "5.8" is no end."""
    ends = [match.end() for match in _END.finditer(text)]
    return tuple(text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True))
