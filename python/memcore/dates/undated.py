"""A question without its dates: what is asked about, apart from when.

"3 days ago" and 上个月 say how far from now a day lies. In a memory the same words, or the 3 of a third of the month, say
something else, so they are not looked up; the span that they mean finds the day.
"""

import re
from collections.abc import Iterable

from memcore.dates.query import DateSpan

__all__ = ["undated"]

_KEPT = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:morning|afternoon|evening|night)\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE | re.ASCII,
)
"""Names of weekdays and parts of the day: they say the same in the memory."""


def undated(text: str, dates: Iterable[DateSpan]) -> str:
    """`text` without the words of those of its `dates` that count from now; names of weekdays and parts of days stay.

    What stood on both sides of them stays apart.

    >>> from datetime import UTC, datetime
    >>> from memcore.dates import query_dates
    >>> asked = "dinner 3 days ago with Ana"
    >>> " ".join(undated(asked, query_dates(asked, datetime(2026, 6, 17, tzinfo=UTC))).split())
    'dinner with Ana'
    """
    parts, done = [], 0
    for date in sorted((date for date in dates if date.relative), key=lambda date: date.place):
        begin, end = date.place
        parts += [text[done:begin], *_KEPT.findall(text, begin, end)]
        done = end
    return " ".join([*parts, text[done:]])
