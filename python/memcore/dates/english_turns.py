"""English dates that count recurrences: the Friday before last, the summer after next, two Christmases ago."""

from collections.abc import Callable

from memcore.dates.counts import spanning
from memcore.dates.english import HOLIDAY, MONTH, SEASON, recurrence
from memcore.dates.english_counts import JOIN, NUMBER, START, number_of
from memcore.dates.english_relative import WEEKDAY, weekday_number
from memcore.dates.periods import Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["rules"]

_UNITS: dict[str, Callable[[Calendar, int], Period]] = {
    "day": Calendar.days_away,
    "night": Calendar.days_away,
    "evening": Calendar.days_away,
    "week": Calendar.week,
    "weekend": Calendar.weekend,
    "fortnight": lambda calendar, which: calendar.ago(-which, "fortnight"),
    "month": Calendar.month_away,
    "quarter": Calendar.quarter_away,
    "year": lambda calendar, which: calendar.year(calendar.today.year + which),
}
_DAY_NAMES = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"


def _twice(match: Words, calendar: Calendar) -> Period | None:
    """The one before last, or after next."""
    which = 2 if match["after"] else -2
    if match["unit"] is None:
        return _counted(match, calendar, which)
    return _UNITS[match["unit"].lower()](calendar, which)


def _ago(match: Words, calendar: Calendar) -> Period | None:
    """So many recurrences ago; of two numbers, all days from the one to the other."""
    number, first = number_of(match["number"]), number_of(match["first"] or match["number"])
    if not number or not first:
        return None
    one, other = _counted(match, calendar, -number), _counted(match, calendar, -first)
    return one if one is None or other is None or number == first else spanning(one, other)


def _counted(match: Words, calendar: Calendar, which: int) -> Period | None:
    """The weekday, month, season or feast so many recurrences from now; the present one does not count."""
    weekday = match["weekday"]
    if weekday is None:
        return calendar.turn(recurrence(match["name"], calendar), which)
    if len(weekday) < len("monday") and not weekday[0].isupper():  # "he sat before last"
        return None
    after = which > 0
    nearest = calendar.neighbouring_weekday(weekday_number(weekday), after=after).start
    return calendar.day(calendar.stepped(nearest, which - 1 if after else which + 1, "week"))


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first. They go before those of the names alone."""
    start, end = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
    units = "|".join(_UNITS)
    names = rf"{MONTH}|{SEASON}|{HOLIDAY}"
    other = rf"(?!\s(?:(?:{units})s?|{WEEKDAY}|{names}){end})"  # "the week before last Christmas"
    named = rf"(?:(?P<weekday>{WEEKDAY})|(?P<name>{names}))"
    return (
        rule(
            rf"{start}(?:(?:on|over|in|during|for)\s)?(?:the\s)?(?:(?P<unit>{units})|{named})"
            rf"\s(?:before\s(?:the\s)?last|(?P<after>after\s(?:the\s)?next))(?:\sone)?{end}{other}",
            _twice,
        ),
        rule(
            rf"{START}(?:(?P<first>{NUMBER}){JOIN})?(?P<number>{NUMBER})"
            rf"\s(?:(?P<weekday>{_DAY_NAMES})s?|(?P<name>{names})(?:e?s)?)\sago{end}",
            _ago,
            ("ago",),
        ),
    )
