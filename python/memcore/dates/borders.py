"""Words that open a date to one side: before 2025, until May, after, since, by; 2025年之前, 截至, 之后, 自从."""

import re
from dataclasses import replace
from datetime import date, timedelta

from memcore.dates.periods import VAGUE, Period
from memcore.dates.rules import Found

__all__ = ["bordered"]

_EARLIEST, _LATEST = date(1000, 1, 2), date(8999, 1, 1)
_REACH = 24
_FLAGS = re.IGNORECASE | re.ASCII
_LEADING = re.compile(
    r"\b(?:(?P<before>before|prior\sto|earlier\sthan)|(?P<until>(?:up\s)?until|till?|up\sto|no\slater\sthan|by)"
    r"|(?P<after>after|later\sthan)|(?P<since>since|(?P<onward>from)))\s(?:the\s)?$",
    _FLAGS,
)
_ONWARD = re.compile(r"\s(?:on|onwards?|forward)\b(?!\s[a-z0-9])", _FLAGS)
_CHINESE_LEADING = re.compile(r"(?:(?P<until>截至|截止到?|直到|一直到)|(?P<since>自从|打从|自打)|(?P<from>自|从))$")
_CHINESE_TRAILING = re.compile(
    r"份?(?:(?P<before>之前|以前|前(?![后几半夕面任妻期端两0-9一二三四五六七八九十]))"
    r"|(?P<after>之后|以后|后(?![面来天期半续辈几两0-9一二三四五六七八九十]))"
    r"|(?P<until>为止)|(?P<since>以来|至今|到现在)|(?P<begin>开始|起))"
)


def bordered(text: str, found: list[Found], today: date) -> list[Found]:
    """The dates of a text, each opened to the side that the words next to it say.

    What lies before or after is vague; "until" and "by" hold the date itself; "since" lasts until today.
    """
    return [_opened(text, one, today) for one in found]


def _opened(text: str, one: Found, today: date) -> Found:
    before, after = text[max(0, one.begin - _REACH) : one.begin], text[one.end : one.end + _REACH]
    trailing, leading = _CHINESE_TRAILING.match(after), _CHINESE_LEADING.search(before)
    begin, end = one.begin, one.end
    if trailing and (side := _chinese_side(trailing.lastgroup, None if leading is None else leading.lastgroup)):
        begin = one.begin if leading is None else one.begin - len(leading.group())
        end = one.end + trailing.end()
    elif leading and leading.lastgroup != "from":
        begin, side = one.begin - len(leading.group()), str(leading.lastgroup)
    elif match := _LEADING.search(before):
        side = next(name for name in ("before", "until", "after", "since") if match[name])
        if match["onward"]:
            onward = _ONWARD.match(after)
            if onward is None:
                return one
            end = one.end + onward.end()
        begin = one.begin - len(match.group())
    else:
        return one
    period = _side(one.period, side, today)
    return one if period is None else replace(one, begin=begin, end=end, period=period)


def _chinese_side(trailing: str | None, leading: str | None) -> str | None:
    """之后 behind 自从 says since too; 起 and 开始 say it behind 从 alone."""
    if trailing == "begin":
        return "since" if leading in ("from", "since") else None
    return "since" if trailing == "after" and leading in ("from", "since") else trailing


def _side(period: Period, side: str, today: date) -> Period | None:
    tomorrow = min(today, date.max - timedelta(days=1)) + timedelta(days=1)
    start, end = {
        "before": (_EARLIEST, period.start),
        "until": (_EARLIEST, period.end),
        "after": (period.end, _LATEST),
        "since": (period.start, max(period.end, tomorrow)),
    }[side]
    if start >= end:
        return None
    certainty = period.certainty if side == "since" else VAGUE
    return replace(period, start=start, end=end, grain="range", certainty=certainty, cycle=None)
