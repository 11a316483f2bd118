"""Changes that can be undone: each is written together with the values from before, as one operation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.kinds import OperationAction
from memcore.storage.encoding import json_text, to_micros

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["KEYS", "RowChange", "apply_change", "born", "extend", "next_id", "record", "record_each"]

KEYS: dict[str, tuple[str, ...]] = {
    "memory": ("id",),
    "claim": ("memory_id",),
    "fact_detail": ("memory_id",),
    "event_detail": ("memory_id",),
    "knowledge_detail": ("memory_id",),
    "conflict_pair": ("memory_a_id", "memory_b_id"),
    "edge": ("source_id", "target_id", "type"),
    "edge_history": ("id",),
    "feedback": ("id",),
}
"""The tables whose rows an operation may change, with the columns of their keys."""
_INSERT_OPERATION = (
    "INSERT INTO operation (partition_id, action, recorded_at, reason, source_ref, job_run, undoes, size)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"
)
_INSERT_CHANGE = (
    "INSERT INTO operation_change (operation_id, number, memory_id, changed_table, row_key, before, after)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row and what becomes of it; columns are named as in the table, moments are microseconds.

    `values` None removes the row; a row that is not there is made of key and values. `memory_id` is the memory that the
    row belongs to. `before` is read from the table, unless it is given: then the row is taken to be as `values` say
    already, and `before` is what an undo makes of it.
    """

    table: str
    key: tuple[Any, ...]
    memory_id: int
    values: Mapping[str, Any] | None
    before: Mapping[str, Any] | None = None


def born(memory_id: int, now: datetime) -> RowChange:
    """That a memory was stored by an operation: undone, it is retired; done again, it is back."""
    ended = {"ended_at": to_micros(now), "ending": "retired"}
    return RowChange("memory", (memory_id,), memory_id, dict.fromkeys(ended), ended)


def record(
    conn: Connection,
    partition_id: int,
    action: OperationAction,
    changes: Sequence[RowChange],
    *,
    now: datetime,
    reason: str = "",
    source_ref: str | None = None,
    job_run: str | None = None,
    undoes: int | None = None,
) -> int | None:
    """Apply the changes and write them down as one operation; its id, or None where none of them changed anything."""
    lines: list[tuple[Any, ...]] = []
    for change in changes:
        before, after = (change.before, change.values) if change.before is not None else apply_change(conn, change)
        if before != after:
            key = json_text("key", list(change.key))
            lines.append((len(lines), change.memory_id, change.table, key, _json(before), _json(after)))
    if not lines:
        return None
    values = (partition_id, OperationAction(action).value, to_micros(now), reason, source_ref, job_run, undoes)
    operation_id = int(conn.exec_driver_sql(_INSERT_OPERATION, (*values, len(lines))).scalar_one())
    conn.exec_driver_sql(_INSERT_CHANGE, [(operation_id, *line) for line in lines])
    return operation_id


def extend(conn: Connection, operation_id: int, changes: Sequence[RowChange], *, reason: str | None = None) -> None:
    """Apply more changes as a part of an operation that was just written; where a reason is given, it is that now.

    A column that it has set already gets another value after it, and keeps the one from before.
    """
    rows = "SELECT count(*) FROM operation_change WHERE operation_id = ?"
    lines = int(conn.exec_driver_sql(rows, (operation_id,)).scalar_one())
    for change in changes:
        before, after = apply_change(conn, change)
        if before is not None and after is not None:
            known = _set_anew(conn, operation_id, change, after)
            before, after = ({name: row[name] for name in row.keys() - known} for row in (before, after))
        if before != after:
            key = json_text("key", list(change.key))
            values = (operation_id, lines, change.memory_id, change.table, key, _json(before), _json(after))
            conn.exec_driver_sql(_INSERT_CHANGE, values)
            lines += 1
    query = "UPDATE operation SET size = ?, reason = coalesce(?, reason) WHERE id = ?"
    conn.exec_driver_sql(query, (lines, reason, operation_id))


def _set_anew(conn: Connection, operation_id: int, change: RowChange, after: Mapping[str, Any]) -> set[str]:
    """The columns of a row that an operation had set; what they are after it is noted."""
    query = (
        "SELECT number, after FROM operation_change"
        " WHERE operation_id = ? AND changed_table = ? AND row_key = ? AND before IS NOT NULL AND after IS NOT NULL"
    )
    known = set[str]()
    named = (operation_id, change.table, json_text("key", list(change.key)))
    for number, text in conn.exec_driver_sql(query, named).fetchall():
        columns = json.loads(text)
        same = {name: after[name] for name in after.keys() & columns.keys()}
        known |= same.keys()
        conn.exec_driver_sql(
            "UPDATE operation_change SET after = ? WHERE operation_id = ? AND number = ?",
            (_json({**columns, **same}), operation_id, number),
        )
    return known


def record_each(
    conn: Connection,
    action: OperationAction,
    changes: Sequence[tuple[int, RowChange]],
    *,
    now: datetime,
    reason: str = "",
    job_run: str | None = None,
) -> list[int]:
    """Write down many changes of (partition, row), each as an operation of its own; their ids.

    The rows are as `values` say already, and each change has its `before`: for what one statement did to many rows.
    """
    if not changes:
        return []
    first = next_id(conn)
    shared = (OperationAction(action).value, to_micros(now), reason, job_run)
    rows = [(first + at, partition, *shared) for at, (partition, _) in enumerate(changes)]
    conn.exec_driver_sql(
        "INSERT INTO operation (id, partition_id, action, recorded_at, reason, job_run, size)"
        " VALUES (?, ?, ?, ?, ?, ?, 1)",
        rows,
    )
    lines = [
        (first + at, 0, one.memory_id, one.table, json_text("key", list(one.key)), _json(one.before), _json(one.values))
        for at, (_, one) in enumerate(changes)
    ]
    conn.exec_driver_sql(_INSERT_CHANGE, lines)
    return [row[0] for row in rows]


def next_id(conn: Connection) -> int:
    """The id that the next operation gets; no id is used twice."""
    last = conn.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'operation'").scalar()
    return 1 if last is None else int(last) + 1


def apply_change(conn: Connection, change: RowChange) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """The columns of the row from before and after, of which only those that `values` name unless it comes or goes."""
    names = KEYS[change.table]
    where = " AND ".join(f"{name} = ?" for name in names)
    found = conn.exec_driver_sql(f"SELECT * FROM {change.table} WHERE {where}", change.key).mappings().first()
    row = None if found is None else {name: value for name, value in found.items() if name not in names}
    if change.values is None:
        if row is not None:
            conn.exec_driver_sql(f"DELETE FROM {change.table} WHERE {where}", change.key)
        return row, None
    if row is None:
        columns = (*names, *change.values)
        marks = ", ".join("?" * len(columns))
        conn.exec_driver_sql(
            f"INSERT INTO {change.table} ({', '.join(columns)}) VALUES ({marks})",
            (*change.key, *change.values.values()),
        )
        return None, change.values
    before = {name: row[name] for name in change.values}
    if before != change.values:
        settings = ", ".join(f"{name} = ?" for name in change.values)
        conn.exec_driver_sql(
            f"UPDATE {change.table} SET {settings} WHERE {where}", (*change.values.values(), *change.key)
        )
    return before, change.values


def _json(values: Mapping[str, Any] | None) -> str | None:
    return None if values is None else json.dumps(dict(values), ensure_ascii=False, separators=(",", ":"))
