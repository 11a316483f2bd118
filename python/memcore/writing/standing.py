"""Pinning a memory, and taking one out of the searches by hand: nothing is removed, and all of it can be undone."""

from datetime import datetime
from typing import TYPE_CHECKING

from memcore.curves import REVIVE
from memcore.errors import InvalidInputError
from memcore.kinds import Ending, Kind, OperationAction
from memcore.records import MemoryRecord, checked_id
from memcore.storage import operations, partitions, strength
from memcore.storage.called_off import given_back, told
from memcore.storage.encoding import from_micros, to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange
from memcore.storage.returning import disputes_of
from memcore.writing import fields
from memcore.writing.decide import joined
from memcore.writing.evidence import UNTRUSTED
from memcore.writing.reach import Reach, found
from memcore.writing.reading import records_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["ended", "pin", "refuse_entity", "retire", "roused", "taken_out", "waking"]


def pin(database: "Database", memory_id: object, *, within: Reach, now: datetime, pinned: bool = True) -> MemoryRecord:
    """The memory as it is after it was pinned, or unpinned; where it is so already nothing is done.

    A pinned fact has a half-life of a hundred years from when its strength was last set, and wakes if it was dormant.

    Raises:
        InvalidInputError: `memory_id` is no id, or what is to be pinned comes from a tool, the web or a job.
        NotFoundError: it is unknown, or not the named user's own.
    """
    wanted = checked_id("id", memory_id)
    with database.write() as connection:
        row = found(connection, within, [wanted], field="id", to_change=True)[0]
        if pinned and row.origin in UNTRUSTED:
            raise InvalidInputError(
                f"id: {wanted} is not accepted, it comes from origin {row.origin}; what a tool, the web or a job "
                "brought is never pinned: add it as what the user says, then pin that"
            )
        changes = [RowChange("memory", (wanted,), wanted, {"pinned": int(pinned)})]
        if pinned:
            changes += waking(connection, wanted, now)
        action = OperationAction.PIN if pinned else OperationAction.UNPIN
        partition = partitions.ensure(connection, row.partition)
        if operations.record(connection, partition, action, changes, now=now) is not None:
            strength.reschedule(connection, [wanted])
        return records_of(connection, found(connection, within, [wanted], field="id"))[0]


def waking(connection: "Connection", memory_id: int, now: datetime) -> list[RowChange]:
    """The change by which a dormant fact that is pinned wakes, as what is left of it by the half-life of a pin allows.

    It is to be made together with the pin.
    """
    facts = strength.facts_of(connection, [memory_id], pinned=True)
    wakes = facts.dormant & (facts.retention(to_micros(now)) >= REVIVE)
    if not wakes.any():
        return []
    # strength and moment stay, and are named so that an undo sees whether it was used since
    columns = {"dormant": 0, "strength": facts.strengths.tolist()[0], "strength_at": facts.strength_ats.tolist()[0]}
    return [RowChange("fact_detail", (memory_id,), memory_id, columns)]


def roused(connection: "Connection", memory_id: int, now: datetime) -> list[RowChange]:
    """The changes by which a dormant fact that a person decided for wakes: as by a use, so that searches find it."""
    sleeps = strength.facts_of(connection, [memory_id]).dormant.any()
    return strength.strengthened(connection, [memory_id], now) if sleeps else []


def retire(
    database: "Database",
    memory_id: object,
    *,
    reason: object,
    within: Reach,
    now: datetime,
    retention_days: "Mapping[Kind, int] | None" = None,
) -> MemoryRecord:
    """The memory as it is after it was taken out of the searches; where a hand did that already nothing is done.

    What had not begun gives back the time that it was to take, in the same operation.

    Raises:
        InvalidInputError: `memory_id` is no id or an entity's, or the reason is no text.
        NotFoundError: it is unknown, or not the named user's own.
    """
    wanted = checked_id("id", memory_id)
    why = "" if reason is None else fields.text("reason", reason)
    with database.write() as connection:
        row = found(connection, within, [wanted], field="id", to_change=True)[0]
        refuse_entity(row, "retired", "delete(id) removes it")
        if row.ending not in (Ending.RETIRED, Ending.WRONG):
            partition = partitions.ensure(connection, row.partition)
            sight = Sight.at(now, retention_days or {})
            changes, kept = taken_out(connection, ended(row, Ending.RETIRED, now), sight)
            why = joined(why, kept)
            operations.record(connection, partition, OperationAction.RETIRE, changes, now=now, reason=why)
            strength.reschedule(connection, sorted({one.memory_id for one in changes[1:]}))
        return records_of(connection, found(connection, within, [wanted], field="id"))[0]


def taken_out(connection: "Connection", change: RowChange, sight: Sight) -> tuple[list[RowChange], str]:
    """The change that takes a memory out of the searches, with those that follow from it; and in words what these are.

    What it was to take the place of, but had not begun to, keeps its time, and is in conflict from now on with what
    contradicts it by then.
    """
    given = given_back(connection, [change.memory_id], sight)
    if not given:
        return [change], ""
    changes = [change, *(one.change for one in given)]
    changes += disputes_of(connection, changes, sight, from_micros(sight.now))
    return changes, told(given)


def ended(row: "MemoryRow", ending: Ending, now: datetime) -> RowChange:
    """The change that takes a memory out of the searches; one that is out already keeps the moment since when."""
    ended_at = to_micros(now if row.ended_at is None else row.ended_at)
    return RowChange("memory", (row.id,), row.id, {"ended_at": ended_at, "ending": ending.value})


def refuse_entity(row: "MemoryRow", what: str, remedy: str) -> None:
    """Lets every memory pass but an entity, of which the graph is made.

    Raises:
        InvalidInputError: it is one.
    """
    if row.kind is Kind.ENTITY:
        raise InvalidInputError(f"id: {row.id} is not accepted, an entity cannot be {what}; {remedy}")
