"""What a person decides: a memory that waits becomes current or is rejected, a conflict ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.kinds import OperationAction, ReviewState
from memcore.storage import memories, neighbours, operations, partitions, strength
from memcore.storage.claims import claims_of
from memcore.storage.conflicts import partners, resolved
from memcore.storage.details import CLAIMED, slot_key
from memcore.storage.encoding import to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange
from memcore.storage.supersede import superseded
from memcore.writing.reach import Reach, found
from memcore.writing.reading import records_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind
    from memcore.records import MemoryRecord
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["approve", "reject", "resolve"]


def approve(
    database: Database, memory_id: int, *, within: Reach, now: datetime, retention_days: Mapping[Kind, int]
) -> MemoryRecord:
    """The memory, current from now on. It takes the place of what fills its slot and of what it is in conflict with.

    Raises:
        NotFoundError: it is unknown or outside the reach.
        InvalidInputError: it does not wait for review.
    """
    with database.write() as connection:
        row = _waiting(connection, within, memory_id)
        changes = [_review(row, ReviewState.ACTIVE, now)]
        against = partners(connection, row.id, now)
        changes += [resolved(row.id, one, now) for one in against]
        if row.kind in CLAIMED:
            sight = Sight.at(now, retention_days)
            current = neighbours.by_ids(connection, against, sight)
            replaced = {one for one in against if current[one].shown} | _in_slot(connection, row, sight)
            changes += [superseded(connection, old, row.id, now) for old in sorted(replaced)]
        return _done(connection, row, OperationAction.REVIEW, changes, now=now, reason="approved")


def reject(database: Database, memory_id: int, *, within: Reach, now: datetime, reason: str = "") -> MemoryRecord:
    """The memory, which is kept and never found.

    Raises:
        NotFoundError: it is unknown or outside the reach.
        InvalidInputError: it does not wait for review.
    """
    with database.write() as connection:
        row = _waiting(connection, within, memory_id)
        changes = [resolved(row.id, one, now) for one in partners(connection, row.id, now)]
        changes.append(_review(row, ReviewState.REJECTED, now))
        told = f"rejected: {reason}" if reason else "rejected"
        return _done(connection, row, OperationAction.REVIEW, changes, now=now, reason=told)


def resolve(
    database: Database, keep_id: int, drop_id: int, *, within: Reach, now: datetime, keep_both: bool, reason: str = ""
) -> MemoryRecord:
    """The memory that is kept, once the conflict is decided: the other is superseded by it, or rejected if it waited.

    With `keep_both` both become, or stay, current.

    Raises:
        NotFoundError: one of them is unknown or outside the reach.
        InvalidInputError: they are not in open conflict.
    """
    with database.write() as connection:
        keep, drop = found(connection, within, [keep_id, drop_id], field="id", to_change=True)
        if drop.id not in partners(connection, keep.id, now):
            raise InvalidInputError(
                f"drop_id: {drop_id} is not accepted; memory {keep_id} is in no open conflict with it"
            )
        changes = [resolved(keep.id, drop.id, now)]
        staying = [keep, drop] if keep_both else [keep]
        changes += [_review(row, ReviewState.ACTIVE, now) for row in staying if _waits(row)]
        if not keep_both:
            changes.append(
                _review(drop, ReviewState.REJECTED, now)
                if _waits(drop)
                else superseded(connection, drop.id, keep.id, now)
            )
        return _done(connection, keep, OperationAction.RESOLVE, changes, now=now, reason=reason)


def _waits(row: MemoryRow) -> bool:
    return row.review_state is ReviewState.PENDING


def _waiting(connection: Connection, within: Reach, memory_id: int) -> MemoryRow:
    [row] = found(connection, within, [memory_id], field="id", to_change=True)
    if not _waits(row) or row.ended_at is not None:
        state = row.review_state if row.ending is None else row.ending
        raise InvalidInputError(f"id: memory {memory_id} is {state} and does not wait; pending() lists those that do")
    return row


def _review(row: MemoryRow, state: ReviewState, now: datetime) -> RowChange:
    values = {"review_state": state.value, "updated_at": to_micros(max(now, row.updated_at))}
    return RowChange("memory", (row.id,), row.id, values)


def _in_slot(connection: Connection, row: MemoryRow, sight: Sight) -> set[int]:
    """What stands in the slot of a fact when it begins to hold."""
    claim = claims_of(connection, [row.id]).get(row.id)
    if claim is None or claim.slot is None:
        return set()
    number = partitions.ensure(connection, row.partition)
    begins = sight.now if claim.valid_from is None else to_micros(claim.valid_from)
    beside = neighbours.in_slot(connection, number, slot_key(claim.slot), sight)
    return {one.row.id for one in beside if one.shown or one.holds_within(begins, None)}


def _done(
    connection: Connection,
    row: MemoryRow,
    action: OperationAction,
    changes: Sequence[RowChange],
    *,
    now: datetime,
    reason: str,
) -> MemoryRecord:
    number = partitions.ensure(connection, row.partition)
    operations.record(connection, number, action, changes, now=now, reason=reason)
    # the sweep passes over what waits
    strength.reschedule(connection, sorted({one.memory_id for one in changes}))
    [record] = records_of(connection, memories.fetch(connection, [row.id]))
    return record
