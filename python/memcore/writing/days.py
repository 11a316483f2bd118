"""The days that are spoken of, in the calendar of whoever speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import from_micros

if TYPE_CHECKING:
    from datetime import date, datetime, tzinfo

__all__ = ["day_told"]


def day_told(moment: int, zone: tzinfo | None) -> str:
    """The day of a moment (microseconds), as reasons tell it."""
    return _day(from_micros(moment), zone).isoformat()


def _day(moment: datetime, zone: tzinfo | None) -> date:
    try:
        return moment.astimezone(zone).date()
    except OverflowError:
        return moment.date()
