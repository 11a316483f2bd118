"""What a person decides: a memory that waits becomes current or is rejected, a conflict ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.kinds import Kind, OperationAction, ReviewState
from memcore.storage import memories, neighbours, partitions, strength
from memcore.storage.conflicts import conflicting, partners, recorded_partners, resolved
from memcore.storage.details import CLAIMED
from memcore.storage.encoding import from_micros, same_statement, to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange
from memcore.storage.supersede import superseded
from memcore.writing.apply import Applying
from memcore.writing.decide import joined
from memcore.writing.evidence import stored_already
from memcore.writing.planned import following, to_follow, without_plans_off
from memcore.writing.reach import Reach, found
from memcore.writing.reading import records_of
from memcore.writing.replacing import record_replacing
from memcore.writing.restate import moments_told
from memcore.writing.said_again import began_when_said, said_again
from memcore.writing.standing import roused, taken_out

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.records import MemoryRecord
    from memcore.storage.database import Database
    from memcore.storage.neighbours import Neighbour
    from memcore.storage.rows import MemoryRow
    from memcore.writing.rules import Rules

__all__ = ["approve", "reject", "resolve"]


def approve(database: Database, memory_id: int, *, within: Reach, now: datetime, rules: Rules) -> MemoryRecord:
    """The memory, current from now on; or the one that says the same already, into which it is merged.

    What fills its slot, or is in conflict with it, at a moment at which it holds is superseded. What is over, expired
    or past its days of retention takes the place of nothing. What takes the place of a pinned memory is pinned, and
    what was dormant wakes.

    Raises:
        NotFoundError: it is unknown or outside the reach.
        InvalidInputError: it does not wait for review, or its layer is off.
    """
    with database.write() as connection:
        row = _waiting(connection, within, memory_id, rules)
        sight = Sight.at(now, rules.retention_days)
        own, applying = (
            neighbours.by_ids(connection, [row.id], sight)[row.id],
            Applying(connection, now, rules.retention_days),
        )
        against = partners(connection, row.id, sight)
        changes = [resolved(row.id, one, now) for one in against]
        into = _stored_already(connection, own, sight, now)
        if into is None:
            stays, begins, told = own, _begins(own, now), "approved"
            origin, replaced = row.origin, []
            changes += [*_admitted(own, now), *roused(connection, row.id, now)]
        else:
            stays, told = into, f"approved into memory {into.row.id}"
            begins = max(sight.now, into.begins(sight.now) or 0)
            said = said_again(connection, row, now.tzinfo)
            told = joined(told, moments_told(said, into, now, moves=row.kind in rules.retention_days))
            origin, replaced = applying.raised(said, into), [row.id]
            changes += applying.merging(said, into, own_row=row.id)
        if own.lasts and row.kind in CLAIMED:
            stay = frozenset({stays.row.id})
            if into is not None and into.leaves:
                own, stay = replace(own, valid_until=into.valid_until), stay | to_follow(connection, into)
            ending = sorted(_beside(connection, own, against, sight, begins) - stay)
            since = from_micros(begins)
            changes += [superseded(connection, old, stays.row.id, now, begins=since) for old in ending]
            if into is not None:
                beside = set(partners(connection, into.row.id, sight))
                changes += [resolved(into.row.id, one, now) for one in ending if one in beside]
            replaced += ending
        changes += applying.pin_of(stays.row, origin, replaced)
        return _done(connection, stays.row, OperationAction.REVIEW, changes, sight=sight, reason=told)


def reject(
    database: Database, memory_id: int, *, within: Reach, now: datetime, rules: Rules, reason: str = ""
) -> MemoryRecord:
    """The memory, which is kept and never found. What it was to take the place of, before it began, keeps its time.

    Raises:
        NotFoundError: it is unknown or outside the reach.
        InvalidInputError: it does not wait for review, or its layer is off.
    """
    with database.write() as connection:
        row = _waiting(connection, within, memory_id, rules)
        sight = Sight.at(now, rules.retention_days)
        changes = [resolved(row.id, one, now) for one in partners(connection, row.id, sight)]
        out, kept = taken_out(connection, _review(row, ReviewState.REJECTED, now), sight)
        changes += out
        told = joined(f"rejected: {reason}" if reason else "rejected", kept)
        return _done(connection, row, OperationAction.REVIEW, changes, sight=sight, reason=told)


def resolve(
    database: Database,
    keep_id: int,
    drop_id: int,
    *,
    within: Reach,
    now: datetime,
    rules: Rules,
    keep_both: bool,
    reason: str = "",
) -> MemoryRecord:
    """The memory that is kept, once the conflict is decided: the other is superseded by it, or rejected if it waited.

    With `keep_both` both become, or stay, current. One that waited is in conflict from now on with what else fills its
    slot. What something else was to take the place of from a later day on has its end by this decision instead. What
    takes the place of a pinned memory is pinned, and what is kept and was dormant wakes.

    Raises:
        NotFoundError: one of them is unknown or outside the reach.
        InvalidInputError: they are not in open conflict, their layer is off, or the one to drop is itself to take the
            place of the one to keep, through others.
    """
    with database.write() as connection:
        keep, drop = found(connection, within, [keep_id, drop_id], field="id", to_change=True)
        sight = Sight.at(now, rules.retention_days)
        if drop.id not in partners(connection, keep.id, sight):
            raise InvalidInputError(
                f"drop_id: {drop_id} is not accepted; memory {keep_id} is in no open conflict with it"
            )
        _refuse_layer_off([keep, drop], "keep_id", rules)
        changes = [resolved(keep.id, drop.id, now)]
        sides = neighbours.by_ids(connection, [keep.id, drop.id], sight)
        for row in [keep, drop] if keep_both else [keep]:
            changes += roused(connection, row.id, now)
            if _waits(row):
                changes += _admitted(sides[row.id], now)
                changes += _new_conflicts(connection, sides[row.id], {keep.id, drop.id}, sight, now)
        if not keep_both and _waits(drop):
            changes.append(_review(drop, ReviewState.REJECTED, now))
        elif not keep_both:
            begins = from_micros(_begins(sides[keep.id], now))
            changes.append(superseded(connection, drop.id, keep.id, now, begins=begins, field="drop_id"))
            changes += Applying(connection, now).pin_of(keep, keep.origin, [drop.id])
        return _done(connection, keep, OperationAction.RESOLVE, changes, sight=sight, reason=reason)


def _waits(row: MemoryRow) -> bool:
    return row.review_state is ReviewState.PENDING


def _waiting(connection: Connection, within: Reach, memory_id: int, rules: Rules) -> MemoryRow:
    [row] = found(connection, within, [memory_id], field="id", to_change=True)
    _refuse_layer_off([row], "id", rules)
    if not _waits(row) or row.ended_at is not None:
        state = row.review_state if row.ending is None else row.ending
        raise InvalidInputError(f"id: memory {memory_id} is {state} and does not wait; pending() lists those that do")
    return row


def _refuse_layer_off(rows: Sequence[MemoryRow], field: str, rules: Rules) -> None:
    for row in rows:
        if isinstance(row.kind, Kind) and row.kind.layer not in rules.layers:
            raise InvalidInputError(
                f"{field}: {row.id} is not accepted, the layer {row.kind.layer} is off; decide about it where it is on"
            )


def _review(row: MemoryRow, state: ReviewState, now: datetime) -> RowChange:
    values = {"review_state": state.value, "updated_at": to_micros(max(now, row.updated_at))}
    return RowChange("memory", (row.id,), row.id, values)


def _begins(own: Neighbour, now: datetime) -> int:
    """From when on something holds that comes to hold now, microseconds: where no beginning was given, from now on."""
    moment = to_micros(now)
    if own.valid_from is None:
        return moment
    late = own.lasts and began_when_said(own.row, from_micros(own.valid_from))
    return max(moment, own.valid_from) if late and own.row.review_state is ReviewState.PENDING else own.valid_from


def _admitted(own: Neighbour, now: datetime) -> list[RowChange]:
    """What becomes of a memory that waits and is let in."""
    changes = [_review(own.row, ReviewState.ACTIVE, now)]
    begins = _begins(own, now)
    if own.valid_from is not None and begins != own.valid_from:
        changes.append(RowChange("claim", (own.row.id,), own.row.id, {"valid_from": begins}))
    return changes


def _stored_already(connection: Connection, own: Neighbour, sight: Sight, now: datetime) -> Neighbour | None:
    """The memory that is found already and says what one that waits does, the oldest of several."""
    if not (own.lasts and own.row.intact):
        return None
    said = said_again(connection, own.row, now.tzinfo)
    same = neighbours.with_text(connection, own.row.partition, said.kind, own.row.content, sight)
    return stored_already(said, without_plans_off(connection, same, sight), now)


def _beside(connection: Connection, own: Neighbour, against: Sequence[int], sight: Sight, begins: int) -> set[int]:
    """What is in conflict with a claim, is to follow that, or stands in its slot, and holds when it does."""
    since = own.begins(sight.now)
    if since is not None:  # what had begun when it was stored holds now, also where the clock stepped back
        begins = min(begins, max(since, sight.now))
    beside = [one for one in neighbours.by_ids(connection, against, sight).values() if one.stands]
    beside += [heir for one in beside for heir in following(connection, one, sight)]
    if own.slot_key is not None:
        number = partitions.ensure(connection, own.row.partition)
        beside += neighbours.in_slot(connection, number, own.slot_key, sight)
    return {one.row.id for one in beside if one.holds_within(begins, own.valid_until, sight.now)}


def _new_conflicts(
    connection: Connection, own: Neighbour, decided: set[int], sight: Sight, now: datetime
) -> list[RowChange]:
    """The conflicts of a memory that is let in with what stands in its slot and says something else.

    None where one was recorded before.
    """
    if not own.lasts:
        return []
    beside = _beside(connection, own, (), sight, _begins(own, now))
    unknown = beside - decided - recorded_partners(connection, own.row.id)
    said, others = same_statement(own.row.content), neighbours.by_ids(connection, sorted(unknown), sight)
    differ = [one for one, there in sorted(others.items()) if same_statement(there.row.content) != said]
    return [conflicting(other, own.row.id, now) for other in differ]


def _done(
    connection: Connection,
    row: MemoryRow,
    action: OperationAction,
    changes: Sequence[RowChange],
    *,
    sight: Sight,
    reason: str,
) -> MemoryRecord:
    number = partitions.ensure(connection, row.partition)
    record_replacing(connection, number, action, changes, sight=sight, reason=reason)
    # the sweep passes over what waits
    strength.reschedule(connection, sorted({one.memory_id for one in changes}))
    [record] = records_of(connection, memories.fetch(connection, [row.id]))
    return record
