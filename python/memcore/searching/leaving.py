"""By what a memory left the searches, in plain words: what its operations say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.kinds import Ending, OperationAction, ReviewState
from memcore.storage import memories, operation_rows
from memcore.storage.encoding import same_statement
from memcore.storage.undo_rows import is_birth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from memcore.storage.operation_rows import ChangeRow, OperationRow
    from memcore.storage.rows import MemoryRow

__all__ = ["how_ended", "how_rejected"]

_READ_AT_ONCE = 100
_ENDINGS = {"archived": "archived", "retired": "retired by hand", "wrong": "said to be wrong"}


def how_ended(connection: Connection, row: MemoryRow) -> str:
    """How a memory ended that has: by which operation, or only how and when where none tells of it."""
    on = "" if row.ended_at is None else f" on {row.ended_at.date()}"
    found = _last(connection, row, "ending", row.ending)
    if found is None:
        return f"it was {_ENDINGS.get(row.ending or '', 'ended')}{on}"
    said = _taken_back(found, on) or _by_hand(connection, row, found, on) or _said_elsewhere(connection, row, found, on)
    return f"{said} (operation {found.operation.id})"


def how_rejected(connection: Connection, row: MemoryRow) -> str:
    """How a memory was rejected that waited for review."""
    found = _last(connection, row, "review_state", ReviewState.REJECTED)
    if found is None:
        return "it was rejected in review"
    on = f" on {found.operation.recorded_at.date()}"
    if found.by is not None and found.by.action is OperationAction.RESOLVE:
        kept = next(iter(_sides(found.by, row.id)), None)
        said = f"it was rejected{on}, when a conflict was decided{'' if kept is None else f' for memory {kept}'}"
    elif found.by is not None and found.by.action is OperationAction.SUPERSEDE:
        said = _corrected(connection, row, found.by, on)
    else:
        said = f"it was rejected in review{on}"
    return f"{said} (operation {found.operation.id})"


@dataclass(frozen=True, slots=True)
class _Leaving:
    """The operation by which a memory left; `by` is the one that it is, or did again, and `undone` what it undid.

    Neither where an undo took the memory out for what came back by it.
    """

    operation: OperationRow
    by: OperationRow | None = None
    undone: OperationRow | None = None


def _last(connection: Connection, row: MemoryRow, column: str, value: str | None) -> _Leaving | None:
    """The last operation that holds and gave a column of a memory the value that it has."""
    for operation in _newest_first(connection, row.id):
        change = _own(operation, row.id, column)
        if operation.undone_by is not None or change is None or (change.after or {}).get(column) != value:
            continue
        was = (change.before or {}).get(column)
        if operation.action is not OperationAction.UNDO:
            return _Leaving(operation, by=operation)
        undone = _operation(connection, operation.undoes)
        if undone is not None and undone.action is OperationAction.UNDO:
            first = _operation(connection, undone.undoes)
            done_again = first is not None and _own(first, row.id, column) is not None
            return _Leaving(operation, by=first if done_again else None)
        if was is not None and was != value:
            continue  # it was out before already, and is again as it was then
        birth = None if undone is None else _own(undone, row.id, column)
        return _Leaving(operation, undone=undone if birth is not None and is_birth(birth) else None)
    return None


def _newest_first(connection: Connection, memory_id: int) -> Iterator[OperationRow]:
    ids = operation_rows.ids_of_memory(connection, memory_id)[::-1]
    for first in range(0, len(ids), _READ_AT_ONCE):
        yield from operation_rows.fetch(connection, ids[first : first + _READ_AT_ONCE])


def _operation(connection: Connection, number: int | None) -> OperationRow | None:
    return next(iter(operation_rows.fetch(connection, [number or 0])), None)


def _own(operation: OperationRow, memory_id: int, column: str) -> ChangeRow | None:
    """The last change of a memory's own row that an operation made, and that names a column."""
    own = [one for one in operation.changes if one.table == "memory" and one.memory_id == memory_id]
    return next((one for one in reversed(own) if column in (one.after or {})), None)


def _taken_back(found: _Leaving, on: str) -> str:
    """What is said of what an undo took back; nothing of anything else."""
    return "" if found.undone is None else f"it was taken back by the undo of operation {found.undone.id}{on}"


def _by_hand(connection: Connection, row: MemoryRow, found: _Leaving, on: str) -> str:
    """What is said of what somebody took out; nothing of anything else."""
    if found.by is None:
        return ""
    action, corrected = found.by.action, found.by.reason == "corrected"
    if action is OperationAction.RETIRE:
        return f"it was retired by hand{on}"
    if row.ending == Ending.WRONG:
        return _corrected(connection, row, found.by, on) if corrected else f"it was said to be wrong{on}"
    return f"it was archived{on}" if row.ending == Ending.ARCHIVED else ""


def _corrected(connection: Connection, row: MemoryRow, by: OperationRow, on: str) -> str:
    right = _partner(connection, row, by, same=False)
    return f"it was corrected{on}" + ("" if right is None else f": memory {right} says what is right")


def _said_elsewhere(connection: Connection, row: MemoryRow, found: _Leaving, on: str) -> str:
    """What is said of what is out because another memory says it."""
    partner = _partner(connection, row, found.by or found.operation, same=True)
    other = "another memory" if partner is None else f"memory {partner}"
    if found.by is None:
        return f"{other} says the same, and an undo made the two one{on}"
    if found.by.action is OperationAction.REVIEW:
        return f"it was approved{on} into {other}, which says the same"
    if row.review_state is ReviewState.PENDING:
        return f"it waited for review, until {other} said the same{on}"
    return f"it was merged{on} into {other}, which says {_how_much(connection, row, partner)}"


def _how_much(connection: Connection, row: MemoryRow, partner: int | None) -> str:
    """Whether another memory says the same as one word for word, as one that was found by its vector need not."""
    there = memories.fetch(connection, [] if partner is None else [partner])
    same = any(same_statement(one.content) == same_statement(row.content) for one in there)
    return "the same" if same else "nearly the same"


def _partner(connection: Connection, row: MemoryRow, by: OperationRow, *, same: bool) -> int | None:
    """The memory that an operation put in the place of one: with its text where `same`, else one that it brought."""
    for change in by.changes:
        if change.table == "claim" and change.memory_id == row.id and (change.after or {}).get("superseded_by"):
            return int((change.after or {})["superseded_by"])
    others = dict.fromkeys(one.memory_id for one in by.changes if one.memory_id != row.id)
    left = {one.memory_id for one in by.changes if one.table == "memory" and (one.after or {}).get("ending")}
    born = [one.memory_id for one in by.changes if is_birth(one) and one.memory_id in others]
    staying = [one.memory_id for one in by.changes if one.table == "memory" and one.memory_id in others]
    likely = [one for one in (*born, *staying, *others) if one not in left]
    if same:
        wanted, there = same_statement(row.content), memories.fetch(connection, likely)
        likely = [one.id for one in there if same_statement(one.content) == wanted] or likely
    return likely[0] if likely else None


def _sides(by: OperationRow, memory_id: int) -> list[int]:
    """The memories whose conflict with one an operation decided."""
    pairs = [one.key for one in by.changes if one.table == "conflict_pair" and memory_id in one.key]
    return [int(side) for pair in pairs for side in pair if side != memory_id]
