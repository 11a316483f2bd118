"""English words before a date that move or narrow it: the week before, the first week of, early."""

import re
from dataclasses import replace
from datetime import timedelta

from memcore.dates.counts import FEW, Count, stepped, whole
from memcore.dates.english_counts import JOIN, NUMBER, START, joined_count
from memcore.dates.english_relative import WEEKDAY, weekday_number
from memcore.dates.periods import VAGUE, Calendar, Period
from memcore.dates.rules import Words

__all__ = ["REACH", "refined"]

REACH = 40
"""How many characters before a date are looked at."""

_FLAGS = re.IGNORECASE | re.ASCII
_THE = r"\s(?:the\s)?$"
_MOVED = re.compile(
    START
    + r"(?:the\s|last\s)?(?:(?:(?P<first>"
    + NUMBER
    + r")"
    + JOIN
    + r")?(?P<number>"
    + NUMBER
    + r")\s)?(?:(?P<unit>day|week|weekend|fortnight|month|quarter|year)s?|(?P<weekday>"
    + WEEKDAY
    + r"))\s(?P<side>before|after|prior\sto|following)"
    + _THE,
    _FLAGS,
)
_AROUND = re.compile(r"\b(?:the\s)?(?P<unit>week|weekend)\sof" + _THE, _FLAGS)
_NTH = re.compile(
    r"\b(?:the\s)?(?P<nth>first|(?:second|next)[\s-]to[\s-]last|penultimate|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))"
    r"\s(?:(?P<unit>day|week|weekend|half)|(?P<weekday>" + WEEKDAY + r"))\s(?:of|in)" + _THE,
    _FLAGS,
)
_THIRD = re.compile(
    r"\b(?:the\s)?(?:(?P<early>early)|(?P<middle>mid)|late)[\s-](?:(?:of|in)\s)?(?:the\s)?$"
    r"|\b(?:the\s(?:very\s)?)?(?:(?P<start>beginning|start)|(?P<core>middle)|end)\sof\s(?:the\s)?$",
    _FLAGS,
)
_SEVERAL = re.compile(r"\b(?:first|second|third|fourth|fifth|[1-5](?:st|nd|rd|th))\s$", _FLAGS)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4}


def _moved(match: Words, period: Period, calendar: Calendar) -> Period | None:
    if match["weekday"] and _SEVERAL.search(match.string, 0, match.start("weekday")):
        return None
    after = match["side"].lower() in {"after", "following"}
    edge = period.end - timedelta(days=1) if after else period.start
    if match["weekday"]:
        weekday = weekday_number(match["weekday"])
        return period.moved_to(calendar.neighbouring_weekday(weekday, after=after, day=edge))
    unit, count = match["unit"].lower(), joined_count(match["number"] or "one", match["first"])
    count, sign = count or Count(*FEW.get(unit, (2, 4))), 1 if after else -1
    number = int(count.most)
    if unit == "year" and period.grain == "year" and count.least == count.most == number:
        return period.moved_to(calendar.year(period.start.year + sign * number))
    if unit == "weekend":
        return period.moved_to(calendar.weekend(sign * number, edge))
    if match["number"] is None:
        border = period.end if after else period.start
        other = calendar.stepped(border, sign, unit)
        return replace(
            period, start=min(border, other), end=max(border, other), grain="day" if unit == "day" else "range"
        )
    ends = [stepped(calendar, edge, sign * amount, unit) for amount in (count.least, count.most)]
    reach = timedelta(days={"day": 0, "week": 3, "fortnight": 3, "month": 15, "quarter": 45, "year": 90}[unit])
    exact = whole(count) is not None
    return replace(
        period,
        start=min(ends) - reach,
        end=max(ends) + reach + timedelta(days=1),
        grain="day" if unit == "day" and exact else "range",
        certainty=period.certainty if exact else min(period.certainty, VAGUE),
    )


def _nth(match: Words, period: Period) -> Period | None:
    """The nth seven days of the period, its nth weekend, or its nth half."""
    word = match["nth"].lower()
    if word == "penultimate" or word.endswith("last"):
        index = -1 if word == "last" else -2
    else:
        index = int(word[0]) - 1 if word[0].isdecimal() else _ORDINALS[word]
    if match["weekday"]:
        return period.nth_weekday(weekday_number(match["weekday"]), index)
    unit = match["unit"].lower()
    if index < -1:
        return None
    if unit == "half":
        return period.half(1 if index else 0)
    if unit == "day":
        return period.nth_day(index)
    return period.nth_week(index) if unit == "week" else period.nth_weekend(index)


def refined(before: str, period: Period, calendar: Calendar) -> tuple[Period, int] | None:
    """The period that the words at the end of `before` make of `period`, and how many characters they take."""
    long = period.grain in {"month", "quarter", "season", "year", "week", "range"}
    if match := _MOVED.search(before):
        found = _moved(match, period, calendar)
    elif period.grain == "day" and (match := _AROUND.search(before)):
        pick = calendar.week if match["unit"].lower() == "week" else calendar.weekend
        found = period.moved_to(pick(0, period.start))
    elif long and (match := _NTH.search(before)):
        found = _nth(match, period)
    elif long and (match := _THIRD.search(before)):
        found = period.third(0 if match["early"] or match["start"] else 1 if match["middle"] or match["core"] else 2)
    else:
        return None
    if found is None or found.start >= found.end:
        return None
    return found, len(before) - match.start()
