"""The time zone of a recorded search: the days of its query are counted in it again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_zone", "zone_text"]

_LOOKED_AT = range(1950, 2051)
_NEAR = timedelta(days=14)
_NEAR_STEPS = 80  # three years each way


def zone_text(moment: datetime) -> tuple[str, bool]:
    """The zone of an aware moment as it is kept, and whether all of its days are the same when it is read.

    The name of a zone that this machine has; else the offset of the moment, which does for a zone whose offset does not
    change. A zone without a name that has daylight saving cannot be kept.
    """
    zone = moment.tzinfo
    offset = moment.utcoffset() or timedelta(0)
    fixed = timezone(timedelta(seconds=int(offset.total_seconds())))
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    named = _zone_of(name) if isinstance(name, str) else None
    if named is not None and (named is zone or _are_alike(zone, named, moment)):
        return str(name), True
    return str(int(offset.total_seconds())), zone == fixed or _are_alike(zone, fixed, moment)


def read_zone(text: object) -> tuple[tzinfo, bool]:
    """The zone of a text that `zone_text` gave, and whether it is that; UTC where this machine does not have it."""
    if isinstance(text, str):
        if text.removeprefix("-").isdecimal() and abs(int(text)) < 86_400:
            return timezone(timedelta(seconds=int(text))), True
        found = _zone_of(text)
        if found is not None:
            return found, True
    return UTC, False


def _zone_of(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError):  # a zone that is not there is a KeyError
        return None


def _are_alike(zone: tzinfo | None, other: tzinfo, moment: datetime) -> bool:
    """Whether two zones have the same offsets, near a moment and in a hundred years."""
    for local in _moments(moment.replace(tzinfo=None)):
        try:
            offset = local.replace(tzinfo=zone).utcoffset()
        except Exception:  # noqa: BLE001 - the code of a zone that somebody gave may raise anything
            return False
        if offset != local.replace(tzinfo=other).utcoffset():
            return False
    return True


def _moments(near: datetime) -> Iterator[datetime]:
    for year in _LOOKED_AT:
        yield datetime(year, 1, 15, 12)  # noqa: DTZ001 - the hour of a wall clock, in whatever zone
        yield datetime(year, 7, 15, 12)  # noqa: DTZ001
    for step in range(-_NEAR_STEPS, _NEAR_STEPS + 1):
        yield near + step * _NEAR
