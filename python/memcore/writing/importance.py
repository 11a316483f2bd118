"""How important a memory is when nobody says: a rule that needs no model."""

from __future__ import annotations

import re
from string import digits
from typing import TYPE_CHECKING

from memcore.writing.evidence import UNTRUSTED
from memcore.writing.small_talk import is_small_talk

if TYPE_CHECKING:
    from memcore.writing.proposal import Proposal

__all__ = ["ORDINARY", "has_date", "has_number", "importance_of", "ordinary_importance"]

ORDINARY = 5.0
"""The importance of a text of which nothing more is known."""
SPECIFIC = 1.0
SMALL_TALK = 2.0

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_DATE = re.compile(
    rf"\b(?:{_MONTHS})\b|\b(?i:{_WEEKDAYS}|today|tonight|yesterday|tomorrow)\b"
    r"|[今昨明前后][天日晚早年]|(?:周|星期|礼拜)[一二三四五六日天末]|[上下本这][周月]|去年|[一二三四五六七八九十]+月"
)
_MONTH = re.compile(_MONTHS)
_DIGIT = re.compile(r"\d")
_CHINESE_NUMBER = re.compile(
    r"[零一二两三四五六七八九十百千万亿]{2,}|[二两三四五六七八九十百千万][年日号点天岁元块个次人位公只本台]"
)


def has_number(content: str) -> bool:
    """Whether a number is written in `content`, in digits or in Chinese numerals."""
    if content.isascii():
        return any(map(content.__contains__, digits))
    return _DIGIT.search(content) is not None or _CHINESE_NUMBER.search(content) is not None


def has_date(content: str) -> bool:
    """Whether `content` names a month, a weekday or a day seen from today, in English or Chinese."""
    if content.isascii():
        folded = content.lower()
        if not ("day" in folded or "tonight" in folded or "tomorrow" in folded or _MONTH.search(content)):
            return False  # at once: each of the dates that ASCII can write has one of these
    return _DATE.search(content) is not None


def ordinary_importance(content: str, has_entity: bool) -> float:
    """The importance, from 0 to 10, of a text whose caller gives none.

    5, + 1 where it has a declared entity, a number or a date, − 2 where it is small talk.
    """
    specific = has_entity or has_number(content) or has_date(content)
    return ORDINARY + SPECIFIC * specific - SMALL_TALK * is_small_talk(content)


def importance_of(proposal: Proposal) -> float:
    """The importance of a proposal; the rule is the most that a tool, the web or a job can give."""
    importance = proposal.importance
    if importance is not None and proposal.origin not in UNTRUSTED:
        return importance
    ordinary = ordinary_importance(proposal.content, bool(proposal.entities))
    return ordinary if importance is None else min(importance, ordinary)
