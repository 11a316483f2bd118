"""English date expressions that count from today: yesterday, three weeks ago, last Friday, the past two months."""

import re
from dataclasses import replace
from datetime import timedelta

from memcore.dates.english import which_turn
from memcore.dates.periods import INFERRED, VAGUE, Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["NUMBER", "UNIT", "WEEKDAY", "number_of", "rules", "weekday_number"]

NUMBER = (
    r"(?:[0-9]{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:a\s)?couple(?:\sof)?|(?:a\s)?few|several|half\sa)"
)
UNIT = r"(?P<unit>day|week|fortnight|month|quarter|year)s?(?![a-z])"
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
    r"(?![a-z])"
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SHORTEST_DAY_NAME = len("monday")
_EVERY = re.compile(r"\b(?:every|each)\s$", re.IGNORECASE | re.ASCII)
_LONGEST_EVERY = len("every ")
_FEW = {"day": (2, 7), "week": (2, 5), "fortnight": (2, 4), "month": (2, 7), "quarter": (2, 5), "year": (2, 5)}
_DAY_WORDS = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "last evening": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
}


def number_of(words: str) -> int | None:
    """The number that the words say; None for a few and several."""
    text = words.lower()
    if text.isdecimal():
        return int(text)
    if "few" in text or text == "several":
        return None
    if "couple" in text:
        return 2
    return _NUMBERS.index(text) + 1 if text in _NUMBERS else 1


def weekday_number(name: str) -> int:
    """Monday is 0."""
    return _WEEKDAYS.index(name[:3].lower())


def _day_word(match: Words, calendar: Calendar) -> Period:
    return calendar.days_away(_DAY_WORDS[" ".join(match.group().lower().split())])


def _ago(match: Words, calendar: Calendar) -> Period:
    number, unit = number_of(match["number"]), match["unit"].lower()
    if number is None:
        near, far = _FEW[unit]
        return calendar.back_to(far, unit, from_units=near)
    if match["number"].lower().startswith("half"):
        return calendar.ago(6, "month") if unit == "year" else calendar.ago(2, "week")
    if match["way"].lower().startswith("from"):
        number = -number
    found = calendar.ago(number, unit)
    if "couple" in match["number"].lower() and unit == "day":
        one = timedelta(days=1)
        return replace(found, start=found.start - one, end=found.end + one, grain="range", certainty=VAGUE)
    return found


def _past(match: Words, calendar: Calendar) -> Period:
    unit = match["unit"].lower()
    number = number_of(match["number"] or "one")
    if number is None:
        return calendar.back_to(_FEW[unit][1], unit)
    return replace(calendar.back_to(number, unit), certainty=INFERRED)


def _by_turn(match: Words, calendar: Calendar) -> Period:
    which, unit = which_turn(match["turn"]) or 0, match["unit"].lower()
    if unit == "week":
        return calendar.week(which)
    if unit == "weekend":
        return calendar.weekend(which)
    if unit == "quarter":
        return calendar.quarter_away(which)
    return calendar.month_away(which) if unit == "month" else calendar.year(calendar.today.year + which)


def _the_weekend(_: Words, calendar: Calendar) -> Period:
    return calendar.latest_weekend()


def _weekday(match: Words, calendar: Calendar) -> Period | None:
    """A short form counts only with a capital and a word before it: "last Sat", never "sat"."""
    name, turn = match["weekday"], match["turn"]
    if _EVERY.search(match.string, max(0, match.start() - _LONGEST_EVERY), match.start()):
        return None
    if len(name) < _SHORTEST_DAY_NAME and not (name[0].isupper() and (turn or match["on"])):
        return None
    weekday, which = weekday_number(name), which_turn(turn)
    if which is None:
        return calendar.weekday(weekday)
    if which == 0:
        return calendar.weekday_of_week(weekday, 0)
    return calendar.neighbouring_weekday(weekday, after=which > 0)


def _weekday_of_turned_week(match: Words, calendar: Calendar) -> Period:
    return calendar.weekday_of_week(weekday_number(match["weekday"]), which_turn(match["turn"]) or 0)


def _weekday_ago(match: Words, calendar: Calendar) -> Period | None:
    """A weekday of the week so many weeks ago."""
    number = number_of(match["number"])
    return None if number is None else calendar.weekday_of_week(weekday_number(match["weekday"]), -number)


def _other_day(_: Words, calendar: Calendar) -> Period:
    return calendar.back_to(10, "day", from_units=2)


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first."""
    start, end = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
    number = r"(?P<number>" + NUMBER + r")\s"
    turn = r"(?P<turn>last|previous|past|this|next|upcoming|coming)\s"
    day_words = "|".join(words.replace(" ", r"\s") for words in _DAY_WORDS)
    return (
        rule(start + r"(?:" + day_words + r")" + end, _day_word),
        rule(
            start + r"(?:on\s)?(?P<weekday>" + WEEKDAY + r"),?\s(?:of\s)?" + turn + r"week" + end,
            _weekday_of_turned_week,
        ),
        rule(start + turn + r"week,?\s(?:on\s)?(?P<weekday>" + WEEKDAY + r")", _weekday_of_turned_week),
        rule(start + number + r"weeks?\sago,?\s(?:on\s)?(?:a\s)?(?P<weekday>" + WEEKDAY + r")", _weekday_ago),
        rule(start + r"(?:on\s)?(?P<weekday>" + WEEKDAY + r"),?\s" + number + r"weeks?\sago" + end, _weekday_ago),
        rule(start + number + UNIT + r"\s(?:or\sso\s)?(?P<way>ago|back|from\s(?:now|today))" + end, _ago),
        rule(start + r"(?:last|past)\s" + number + UNIT, _past),
        rule(
            start + r"(?:in|over|during|within|throughout)\sthe\s(?:last|past)\s(?P<number>)" + UNIT + r"(?!\sof\b)",
            _past,
        ),
        rule(start + r"(?:the\s)?(?:last|past)\s(?P<number>)(?P<unit>fortnight)" + end, _past),
        rule(start + r"the\sother\sday" + end, _other_day),
        rule(start + turn + r"(?P<unit>week|weekend|month|year)(?![a-z0-9_-])(?!['’]s\b)", _by_turn),
        rule(start + turn + r"(?P<unit>quarter)(?![a-z0-9_-])(?!\sof\b)", _by_turn),
        rule(
            start + r"(?:(?:over|at|on|during|for)\s)the\sweekend" + end + r"(?!\s(?:of|before|after)\b)", _the_weekend
        ),
        rule(start + r"(?:" + turn + r"|(?P<on>on)\s)?(?P<weekday>" + WEEKDAY + r")(?![a-z])", _weekday),
    )
