"""The days that are spoken of, in the calendar of whoever speaks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.dates import means_other_days
from memcore.storage.encoding import from_micros
from memcore.writing import fields

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from memcore.writing.proposal import Proposal

__all__ = ["day_told", "happened", "in_zone", "of_other_days", "same_day", "with_beginning"]


def day_told(moment: int, zone: tzinfo | None) -> str:
    """The day of a moment (microseconds), as reasons tell it."""
    return in_zone(from_micros(moment), zone).date().isoformat()


def happened(proposal: Proposal, now: datetime) -> datetime:
    """When what a proposal says happened: now, where nobody said when."""
    return now if proposal.event_time is None else proposal.event_time


def with_beginning(proposal: Proposal, now: datetime) -> Proposal:
    """A proposal, whose claim begins with the event that it is of where that lies ahead and no beginning was given.

    Raises:
        InvalidInputError: the claim is to end before that event.
    """
    claim, event = proposal.claim, proposal.event_time
    if claim is None or claim.valid_from is not None or event is None or event <= now:
        return proposal
    if claim.valid_until is not None and claim.valid_until <= event:
        fields.refuse_shown(
            f"{proposal.at}valid_until",
            claim.valid_until.isoformat(),
            f"the event lies ahead, and the claim begins with it: give a moment after event_time ({event.isoformat()}),"
            " or the valid_from since when it holds",
        )
    return replace(proposal, claim=replace(claim, valid_from=event), begins_with_event=True)


def same_day(said: datetime, stored: datetime) -> bool:
    """Whether a stored moment is of the day on which something is said, in the calendar of whoever says it."""
    return said.date() == in_zone(stored, said.tzinfo).date()


def of_other_days(proposal: Proposal, stored: datetime, now: datetime) -> bool:
    """Whether the words of a proposal without a slot ("today", 上周) mean other days than when they were stored."""
    if proposal.slot is not None:
        return False
    said = happened(proposal, now)
    return means_other_days(proposal.content, said.date(), in_zone(stored, said.tzinfo).date())


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """The moment in a time zone; as it is where the calendar ends before."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
