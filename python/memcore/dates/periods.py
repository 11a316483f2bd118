"""Periods of whole days, and the calendar arithmetic that finds them from a day called today.

Weeks begin on Monday (ISO 8601). Seasons are the meteorological ones of the northern hemisphere.
"""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

__all__ = ["EXACT", "INFERRED", "VAGUE", "Calendar", "Cycle", "Grain", "Period", "add_months", "nth_weekday"]

Grain = Literal["day", "weekend", "week", "month", "quarter", "season", "year", "range"]
Cycle = Literal["week", "month", "year"]

EXACT = 1.0
"""The words name the period completely."""
INFERRED = 0.8
"""The words name it up to a year, month or week, which was taken from today."""
VAGUE = 0.5
"""The words name no exact days ("a few days ago"), or only border on them ("before May")."""

_LONGEST_LEAP_GAP = 8
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class Period:
    """Days `start` to `end`, `end` left out; `cycle` is what was inferred from today: year, month or week."""

    start: date
    end: date
    grain: Grain
    certainty: float = EXACT
    cycle: Cycle | None = None

    def third(self, which: int) -> "Period":
        """The first (0), middle (1) or last (2) third of the period, in whole days."""
        days = (self.end - self.start).days
        start = self.start + timedelta(days=days * which // 3)
        end = self.start + timedelta(days=days * (which + 1) // 3)
        return replace(self, start=start, end=end, grain="range")

    def moved_to(self, other: "Period") -> "Period":
        """The days and grain of `other`, as certain as this one."""
        return replace(other, certainty=self.certainty, cycle=self.cycle)

    def half(self, which: int) -> "Period":
        """The first (0) or second (1) half of the period; of a year, January to June and July to December."""
        middle = add_months(self.start, 6) if self.grain == "year" else self.start + (self.end - self.start) / 2
        start, end = (self.start, middle) if which == 0 else (middle, self.end)
        return replace(self, start=start, end=end, grain="range")

    def nth_day(self, index: int) -> "Period":
        """The day `index` days into the period; −1: its last."""
        day = self.end - timedelta(days=1) if index < 0 else self.start + timedelta(days=index)
        return replace(self, start=day, end=day + timedelta(days=1), grain="day")

    def nth_week(self, index: int) -> "Period":
        """The seven days that begin 7·`index` days into the period, cut at its end; −1: its last seven."""
        start = self.end - timedelta(days=7) if index < 0 else self.start + timedelta(days=7 * index)
        return replace(self, start=start, end=min(start + timedelta(days=7), self.end), grain="week")

    def nth_weekday(self, weekday: int, index: int) -> "Period":
        """The weekday (Monday 0) number `index` of the period; −1: its last, −2: the one before. ValueError if none."""
        first = self.start + timedelta(days=(weekday - self.start.weekday()) % 7)
        count = -((first - self.end).days // 7)
        if not -count <= index < count:
            raise ValueError(index)
        day = first + timedelta(days=7 * (index % count))
        return replace(self, start=day, end=day + timedelta(days=1), grain="day")

    def nth_weekend(self, index: int) -> "Period":
        """The Saturday and Sunday that begin with the period's Saturday `index`; −1: with its last."""
        day = self.start + timedelta(days=(5 - self.start.weekday()) % 7 + 7 * index)
        if index < 0:
            day = self.end - timedelta(days=(self.end.weekday() - 6) % 7 + 1)
        return replace(self, start=day, end=day + timedelta(days=2), grain="weekend")


def add_months(day: date, months: int) -> date:
    """The same day of the month so many months later (negative: earlier); the last day where that month is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """The `nth` (from 1) given weekday (Monday 0) of a month."""
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


@dataclass(frozen=True, slots=True)
class Calendar:
    """Finds periods from `today`. What lacks a year is the latest that has begun, or with `forward` the next not over.

    Every method raises ValueError or OverflowError for a day that the calendar does not have.
    """

    today: date
    forward: bool = False

    def day(self, day: date) -> Period:
        """One day."""
        return Period(day, day + timedelta(days=1), "day")

    def days_away(self, days: int) -> Period:
        """The day that many days after today."""
        return self.day(self.today + timedelta(days=days))

    def week(self, weeks: int, around: date | None = None) -> Period:
        """The week that many weeks after the one of today (or of `around`)."""
        day = around or self.today
        monday = day + timedelta(days=7 * weeks - day.weekday())
        return Period(monday, monday + timedelta(days=7), "week")

    def weekend(self, weeks: int, around: date | None = None) -> Period:
        """Saturday and Sunday of that week."""
        week = self.week(weeks, around)
        return Period(week.start + timedelta(days=5), week.end, "weekend")

    def latest_weekend(self) -> Period:
        """The weekend that has begun last; with `forward` the one that ends next."""
        return self.weekend(0 if self.forward or self.today.weekday() >= 5 else -1)

    def month_away(self, months: int) -> Period:
        """The month that many months after the one of today."""
        first = add_months(self.today.replace(day=1), months)
        return Period(first, add_months(first, 1), "month")

    def quarter(self, quarter: int, year: int | None = None) -> Period:
        """A quarter (1 to 4) of a year, or of the latest year in which it has begun; the first begins in January."""

        def build(of_year: int) -> Period:
            first = date(of_year, 3 * quarter - 2, 1)
            return Period(first, add_months(first, 3), "quarter")

        return self.in_year(build, year)

    def quarter_away(self, quarters: int) -> Period:
        """The quarter that many quarters after the one of today."""
        first = add_months(date(self.today.year, self.today.month - (self.today.month - 1) % 3, 1), 3 * quarters)
        return Period(first, add_months(first, 3), "quarter")

    def year(self, year: int) -> Period:
        """A calendar year."""
        return Period(date(year, 1, 1), date(year + 1, 1, 1), "year")

    def month(self, month: int, year: int | None = None) -> Period:
        """A month of a year, or of the latest year in which it has begun."""
        return self.in_year(lambda y: Period(date(y, month, 1), add_months(date(y, month, 1), 1), "month"), year)

    def day_in(self, month: int, day: int, year: int | None = None) -> Period:
        """A day of a year, or of the latest year in which it has come."""
        if year is None and (month, day) == (2, 29):
            return self._leap_day()
        return self.in_year(lambda y: self.day(date(y, month, day)), year)

    def season(self, season: int, year: int | None = None) -> Period:
        """Spring (0), summer, autumn or winter (3) of a year; a winter belongs to the year in which it begins."""

        def of(y: int) -> Period:
            first = date(y, 3 + 3 * season, 1)
            return Period(first, add_months(first, 3), "season")

        return self.in_year(of, year)

    def day_of_month(self, day: int) -> Period:
        """That day of the latest month in which it has come (with `forward`: in which it is still to come)."""
        if not 1 <= day <= 31:
            raise ValueError(day)
        step = 1 if self.forward else -1
        first = self.today.replace(day=1)
        for _ in range(4):
            if day <= monthrange(first.year, first.month)[1]:
                found = first.replace(day=day)
                if (found >= self.today) if self.forward else (found <= self.today):
                    return replace(self.day(found), certainty=INFERRED, cycle="month")
            first = add_months(first, step)
        raise ValueError(day)

    def weekday(self, weekday: int) -> Period:
        """The latest such weekday (Monday 0), today included; with `forward` the next, today included."""
        away = (weekday - self.today.weekday()) % 7
        found = self.days_away(away if self.forward or away == 0 else away - 7)
        return replace(found, certainty=INFERRED, cycle="week")

    def weekday_of_week(self, weekday: int, weeks: int) -> Period:
        """That weekday of the week that many weeks after the one of today."""
        return self.day(self.week(weeks).start + timedelta(days=weekday))

    def neighbouring_weekday(self, weekday: int, *, after: bool, day: date | None = None) -> Period:
        """The nearest such weekday strictly before, or strictly after, today (or `day`)."""
        middle = day or self.today
        if after:
            return self.day(middle + timedelta(days=(weekday - middle.weekday() - 1) % 7 + 1))
        return self.day(middle - timedelta(days=(middle.weekday() - weekday - 1) % 7 + 1))

    def ago(self, number: int, unit: str) -> Period:
        """So many units ago (negative: from now): that day, the week or month around it, that quarter or year."""
        if unit == "day":
            return self.days_away(-number)
        if unit == "quarter":
            return self.quarter_away(-number)
        if unit == "year":
            return self.year(self.today.year - number)
        middle = self.stepped(self.today, -number, unit)
        reach = 10 + 5 * abs(number) if unit == "month" else 3
        start, end = middle - timedelta(days=reach), middle + timedelta(days=reach + 1)
        return Period(start, end, "month" if unit == "month" else "week", INFERRED)

    def back_to(self, number: int, unit: str, *, from_units: int = 0) -> Period:
        """From so many units ago until today; with `from_units`, only until that many units ago."""
        start = self.stepped(self.today, -number, unit)
        end = self.stepped(self.today, -from_units, unit) + timedelta(days=1)
        return Period(start, end, "range", VAGUE)

    def stepped(self, day: date, number: int, unit: str) -> date:
        """`day` moved by so many days, weeks, fortnights, months, quarters or years."""
        if unit in _DAYS:
            return day + timedelta(days=number * _DAYS[unit])
        return add_months(day, number * _MONTHS[unit])

    def in_year(self, build: Callable[[int], Period], year: int | None) -> Period:
        """`build(year)`, or, without a year, the latest that has begun (with `forward`: the next that is not over)."""
        if year is not None:
            return build(year)
        period = build(self.today.year)
        if self.forward and period.end <= self.today:
            period = build(self.today.year + 1)
        elif not self.forward and period.start > self.today:
            period = build(self.today.year - 1)
        return replace(period, certainty=INFERRED, cycle="year")

    def turn(self, build: Callable[[int], Period], which: int) -> Period:
        """This year's `build(year)` (0), the last that is over (-1), the one before (-2), or the next to begin (1)."""
        year = self.today.year
        period = build(year)
        if which < 0:
            return build((year if period.end <= self.today else year - 1) + which + 1)
        if which > 0:
            return build((year if period.start > self.today else year + 1) + which - 1)
        return period

    def _leap_day(self) -> Period:
        step = 1 if self.forward else -1
        for away in range(_LONGEST_LEAP_GAP + 1):
            year = self.today.year + step * away
            if monthrange(year, 2)[1] == 29:
                found = date(year, 2, 29)
                if (found >= self.today) if self.forward else (found <= self.today):
                    return replace(self.day(found), certainty=INFERRED, cycle="year")
        raise ValueError((2, 29))
