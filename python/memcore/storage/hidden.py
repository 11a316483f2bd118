"""What a purge that is not at its end hides: it is out of every answer, in every process, from the mark on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.storage.rows import NewMemory

__all__ = ["free_keys", "unpurged"]


def unpurged(row: str = "memory") -> str:
    """The condition that a row of `memory` (its name or alias in the query) is not being purged."""
    return (
        "NOT EXISTS (SELECT 1 FROM purge_mark AS g JOIN partition AS h ON h.id = g.partition_id"
        f" WHERE h.agent_id = {row}.agent_id AND h.user_id IS {row}.user_id AND {row}.id <= g.last_id)"
    )


def free_keys(conn: Connection, memories: Sequence[NewMemory]) -> None:
    """Take from hidden memories the idempotency keys of new ones: what is being purged answers no retry."""
    keyed = [memory for memory in memories if memory.idempotency_key is not None]
    if not keyed or conn.exec_driver_sql("SELECT 1 FROM purge_mark LIMIT 1").first() is None:
        return
    for memory in keyed:
        conn.exec_driver_sql(
            "UPDATE memory SET idempotency_key = NULL"
            f" WHERE agent_id = ? AND user_id IS ? AND idempotency_key = ? AND NOT {unpurged()}",
            (memory.partition.agent_id, memory.partition.user_id, memory.idempotency_key),
        )
