"""How many units of time a text counts, and the days that lie so many units back or ahead."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import ceil, floor

from memcore.dates.periods import INFERRED, VAGUE, Calendar, Period, add_months

__all__ = ["FEW", "Count", "ago", "past", "spanning", "stepped", "whole"]

FEW = {"day": (2, 7), "week": (2, 5), "fortnight": (2, 4), "month": (2, 7), "quarter": (2, 5), "year": (2, 5)}
"""The least and the most that "a few" units are."""
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS_OF_MONTH = 30


@dataclass(frozen=True, slots=True)
class Count:
    """A number from `least` to `most`, both 0 or more; the two are equal where the words name one number."""

    least: float
    most: float

    def to(self, other: "Count") -> "Count":
        """From the smaller of the two to the larger: "3 or 4"."""
        return Count(min(self.least, other.least), max(self.most, other.most))


def whole(count: Count | None) -> int | None:
    """The number, where it is one and has no fraction."""
    return int(count.least) if count is not None and count.least == count.most == int(count.least) else None


def ago(calendar: Calendar, count: Count | None, unit: str, *, ahead: bool = False) -> Period:
    """So many units ago (`ahead`: from now); None counts a few.

    A whole number is as `Calendar.ago` has it. A fraction is a span around its moment, inferred. Two numbers are all
    days from the one to the other, and vague, as a few are.
    """
    if count is None:
        near, far = FEW[unit]
        if not ahead:
            return calendar.back_to(far, unit, from_units=near)
        start, end = calendar.stepped(calendar.today, near, unit), calendar.stepped(calendar.today, far, unit)
        return Period(start, end, "range", VAGUE)
    sign = -1 if ahead else 1
    near_end = _one_ago(calendar, sign * count.least, unit)
    return near_end if count.least == count.most else spanning(near_end, _one_ago(calendar, sign * count.most, unit))


def past(calendar: Calendar, count: Count | None, unit: str) -> Period:
    """The last so many units until today; None counts a few, and of two numbers the larger counts."""
    if count is None:
        return calendar.back_to(FEW[unit][1], unit)
    today = calendar.back_to(0, "day")
    certainty = INFERRED if count.least == count.most else VAGUE
    return replace(today, start=stepped(calendar, calendar.today, -count.most, unit), certainty=certainty)


def spanning(one: Period, other: Period) -> Period:
    """From the first day of the two periods to their last; vague."""
    return Period(min(one.start, other.start), max(one.end, other.end), "range", VAGUE)


def stepped(calendar: Calendar, day: date, number: float, unit: str) -> date:
    """`day` moved by so many units; a part of a unit is rounded to days, of which a month has 30."""
    if number == int(number):
        return calendar.stepped(day, int(number), unit)
    if unit in _DAYS:
        return day + timedelta(days=round(number * _DAYS[unit]))
    months = number * _MONTHS[unit]
    return add_months(day, int(months)) + timedelta(days=round((months - int(months)) * _DAYS_OF_MONTH))


def _one_ago(calendar: Calendar, number: float, unit: str) -> Period:
    if number == int(number):
        return calendar.ago(int(number), unit)
    if unit == "day":
        first, last = calendar.days_away(-ceil(number)), calendar.days_away(-floor(number))
        return Period(first.start, last.end, "range", INFERRED)
    months = abs(number) * _MONTHS.get(unit, 0)
    reach = round(10 + 5 * months) if months >= 1 else 3
    middle = stepped(calendar, calendar.today, -number, unit)
    return Period(middle - timedelta(days=reach), middle + timedelta(days=reach + 1), "range", INFERRED)
