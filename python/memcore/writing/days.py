"""The days that are spoken of, in the calendar of whoever speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import from_micros

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from memcore.writing.proposal import Proposal

__all__ = ["day_told", "happened", "in_zone"]


def day_told(moment: int, zone: tzinfo | None) -> str:
    """The day of a moment (microseconds), as reasons tell it."""
    return in_zone(from_micros(moment), zone).date().isoformat()


def happened(proposal: Proposal, now: datetime) -> datetime:
    """When what a proposal says happened: now, where nobody said when."""
    return now if proposal.event_time is None else proposal.event_time


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """The moment in a time zone; as it is where the calendar ends before."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
