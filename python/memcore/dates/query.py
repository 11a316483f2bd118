"""The dates that a query means: rules find them, the words beside them refine them, ranges join them."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from memcore.dates import chinese, chinese_context, chinese_relative, english, english_context, english_relative
from memcore.dates.periods import Calendar, Grain, Period, add_months
from memcore.dates.rules import Found, Rule, ascii_digits, numeric_rules
from memcore.errors import InvalidInputError

__all__ = ["DateSpan", "query_dates"]


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A stretch of time that a text names: `start` to `end` in UTC, `end` left out.

    `grain` is the unit that was named, `text` the words; `certainty` is 1 where the words name it completely, 0.8 where
    the year, month or week was inferred from now, and 0.5 where it is vague ("a few days ago", "before May").
    """

    start: datetime
    end: datetime
    grain: Grain
    text: str
    certainty: float = 1.0


_FLAGS = re.IGNORECASE | re.ASCII
_CHINESE = re.compile("[年月日号周天昨今明前后节星礼春夏秋冬元旦圣诞国庆五六双跨平安夜末]")
_ENGLISH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|last|next|this|past|previous|upcoming"
    r"|coming|today|tonight|tomorrow|yesterday|day|ago|spring|summer|autumn|fall|winter|christmas|boxing|new|valentine|st|easter"
    r"|mother|father|fourth|halloween|thanksgiving|the|weekend|back|from|a|an)|[0-9]{1,4}",
    _FLAGS,
)
_FUTURE = re.compile(r"\b(?:will|going\sto|gonna|upcoming|shall)\b|['’]ll\b|将要|将会|即将|打算|准备去|要去", _FLAGS)
_PAST = re.compile(r"\b(?:did|was|were|had|went|said|told|mentioned)\b|[了过]|曾", _FLAGS)
_JOINS = re.compile(r"\s?(?:to|through|until|till|-|–|—|到|至|~|～)\s?(?:the\s)?", _FLAGS)
_AND = re.compile(r"\s(?:and|&)\s(?:the\s)?|和", _FLAGS)
_BETWEEN = re.compile(r"\bbetween\s(?:the\s)?$", _FLAGS)
_FARTHEST_JOIN = 12
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
        raise InvalidInputError(f"now: {now!r} is not accepted; give a datetime with a time zone")
    plain = ascii_digits(text)
    calendar = Calendar(now.date(), forward=bool(_FUTURE.search(plain)) and not _PAST.search(plain))
    found = [_refined(plain, one, calendar) for one in _matches(plain, calendar)]
    spans = (_span(one, text, now) for one in _joined(plain, _without_overlap(found)))
    return tuple(span for span in spans if span is not None)


@cache
def _rules(language: str) -> tuple[Rule, ...]:
    if language == "zh":
        return (*numeric_rules(), *chinese.rules(), *chinese_relative.rules())
    return (*numeric_rules(), *english.rules(), *english_relative.rules())


def _matches(text: str, calendar: Calendar) -> list[Found]:
    """What the rules find; where two find the same words, the earlier rule is right."""
    rules: list[Rule] = []
    if _CHINESE.search(text):
        rules.extend(_rules("zh"))
    if _ENGLISH.search(text):
        rules.extend(one for one in _rules("en") if one not in rules)
    taken = bytearray(len(text))
    found: list[Found] = []
    for one in rules:
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
                found.append(Found(begin, end, period))
    return sorted(found, key=lambda one: one.begin)


def _refined(text: str, found: Found, calendar: Calendar) -> Found:
    """`found`, moved and narrowed by the words beside it, at most twice."""
    for _ in range(_OFTEN_REFINED):
        before = text[max(0, found.begin - english_context.REACH) : found.begin]
        after = text[found.end : found.end + chinese_context.REACH]
        try:
            if left := english_context.refined(before, found.period, calendar):
                found = Found(found.begin - left[1], found.end, left[0])
            elif right := chinese_context.refined(after, found.period, calendar):
                found = Found(found.begin, found.end + right[1], right[0])
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


def _joined(text: str, found: list[Found]) -> list[Found]:
    """Two dates with "to" between them, or between "between" and "and", become the range that they bound."""
    joined: list[Found] = []
    for one in found:
        if joined and (period := _range(text, joined[-1], one)) is not None:
            joined[-1] = Found(joined[-1].begin, one.end, period)
        else:
            joined.append(one)
    return joined


def _range(text: str, first: Found, last: Found) -> Period | None:
    middle = text[first.end : last.begin]
    if len(middle) > _FARTHEST_JOIN:
        return None
    before = text[max(0, first.begin - _FARTHEST_JOIN) : first.begin]
    if not (_JOINS.fullmatch(middle) or (_AND.fullmatch(middle) and _BETWEEN.search(before))):
        return None
    start, end = first.period, last.period
    try:
        if start.cycle and not end.cycle:
            start = _nearest(start, end.start, after=False)
        elif end.cycle:
            end = _nearest(end, start.start, after=True)
    except (ValueError, OverflowError):
        return None
    if start.start >= end.end:
        return None
    return Period(start.start, end.end, "range", min(start.certainty, end.certainty), start.cycle)


def _nearest(period: Period, day: date, *, after: bool) -> Period:
    """The recurrence of `period` (next year's, next month's, next week's) that is nearest to `day` on that side."""
    if period.cycle == "week":
        away = timedelta(days=(period.start - day).days % 7 - (0 if after else 7) * bool((period.start - day).days % 7))
        return _starting(period, day + away)
    months = 12 if period.cycle == "year" else 1
    moved = (
        period.start.replace(year=day.year)
        if months == 12
        else add_months(period.start, _months_between(period.start, day))
    )
    if after and moved < day:
        moved = add_months(moved, months)
    if not after and moved > day:
        moved = add_months(moved, -months)
    return _starting(period, moved)


def _starting(period: Period, start: date) -> Period:
    if period.start.day == 1 and period.grain in {"month", "season"}:
        return replace(period, start=start, end=add_months(start, 1 if period.grain == "month" else 3))
    return replace(period, start=start, end=start + (period.end - period.start))


def _months_between(first: date, last: date) -> int:
    return (last.year - first.year) * 12 + last.month - first.month


def _span(found: Found, text: str, now: datetime) -> DateSpan | None:
    period = found.period
    try:
        start = datetime.combine(period.start, time(), now.tzinfo).astimezone(UTC)
        end = datetime.combine(period.end, time(), now.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return DateSpan(start, end, period.grain, text[found.begin : found.end], period.certainty)
