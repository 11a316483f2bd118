"""What the mirror loads into the engine, a partition at a time or the rows that the revision log names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.storage.encoding import id_list, memory_crc, space_key, vector_crc
from memcore.storage.hidden import shown
from memcore.storage.plain import plain_rows
from memcore.storage.rows import CooccurrenceColumns, EdgeColumns, MemoryColumns, MentionColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

__all__ = ["cooccurrences_of", "edges_of", "memory_columns", "mentions_of"]

_COLUMNS = (
    "m.id, m.kind, m.session_id, m.position, m.speaker, m.importance, m.base_importance, m.access_count, m.event_time,"
    " m.recorded_at, m.prev_id, m.next_id, m.content, m.tokens, m.crc, v.crc, v.sq8, v.f32"
)
_MEMORIES = (
    f"SELECT {_COLUMNS} FROM partition AS p"
    " CROSS JOIN memory AS m ON m.agent_id = p.agent_id AND m.user_id IS p.user_id"
    " LEFT JOIN memory_vector AS v ON v.memory_id = m.id AND v.space_id = ?"
    f" WHERE p.id = ? AND m.id > 0 AND {shown('m')}"
)
_AMONG = "IN (SELECT value FROM json_each(?))"


def memory_columns(
    conn: Connection, partition_id: int, space_id: int | None, ids: Iterable[int] | None = None
) -> MemoryColumns:
    """The memories of a partition (of these, those in `ids`), ascending by id, with their sq8 vectors in a space.

    `intact` is False where the text does not match its checksum (a text edited by hand has none and counts as intact);
    `sq8` is None where there is no vector or where it does not match its own.
    """
    space = None if space_id is None else _one(conn, "SELECT model, dimension FROM space WHERE id = ?", space_id)
    key = b"" if space is None else space_key(*space)
    rows = _rows(conn, _MEMORIES, (space_id, partition_id), key="m.id", order="m.id", ids=ids)
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(18)]
    intact = [row[14] is None or row[14] == memory_crc(row[0], row[12]) for row in rows]
    sq8 = [
        row[16] if row[16] is not None and row[15] == vector_crc(row[0], key, row[16], row[17], row[12]) else None
        for row in rows
    ]
    return MemoryColumns(*(*columns[:14], intact, sq8))


def edges_of(conn: Connection, partition_id: int, ids: Iterable[int] | None = None) -> EdgeColumns:
    """The edges that belong to a partition (of these, those that start at one of `ids`)."""
    query = "SELECT source_id, target_id, strength, type FROM edge WHERE partition_id = ?"
    rows = _rows(conn, query, (partition_id,), key="source_id", order="source_id, target_id, type", ids=ids)
    return EdgeColumns(
        _array(rows, 0, np.int64), _array(rows, 1, np.int64), _array(rows, 2, np.float32), _array(rows, 3, np.uint8)
    )


def mentions_of(conn: Connection, partition_id: int, ids: Iterable[int] | None = None) -> MentionColumns:
    """Which entities the memories of a partition (of these, those in `ids`) mention."""
    query = (
        "SELECT n.memory_id, n.entity_id FROM partition AS p"
        " CROSS JOIN memory AS m ON m.agent_id = p.agent_id AND m.user_id IS p.user_id"
        f" CROSS JOIN mention AS n ON n.memory_id = m.id WHERE p.id = ? AND m.id > 0 AND {shown('m')}"
    )
    rows = _rows(conn, query, (partition_id,), key="m.id", order="n.memory_id, n.entity_id", ids=ids)
    return MentionColumns(_array(rows, 0, np.int64), _array(rows, 1, np.int64))


def cooccurrences_of(conn: Connection, partition_id: int, ids: Iterable[int] | None = None) -> CooccurrenceColumns:
    """Which entities were written of together in a partition (of the pairs, those whose smaller entity is in `ids`)."""
    query = "SELECT entity_a_id, entity_b_id, count FROM cooccurrence WHERE partition_id = ?"
    rows = _rows(conn, query, (partition_id,), key="entity_a_id", order="entity_a_id, entity_b_id", ids=ids)
    return CooccurrenceColumns(*(_array(rows, at, np.int64) for at in range(3)))


def _rows(
    conn: Connection, query: str, parameters: tuple[Any, ...], *, key: str, order: str, ids: Iterable[int] | None
) -> Sequence[tuple[Any, ...]]:
    if ids is not None:
        query, parameters = f"{query} AND {key} {_AMONG}", (*parameters, id_list(ids))
    return plain_rows(conn, f"{query} ORDER BY {order}", parameters)


def _one(conn: Connection, query: str, value: int) -> tuple[str, int] | None:
    row = conn.exec_driver_sql(query, (value,)).first()
    return None if row is None else (row[0], row[1])


def _array(rows: Sequence[tuple[Any, ...]], at: int, dtype: Any) -> Any:
    return np.array([row[at] for row in rows], dtype=dtype)
