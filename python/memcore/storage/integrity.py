"""A full read of the file: pages, checksums, what is unverified, what is left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError
from memcore.storage.encoding import space_key, vector_crc
from memcore.storage.memory_rows import COLUMNS, memory_row
from memcore.storage.rows import IntegrityReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["check"]

_BATCH = 500


def check(conn: Connection) -> IntegrityReport:
    """What is damaged, unverified or left to do, in the whole file (all agents). It reads every row.

    SQLite's own check finds torn pages but not a flipped bit inside a text; the checksums of the rows do.
    """
    found = [str(row[0]) for row in conn.exec_driver_sql("PRAGMA quick_check")]
    orphans = conn.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    found = [line for line in found if line != "ok"] + [
        f"{row[0]} row {row[1]} refers to no {row[2]}" for row in orphans
    ]
    return IntegrityReport(
        file_errors=tuple(found),
        damaged_memories=_damaged_memories(conn),
        damaged_vectors=_damaged_vectors(conn),
        unverified_memories=_count(conn, "SELECT count(*) FROM memory WHERE crc IS NULL"),
        memories_without_vector=_count(
            conn,
            "SELECT count(*) FROM memory AS m WHERE NOT EXISTS (SELECT 1 FROM memory_vector WHERE memory_id = m.id)",
        ),
        pending_jobs=_count(conn, "SELECT count(*) FROM job"),
    )


def _damaged_memories(conn: Connection) -> tuple[int, ...]:
    rows = conn.exec_driver_sql(f"SELECT {COLUMNS} FROM memory ORDER BY id")
    return tuple(row[0] for row in rows.yield_per(_BATCH) if row[0] <= 0 or not _is_intact(row))


def _is_intact(row: Sequence[Any]) -> bool:
    try:
        return memory_row(row).intact
    except CorruptDatabaseError:
        return False


def _damaged_vectors(conn: Connection) -> tuple[int, ...]:
    rows = conn.exec_driver_sql(
        "SELECT v.memory_id, v.crc, v.sq8, v.f32, s.model, s.dimension, m.content FROM memory_vector AS v"
        " JOIN space AS s ON s.id = v.space_id JOIN memory AS m ON m.id = v.memory_id ORDER BY v.memory_id, v.space_id"
    )
    return tuple(
        row[0]
        for row in rows.yield_per(_BATCH)
        if row[0] <= 0 or row[1] != vector_crc(row[0], space_key(row[4], row[5]), row[2], row[3], row[6])
    )


def _count(conn: Connection, query: str) -> int:
    return int(conn.exec_driver_sql(query).scalar_one())
