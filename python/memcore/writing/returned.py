"""What an undo brings back, and what says the same by then: they become one, as where it is said again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Kind, OperationAction, Origin, ReviewState
from memcore.storage import neighbours, operation_rows, operations, strength
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange
from memcore.writing.apply import Applying
from memcore.writing.evidence import rank, repeats, says_the_same
from memcore.writing.said_again import said_again
from memcore.writing.standing import waking

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour

__all__ = ["join"]


def join(connection: Connection, operation_id: int, now: datetime, retention_days: Mapping[Kind, int]) -> None:
    """Retires, as a part of an undo that was just written, one of two rows that say the same because of it.

    Of two that a search finds the younger goes into the older, which gets what a text gets that is said again, and the
    pin. What waits for review goes where the same is found, or waits already. What stood beside it before the operation
    that is undone does so again.
    """
    sight, applying = Sight.at(now, retention_days), Applying(connection, now, retention_days)
    [undo] = operation_rows.fetch(connection, [operation_id])
    undone = operation_rows.fetch(connection, [undo.undoes or 0])
    firsts = operation_rows.fetch(connection, [one.undoes or 0 for one in undone])
    if not undone or any(one.action is OperationAction.MERGE for one in (*undone, *firsts)):
        return
    named = {change.memory_id for one in (undo, *undone) for change in one.changes}
    back = {one.memory_id for one in undo.changes if _comes_back(one.table, one.before, one.after)}
    if not any(one.action is OperationAction.UNDO for one in undone):  # done again, an update does what it did at first
        back |= {one.memory_id for one in undo.changes if "content" in (one.before or {})}
    for memory_id in sorted(back):
        for other in _same_words(connection, memory_id, sight):
            found = neighbours.by_ids(connection, [memory_id, other], sight)
            since = other not in named and operation_rows.came_since(connection, other, undone[0])
            if since and all(map(_counts, found.values())):
                changes = _joined(applying, found[memory_id], found[other])
                operations.extend(connection, operation_id, changes)
                strength.reschedule(connection, [memory_id, other] if changes else [])


def _same_words(connection: Connection, memory_id: int, sight: Sight) -> list[int]:
    """The other memories of a user and kind that have the words of one, ascending."""
    one = neighbours.by_ids(connection, [memory_id], sight)[memory_id]
    if not one.row.intact:
        return []
    same = neighbours.with_text(connection, one.row.partition, Kind(one.row.kind), one.row.content, sight)
    return [other.row.id for other in same if other.row.id != memory_id]


def _counts(one: Neighbour) -> bool:
    """Whether a memory is found, now or once it begins, or waits for review."""
    return one.shown or (one.waits and one.lasts)


def _comes_back(table: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> bool:
    """Whether a change lets a memory into the searches or the queue."""
    old, new = before or {}, after or {}
    if table == "claim":
        return old.get("superseded_by") is not None and new.get("superseded_by") is None
    lets_in = old.get("review_state") == ReviewState.REJECTED and new.get("review_state") != ReviewState.REJECTED
    ended = old.get("ended_at") is not None and new.get("ended_at") is None
    return table == "memory" and (lets_in or ended)


def _joined(applying: Applying, one: Neighbour, other: Neighbour) -> list[RowChange]:
    """What becomes of two rows with the same words, where they say the same; nothing where they do not."""
    older, younger = (one, other) if one.row.id < other.row.id else (other, one)
    connection, now = applying.connection, applying.now
    said = said_again(connection, younger.row, now.tzinfo)
    if older.shown and younger.shown:
        if not repeats(said, older, now):
            return []
        strong = rank(younger.row.origin) >= rank(older.row.origin)
        changes = applying.merging(said, older, strengthens=strong, own_row=younger.row.id)
        if younger.row.pinned and not older.row.pinned:
            changes.append(RowChange("memory", (older.row.id,), older.row.id, {"pinned": 1}))
            changes += [] if strong else waking(connection, older.row.id, now)
        return changes
    if older.shown or younger.shown:
        shown, waiting = (older, younger) if older.shown else (younger, older)
        return [applying.retired(waiting.row.id)] if _settles(connection, shown, waiting, one, now) else []
    return [applying.retired(younger.row.id)] if says_the_same(said, older, now) else []


def _settles(connection: Connection, shown: Neighbour, waiting: Neighbour, one: Neighbour, now: datetime) -> bool:
    """Whether what waits need not any more: it comes back and is stored already, or the user says it himself."""
    if one is waiting:
        return repeats(said_again(connection, waiting.row, now.tzinfo), shown, now)
    if shown.row.origin is not Origin.USER or shown.slot_key != waiting.slot_key:
        return False
    return says_the_same(said_again(connection, shown.row, now.tzinfo), waiting, now)
