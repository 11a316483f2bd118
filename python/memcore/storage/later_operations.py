"""Which later operations stand on one: those that hold, and changed the same columns of the same rows after it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memcore.kinds import OperationAction
from memcore.storage.encoding import id_list
from memcore.storage.operation_rows import ChangeRow
from memcore.storage.undo_rows import firm_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.storage.operation_rows import OperationRow

__all__ = ["JOINED", "later_operations"]

JOINED = ("edge", "conflict_pair")
"""The tables whose rows are named by two memories."""
_LATER = """
    SELECT c.operation_id, c.changed_table, c.row_key, c.before, c.after, o.action, o.undoes,
        (SELECT undo.undoes FROM operation AS undo WHERE undo.id = o.undoes AND undo.action = 'undo'), c.memory_id
    FROM operation_change AS c JOIN operation AS o ON o.id = c.operation_id
    WHERE c.memory_id IN (SELECT value FROM json_each(?)) AND c.operation_id > ? AND o.undone_by IS NULL
"""
_STOOD = """
    SELECT undoes = ?1 FROM operation
    WHERE (undoes = ?1 OR undoes IN (SELECT id FROM operation WHERE undoes = ?1)) AND id < ?2 ORDER BY id DESC LIMIT 1
"""


def later_operations(conn: Connection, operation: OperationRow, root: int) -> tuple[int, ...]:
    """The operations that hold and changed, after one that is to be reversed, what it changed; newest first.

    `root` is the operation that it is, undid, or did again. What plain use changes too is no such change.

    An undo counts where the operation that it undid, or did again, held before the other way: what was done and undone
    since adds up to nothing.
    """
    changes, at = operation.changes, operation.id
    touched: dict[tuple[str, tuple[Any, ...]], frozenset[str] | None] = {}
    for one in changes:
        before, firm = touched.get((one.table, one.key), frozenset()), firm_columns(one)
        touched[one.table, one.key] = None if before is None or firm is None else before | firm
    ids = {memory_id for one in changes for memory_id in _memories(one)}
    found = set()
    for row in conn.exec_driver_sql(_LATER, (id_list(sorted(ids)), at)).fetchall():
        theirs = ChangeRow(row[8], row[1], tuple(json.loads(row[2])), _read(row[3]), _read(row[4]))
        if row[0] in found or (theirs.table, theirs.key) not in touched:
            continue
        ours, columns = touched[theirs.table, theirs.key], firm_columns(theirs)
        if ours is not None and columns is not None and not ours & columns:
            continue
        if row[5] == OperationAction.UNDO.value:
            undid, other = row[7] is None, row[6] if row[7] is None else row[7]
            if other == root or other > at or _was_undone(conn, other, at) == undid:
                continue
        found.add(row[0])
    return tuple(sorted(found, reverse=True))


def _was_undone(conn: Connection, operation_id: int, at: int) -> bool:
    """Whether an operation was undone at the time of another."""
    last = conn.exec_driver_sql(_STOOD, (operation_id, at)).first()
    return last is not None and bool(last[0])


def _memories(change: ChangeRow) -> Sequence[int]:
    return (change.memory_id, *change.key[:2]) if change.table in JOINED else (change.memory_id,)


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else dict(json.loads(text))
