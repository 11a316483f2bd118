"""What one writes by hand: SQLite with FTS5, the vectors as a float32 matrix in memory, both rankings fused.

Reciprocal ranks, 1 / (60 + rank), over the first 100 of each. The log is not synced at a commit (WAL, NORMAL).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.whole.port import USER, Memories, Store
from memcore.storage.driver import sqlite_driver

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Handmade"]

DEPTH = 100
OFFSET = 60
WORD = re.compile(r"\w+")
TABLES = """
CREATE TABLE IF NOT EXISTS memory (
    id INTEGER PRIMARY KEY, user TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5(text, content = 'memory', content_rowid = 'id');
"""


class Handmade(Store):
    """The matrix grows by doubling, so that one memory more is not a copy of all."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._database = sqlite_driver().connect(str(folder / "memories.db"), isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.executescript(TABLES)
        self._dimension = dimension
        rows = self._database.execute("SELECT id, vector FROM memory WHERE user = ? ORDER BY id", (USER,)).fetchall()
        self._count = len(rows)
        self._ids = np.array([row[0] for row in rows], np.int64)
        joined = np.frombuffer(b"".join(row[1] for row in rows), np.float32)
        self._matrix = joined.reshape(self._count, dimension)

    def add_many(self, memories: Memories) -> None:
        rows = [
            (place, USER, text, vector.tobytes())
            for place, text, vector in zip(memories.places, memories.texts, memories.vectors, strict=True)
        ]
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT INTO memory VALUES (?, ?, ?, ?)", rows)
        self._database.executemany("INSERT INTO word (rowid, text) VALUES (?, ?)", [(row[0], row[2]) for row in rows])
        self._database.execute("COMMIT")
        grown = self._count + len(rows)
        if grown > len(self._ids):
            room = max(grown, 2 * len(self._ids))
            ids, matrix = np.empty(room, np.int64), np.empty((room, self._dimension), np.float32)
            ids[: self._count], matrix[: self._count] = self._ids[: self._count], self._matrix[: self._count]
            self._ids, self._matrix = ids, matrix
        self._ids[self._count : grown], self._matrix[self._count : grown] = list(memories.places), memories.vectors
        self._count = grown

    def search(self, text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(WORD.findall(text.lower())))
        lexical = self._database.execute(
            "SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        ).fetchall()
        scores: dict[int, float] = {}
        for ranking in (self.nearest(vector, DEPTH), [row[0] for row in lexical]):
            for rank, place in enumerate(ranking, start=1):
                scores[place] = scores.get(place, 0.0) + 1.0 / (OFFSET + rank)
        best = sorted(scores, key=lambda place: -scores[place])[:limit]
        marks = ", ".join("?" * len(best))
        rows = self._database.execute(f"SELECT id, text FROM memory WHERE user = ? AND id IN ({marks})", (USER, *best))
        texts = dict(rows.fetchall())
        return [(place, texts[place]) for place in best]

    def nearest(self, vector: NDArray[Any], limit: int) -> list[int]:
        scores = self._matrix[: self._count] @ vector
        limit = min(limit, len(scores))
        near = np.argpartition(scores, -limit)[-limit:]
        return [int(place) for place in self._ids[near[np.argsort(-scores[near])]]]

    def close(self) -> None:
        self._database.close()
