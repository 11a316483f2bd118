"""The numbered steps from an empty file to the present schema: forward only, each in one transaction with its record.

A step that was released is never edited; the next change is the next number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.storage.migrations import v0001, v0002

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

__all__ = ["LATEST", "MIGRATIONS", "Migration", "apply_next", "schema_version"]


class Migration(NamedTuple):
    """One step: its number, what it brings, and the function that does it inside an open write transaction."""

    version: int
    name: str
    apply: Callable[[Connection], None]


MIGRATIONS = (
    Migration(1, "memories, vectors, graph, entities, jobs, revision log", v0001.apply),
    Migration(2, "lifetimes, operations, purge, working memory, tasks, traces of searches", v0002.apply),
)
LATEST = MIGRATIONS[-1].version


def schema_version(conn: Connection) -> int:
    """The number of the last step that this file has been through; 0 for an empty file."""
    found = conn.exec_driver_sql(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'"
    ).first()
    if found is None:
        return 0
    return int(conn.exec_driver_sql("SELECT coalesce(max(version), 0) FROM schema_migration").scalar_one())


def apply_next(conn: Connection) -> bool:
    """Take the next step and record it; False when there is none left. The caller's transaction makes both one."""
    version = schema_version(conn)
    for step in MIGRATIONS:
        if step.version == version + 1:
            step.apply(conn)
            record = "INSERT INTO schema_migration (version, name) VALUES (?, ?)"
            conn.exec_driver_sql(record, (step.version, step.name))
            return True
    return False
