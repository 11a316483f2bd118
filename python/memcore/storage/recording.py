"""Which agents have their searches recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.storage.encoding import to_micros
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["Sampling", "begin", "end", "find"]


class Sampling(NamedTuple):
    """Which share of the searches is recorded, and how many traces are kept."""

    sample: float
    most: int


def find(conn: Connection, agent_id: str) -> Sampling | None:
    """How an agent's searches are recorded; None where they are not."""
    rows = plain_rows(conn, "SELECT sample, most FROM recording WHERE agent_id = ?", (agent_id,))
    return Sampling(*rows[0]) if rows else None


def begin(conn: Connection, agent_id: str, sampling: Sampling, now: datetime) -> None:
    """Have an agent's searches recorded from now on."""
    conn.exec_driver_sql(
        "INSERT INTO recording (agent_id, sample, most, recorded_at) VALUES (?, ?, ?, ?) ON CONFLICT (agent_id)"
        " DO UPDATE SET sample = excluded.sample, most = excluded.most, recorded_at = excluded.recorded_at",
        (agent_id, *sampling, to_micros(now)),
    )


def end(conn: Connection, agent_id: str) -> None:
    """Have them recorded no more; the traces stay."""
    conn.exec_driver_sql("DELETE FROM recording WHERE agent_id = ?", (agent_id,))
