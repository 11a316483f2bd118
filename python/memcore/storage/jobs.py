"""Work that is left for later: so far, memories that could not be embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import id_list
from memcore.storage.rows import Job, JobKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["clear", "fail", "of_agent", "queue"]

_THERE = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"


def queue(conn: Connection, ids: Sequence[int], kind: JobKind = JobKind.EMBED) -> None:
    """Leave work for these memories; a job that is there already keeps its count of failures."""
    conn.exec_driver_sql(
        f"INSERT INTO job (memory_id, kind) SELECT id, ? FROM ({_THERE}) WHERE TRUE ON CONFLICT DO NOTHING",
        (kind.value, id_list(ids)),
    )


def fail(conn: Connection, ids: Sequence[int], error: str, kind: JobKind = JobKind.EMBED) -> None:
    """Note that the work failed once more, and why; queued where it was not. `error` may hold no text of a memory."""
    conn.exec_driver_sql(
        "INSERT INTO job (memory_id, kind, attempts, last_error)"
        f" SELECT id, ?, 1, ? FROM ({_THERE}) WHERE TRUE"
        " ON CONFLICT DO UPDATE SET attempts = attempts + 1, last_error = excluded.last_error",
        (kind.value, error, id_list(ids)),
    )


def clear(conn: Connection, ids: Sequence[int], kind: JobKind = JobKind.EMBED) -> int:
    """How many jobs of these memories were taken back."""
    query = "DELETE FROM job WHERE kind = ? AND memory_id IN (SELECT value FROM json_each(?))"
    return conn.exec_driver_sql(query, (kind.value, id_list(ids))).rowcount


def of_agent(conn: Connection, agent_id: str, kind: JobKind = JobKind.EMBED) -> list[Job]:
    """The jobs of an agent, ascending by memory."""
    rows = conn.exec_driver_sql(
        "SELECT j.memory_id, j.attempts, j.last_error FROM job AS j CROSS JOIN memory AS m ON m.id = j.memory_id"
        " WHERE m.agent_id = ? AND j.kind = ? ORDER BY j.memory_id",
        (agent_id, kind.value),
    )
    return [Job(kind, row[0], row[1], row[2]) for row in rows]
