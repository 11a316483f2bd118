"""sqlite-vec: a `vec0` table partitioned by user, cosine, exact, beside a table of texts. Vectors only.

The log is synced at a commit, as SQLite comes (WAL, FULL).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlite_vec

from benches.whole.port import USER, Memories, Store
from memcore.storage.driver import sqlite_driver

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["SqliteVec", "connect"]


def connect(path: Path) -> Any:
    """A connection with the extension in it. Not every Python's own SQLite loads extensions; memcore's driver does."""
    database = sqlite_driver().connect(str(path), isolation_level=None, check_same_thread=False)
    database.enable_load_extension(True)
    sqlite_vec.load(database)
    database.enable_load_extension(False)
    database.execute("PRAGMA journal_mode = WAL")
    return database


class SqliteVec(Store):
    def __init__(self, folder: Path, dimension: int) -> None:
        self._database = connect(folder / "memories.db")
        self._database.execute("CREATE TABLE IF NOT EXISTS memory (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        self._database.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS near USING vec0(id INTEGER PRIMARY KEY, user TEXT PARTITION KEY,"
            f" vector FLOAT[{dimension}] distance_metric=cosine)"
        )

    def add_many(self, memories: Memories) -> None:
        rows = list(zip(memories.places, memories.texts, memories.vectors, strict=True))
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT INTO memory VALUES (?, ?)", [row[:2] for row in rows])
        self._database.executemany(
            "INSERT INTO near VALUES (?, ?, ?)", [(row[0], USER, row[2].tobytes()) for row in rows]
        )
        self._database.execute("COMMIT")

    def search(self, _text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        rows = self._database.execute(
            "SELECT near.id, memory.text FROM near JOIN memory ON memory.id = near.id"
            " WHERE near.vector MATCH ? AND near.k = ? AND near.user = ? ORDER BY near.distance",
            (vector.tobytes(), limit, USER),
        )
        return rows.fetchall()

    def close(self) -> None:
        self._database.close()
