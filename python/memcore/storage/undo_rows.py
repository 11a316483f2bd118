"""One row of an operation turned back: what becomes of it, given how it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.storage.operations import KEYS, RowChange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from memcore.storage.operation_rows import ChangeRow

__all__ = ["firm_columns", "is_birth", "loose_columns", "reversed_change"]

_COUNTS: dict[str, tuple[float, float]] = {"access_count": (0, 2**63 - 1), "base_importance": (0.0, 10.0)}
"""What use adds to, with the range it stays in."""
_TOGETHER = ("strength", "strength_at", "dormant")
_LOOSE: dict[str, frozenset[str]] = {
    "memory": frozenset((*_COUNTS, "last_used_at", "pinned", "updated_at")),
    "fact_detail": frozenset((*_TOGETHER, "due_at")),
    "event_detail": frozenset(("stability_days",)),
    "edge": frozenset(("strength",)),
}


_ENDING = frozenset(("ended_at", "ending"))


def loose_columns(table: str) -> frozenset[str]:
    """The columns that stand in the way of no undo: what plain use changes without an operation, and the pin."""
    return _LOOSE.get(table, frozenset())


def is_birth(change: ChangeRow) -> bool:
    """Whether a change says that a memory came into the searches; reversed, it takes it out of them."""
    if change.table != "memory" or change.before is None or change.after is None:
        return False
    return change.before.get("ended_at") is not None and change.after["ended_at"] is None


def firm_columns(change: ChangeRow) -> frozenset[str] | None:
    """The columns that must be as a change left them for it to be reversed; None: the row came or went.

    What plain use changes need not, nor, where the reversal takes a memory out of the searches, how it may have left
    them already.
    """
    if change.before is None or change.after is None:
        return None
    before, after = change.before, change.after
    changed = frozenset(name for name in after if before[name] != after[name])
    return changed - loose_columns(change.table) - (_ENDING if is_birth(change) else frozenset())


def reversed_change(conn: Connection, change: ChangeRow, now: int) -> RowChange | None:
    """What makes a row as it was before the change, without columns that are so already; None where it is another now.

    A row that the change made goes, one that it removed comes back. A memory that ends by this ends at `now`. When a
    fact would freeze is worked out anew afterwards, so `due_at` is left alone.
    """
    row = _row(conn, change)
    if change.before is None:
        if row is None:
            return _change(change, {})
        return _change(change, None) if _is_as_left(change, row) else None
    if change.after is None:
        return _change(change, change.before) if row is None else None
    if row is None and change.table == "conflict_pair":
        return _change(change, {})  # a conflict with what was deleted is none any more
    if row is not None:
        row = _with_gone_successor(conn, change, row)
    if row is None or not _is_as_left(change, row):
        return None
    firm = firm_columns(change) or frozenset()
    values = {name: change.before[name] for name in change.after if name in firm}
    if change.table == "memory" and row["ended_at"] is None:
        values |= {name: change.before[name] for name in _ENDING & change.before.keys()}
    values |= _loose_values(change, row)
    values = {name: value for name, value in values.items() if row[name] != value}
    if not values.keys().isdisjoint(_TOGETHER):
        values = {name: row[name] for name in _TOGETHER} | values
    if values.get("ended_at") is not None and row["ended_at"] is None:
        values["ended_at"] = now
    return _change(change, values)


def _row(conn: Connection, change: ChangeRow) -> Mapping[str, Any] | None:
    where = " AND ".join(f"{name} = ?" for name in KEYS[change.table])
    found = conn.exec_driver_sql(f"SELECT * FROM {change.table} WHERE {where}", change.key).mappings().first()
    return None if found is None else dict(found)


def _with_gone_successor(conn: Connection, change: ChangeRow, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A claim as the change left it, where what superseded it was deleted since, and nothing has its place."""
    named = (change.after or {}).get("superseded_by") if change.table == "claim" else None
    if named is None or row["superseded_by"] is not None:
        return row
    gone = conn.exec_driver_sql("SELECT 1 FROM memory WHERE id = ?", (named,)).first() is None
    return {**row, "superseded_by": named} if gone else row


def _change(change: ChangeRow, values: Mapping[str, Any] | None) -> RowChange:
    return RowChange(change.table, change.key, change.memory_id, values)


def _is_as_left(change: ChangeRow, row: Mapping[str, Any]) -> bool:
    after = change.after or {}
    firm = firm_columns(change)
    if firm is None:
        firm = frozenset(after) - loose_columns(change.table)
    return all(row[name] == after[name] for name in firm)


def _loose_values(change: ChangeRow, row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that use changes too: counts without what the change added, the others only where none used it."""
    before, after = change.before or {}, change.after or {}
    loose = [name for name in after if name in loose_columns(change.table) and name != "due_at"]
    values = {name: before[name] for name in loose if row[name] == after[name]}
    if change.table == "fact_detail" and len(values) < len(loose):
        return {}  # it was used since: strength, its moment and dormancy belong together
    for name in _COUNTS.keys() & set(loose) - values.keys():
        least, most = _COUNTS[name]
        values[name] = min(most, max(least, row[name] + before[name] - after[name]))
    return values
