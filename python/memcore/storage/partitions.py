"""Partitions: the memories of one user of one agent, or those that its users share, under a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.scope import Partition
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["all_of", "ensure", "find", "find_both", "owner_of"]


def find(conn: Connection, partition: Partition) -> int | None:
    """The number of a partition, or None while nothing was written to it."""
    values = (partition.agent_id, partition.user_id)
    rows = plain_rows(conn, "SELECT id FROM partition WHERE agent_id = ? AND user_id IS ?", values)
    return int(rows[0][0]) if rows else None


def find_both(conn: Connection, partition: Partition) -> tuple[int | None, int | None]:
    """The numbers of a partition and of what the users of its agent share."""
    query = (
        "SELECT (SELECT id FROM partition WHERE agent_id = ?1 AND user_id IS ?2),"
        " (SELECT id FROM partition WHERE agent_id = ?1 AND user_id IS NULL)"
    )
    [(own, shared)] = plain_rows(conn, query, (partition.agent_id, partition.user_id))
    return own, shared


def ensure(conn: Connection, partition: Partition) -> int:
    """The number of a partition, which is made where it is new."""
    found = find(conn, partition)
    if found is not None:
        return found
    made = conn.exec_driver_sql(
        "INSERT INTO partition (agent_id, user_id) VALUES (?, ?) RETURNING id", (partition.agent_id, partition.user_id)
    )
    return int(made.scalar_one())


def owner_of(conn: Connection, partition_id: int) -> Partition | None:
    """Whose a partition is; None where it is nobody's any more."""
    rows = plain_rows(conn, "SELECT agent_id, user_id FROM partition WHERE id = ?", (partition_id,))
    return Partition(*rows[0]) if rows else None


def all_of(conn: Connection, agent_id: str) -> dict[Partition, int]:
    """Every partition of an agent with its number: the shared one first, then by the user's name."""
    rows = conn.exec_driver_sql(
        "SELECT user_id, id FROM partition WHERE agent_id = ? ORDER BY user_id IS NOT NULL, user_id", (agent_id,)
    )
    return {Partition(agent_id, user_id): int(number) for user_id, number in rows}
