"""What sets of parameters scored in a tuning, so that one that was cut off goes on where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import to_micros

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["KEPT_RUNS", "keep", "known"]

KEPT_RUNS = 8
"""How many runs keep their scores; those of others are forgotten as a new one begins."""


def known(conn: Connection, run: str) -> dict[str, float]:
    """The scores of a run, by the set's key."""
    return dict(conn.exec_driver_sql("SELECT set_key, score FROM tuning_score WHERE run = ?", (run,)).fetchall())


def keep(conn: Connection, run: str, set_key: str, score: float, now: datetime) -> None:
    """Keep the score of a set; with the first one of a run, older runs are forgotten."""
    conn.exec_driver_sql(
        "INSERT OR REPLACE INTO tuning_score (run, set_key, recorded_at, score) VALUES (?, ?, ?, ?)",
        (run, set_key, to_micros(now), score),
    )
    conn.exec_driver_sql(
        "DELETE FROM tuning_score WHERE run NOT IN"
        " (SELECT run FROM tuning_score GROUP BY run ORDER BY max(recorded_at) DESC, run = ? DESC LIMIT ?)",
        (run, KEPT_RUNS),
    )
