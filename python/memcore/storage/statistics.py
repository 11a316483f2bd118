"""What SQLite's ANALYZE keeps for its query planner, where somebody ran it: some builds sample names out of indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["forget"]


def forget(conn: Connection) -> None:
    """Remove the samples; the planner does without them until ANALYZE is run again."""
    rows = conn.exec_driver_sql(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('sqlite_stat3', 'sqlite_stat4')"
    )
    for (name,) in rows.fetchall():
        conn.exec_driver_sql(f"DELETE FROM {name}")
