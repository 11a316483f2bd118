"""That something was removed for good: when, and how many rows; and whether its bytes may still be in a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

__all__ = ["counts", "pending", "settle", "write"]


def write(conn: Connection, agent_id: str, action: str, recorded_at: int, counts: Mapping[str, int]) -> int:
    """The number of a new receipt, pending until the files were looked at; `action` is `delete` or `purge`.

    `recorded_at` is in microseconds. A receipt says neither what was removed nor whose it was.
    """
    query = "INSERT INTO receipt (agent_id, action, recorded_at, counts, pending) VALUES (?, ?, ?, ?, 1) RETURNING id"
    given = (agent_id, action, recorded_at, json.dumps({name: number for name, number in counts.items() if number}))
    return int(conn.exec_driver_sql(query, given).scalar_one())


def counts(conn: Connection, agent_id: str, action: str, recorded_at: int) -> dict[str, int]:
    """What the newest receipt of this agent, action and moment (microseconds) counts; empty where there is none."""
    found = conn.exec_driver_sql(
        "SELECT counts FROM receipt WHERE agent_id = ? AND action = ? AND recorded_at = ? ORDER BY id DESC LIMIT 1",
        (agent_id, action, recorded_at),
    ).scalar()
    return {} if found is None else dict(json.loads(found))


def pending(conn: Connection) -> list[int]:
    """The receipts, oldest first, of what may still have bytes in a file."""
    rows = conn.exec_driver_sql("SELECT id FROM receipt WHERE pending = 1 ORDER BY id")
    return [int(row[0]) for row in rows]


def settle(conn: Connection, receipt_ids: list[int]) -> None:
    """Note that nothing is left in any file of what these receipts are about."""
    conn.exec_driver_sql(
        "UPDATE receipt SET pending = 0 WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(receipt_ids),)
    )
