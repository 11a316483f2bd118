"""The dates that a query means: rules find them, words beside them refine them, ranges join and borders open them."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from functools import cache

from memcore.dates import (
    anniversaries,
    chinese,
    chinese_context,
    chinese_relative,
    english,
    english_context,
    english_relative,
    english_turns,
)
from memcore.dates.borders import bordered
from memcore.dates.english import HOLIDAY
from memcore.dates.periods import VAGUE, Calendar, Grain, Period
from memcore.dates.ranges import joined
from memcore.dates.rules import Found, Rule, ascii_digits, numeric_rules
from memcore.errors import InvalidInputError, shown

__all__ = ["DateSpan", "named_periods", "query_dates"]


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A stretch of time that a text names: `start` to `end` in UTC, `end` left out.

    `grain` is the unit that was named, `text` the words; `certainty` is 1 where the words name it completely, 0.8 where
    the year, month or week was inferred from now or the count is a fraction ("1.5 years ago"), and 0.5 where it is
    vague ("a few days ago", "3 or 4 days ago", 三四天前) or open to one side: "before 2025" begins in the year 1000,
    "after 2025" ends in the year 8999. `place` is where the words begin and end in the text, in characters; `relative`
    says that they count from now ("3 days ago", 上个月).
    """

    start: datetime
    end: datetime
    grain: Grain
    text: str
    certainty: float = 1.0
    place: tuple[int, int] = (0, 0)
    relative: bool = False


_FLAGS = re.IGNORECASE | re.ASCII
_MAY_BE_CHINESE = re.compile("[年月日号周天昨今明晚星礼节旦诞夜庆五六双末季秋午夕宵]")
"""Every Chinese expression has one of these characters; a text without them is spared the Chinese rules."""
_MAY_BE_ENGLISH = re.compile(
    r"[0-9]|day|night|week|month|quarter|year|evening|morning|afternoon|yesterday|tomorrow"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|fall|winter)"
    rf"|(?:{HOLIDAY})",
    re.IGNORECASE | re.ASCII,
)
"""Every English expression has a number, one of these words, or the name of a feast."""
_SPACES = re.compile(r"\s{2,}|[^\S \n]")
_FUTURE = re.compile(r"\b(?:will|going\sto|gonna|upcoming|shall)\b|['’]ll\b|将要|将会|即将|打算|准备去|要去", _FLAGS)
_PAST = re.compile(r"\b(?:did|was|were|had|went|said|told|mentioned)\b|[了过]|曾", _FLAGS)
_BESIDE = re.compile(r"\s?[,，(（]?\s?(?:the\s)?", _FLAGS)
_QUESTION = re.compile("[?？]")
_SENTENCE_END = re.compile(r"[?？!！。…\n]|\.(?=\s|$)")
_LONGEST_SENTENCE = 300
_BIRTH = re.compile(r"生日|出生|\bborn\b|\bbirthday", _FLAGS)
_NEAR_BIRTH = 12
_OFTEN_REFINED = 2


def query_dates(text: str, now: datetime) -> tuple[DateSpan, ...]:
    """The dates that an English or Chinese text means, in the order of the text, as half-open spans in UTC.

    Days begin at midnight of `now`'s own time zone, weeks on Monday. A day, month, season or feast without a year is
    the latest that has begun, or the next one where the text speaks of the future only. Words that name no date in the
    calendar (30 February, a year before 1000) are passed over. Takes time linear in the text.

    >>> from datetime import UTC, datetime
    >>> [str(span.start.date()) for span in query_dates("on 8 May", datetime(2026, 11, 30, tzinfo=UTC))]
    ['2026-05-08']

    Raises:
        InvalidInputError: `now` has no time zone.
    """
    if now.tzinfo is None or now.utcoffset() is None:
        raise InvalidInputError(f"now: {shown(now)} is not accepted; give a datetime with a time zone")
    plain, places = _single_spaced(ascii_digits(text))
    today = now.date()
    meant = _weighed(plain, bordered(plain, _periods(plain, today), today), today)
    spans = (_span(one, text, places, now) for one in meant)
    return tuple(span for span in spans if span is not None)


def named_periods(text: str, today: date) -> list[Period]:
    """The periods that a text names when it is said on a day, in its order: "since 2020" names 2020.

    Also those on the way to a question, which `query_dates` passes over, and none of a birth, which are of any year.
    """
    plain, _ = _single_spaced(ascii_digits(text))
    return [one.period for one in _periods(plain, today) if not _of_birth(plain, one)]


def _periods(plain: str, today: date) -> list[Found]:
    calendar = Calendar(today, forward=bool(_FUTURE.search(plain)) and not _PAST.search(plain))
    found = [_refined(plain, one, calendar) for one in _matches(plain, calendar)]
    return joined(plain, _without_weekdays_of_dates(plain, _without_overlap(found)))


def _single_spaced(text: str) -> tuple[str, Sequence[int]]:
    """The text with each run of white space as one character, and where each of its characters (and its end) was."""
    if not _SPACES.search(text):
        return text, range(len(text) + 1)
    parts, places, done = [], array("Q"), 0
    for run in _SPACES.finditer(text):
        parts += [text[done : run.start()], "\n" if "\n" in run.group() else " "]
        places.extend(range(done, run.start() + 1))
        done = run.end()
    places.extend(range(done, len(text) + 1))
    return "".join([*parts, text[done:]]), places


@cache
def _rules(language: str) -> tuple[Rule, ...]:
    if language == "zh":
        named = (*_counting(anniversaries.chinese_rules()), *chinese.rules())
        relative = chinese_relative.rules()
    else:
        named = (*_counting((*anniversaries.english_rules(), *english_turns.rules())), *english.rules())
        relative = english_relative.rules()
    return (*numeric_rules(), *named, *_counting(relative))


def _counting(rules: tuple[Rule, ...]) -> Iterator[Rule]:
    return (replace(one, from_now=True) for one in rules)


def _matches(text: str, calendar: Calendar) -> list[Found]:
    """What the rules find; where two find the same words, the earlier rule is right."""
    rules: list[Rule] = []
    if _MAY_BE_CHINESE.search(text):
        rules.extend(_rules("zh"))
    if _MAY_BE_ENGLISH.search(text):
        rules.extend(one for one in _rules("en") if one not in rules)
    taken = bytearray(len(text))
    found: list[Found] = []
    lowered = text.lower()
    for one in rules:
        if one.needs and not any(word in lowered for word in one.needs):
            continue
        for match in one.pattern.finditer(text):
            begin, end = match.span()
            if any(taken[begin:end]):
                continue
            try:
                period = one.read(match, calendar)
            except (ValueError, OverflowError):
                taken[begin:end] = b"\1" * (end - begin)  # 30 February: no date, and not February either
                continue
            if period is not None:
                taken[begin:end] = b"\1" * (end - begin)
                found.append(Found(begin, end, period, one.from_now))
    return sorted(found, key=lambda one: one.begin)


def _refined(text: str, found: Found, calendar: Calendar) -> Found:
    """`found`, moved and narrowed by the words beside it, at most twice."""
    for _ in range(_OFTEN_REFINED):
        before = text[max(0, found.begin - english_context.REACH) : found.begin]
        after = text[found.end : found.end + chinese_context.REACH]
        try:
            if left := english_context.refined(before, found.period, calendar):
                found = replace(found, begin=found.begin - left[1], period=left[0])
            elif right := chinese_context.refined(after, found.period, calendar):
                found = replace(found, end=found.end + right[1], period=right[0])
            else:
                break
        except (ValueError, OverflowError):
            break
    return found


def _without_overlap(found: list[Found]) -> list[Found]:
    """The longer of two that share words, in the order of the text."""
    kept: list[Found] = []
    for one in found:
        if kept and one.begin < kept[-1].end:
            if one.end - one.begin > kept[-1].end - kept[-1].begin:
                kept[-1] = one
            continue
        kept.append(one)
    return kept


def _without_weekdays_of_dates(text: str, found: list[Found]) -> list[Found]:
    """All but the weekdays that only accompany a date, as in "Sunday, 8 May" or 5月8日（周一）."""
    kept: list[Found] = []
    for one in found:
        beside = bool(kept) and _BESIDE.fullmatch(text, kept[-1].end, one.begin) is not None
        if beside and one.period.cycle == "week" and kept[-1].period.grain == "day":
            continue
        if beside and kept[-1].period.cycle == "week" and one.period.grain == "day" and not one.from_now:
            kept.pop()
        kept.append(one)
    return kept


def _weighed(text: str, found: list[Found], today: date) -> Iterator[Found]:
    """What is asked about, apart from what is only said on the way to the question.

    In a text that asks something, words that count from now outside the question ("It is lovely today. I called her
    yesterday. What is her number?") are talk: today is left out, the rest is vague. So is the day of a birth.
    """
    asks = _QUESTION.search(text) is not None
    for one in found:
        period = one.period
        if asks and one.from_now and not _inside_question(text, one):
            if period.grain == "day" and period.start == today:
                continue
            period = replace(period, certainty=VAGUE)
        if _of_birth(text, one):
            period = replace(period, certainty=VAGUE)
        yield replace(one, period=period)


def _of_birth(text: str, found: Found) -> bool:
    near = text[max(0, found.begin - _NEAR_BIRTH) : found.end + _NEAR_BIRTH]
    return found.period.cycle == "year" and _BIRTH.search(near) is not None


def _inside_question(text: str, found: Found) -> bool:
    ending = _SENTENCE_END.search(text, found.end, found.end + _LONGEST_SENTENCE)
    return ending is not None and ending.group() in "?？"


def _span(found: Found, text: str, places: Sequence[int], now: datetime) -> DateSpan | None:
    period = found.period
    try:
        start = datetime.combine(period.start, time(), now.tzinfo).astimezone(UTC)
        end = datetime.combine(period.end, time(), now.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    begin, last = places[found.begin], places[found.end]
    return DateSpan(start, end, period.grain, text[begin:last], period.certainty, (begin, last), found.from_now)
