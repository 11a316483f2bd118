"""English date expressions that name a calendar day, month, season, feast or year."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from memcore.dates.holidays import ENGLISH as HOLIDAYS
from memcore.dates.periods import VAGUE, Calendar, Period
from memcore.dates.rules import Rule, Words, rule

__all__ = ["HOLIDAY", "MONTH", "SEASON", "YEAR", "recurrence", "rules", "which_turn"]

MONTH = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?|july?|aug(?:ust|\.)?"
    r"|sep(?:t(?:ember|\.)?|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)(?![a-z])"
)
SEASON = r"(?:spring|summer|autumn|fall|winter)"
HOLIDAY = "|".join(re.escape(name).replace("'", "['’]").replace(r"\ ", r"\s") for name in HOLIDAYS)
YEAR = r"(?P<year>(?:1[0-9]|2[01])[0-9]{2})(?![0-9])"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ALSO_NAMES = frozenset(("april", "june", "august"))
_ALSO_VERBS = frozenset(("may", "march", "mar"))
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_UNITS = re.compile(
    r" ?(?:words?|steps|dollars|people|metres|meters|km|kilometers|miles|pages|times|points|percent|calories|euros|yuan"
    r"|users|characters|lines|items|rows|hours|minutes|seconds|days|pieces|feet|kg|mb|gb|rpm|hz|volts|grams)\b",
    re.IGNORECASE,
)
_LEADS_MONTH = re.compile(
    r"(?:\b(?:in|since|until|till|during|by|early|mid|late|throughout|around|between)"
    r"|\b(?:weeks?|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)?day|days|half|end|start|beginning|middle|rest|month|year"
    r"|[0-9](?:st|nd|rd|th)) (?:of|in))[ -]$",
    re.IGNORECASE,
)
_AFTER_MONTH = re.compile(r"\b" + MONTH + r"[0-9 ,]{0,9} (?:to|and|or|through|until|till|-|–) $", re.IGNORECASE)
_RANGE_FOLLOWS = re.compile(r" (?:to|through|until|till|-|–) " + MONTH, re.IGNORECASE)
_LEADS_YEAR = re.compile(
    r"\b(?:in|of|since|during|year|(?:earlier|later) than|prior to|up to"
    r"|until|till|before|after|by|from|through|early|mid|late|around|between|for|throughout"
    r"|(?:19|20)[0-9]{2} (?:and|or|to|through|-|–))[ -]$",
    re.IGNORECASE,
)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "final": 4}
_LEADS_QUARTER = re.compile(
    r"\b(?:in|since|during|by|until|till|for|from|before|after|between|and|to|through|throughout|over|early|mid|late|of)"
    r"[ -](?:the )?$",
    re.IGNORECASE,
)
_QUARTER_FOLLOWS = re.compile(r" ?(?:to|and|or|through|until|till|-|–) ?q[1-4](?![a-z0-9])", re.IGNORECASE)
_OF_THE_YEAR = re.compile(r" of the year\b", re.IGNORECASE)
_OF_SOMETHING = re.compile(r" of (?!(?:the )?year\b)", re.IGNORECASE)
_CONTEXT = 32


def which_turn(word: str | None) -> int | None:
    """-1 for last, 1 for next, 0 for this, None for no such word."""
    if word is None:
        return None
    return {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "upcoming": 1, "coming": 1}[word.lower()]


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _before(match: Words) -> str:
    return match.string[max(0, match.start() - _CONTEXT) : match.start()]


def _is_verb(match: Words) -> bool:
    """Whether "may 8 people come" or "we march 3 times" was meant: lower case, no year, no ordinal, a word follows."""
    parts = match.groupdict()
    if match["month"] not in _ALSO_VERBS or parts.get("year") or parts.get("ordinal"):
        return False
    if re.search(r"\b(?:on|since|until|by|from|between)\s$", _before(match), re.IGNORECASE):
        return False
    return re.match(r"\s?[a-z0-9]", match.string[match.end() : match.end() + 2], re.IGNORECASE) is not None


def _day(match: Words, calendar: Calendar) -> Period | None:
    if _is_verb(match):
        return None
    return calendar.day_in(_month_number(match["month"]), int(match["day"]), _number(match["year"]))


def _days(match: Words, calendar: Calendar) -> Period | None:
    month, year = _month_number(match["month"]), _number(match["year"])
    last = calendar.day_in(month, int(match["last"]), year)
    first = calendar.day(date(last.start.year, month, int(match["day"])))
    return replace(last, start=first.start, grain="range") if first.start < last.end else None


def _month_of_year(match: Words, calendar: Calendar) -> Period:
    return calendar.month(_month_number(match["month"]), int(match["year"]))


def _month_of_turned_year(match: Words, calendar: Calendar) -> Period:
    year = calendar.today.year + (which_turn(match["year_turn"]) or 0)
    return calendar.month(_month_number(match["month"]), year)


def _month_by_turn(match: Words, calendar: Calendar) -> Period | None:
    which, name = which_turn(match["turn"]), match["month"]
    if name in _ALSO_VERBS and which == 0:
        return None
    month = _month_number(name)
    return calendar.turn(lambda year: calendar.month(month, year), which or 0)


def _month_alone(match: Words, calendar: Calendar) -> Period | None:
    """A month's name by itself; a short form, or one that is also a name or a verb, needs a word that leads to it."""
    name = match["month"].lower().rstrip(".")
    if (len(name) <= 4 and name != "july") or name in _ALSO_NAMES | _ALSO_VERBS:
        before, after = _before(match), match.string[match.end() : match.end() + _CONTEXT]
        ranged = re.search(r"\bfrom $", before, re.IGNORECASE) and _RANGE_FOLLOWS.match(after)
        if after.startswith(("'s", "’s")) or not (_LEADS_MONTH.search(before) or _AFTER_MONTH.search(before) or ranged):
            return None
    return calendar.month(_month_number(name))


def _year(match: Words, calendar: Calendar) -> Period | None:
    alone = len(match.string) <= _CONTEXT and match.string.strip(" \t\n?!.,") == match["year"]
    if not alone and not _LEADS_YEAR.search(_before(match)):
        return None
    if _UNITS.match(match.string[match.end() : match.end() + _CONTEXT]):
        return None
    return calendar.year(int(match["year"]))


def _quarter(match: Words, calendar: Calendar) -> Period:
    year = calendar.today.year + (which_turn(match["year_turn"]) or 0) if match["year_turn"] else int(match["year"])
    return calendar.quarter(_quarter_number(match), year)


def _quarter_number(match: Words) -> int:
    word = (match["number"] or match["nth"]).lower()
    return int(word[0]) if word[0].isdecimal() else _QUARTERS[word]


def _quarter_after_year(match: Words, calendar: Calendar) -> Period:
    return calendar.quarter(int(match["number"]), int(match["year"]))


def _quarter_alone(match: Words, calendar: Calendar) -> Period | None:
    """Q3 or "the third quarter" without a year: where a word leads to it, and it is not one of something else."""
    which = which_turn(match["turn"])
    if which is not None:
        return calendar.turn(lambda year: calendar.quarter(_quarter_number(match), year), which)
    after = match.string[match.end() : match.end() + _CONTEXT]
    ranged = match["number"] and _QUARTER_FOLLOWS.match(after)
    if match["nth"] and match["nth"].lower() in {"last", "final"} and not _OF_THE_YEAR.match(after):
        return None  # the quarter before this one
    if _OF_SOMETHING.match(after) or not (_LEADS_QUARTER.search(_before(match)) or ranged):
        return None
    return calendar.quarter(_quarter_number(match))


def _season(match: Words, calendar: Calendar) -> Period | None:
    season, year, which = _SEASONS[match["season"].lower()], _number(match["year"]), which_turn(match["turn"])
    if year is None and which is not None:
        return calendar.turn(lambda y: calendar.season(season, y), which)
    if year is None and match["lead"] is None:
        return None
    return calendar.season(season, year)


def _feast(name: str) -> Callable[[int], date]:
    return HOLIDAYS[" ".join(name.lower().replace("’", "'").split())]


def recurrence(name: str, calendar: Calendar) -> Callable[[int], Period]:
    """What the name of a month, a season or a feast is in a year."""
    if re.fullmatch(MONTH, name, re.IGNORECASE):
        return lambda year: calendar.month(_month_number(name), year)
    if name.lower() in _SEASONS:
        return lambda year: calendar.season(_SEASONS[name.lower()], year)
    of_year = _feast(name)
    return lambda year: calendar.day(of_year(year))


def _holiday(match: Words, calendar: Calendar) -> Period:
    of_year = _feast(match["name"])
    year, which = _number(match["year"]), which_turn(match["turn"])
    if year is None and which is not None:
        return calendar.turn(lambda y: calendar.day(of_year(y)), which)
    return calendar.in_year(lambda y: calendar.day(of_year(y)), year)


def _day_of_turned_month(match: Words, calendar: Calendar) -> Period:
    month = calendar.month_away(which_turn(match["turn"]) or 0)
    return calendar.day(month.start.replace(day=int(match["day"])))


def _day_of_month(match: Words, calendar: Calendar) -> Period:
    return replace(calendar.day_of_month(int(match["day"])), certainty=VAGUE)


_DAY = r"(?P<day>[0-3]?[0-9])(?P<ordinal>st|nd|rd|th)?"
_LAST_DAY = r"\s?(?:to|and|through|until|till|-|–)\s?(?P<last>[0-3]?[0-9])(?:st|nd|rd|th)?"
_OF_YEAR = rf"(?:\s?,?\s?(?:of\s)?{YEAR})?(?![0-9]|[:.%][0-9])"
_MONTH = rf"(?P<month>{MONTH})"
_TURN = r"(?P<turn>last|past|previous|this|next|upcoming|coming)\s"
_SEASON = rf"(?P<season>{SEASON})(?![a-z])"
_LEAD = r"(?P<lead>(?:in|during|over|for|throughout)\s(?:the\s)?)"
_OF_TURNED_YEAR = r"\s(?:of\s)?(?P<year_turn>last|previous|this|next)\syear(?![a-z])"
_NTH_QUARTER = r"(?P<nth>first|second|third|fourth|last|final|1st|2nd|3rd|4th)\squarter"
_QUARTER = rf"(?:q(?P<number>[1-4])|(?:the\s)?{_NTH_QUARTER})(?![A-Za-z0-9])"
_NO_NUMBER_BEFORE = r"(?<![A-Za-z0-9_.:/$€£¥#-])"
_NO_WORD_BEFORE = r"(?<![A-Za-z0-9_])"
_SENTENCE_GOES_ON = (
    r"(?=\s?[?.,!;)]|\s?$|\s(?:did|do|was|were|is|when|we|i|you|he|she|they|what|who|and|or|to|at|in|for|with"
    r"|of\s(?:this|last)\smonth)(?![a-z]))"
)


def rules() -> tuple[Rule, ...]:
    """The rules, the more telling first."""
    return (
        rule(rf"{_NO_NUMBER_BEFORE}{_DAY}{_LAST_DAY}\s(?:of\s)?{_MONTH}{_OF_YEAR}", _days),
        rule(rf"{_NO_WORD_BEFORE}{_MONTH}\s{_DAY}{_LAST_DAY}(?!\s{MONTH}){_OF_YEAR}", _days),
        rule(rf"{_NO_NUMBER_BEFORE}{_DAY}\s?(?:day\s)?(?:of\s)?{_MONTH}{_OF_YEAR}", _day),
        rule(rf"{_NO_WORD_BEFORE}{_MONTH}\s(?:the\s)?{_DAY}{_OF_YEAR}", _day),
        rule(rf"{_NO_WORD_BEFORE}{_MONTH},?\s(?:of\s)?{YEAR}", _month_of_year),
        rule(rf"{_NO_WORD_BEFORE}{_MONTH}{_OF_TURNED_YEAR}", _month_of_turned_year),
        rule(rf"{_NO_WORD_BEFORE}{_TURN}{_MONTH}", _month_by_turn),
        rule(rf"{_NO_WORD_BEFORE}{_QUARTER}(?:\s?,?\s?(?:(?:of|in)\s)?{YEAR}|{_OF_TURNED_YEAR})", _quarter),
        rule(rf"{_NO_NUMBER_BEFORE}{YEAR}[\s-]?q(?P<number>[1-4])(?![A-Za-z0-9])", _quarter_after_year),
        rule(rf"{_NO_WORD_BEFORE}(?:{_TURN})?{_QUARTER}", _quarter_alone),
        rule(rf"{_NO_WORD_BEFORE}(?:{_TURN})?(?P<name>{HOLIDAY})(?![a-z])(?:,?\s(?:of\s|in\s)?{YEAR})?", _holiday),
        rule(rf"{_NO_WORD_BEFORE}(?:{_LEAD}|{_TURN})?{_SEASON}(?:,?\s(?:of\s)?{YEAR})?", _season),
        rule(rf"{_NO_WORD_BEFORE}{_MONTH}", _month_alone),
        rule(rf"{_NO_NUMBER_BEFORE}{YEAR}(?![A-Za-z0-9_%:/-]|[.,][0-9])", _year),
        rule(rf"{_NO_WORD_BEFORE}the\s{_DAY}\sof\s{_TURN}month(?![a-z])", _day_of_turned_month),
        rule(rf"{_NO_WORD_BEFORE}the\s(?P<day>[0-3]?[0-9])(?:st|nd|rd|th){_SENTENCE_GOES_ON}", _day_of_month),
    )
