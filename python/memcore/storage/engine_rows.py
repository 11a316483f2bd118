"""What the mirror loads into the engine, a partition at a time or the rows that the revision log names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.storage.edges import SOUND_EDGE
from memcore.storage.encoding import id_list, memory_crc, space_key, vector_crc
from memcore.storage.engine_columns import CooccurrenceColumns, EdgeColumns, MemoryColumns, MentionColumns
from memcore.storage.hidden import unpurged
from memcore.storage.plain import plain_array, plain_parts, plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection

__all__ = ["cooccurrences_of", "edges_of", "edges_then", "memory_columns", "memory_parts", "mentions_of"]

LAST = 2**63 - 1
PART = 4_096
"""Memories that are loaded at a time: what is read of a large partition is larger than what is kept of it."""

# A text costs more to read than a number, so the life of a memory comes as numbers wherever it can.
_COLUMNS = (
    "m.id, m.kind, m.session_id, m.speaker, m.base_importance, m.access_count, m.event_time, m.recorded_at, m.prev_id,"
    " m.next_id, m.content, m.tokens, m.review_state = 'active' AND m.ended_at IS NULL, m.channel, m.pinned,"
    " m.expires_at, m.last_used_at, c.valid_from, c.valid_until, c.closed_at, f.dormant, f.category, f.strength,"
    " f.strength_at, e.stability_days, m.crc, v.crc, v.sq8, v.f32"
)
_STORED = 25  # how many of these are given as they are; the others are for checking
_CONTENT = 10
_MEMORIES = (
    f"SELECT {_COLUMNS} FROM partition AS p"
    " CROSS JOIN memory AS m ON m.agent_id = p.agent_id AND m.user_id IS p.user_id"
    " LEFT JOIN claim AS c ON c.memory_id = m.id LEFT JOIN fact_detail AS f ON f.memory_id = m.id"
    " LEFT JOIN event_detail AS e ON e.memory_id = m.id"
    " LEFT JOIN memory_vector AS v ON v.memory_id = m.id AND v.space_id = ?"
    f" WHERE p.id = ? AND m.id > 0 AND {unpurged('m')}"
)
_EDGE = (("source", np.int64), ("target", np.int64), ("strength", np.float32), ("type", np.uint8))
_AMONG = "IN (SELECT value FROM json_each(?))"


def memory_columns(
    conn: Connection, partition_id: int, space_id: int | None, ids: Iterable[int] | None = None
) -> MemoryColumns:
    """The memories of a partition (of these, those in `ids`), ascending by id, with their sq8 vectors in a space.

    `intact` is False where the text does not match its checksum (a text edited by hand has none and counts as intact);
    `sq8` is None where there is no vector or where it does not match its own.
    """
    rows = _rows(conn, _MEMORIES, (space_id, partition_id), key="m.id", order="m.id", ids=ids)
    return _memory_columns(rows, _space_key(conn, space_id))


def memory_parts(conn: Connection, partition_id: int, space_id: int | None) -> Iterator[MemoryColumns]:
    """All memories of a partition as `memory_columns` gives them, some thousands at a time, ascending by id."""
    key = _space_key(conn, space_id)
    for rows in plain_parts(conn, f"{_MEMORIES} ORDER BY m.id", (space_id, partition_id), PART):
        yield _memory_columns(rows, key)


def _space_key(conn: Connection, space_id: int | None) -> bytes:
    space = None if space_id is None else _one(conn, "SELECT model, dimension FROM space WHERE id = ?", space_id)
    return b"" if space is None else space_key(*space)


def _memory_columns(rows: Sequence[tuple[Any, ...]], key: bytes) -> MemoryColumns:
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(_STORED + 4)]
    crcs, of_vectors, sq8, f32 = columns[_STORED:]
    ids, contents = columns[0], columns[_CONTENT]
    checked = zip(ids, contents, crcs, strict=True)
    intact = [crc is None or crc == memory_crc(memory_id, content) for memory_id, content, crc in checked]
    vectors = zip(ids, contents, of_vectors, sq8, f32, strict=True)
    whole = [
        blob if blob is not None and crc == vector_crc(memory_id, key, blob, exact, content) else None
        for memory_id, content, crc, blob, exact in vectors
    ]
    return MemoryColumns(*(*columns[:_STORED], intact, whole))


def edges_of(conn: Connection, partition_id: int, ids: Iterable[int] | None = None) -> EdgeColumns:
    """The edges that belong to a partition (of these, those that start at one of `ids`), damaged ones left out."""
    query = f"SELECT source_id, target_id, strength, type FROM edge WHERE partition_id = ? AND {SOUND_EDGE}"
    statement = _narrowed(query, (partition_id,), key="source_id", order="source_id, target_id, type", ids=ids)
    return _edge_columns(conn, *statement)


def edges_then(conn: Connection, partition_id: int, at: int, known_at: int | None = None) -> EdgeColumns:
    """The edges of a partition that held at a moment of the world, also those that ended since.

    With `known_at` those that were recorded by then, and what was ended later counts as still holding. Of one that
    ended and was made again the later one comes last. Moments are microseconds.
    """
    known = LAST if known_at is None else known_at
    held = "partition_id = ? AND (valid_from IS NULL OR valid_from <= ?) AND (recorded_at IS NULL OR recorded_at <= ?)"
    return _edge_columns(
        conn,
        "SELECT source_id, target_id, strength, type, id, 0 AS there FROM edge_history"
        f" WHERE {held} AND (valid_until > ? OR closed_at > ?)"
        f" UNION ALL SELECT source_id, target_id, strength, type, 0, 1 FROM edge WHERE {held}"
        " ORDER BY there, id, 1, 2, 4",
        (partition_id, at, known, at, known, partition_id, at, known),
        (("id", np.int64), ("there", np.int64)),
    )


def mentions_of(conn: Connection, partition_id: int, ids: Iterable[int] | None = None) -> MentionColumns:
    """Which entities the memories of a partition (of these, those in `ids`) mention."""
    query = (
        "SELECT n.memory_id, n.entity_id FROM partition AS p"
        " CROSS JOIN memory AS m ON m.agent_id = p.agent_id AND m.user_id IS p.user_id"
        f" CROSS JOIN mention AS n ON n.memory_id = m.id WHERE p.id = ? AND m.id > 0 AND {unpurged('m')}"
    )
    rows = _rows(conn, query, (partition_id,), key="m.id", order="n.memory_id, n.entity_id", ids=ids)
    return MentionColumns(_array(rows, 0, np.int64), _array(rows, 1, np.int64))


def cooccurrences_of(conn: Connection, partition_id: int, ids: Iterable[int] | None = None) -> CooccurrenceColumns:
    """Which entities were written of together in a partition (of the pairs, those whose smaller entity is in `ids`)."""
    query = "SELECT entity_a_id, entity_b_id, count FROM cooccurrence WHERE partition_id = ? AND count > 0"
    rows = _rows(conn, query, (partition_id,), key="entity_a_id", order="entity_a_id, entity_b_id", ids=ids)
    return CooccurrenceColumns(*(_array(rows, at, np.int64) for at in range(3)))


def _edge_columns(
    conn: Connection, query: str, parameters: tuple[Any, ...], more: tuple[tuple[str, Any], ...] = ()
) -> EdgeColumns:
    """The edges of a query that gives source, target, strength and type, and `more` behind them."""
    found = plain_array(conn, query, parameters, _EDGE + more)
    return EdgeColumns(*(np.ascontiguousarray(found[name]) for name, _ in _EDGE))


def _rows(
    conn: Connection, query: str, parameters: tuple[Any, ...], *, key: str, order: str, ids: Iterable[int] | None
) -> Sequence[tuple[Any, ...]]:
    return plain_rows(conn, *_narrowed(query, parameters, key=key, order=order, ids=ids))


def _narrowed(
    query: str, parameters: tuple[Any, ...], *, key: str, order: str, ids: Iterable[int] | None
) -> tuple[str, tuple[Any, ...]]:
    """A query for some ids (None: all) in an order, and its parameters."""
    if ids is not None:
        query, parameters = f"{query} AND {key} {_AMONG}", (*parameters, id_list(ids))
    return f"{query} ORDER BY {order}", parameters


def _one(conn: Connection, query: str, value: int) -> tuple[str, int] | None:
    row = conn.exec_driver_sql(query, (value,)).first()
    return None if row is None else (row[0], row[1])


def _array(rows: Sequence[tuple[Any, ...]], at: int, dtype: Any) -> Any:
    return np.array([row[at] for row in rows], dtype=dtype)
