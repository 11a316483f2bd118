"""Facts that become dormant: found by the moment that was worked out for each, never by looking at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.kinds import OperationAction
from memcore.storage.encoding import to_micros
from memcore.storage.operations import RowChange, next_id, record_each
from memcore.storage.strength import Facts

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["DUE", "count_due", "freeze", "next_run", "partitions_due"]

_IS_DUE = "partition_id = ? AND dormant = 0 AND due_at <= ?"
DUE = """
    SELECT f.memory_id, f.partition_id, f.category, m.pinned, f.strength, f.strength_at, f.due_at, f.dormant,
        m.review_state = 'active' AND m.ended_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?2)
        AND (c.valid_until IS NULL OR c.valid_until > max(?2, c.closed_at, coalesce(c.valid_from, ?2)))
    FROM fact_detail AS f
    CROSS JOIN memory AS m ON m.id = f.memory_id
    LEFT JOIN claim AS c ON c.memory_id = f.memory_id
    WHERE f.partition_id = ?1 AND f.dormant = 0 AND f.due_at <= ?2
    ORDER BY f.due_at, f.memory_id LIMIT ?3
"""
"""The facts of a partition that are due at a moment, the longest due first, and whether each is current."""


def partitions_due(conn: Connection, agent_id: str, now: datetime) -> list[int]:
    """The partitions of an agent in which a fact is due."""
    rows = conn.exec_driver_sql(
        "SELECT id FROM partition AS p WHERE agent_id = ? AND EXISTS (SELECT 1 FROM fact_detail"
        " WHERE partition_id = p.id AND dormant = 0 AND due_at <= ?) ORDER BY id",
        (agent_id, to_micros(now)),
    )
    return list(rows.scalars())


def count_due(conn: Connection, partition_id: int, now: datetime) -> int:
    """How many facts of a partition are due."""
    query = f"SELECT count(*) FROM fact_detail WHERE {_IS_DUE}"
    return int(conn.exec_driver_sql(query, (partition_id, to_micros(now))).scalar_one())


def next_run(conn: Connection, job: str) -> str:
    """A name for a run of a job that no run had before, once an operation was written under it."""
    return f"{job}-{next_id(conn)}"


def freeze(conn: Connection, partition_id: int, *, now: datetime, limit: int, job_run: str) -> tuple[int, int]:
    """How many due facts of a partition were looked at, at most `limit`, and how many of them became dormant.

    Each that did is an operation `freeze`. What is not current (superseded, ended, pending) does not fade further: it
    stays as it is, and is scheduled anew when an undo brings it back. What a hand changed is scheduled anew.
    """
    moment = to_micros(now)
    rows = conn.exec_driver_sql(DUE, (partition_id, moment, limit)).fetchall()
    facts = Facts.of_rows([row[:8] for row in rows])
    frozen: list[tuple[int, RowChange]] = []
    waiting: list[tuple[int | None, int]] = []
    for row, due in zip(rows, facts.due(), strict=True):
        memory_id, current = row[0], row[8]
        if current and due <= moment:
            kept = {
                "strength": row[4],
                "strength_at": row[5],
            }  # unchanged, so that an undo sees whether it was used since
            change = RowChange("fact_detail", (memory_id,), memory_id, {"dormant": 1, **kept}, {"dormant": 0, **kept})
            frozen.append((partition_id, change))
        else:
            waiting.append((due if due > moment else None, memory_id))
    if frozen:
        ids: list[Any] = [(change.memory_id,) for _, change in frozen]
        conn.exec_driver_sql("UPDATE fact_detail SET dormant = 1 WHERE memory_id = ?", ids)
        record_each(conn, OperationAction.FREEZE, frozen, now=now, reason="faded", job_run=job_run)
    if waiting:
        conn.exec_driver_sql("UPDATE fact_detail SET due_at = ? WHERE memory_id = ?", waiting)
    return len(rows), len(frozen)
