"""English date expressions that count from today: yesterday, three weeks ago, last Friday, the past two months."""

import re
from dataclasses import replace

from memcore.dates.counts import Count, ago, past, spanning
from memcore.dates.english import which_turn
from memcore.dates.english_counts import JOIN, NEIGHBOURS, NUMBER, START, count_of, cut_off, joined_count, number_of
from memcore.dates.periods import Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["UNIT", "WEEKDAY", "rules", "weekday_number"]

UNIT = r"(?P<unit>day|week|fortnight|month|quarter|year)s?(?![a-z])"
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
    r"(?![a-z])"
)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SHORTEST_DAY_NAME = len("monday")
_NOT_ONE = re.compile(
    r"\b(?:(?:every|each)\s(?:other\s|second\s)?|(?:next|second|third|[23](?:nd|rd))[\s-]to[\s-])$",
    re.IGNORECASE | re.ASCII,
)
"""Words before a weekday or a week that make it a recurrence, or the one before the last."""
_OF_SEVERAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|penultimate|[1-5](?:st|nd|rd|th)|last\sbut\sone|black|cyber|good|ash|holy"
    r"|maundy|palm|shrove|fat|super|giving|bloody|casual|taco|throwback|whit|pancake|easter|bowl)\s$",
    re.IGNORECASE | re.ASCII,
)
"""Words before the name of a weekday that make it one of several, or the name of a feast."""
_REACH_BEFORE = 16
_OF_SOMETHING = re.compile(r"\s(?:of|but\sone)\b", re.IGNORECASE | re.ASCII)
_WAYS = ("ago", "back", "from")
_UNITS = ("year", "quarter", "month", "fortnight", "week", "day")
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


def weekday_number(name: str) -> int:
    """Monday is 0."""
    return _WEEKDAYS.index(name[:3].lower())


def _day_word(match: Words, calendar: Calendar) -> Period:
    return calendar.days_away(_DAY_WORDS[" ".join(match.group().lower().split())])


def _ago(match: Words, calendar: Calendar) -> Period | None:
    if cut_off(match):
        return None
    count, unit, ahead = count_of(match["number"]), match["unit"].lower(), _is_ahead(match)
    if count and match.groupdict().get("half"):
        count = Count(count.least + 0.5, count.most + 0.5)
    if "couple" in match["number"].lower() and unit == "day":
        count = Count(1, 3)
    return ago(calendar, count, unit, ahead=ahead)


def _is_ahead(match: Words) -> bool:
    return match["way"].lower().startswith("from")


def _joined_ago(match: Words, calendar: Calendar) -> Period | None:
    """3 or 4 days ago, a week to ten days ago: all days from the one to the other."""
    one, other = count_of(match["first"]), count_of(match["number"])
    if cut_off(match) or one is None or other is None:
        return None
    unit, ahead = match["unit"].lower(), _is_ahead(match)
    first_unit = (match["first_unit"] or unit).lower()
    if match["join"].strip() in {"-", "–", "—"} and first_unit == unit and one.least >= other.most:
        return None  # a dash between two thoughts
    return spanning(ago(calendar, one, first_unit, ahead=ahead), ago(calendar, other, unit, ahead=ahead))


def _or_two_ago(match: Words, calendar: Calendar) -> Period:
    return ago(calendar, Count(1, 2), match["unit"].lower(), ahead=_is_ahead(match))


def _two_units_ago(match: Words, calendar: Calendar) -> Period | None:
    """A year and three months ago: the smaller unit says how near the moment is."""
    larger, smaller = match["first_unit"].lower(), match["unit"].lower()
    number, count = number_of(match["first"]), count_of(match["number"])
    if cut_off(match) or number is None or count is None:
        return None
    ahead = _is_ahead(match)
    if _UNITS.index(larger) >= _UNITS.index(smaller):
        one = Count(number, number)
        return spanning(ago(calendar, one, larger, ahead=ahead), ago(calendar, count, smaller, ahead=ahead))
    start = calendar.stepped(calendar.today, number if ahead else -number, larger)
    return ago(replace(calendar, today=start), count, smaller, ahead=ahead)


def _past(match: Words, calendar: Calendar) -> Period:
    parts = match.groupdict()
    count = joined_count(parts.get("first") or match["number"] or "one", match["number"])
    if count and parts.get("half"):
        count = Count(count.least + 0.5, count.most + 0.5)
    return past(calendar, count, match["unit"].lower())


def _by_turn(match: Words, calendar: Calendar) -> Period | None:
    if _follows(_NOT_ONE, match):
        return None
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


def _follows(words: re.Pattern[str], match: Words) -> bool:
    return words.search(match.string, max(0, match.start() - _REACH_BEFORE), match.start()) is not None


def _weekday(match: Words, calendar: Calendar) -> Period | None:
    """A short form counts only with a capital and a word before it: "last Sat", never "sat"."""
    name, turn = match["weekday"], match["turn"]
    if _follows(_NOT_ONE, match) or (turn and _OF_SOMETHING.match(match.string, match.end())):
        return None
    if not turn and not match["on"] and _follows(_OF_SEVERAL, match):
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
    if match["first"]:
        raise ValueError(match.group())  # two weeks have two such days
    number = number_of(match["number"])
    return None if number is None else calendar.weekday_of_week(weekday_number(match["weekday"]), -number)


def _other_day(_: Words, calendar: Calendar) -> Period:
    return calendar.back_to(10, "day", from_units=2)


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first."""
    start, end = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
    number = r"(?P<number>" + NUMBER + r")\s"
    first = r"(?P<first>" + NUMBER + r")"
    either = "(?:" + first + JOIN + ")?" + number
    half = r"(?P<half>\sand\sa\shalf)"
    first_unit = r"(?:\s" + UNIT.replace("<unit>", "<first_unit>") + r")?"
    join = r"(?P<join>(?(between)\sand\s|" + JOIN + r"))"
    way = r"\s(?:or\sso\s)?(?P<way>ago|back|from\s(?:now|today))" + end
    turn = r"(?P<turn>last|previous|past|this|next|upcoming|coming)\s"
    day_words = "|".join(words.replace(" ", r"\s") for words in _DAY_WORDS)
    return (
        rule(start + r"(?:" + day_words + r")" + end, _day_word),
        rule(
            start + r"(?:on\s)?(?P<weekday>" + WEEKDAY + r"),?\s(?:of\s)?" + turn + r"week" + end,
            _weekday_of_turned_week,
        ),
        rule(start + turn + r"week,?\s(?:on\s)?(?P<weekday>" + WEEKDAY + r")", _weekday_of_turned_week),
        rule(START + either + r"weeks?\sago,?\s(?:on\s)?(?:a\s)?(?P<weekday>" + WEEKDAY + r")", _weekday_ago, ("ago",)),
        rule(
            start + r"(?:on\s)?(?P<weekday>" + WEEKDAY + r"),?\s" + either + r"weeks?\sago" + end,
            _weekday_ago,
            ("ago",),
        ),
        rule(
            START + first + r"\s" + UNIT.replace("<unit>", "<first_unit>") + r",?\s(?:and\s)?" + number + UNIT + way,
            _two_units_ago,
            _WAYS,
        ),
        rule(START + r"(?P<between>between\s)?" + first + first_unit + join + number + UNIT + way, _joined_ago, _WAYS),
        rule(
            START + NEIGHBOURS + first + r"(?P<first_unit>)(?P<join>,\s|\sand\s)" + number + UNIT + way,
            _joined_ago,
            _WAYS,
        ),
        rule(START + r"(?:an?|one)\s" + UNIT + r"\sor\stwo" + way, _or_two_ago, _WAYS),
        rule(START + number + UNIT + half + "?" + way, _ago, _WAYS),
        rule(start + r"(?:last|past)\s(?P<number>)" + UNIT + half, _past),
        rule(start + r"(?:last|past)\s" + either + UNIT + half + "?", _past),
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
