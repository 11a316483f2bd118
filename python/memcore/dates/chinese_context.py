"""Chinese words after a date that move or narrow it: 五月初, 5月3日前一天, 六月的第一周, 去年下半年."""

import re
from dataclasses import replace
from datetime import timedelta

from memcore.dates.chinese import DIGITS, number_of
from memcore.dates.chinese_counts import COUNT
from memcore.dates.chinese_relative import UNIT, counted_of, weekday_number
from memcore.dates.counts import FEW, Count, stepped, whole
from memcore.dates.periods import VAGUE, Calendar, Grain, Period
from memcore.dates.rules import Words

__all__ = ["REACH", "refined"]

REACH = 12
"""How many characters after a date are looked at."""

_MONTH_THIRD = re.compile(
    r"的?月?(?:(?P<early>上旬|初(?![中次步恋级"
    + DIGITS
    + r"]))|(?P<middle>中旬|中(?![国学午考心文秋间]))|(?P<late>下旬|底(?![下部片层])|末))"
)
_YEAR_THIRD = re.compile(
    r"的?年?(?:(?P<early>初(?![中次步恋级]))|(?P<middle>中(?![国学午考心文秋间]))|(?P<late>底(?![下部片层])|末))"
)
_QUARTER_THIRD = re.compile(r"的?(?:(?P<early>初)|(?P<middle>中(?![国学午考心文秋间]))|(?P<late>底|末))")
_HALF = re.compile(r"的?(?P<which>[上下])半年")
_NTH = re.compile(
    r"的?(?:第(?P<nth>[一二三四五1-5])|最后一?)个?(?P<unit>周末|周|星期|礼拜)"
    r"(?:(?:的?(?:周|星期|礼拜))?(?P<weekday>[一二三四五六日天])(?![共直起些般次个天气]))?"
)
_NEXT_DAY = re.compile(r"的?(?:第二天|次日)")
_MOVED = re.compile(r"的?(?P<side>前|后)" + COUNT + r"\s?(?P<measure>个)?" + UNIT)
_WEEK = re.compile(r"的?(?:那|当|这)一?个?(?P<unit>周末|周|星期|礼拜)(?![一二三四五六日天])")


def _moved(match: Words, period: Period, calendar: Calendar) -> Period:
    """The days from the period to so many units before or after it; of two numbers the larger counts, vaguely."""
    count, unit = counted_of(match)
    certainty = period.certainty if whole(count) is not None else min(period.certainty, VAGUE)
    count = count or Count(*FEW[unit])
    grain: Grain = "day" if unit == "day" and count.most == 1 else "range"
    moved = replace(period, grain=grain, certainty=certainty)
    if match["side"] == "前":
        return replace(moved, start=stepped(calendar, period.start, -count.most, unit), end=period.start)
    return replace(moved, start=period.end, end=stepped(calendar, period.end, count.most, unit))


def _narrowed(after: str, period: Period) -> tuple[Period, Words] | None:
    """A third, half or week of a month, season or year."""
    if period.grain == "year" and (match := _HALF.match(after)):
        return period.half("上下".index(match["which"])), match
    third = {"month": _MONTH_THIRD, "quarter": _QUARTER_THIRD, "year": _YEAR_THIRD}.get(period.grain)
    if third and (match := third.match(after)):
        return period.third(0 if match["early"] else 1 if match["middle"] else 2), match
    if period.grain in {"month", "year"} and (match := _NTH.match(after)):
        index = number_of(match["nth"]) - 1 if match["nth"] else -1
        if match["unit"] != "周末" and match["weekday"]:
            return period.nth_weekday(weekday_number(match["weekday"]), index), match
        return (period.nth_weekend(index) if match["unit"] == "周末" else period.nth_week(index)), match
    return None


def _beside(after: str, period: Period, calendar: Calendar) -> tuple[Period, Words] | None:
    """The days next to one day, or the week around it."""
    if match := _NEXT_DAY.match(after):
        return replace(period, start=period.end, end=period.end + timedelta(days=1)), match
    if match := _MOVED.match(after):
        return _moved(match, period, calendar), match
    if match := _WEEK.match(after):
        pick = calendar.weekend if match["unit"] == "周末" else calendar.week
        return period.moved_to(pick(0, period.start)), match
    return None


def refined(after: str, period: Period, calendar: Calendar) -> tuple[Period, int] | None:
    """The period that the words at the start of `after` make of `period`, and how many characters they take."""
    if found := _narrowed(after, period):
        return found[0], found[1].end()
    if period.grain == "day" and (found := _beside(after, period, calendar)):
        return found[0], found[1].end()
    return None
