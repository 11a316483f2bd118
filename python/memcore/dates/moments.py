"""Moments read from imported text, and a moment's words for the index."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import NoReturn

from memcore.errors import InvalidInputError, shown

__all__ = ["date_words", "parse_moment"]

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CHINESE_WEEKDAYS = "一二三四五六日"
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LONGEST = 80
_MILLISECONDS = 1e11
_YEAR_ONE = -62_135_596_800  # seconds
_AFTERNOON = frozenset(("下午", "傍晚", "晚上"))

_FLAGS = re.IGNORECASE | re.ASCII
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?\s?(?P<half>[ap]\.?m\.?)?"
_MONTH_NAME = r"(?P<name>[a-z]{3,9})\.?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[0-9]{4})"
_BEFORE_CLOCK = r"(?:,?\s(?:at\s)?"
_FORMS = tuple(
    re.compile(form, _FLAGS)
    for form in (
        _CLOCK + r"\s(?:on\s)?" + _DAY + r"\s" + _MONTH_NAME + r",?\s" + _YEAR,
        _CLOCK + r"\s(?:on\s)?" + _MONTH_NAME + r"\s" + _DAY + r",?\s" + _YEAR,
        _DAY + r"\s" + _MONTH_NAME + r",?\s" + _YEAR + _BEFORE_CLOCK + _CLOCK + r")?",
        _MONTH_NAME + r"\s" + _DAY + r",?\s" + _YEAR + _BEFORE_CLOCK + _CLOCK + r")?",
        _YEAR + r"[/.](?P<month>[0-9]{1,2})[/.]" + _DAY + _BEFORE_CLOCK + _CLOCK + r")?",
        _YEAR + r"年(?P<month>[0-9]{1,2})月(?P<day>[0-9]{1,2})[日号]?\s?(?:周|星期|礼拜)?[一二三四五六日天]?\s?"
        r"(?P<part>凌晨|早上|上午|中午|下午|傍晚|晚上)?(?:\s?(?:"
        + _CLOCK
        + r"|(?P<hours>[0-9]{1,2})[点时](?:(?P<minutes>[0-9]{1,2})分?)?))?",
    )
)  # fmt: skip
_EPOCH = re.compile(r"-?[0-9]{9,11}(?:\.[0-9]{1,9})?", re.ASCII)
_ACCEPTED = (
    '"2023-05-08T13:56:00+02:00", "2023-05-08", "1:56 pm on 8 May, 2023", "2024年04月01日 周一 08:39" '
    "or seconds since 1970"
)


def date_words(moment: datetime, text: str) -> str:
    """The words that stand for a memory's date in the indexed text, in the language of that text.

    The calendar is that of `moment`'s own time zone.

    >>> from datetime import UTC, datetime
    >>> date_words(datetime(2023, 5, 8, tzinfo=UTC), "We met Ana.")
    '8 May 2023 Monday'
    >>> date_words(datetime(2023, 5, 8, tzinfo=UTC), "我们见到了安娜。")
    '2023年5月8日 5月8日 星期一 周一'
    """
    weekday = moment.weekday()
    if _HAN.search(text):
        day = f"{moment.month}月{moment.day}日"
        return f"{moment.year}年{day} {day} 星期{_CHINESE_WEEKDAYS[weekday]} 周{_CHINESE_WEEKDAYS[weekday]}"
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year} {_WEEKDAYS[weekday]}"


def parse_moment(text: str | float, *, default_zone: tzinfo = UTC) -> datetime:
    """The aware moment that a text or a number of seconds since 1970 names.

    ISO 8601, "1:56 pm on 8 May, 2023", "May 8, 2023 13:56", "2023/5/8", "2024年04月01日 周一 08:39", seconds since
    1970 as a number or its digits. What names no time zone is in `default_zone`; what names no time is midnight.

    >>> parse_moment("1:56 pm on 8 May, 2023").isoformat()
    '2023-05-08T13:56:00+00:00'

    Raises:
        InvalidInputError: it is none of these, or names a day or time that does not exist.
    """
    if isinstance(text, int | float) and not isinstance(text, bool):
        return _from_epoch(text, text)
    if not isinstance(text, str) or len(text) > _LONGEST:
        _refuse(text)
    words = " ".join(text.split())
    if _EPOCH.fullmatch(words):
        return _from_epoch(float(words), text)
    try:
        moment = datetime.fromisoformat(words)
    except ValueError:
        moment = _in_words(words, text)
    return moment if moment.tzinfo else moment.replace(tzinfo=default_zone)


def _in_words(words: str, given: str) -> datetime:
    match = next((match for form in _FORMS if (match := form.fullmatch(words))), None)
    if match is None:
        _refuse(given)
    try:
        return _moment(match.groupdict())
    except ValueError as error:
        _refuse(given, str(error))


def _moment(parts: dict[str, str | None]) -> datetime:
    def number(*names: str) -> int:
        return next((int(value) for name in names if (value := parts.get(name))), 0)

    month = number("month") or _month_number(parts.get("name") or "")
    hour = number("hour", "hours")
    half = (parts.get("half") or "").lower()[:1]
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(f"{hour} is no hour of a twelve-hour clock")
        hour = hour % 12 + (12 if half == "p" else 0)
    elif (parts.get("part") in _AFTERNOON and 1 <= hour < 12) or (parts.get("part") == "中午" and 1 <= hour < 3):
        hour += 12
    minute, second = number("minute", "minutes"), number("second")
    return datetime(number("year"), month, number("day"), hour, minute, second)  # noqa: DTZ001 - the caller sets the zone


def _month_number(name: str) -> int:
    """1 to 12 for a month's name or its short form; 0, which no calendar has, for anything else."""
    short = "sep" if name.lower() == "sept" else name.lower()
    return next((at for at, full in enumerate(_MONTHS, 1) if short and full.lower().startswith(short)), 0)


def _from_epoch(seconds: float, given: object) -> datetime:
    if not -_MILLISECONDS < seconds < _MILLISECONDS:  # also where it is not a number
        _refuse(given, "it is not a number of seconds; divide milliseconds by 1,000")
    if seconds < _YEAR_ONE:
        _refuse(given, "it lies before the year 1")
    return datetime(1970, 1, 1, tzinfo=timezone(timedelta())) + timedelta(seconds=seconds)


def _refuse(given: object, reason: str = "") -> NoReturn:
    raise InvalidInputError(f"time: {shown(given)} is not accepted{': ' + reason if reason else ''}; give {_ACCEPTED}")
