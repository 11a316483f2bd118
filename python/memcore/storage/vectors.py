"""Vectors: both forms of each in one statement, and which memories still have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memcore._core import sq8
from memcore.errors import DimensionError, InvalidInputError
from memcore.storage.counting import kind_counts
from memcore.storage.encoding import id_list, space_key, vector_crc
from memcore.storage.hidden import unpurged
from memcore.storage.plain import plain_insert
from memcore.storage.rows import PendingText

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from memcore.storage.rows import Space

__all__ = ["count_pending", "pending", "put", "read", "without_vector"]

_PUT = (
    "INSERT INTO memory_vector (memory_id, space_id, crc, sq8, f32) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (memory_id, space_id) DO UPDATE SET crc = excluded.crc, sq8 = excluded.sq8, f32 = excluded.f32"
)
_HAS_NONE = (
    f"{unpurged('m')} AND NOT EXISTS (SELECT 1 FROM memory_vector AS v WHERE v.memory_id = m.id AND v.space_id = ?)"
)


def put(
    conn: Connection,
    space: Space,
    ids: Sequence[int],
    matrix: NDArray[np.float32],
    contents: Sequence[str],
    *,
    just_written: bool = False,
) -> list[int]:
    """The ids whose vectors were written, replacing what was there; their `embed` jobs are done.

    `matrix` is (n, d) float32, one row for each id; `contents` are the texts that the rows were made of. An id that is
    gone, or whose text has changed since, is passed over. What was `just_written`, by this transaction, is as it was
    given, and its vectors were looked at before.

    Raises:
        DimensionError: d is not the space's dimension.
        InvalidInputError: the lengths differ, or a vector is zero or not finite.
    """
    rows = np.ascontiguousarray(matrix, dtype="<f4")
    if rows.ndim != 2 or rows.shape[0] != len(ids) or len(contents) != len(ids):
        raise InvalidInputError(
            f"matrix: shape {rows.shape} with {len(ids)} ids and {len(contents)} texts; give one row and one text an id"
        )
    if not ids:
        return []
    if rows.shape[1] != space.dimension:
        raise DimensionError(f"matrix: rows of {rows.shape[1]} numbers; space {space.model} takes {space.dimension}")
    if not just_written and not (np.isfinite(rows).all() and rows.any(axis=1).all()):
        raise InvalidInputError("matrix: a row is zero or not finite; give vectors that have a direction")
    fresh = list(range(len(ids))) if just_written else _unchanged(conn, ids, contents)
    if not fresh:
        return []
    key = space_key(space.model, space.dimension)
    blobs = sq8.encode_rows(rows if len(fresh) == len(ids) else np.ascontiguousarray(rows[fresh]))

    def values() -> Iterator[tuple[int, int, int, bytearray, bytearray]]:
        for at, packed in zip(fresh, blobs, strict=True):
            blob, f32 = bytearray(packed), bytearray(rows[at])
            yield ids[at], space.id, vector_crc(ids[at], key, blob, f32, contents[at]), blob, f32

    plain_insert(conn, _PUT, values())
    return [ids[at] for at in fresh]


def _unchanged(conn: Connection, ids: Sequence[int], contents: Sequence[str]) -> list[int]:
    query = "SELECT id, content FROM memory WHERE id IN (SELECT value FROM json_each(?))"
    stored: dict[int, str] = {row[0]: row[1] for row in conn.exec_driver_sql(query, (id_list(ids),)).fetchall()}
    return [at for at, memory_id in enumerate(ids) if stored.get(memory_id) == contents[at]]


def pending(conn: Connection, agent_id: str, space: Space, limit: int, after_id: int = 0) -> list[PendingText]:
    """The first `limit` memories of an agent after `after_id` that have no vector in a space, ascending by id.

    It walks the table from `after_id` on and stops at the limit, so that all pages together read the table once.
    """
    rows = conn.exec_driver_sql(
        f"SELECT m.id, m.content FROM memory AS m WHERE +m.agent_id = ? AND m.id > ? AND {_HAS_NONE}"
        " ORDER BY m.id LIMIT ?",
        (agent_id, after_id, space.id, limit),
    )
    return [PendingText(row[0], row[1]) for row in rows]


def count_pending(conn: Connection, agent_id: str, space: Space | None) -> int:
    """How many memories of an agent have no vector in a space; all of them where there is no space yet."""
    if space is None:
        return sum(kind_counts(conn, agent_id).values())
    query = f"SELECT count(*) FROM memory AS m WHERE m.agent_id = ? AND {_HAS_NONE}"
    return int(conn.exec_driver_sql(query, (agent_id, space.id)).scalar_one())


def without_vector(conn: Connection, space: Space, ids: Sequence[int]) -> list[PendingText]:
    """Which of the memories `ids` have no vector in a space, ascending by id."""
    rows = conn.exec_driver_sql(
        "SELECT m.id, m.content FROM memory AS m WHERE m.id IN (SELECT value FROM json_each(?))"
        f" AND {_HAS_NONE} ORDER BY m.id",
        (id_list(ids), space.id),
    )
    return [PendingText(row[0], row[1]) for row in rows]


def read(conn: Connection, space: Space, ids: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Ids (m,), ascending, and their vectors (m, d) float32 as given; what has none, or a damaged one, is left out."""
    rows: Sequence[Any] = conn.exec_driver_sql(
        "SELECT v.memory_id, v.crc, v.sq8, v.f32, m.content FROM memory_vector AS v"
        " JOIN memory AS m ON m.id = v.memory_id WHERE v.memory_id IN (SELECT value FROM json_each(?))"
        " AND v.space_id = ? ORDER BY v.memory_id",
        (id_list(ids), space.id),
    ).fetchall()
    key = space_key(space.model, space.dimension)
    whole = [row for row in rows if row[1] == vector_crc(row[0], key, row[2], row[3], row[4])]
    found = np.array([row[0] for row in whole], dtype=np.int64)
    flat = np.frombuffer(b"".join(row[3] for row in whole), dtype="<f4")
    return found, flat.reshape(len(whole), space.dimension).astype(np.float32)
