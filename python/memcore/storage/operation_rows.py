"""Operations as they were written down: by id, by the memory they changed, by source, by run of a job."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.kinds import OperationAction
from memcore.scope import Partition
from memcore.storage.encoding import from_micros, id_list, to_micros

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = [
    "ChangeRow",
    "OperationRow",
    "came_since",
    "fetch",
    "ids_of_memory",
    "ids_of_run",
    "ids_of_source",
    "redone",
    "texts_of_memory",
]

_AMONG = "IN (SELECT value FROM json_each(?))"
_OPERATIONS = (
    "SELECT o.id, p.agent_id, p.user_id, o.partition_id, o.action, o.recorded_at, o.reason, o.source_ref, o.job_run,"
    " o.undoes, o.undone_by, o.size"
    f" FROM operation AS o JOIN partition AS p ON p.id = o.partition_id WHERE o.id {_AMONG}"
)
_CHANGES = (
    "SELECT operation_id, memory_id, changed_table, row_key, before, after FROM operation_change"
    f" WHERE operation_id {_AMONG} ORDER BY operation_id, number"
)
_CAME = (
    "SELECT 1 FROM operation_change WHERE memory_id = ?1 AND operation_id > ?2 AND ("
    + " OR ".join(
        f"json_type(after, '$.{name}') IS NOT NULL" for name in ("ended_at", "review_state", "content", "superseded_by")
    )
    + ") UNION ALL SELECT 1 FROM memory WHERE id = ?1 AND recorded_at >= ?3"
    " AND NOT EXISTS (SELECT 1 FROM operation_change WHERE memory_id = ?1 AND operation_id <= ?2) LIMIT 1"
)
_OF_MEMORY = (
    "SELECT operation_id FROM operation_change WHERE memory_id = ?"
    " UNION SELECT operation_id FROM operation_change"
    " WHERE changed_table = 'conflict_pair' AND json_extract(row_key, '$[0]') = ? ORDER BY 1"
)
"""A pair in conflict is a row of the newer memory; the older one stands first in its key."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One row that an operation changed; None where there was, or is, no row."""

    memory_id: int
    table: str
    key: tuple[Any, ...]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class OperationRow:
    """An operation and what is left of its changes: `size` is how many it made."""

    id: int
    partition: Partition
    partition_id: int
    action: OperationAction
    recorded_at: datetime
    reason: str
    source_ref: str | None
    job_run: str | None
    undoes: int | None
    undone_by: int | None
    size: int
    changes: tuple[ChangeRow, ...]


def fetch(conn: Connection, ids: Sequence[int]) -> list[OperationRow]:
    """The operations with these ids, in the order asked; an id that is not there is left out."""
    among = (id_list(ids),)
    changes: dict[int, list[ChangeRow]] = {}
    for row in conn.exec_driver_sql(_CHANGES, among):
        change = ChangeRow(row[1], row[2], tuple(json.loads(row[3])), _read(row[4]), _read(row[5]))
        changes.setdefault(row[0], []).append(change)
    found = {
        row[0]: OperationRow(
            id=row[0],
            partition=Partition(row[1], row[2]),
            partition_id=row[3],
            action=OperationAction(row[4]),
            recorded_at=from_micros(row[5]),
            reason=row[6],
            source_ref=row[7],
            job_run=row[8],
            undoes=row[9],
            undone_by=row[10],
            size=row[11],
            changes=tuple(changes.get(row[0], ())),
        )
        for row in conn.exec_driver_sql(_OPERATIONS, among)
    }
    return [found[one] for one in ids if one in found]


def came_since(conn: Connection, memory_id: int, operation: OperationRow) -> bool:
    """Whether a memory was stored, let in or out, or got its words after an operation."""
    values = (memory_id, operation.id, to_micros(operation.recorded_at))
    return conn.exec_driver_sql(_CAME, values).first() is not None


def ids_of_memory(conn: Connection, memory_id: int) -> list[int]:
    """The operations that changed a memory or a conflict that it is in, oldest first."""
    return list(conn.exec_driver_sql(_OF_MEMORY, (memory_id, memory_id)).scalars())


def ids_of_source(conn: Connection, partition_ids: Sequence[int], source_ref: str, since: datetime | None) -> list[int]:
    """The operations of a source in some partitions, from a moment on (None: all), newest first."""
    query = (
        f"SELECT id FROM operation WHERE partition_id {_AMONG} AND source_ref = ? AND recorded_at >= ? ORDER BY id DESC"
    )
    earliest = -(2**63) if since is None else to_micros(since)
    return list(conn.exec_driver_sql(query, (id_list(partition_ids), source_ref, earliest)).scalars())


def ids_of_run(conn: Connection, partition_ids: Sequence[int], job_run: str) -> list[int]:
    """The operations of a run of a job in some partitions, newest first."""
    query = f"SELECT id FROM operation WHERE job_run = ? AND partition_id {_AMONG} ORDER BY id DESC"
    return list(conn.exec_driver_sql(query, (job_run, id_list(partition_ids))).scalars())


def redone(conn: Connection, operation_id: int) -> int | None:
    """The operation by which this one was done again after it had been undone, while that holds."""
    query = (
        "SELECT again.id FROM operation AS undo JOIN operation AS again ON again.undoes = undo.id"
        " WHERE undo.undoes = ? AND again.undone_by IS NULL"
    )
    return conn.exec_driver_sql(query, (operation_id,)).scalar()


def texts_of_memory(conn: Connection, memory_id: int) -> list[str]:
    """The texts that a memory had before it was edited, and after, as its operations have them."""
    query = (
        "SELECT before, after FROM operation_change WHERE memory_id = ? AND changed_table = 'memory'"
        """ AND instr(coalesce(before, '') || coalesce(after, ''), '"content":')"""
    )
    rows = conn.exec_driver_sql(query, (memory_id,)).fetchall()
    told = [columns for row in rows for one in row if (columns := _read(one)) is not None]
    return [text for columns in told if isinstance(text := columns.get("content"), str)]


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else dict(json.loads(text))
