"""Whether a text that is said on two days means the same days by its words."""

import re
from datetime import date
from functools import lru_cache

from memcore.dates.query import named_periods
from memcore.dates.rules import ascii_digits

__all__ = ["means_other_days"]

_COUNT = (
    r"(?:[0-9]+(?:[.,][0-9]+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half\san|a\sfew|some|several"
    r"|(?:a\s)?couple(?:\sof)?|many)"
)
_OF_THE_DAY = re.compile(
    r"\b(?:just|right)\snow\b|\ba\s(?:moment|minute|while)\sago\b"
    r"|\b" + _COUNT + r"(?:\sand\sa\shalf)?\s(?:second|minute|min|hour|hr)s?\s(?:ago|earlier|from\snow)\b"
    r"|刚才|刚刚(?!好)|方才|这会儿|此刻|(?:秒钟?|分钟|小时|钟头|一会儿)[之以]?[前后]",
    re.IGNORECASE | re.ASCII,
)
"""Words that mean a moment of the day on which they are said; `query_dates` knows no hours."""


def means_other_days(text: str, one: date, other: date) -> bool:
    """Whether the words of a text mean other days said on one day than on another: today, last week, 昨天, 周五.

    Words that name a day completely, or no day at all, mean the same whenever they are said; so does "last week" on two
    days of one week.

    >>> means_other_days("Ana ran today.", date(2026, 3, 1), date(2026, 3, 2))
    True
    >>> means_other_days("Ana ran on 3 May 2026.", date(2026, 3, 1), date(2026, 3, 2))
    False
    """
    if one == other:
        return False
    if _OF_THE_DAY.search(" ".join(ascii_digits(text).split())):
        return True
    return _meant(text, one) != _meant(text, other)


@lru_cache(maxsize=2048)
def _meant(text: str, day: date) -> tuple[tuple[date, date], ...]:
    """Where the periods that a text names begin and end; what is said every day is read against each of its days."""
    return tuple((period.start, period.end) for period in named_periods(text, day))
