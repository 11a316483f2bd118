"""A claim that begins with its event, which lies ahead: where the event moves, the beginning moves with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage import neighbours, partitions
from memcore.storage.claim_ends import without_plans
from memcore.storage.encoding import from_micros, to_micros
from memcore.storage.operations import RowChange
from memcore.storage.supersede import replaced_by
from memcore.writing import fields

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight
    from memcore.storage.rows import MemoryRow

__all__ = ["moved_beginning"]


def moved_beginning(connection: Connection, row: MemoryRow, event: datetime, sight: Sight) -> list[RowChange]:
    """The changes by which a plan begins when its event is by now, and what it is to follow ends then.

    None where its beginning is another than that of its event, or it has begun. What it is to follow and would be over
    before keeps the end that it has without the plan.

    Raises:
        InvalidInputError: the event would be over by now, or would be once the claim is, something else has its place
            before it begins, or another plan of its slot begins between the two days, or on one of them, or was to.
    """
    own = neighbours.by_ids(connection, [row.id], sight)[row.id]
    if not own.is_planned(sight.now) or own.valid_from != to_micros(row.event_time):
        return []
    begins = to_micros(event)
    _refuse_past(own, event, sight)
    if begins == own.valid_from:
        return []
    _refuse_passing(connection, own, event, sight)
    changes = [RowChange("claim", (row.id,), row.id, {"valid_from": begins})]
    for one in neighbours.by_ids(connection, replaced_by(connection, row.id), sight).values():
        if one.valid_until == own.valid_from:
            ends = min(filter(None, (begins, without_plans(connection, one))))
            since = ends if one.valid_from is None else max(ends, one.valid_from)
            changes.append(RowChange("claim", (one.row.id,), one.row.id, {"valid_until": since}))
    return changes


def _refuse_passing(connection: Connection, own: Neighbour, event: datetime, sight: Sight) -> None:
    """Lets an event pass that changes nothing in the order of the plans of a slot."""
    if own.void:
        fields.refuse_shown(
            "event_time",
            event.isoformat(),
            f"memory {own.row.id} is superseded by memory {own.superseded_by} before it begins: move that one, or say"
            " this one anew",
        )
    number = None if own.slot_key is None else partitions.find(connection, own.row.partition)
    if own.slot_key is None or number is None or own.valid_from is None:
        return
    first, last = sorted((own.valid_from, to_micros(event)))
    called_off = neighbours.by_ids(connection, replaced_by(connection, own.row.id), sight).values()
    between = [one for one in called_off if one.void and one.row.ended_at is None and not one.denied]
    for one in [*neighbours.in_slot(connection, number, own.slot_key, sight), *between]:
        passed = one.valid_from is not None and first <= one.valid_from <= last
        if passed and one.row.id != own.row.id and one.is_planned(sight.now):
            day = from_micros(one.valid_from or 0).isoformat()
            begins = f"was to begin on {day}" if one.void else f"begins on {day}"
            fields.refuse_shown(
                "event_time",
                event.isoformat(),
                f"memory {one.row.id} of its slot {begins}, and the order of the two would be another: retire memory"
                f" {own.row.id} and set it anew",
            )


def _refuse_past(own: Neighbour, event: datetime, sight: Sight) -> None:
    if to_micros(event) <= sight.now:
        remedy = (
            f"memory {own.row.id} begins with its event, which lies ahead: give a moment after now, or retire it and"
        )
        fields.refuse_shown("event_time", event.isoformat(), f"{remedy} say anew what holds by now")
    if own.valid_until is not None and own.valid_until <= to_micros(event):
        until = from_micros(own.valid_until).isoformat()
        fields.refuse_shown(
            "event_time",
            event.isoformat(),
            f"memory {own.row.id} begins with its event and holds until {until}: give an earlier moment, or retire it"
            " and say it anew",
        )
