"""Ranges: two dates that a text joins ("from 3 to 7 May", 5月到7月), the year of one taken from the other."""

import re
from dataclasses import replace
from datetime import date, timedelta

from memcore.dates.periods import Period, add_months
from memcore.dates.rules import Found

__all__ = ["joined"]

_JOINS = re.compile(r"\s?(?:to|through|until|till|-|–|—|到|至|~|～)\s?(?:the\s)?", re.IGNORECASE | re.ASCII)
_AND = re.compile(r"\s(?:and|&)\s(?:the\s)?|和", re.IGNORECASE | re.ASCII)
_BETWEEN = re.compile(r"\bbetween\s(?:the\s)?$", re.IGNORECASE | re.ASCII)
_FARTHEST_JOIN = 12


def joined(text: str, found: list[Found]) -> list[Found]:
    """Two dates with "to" between them, or between "between" and "and", become the range that they bound."""
    ranges: list[Found] = []
    for one in found:
        if ranges and (period := _range(text, ranges[-1], one)) is not None:
            ranges[-1] = replace(ranges[-1], end=one.end, period=period)
        else:
            ranges.append(one)
    return ranges


def _range(text: str, first: Found, last: Found) -> Period | None:
    middle = text[first.end : last.begin]
    if len(middle) > _FARTHEST_JOIN:
        return None
    before = text[max(0, first.begin - _FARTHEST_JOIN) : first.begin]
    if not (_JOINS.fullmatch(middle) or (_AND.fullmatch(middle) and _BETWEEN.search(before))):
        return None
    start, end = first.period, last.period
    try:
        if start.cycle and not end.cycle:
            start = _nearest(start, end.start, after=False)
        elif end.cycle:
            end = _nearest(end, start.start, after=True)
    except (ValueError, OverflowError):
        return None
    if start.start >= end.end:
        return None
    return Period(start.start, end.end, "range", min(start.certainty, end.certainty), start.cycle)


def _nearest(period: Period, day: date, *, after: bool) -> Period:
    """The recurrence of `period` (next year's, next month's, next week's) that is nearest to `day` on that side."""
    if period.cycle == "week":
        away = (period.start - day).days % 7
        return _starting(period, day + timedelta(days=away if after or away == 0 else away - 7))
    step = 12 if period.cycle == "year" else 1
    years, months = day.year - period.start.year, day.month - period.start.month
    moved = add_months(period.start, 12 * years + (0 if step == 12 else months))
    if after and moved < day:
        moved = add_months(moved, step)
    if not after and moved > day:
        moved = add_months(moved, -step)
    return _starting(period, moved)


def _starting(period: Period, start: date) -> Period:
    if period.start.day == 1 and period.grain in {"month", "quarter", "season"}:
        return replace(period, start=start, end=add_months(start, 1 if period.grain == "month" else 3))
    return replace(period, start=start, end=start + (period.end - period.start))
