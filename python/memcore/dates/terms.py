"""The terms of dates: those by which the index finds a memory's day, and those that a question with dates asks for.

A day of the month is `---08` and, in Chinese, a month `--05` besides (the forms of XML Schema): a bare 8 is an hour, a
price or a room. Units of time are left out: 年, 月, 日 and 星期 by themselves stand in every date, and a question that
has one of them would match every memory.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from memcore.compute import query_terms, tokenize
from memcore.dates.moments import date_words
from memcore.dates.query import DateSpan

__all__ = ["date_terms", "dated_query_terms", "is_spoken", "subject_terms"]

_IN_EVERY_DATE = frozenset(("年", "月", "日", "周", "星期"))
_BARE_NUMBER = re.compile(r"[0-9]{1,2}")
_SAME_IN_A_MEMORY = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|morning|afternoon|evening|night)\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|周末",
    re.IGNORECASE | re.ASCII,
)
"""Names of weekdays and parts of the day: they mean in a memory what they mean in a question."""
_LONG = timedelta(days=365)
"""From here on a memory that says "two years ago" most likely means the years that a question now means by it."""
_DAY_NUMBER = re.compile(
    r"(?<![0-9.:])(?:[12][0-9]|3[01]|0?[1-9])(?![0-9:]|\s?(?:day|week|month|quarter|year|[个周月年天季]))"
)
_MONTH_NUMBER = re.compile(r"(?<![0-9])(?:1[0-2]|0?[1-9])(?=\s?月)")
_NUMBERED = re.compile(r"[0-9]|[一二三四五六七八九十廿][日号]")


def date_terms(moment: datetime, text: str) -> list[str]:
    """The terms that stand for a memory's date in the index, in the language of its text.

    >>> from datetime import UTC
    >>> date_terms(datetime(2023, 5, 8, tzinfo=UTC), "We met Ana.")
    ['---08', 'may', '2023', 'monday']
    """
    return list(_terms_of(date_words(moment, text)))


@lru_cache(maxsize=64)
def _query_terms(text: str) -> tuple[str, ...]:
    """The terms of a query, which a search asks for several times."""
    return tuple(query_terms(text))


@lru_cache(maxsize=1_024)
def _terms_of(words: str) -> tuple[str, ...]:
    terms = [term for term in tokenize(words) if term not in _IN_EVERY_DATE]
    return tuple(_numbered(term, following) for term, following in zip(terms, [*terms[1:], ""], strict=True))


def _numbered(term: str, following: str) -> str:
    """A bare number of a date in the form of a month, where its month follows, or of a day."""
    if not _BARE_NUMBER.fullmatch(term):
        return term
    return _month(int(term)) if following == f"{term}月" else _day(int(term))


def is_spoken(date: DateSpan) -> bool:
    """Whether the words of a date hold at the moment of speaking only: they count from now, and span under a year."""
    return date.relative and date.end - date.start < _LONG


def dated_query_terms(text: str, dates: Iterable[DateSpan], zone: tzinfo | None) -> list[str]:
    """The terms that a question with these `dates` looks up: its own, but of its dates only what a memory says too.

    The words of a date that counts from now ("3 days ago", 上个月) mean another day in a memory: they are left out, but
    for names of weekdays and parts of the day, and for spans of a year or more. A month, and a day that a number names
    ("8 May", "5/8/2023", 5月8号), bring their terms in the index, in English and Chinese. Days are those of `zone`.

    >>> from datetime import UTC
    >>> from memcore.dates import query_dates
    >>> now = datetime(2026, 6, 17, tzinfo=UTC)
    >>> [dated_query_terms(text, query_dates(text, now), UTC) for text in ("dinner 3 days ago", "dinner on May 8")]
    [['dinner'], ['dinner', 'may', '8', '---08', '8日', '5月', '--05']]
    """
    named = sorted(dates, key=lambda date: date.place)
    left = set(_query_terms(_without(text, filter(is_spoken, named))))
    terms = [term for term in _query_terms(text) if term in left]
    for date in named:
        if not date.relative:
            terms += _day_terms(date, zone)
    return list(dict.fromkeys(terms))


def subject_terms(text: str, dates: Iterable[DateSpan]) -> list[str]:
    """The terms of a question without those of its dates, which it has beside its subject.

    >>> from datetime import UTC
    >>> from memcore.dates import query_dates
    >>> text = "Who sold bikes on 8 May 2026?"
    >>> subject_terms(text, query_dates(text, datetime(2026, 6, 17, tzinfo=UTC)))
    ['sold', 'bike']
    """
    return list(dict.fromkeys(_query_terms(_without(text, sorted(dates, key=lambda date: date.place), keep=False))))


def _day_terms(date: DateSpan, zone: tzinfo | None) -> list[str]:
    """The terms, as the index has them in English and Chinese, of the month or of the days that a date names."""
    start = date.start.astimezone(zone)
    of_day, of_month, *_ = date_terms(start, "")
    month = [of_month, f"{start.month}月", _month(start.month)]
    if date.grain == "month":
        return month
    if date.grain == "day" and _NUMBERED.search(date.text):
        return [of_day, f"{start.day}日", *month]
    days, months = ({int(number) for number in named.findall(date.text)} for named in (_DAY_NUMBER, _MONTH_NUMBER))
    return [
        *(term for day in sorted(days) for term in (_day(day), f"{day}日")),
        *(_month(number) for number in sorted(months)),
    ]


def _day(number: int) -> str:
    return f"---{number:02}"


def _month(number: int) -> str:
    return f"--{number:02}"


def _without(text: str, dates: Iterable[DateSpan], *, keep: bool = True) -> str:
    """`text` without the words of `dates`; what stood on both sides of them stays apart.

    With `keep` what a memory says too stays: weekdays and parts of the day.
    """
    parts, done = [], 0
    for date in dates:
        begin, end = date.place
        parts += [text[done:begin], *(_SAME_IN_A_MEMORY.findall(text, begin, end) if keep else ())]
        done = end
    return " ".join([*parts, text[done:]])
