"""A rule: a pattern, and what one match of it means. Every pattern is bounded, so that reading stays linear."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from memcore.dates.periods import Calendar, Period

__all__ = ["Found", "Rule", "Words", "ascii_digits", "from_now", "numeric_rules", "rule"]

Words: TypeAlias = re.Match[str]
Reader: TypeAlias = Callable[[Words, Calendar], Period | None]

_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a pattern finds, read as a period; None where the words mean no date after all.

    `from_now`: its words count from the moment of speaking (yesterday, last week). `needs`: words, in lower case, of
    which every match has one; a text without them is spared the search.
    """

    pattern: re.Pattern[str]
    read: Reader
    from_now: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A period and the stretch of text, `begin` to `end`, that names it."""

    begin: int
    end: int
    period: Period
    from_now: bool = False


def rule(pattern: str, read: Reader, needs: tuple[str, ...] = ()) -> Rule:
    """A rule; case is ignored, and only ASCII counts as a word (so that a date may touch a Chinese character)."""
    return Rule(re.compile(pattern, re.IGNORECASE | re.ASCII), read, needs=needs)


def from_now(pattern: str, read: Reader) -> Rule:
    """A rule whose words count from the moment of speaking."""
    return replace(rule(pattern, read), from_now=True)


def ascii_digits(text: str) -> str:
    """The text with full-width digits made ASCII; its length stays."""
    return text.translate(_FULL_WIDTH)


def _year_first(match: Words, calendar: Calendar) -> Period:
    return calendar.day(date(int(match["year"]), int(match["month"]), int(match["day"])))


def _year_last(match: Words, calendar: Calendar) -> Period:
    """Month first with a slash, else day first; the other way round where that is no date."""
    first, second = int(match["first"]), int(match["second"])
    month, day = (first, second) if match["mark"] == "/" else (second, first)
    if month > 12:
        month, day = day, month
    return calendar.day(date(int(match["year"]), month, day))


def _year_month(match: Words, calendar: Calendar) -> Period:
    return calendar.month(int(match["month"]), int(match["year"]))


_YEAR = r"(?P<year>(?:1[0-9]|2[01])[0-9]{2})"
_NOT_BEFORE = r"(?<![A-Za-z0-9_./$€£¥-])"
_NOT_AFTER = r"(?![0-9_]|[./-][0-9])"


def numeric_rules() -> tuple[Rule, ...]:
    """2023-05-08, 2023/5/8, 2023.05.08; 5/8/2023, 08.05.2023, 8-5-2023; 2023-05."""
    return (
        rule(
            _NOT_BEFORE + _YEAR + r"(?P<mark>[-/.])(?P<month>[01]?[0-9])(?P=mark)(?P<day>[0-3]?[0-9])" + _NOT_AFTER,
            _year_first,
        ),
        rule(
            _NOT_BEFORE + r"(?P<first>[0-3]?[0-9])(?P<mark>[-/.])(?P<second>[0-3]?[0-9])(?P=mark)" + _YEAR + _NOT_AFTER,
            _year_last,
        ),
        rule(_NOT_BEFORE + _YEAR + r"-(?P<month>[01][0-9])" + _NOT_AFTER, _year_month),
    )
