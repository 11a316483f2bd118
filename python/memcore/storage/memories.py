"""Memories: written, read, changed, used, removed. Vectors, edges and the like have modules of their own."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlalchemy import Text, select, text, type_coerce

from memcore.errors import CorruptDatabaseError, InvalidInputError, NotFoundError, shown
from memcore.storage import search_traces
from memcore.storage.columns import table_of
from memcore.storage.details import insert_details
from memcore.storage.encoding import id_list, json_text, memory_crc, text_key, to_micros
from memcore.storage.entity_names import rename
from memcore.storage.hidden import free_keys, unpurged
from memcore.storage.left_log import RESTORE
from memcore.storage.memory_rows import COLUMNS, INSERT, KEYED, insert_values, memory_row
from memcore.storage.plain import plain_insert, plain_rows, plain_run
from memcore.storage.revisions import deletions, latest
from memcore.storage.rows import ChangedTable, Removed
from memcore.storage.tables import MemoryEntry
from memcore.storage.together import counted, settle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray
    from sqlalchemy import ColumnElement, Connection, Select

    from memcore.kinds import Kind
    from memcore.scope import Partition, Scope
    from memcore.storage.rows import MemoryRow, NewMemory

__all__ = [
    "EDITABLE",
    "by_idempotency",
    "edited",
    "fetch",
    "insert",
    "matching_ids",
    "page",
    "remove",
    "touch",
    "update",
]

LARGEST = 2**63 - 1
_SESSION_END = (
    "SELECT id, position FROM memory WHERE agent_id = ? AND user_id IS ? AND session_id = ?"
    f" AND position IS NOT NULL AND {unpurged()} ORDER BY position DESC LIMIT 1"
)
_AMONG = "IN (SELECT value FROM json_each(?))"
_MEMORY: Any = table_of(MemoryEntry)
_SELECTED = [
    type_coerce(_MEMORY.c[name], Text) if name in ("kind", "origin") else _MEMORY.c[name]
    for name in COLUMNS.split(", ")
]
"""Kind and origin as the file holds them: one that is none makes a row damaged, not the whole page."""
EDITABLE = frozenset(
    (
        "content",
        "tokens",
        "identity_key",
        "importance",
        "base_importance",
        "speaker",
        "event_time",
        "tags",
        "metadata",
        "source_ref",
    )
)


class _Place(NamedTuple):
    """Where a memory stands in its session."""

    position: int | None
    prev_id: int | None


def insert(conn: Connection, memories: Sequence[NewMemory]) -> list[int]:
    """The new ids, in the order given. A memory with a session follows the last one of its session and user.

    Raises:
        InvalidInputError: tags or metadata are not JSON, or a moment has no time zone.
        CorruptDatabaseError: the last id or position leaves no room for another.
        StorageError: the database refused a row (a blank text, an idempotency key that is taken).
    """
    if not memories:
        return []
    free_keys(conn, memories)
    given = plain_rows(conn, "SELECT seq FROM sqlite_sequence WHERE name = 'memory'")
    first_id = _successor("the last id given", given[0][0] if given else 0, len(memories))
    ends: dict[tuple[Partition, str], tuple[int, int]] = {}
    followers: dict[int, int] = {}
    places = [_place(conn, memory, first_id + at, ends, followers) for at, memory in enumerate(memories)]
    values = (
        insert_values(first_id + at, memory, place.position, place.prev_id, followers.pop(first_id + at, None))
        for at, (memory, place) in enumerate(zip(memories, places, strict=True))
    )
    plain_insert(conn, INSERT, values)
    insert_details(conn, range(first_id, first_id + len(memories)), memories)
    if followers:  # what is left joins the new rows to the ends of sessions that were there before
        joins = [(new, end) for end, new in followers.items()]
        plain_run(conn, "UPDATE memory SET next_id = ? WHERE id = ?", joins)
    return list(range(first_id, first_id + len(memories)))


def _place(
    conn: Connection,
    memory: NewMemory,
    memory_id: int,
    ends: dict[tuple[Partition, str], tuple[int, int]],
    followers: dict[int, int],
) -> _Place:
    if memory.session_id is None:
        return _Place(None, None)
    session = (memory.partition, memory.session_id)
    end = ends.get(session) or _session_end(conn, *session)
    if end is None:
        ends[session] = (memory_id, 0)
        return _Place(0, None)
    prev_id, position = end
    following = _successor(f"the position of memory {prev_id}", position, 1)
    ends[session] = (memory_id, following)
    followers[prev_id] = memory_id
    return _Place(following, prev_id)


def _successor(what: str, last: Any, wanted: int) -> int:
    """The number after `last`, where `wanted` numbers from there on fit a column."""
    if not isinstance(last, int) or last > LARGEST - wanted:
        raise CorruptDatabaseError(f"{what} is damaged, no number can follow it; correct it, or {RESTORE}")
    return last + 1


def _session_end(conn: Connection, partition: Partition, session_id: str) -> tuple[int, int] | None:
    rows = plain_rows(conn, _SESSION_END, (partition.agent_id, partition.user_id, session_id))
    return next(((row[0], row[1]) for row in rows), None)


def fetch(conn: Connection, ids: Sequence[int]) -> list[MemoryRow]:
    """The memories with these ids, in the order asked; an id that is not there is left out."""
    rows = plain_rows(conn, f"SELECT {COLUMNS} FROM memory WHERE id {_AMONG} AND {unpurged()}", (id_list(ids),))
    found = {row[0]: memory_row(row) for row in rows}
    return [found[memory_id] for memory_id in ids if memory_id in found]


class Keyed(NamedTuple):
    """A memory that was stored under a key of idempotency, as it is now; `waits`: it waits for review."""

    id: int
    kind: str
    waits: bool
    content: str


def by_idempotency(conn: Connection, partition: Partition, keys: Sequence[str]) -> dict[str, Keyed]:
    """Which of the keys are taken in this partition, and by which memory; another user's key is another key."""
    rows = conn.exec_driver_sql(
        "SELECT idempotency_key, id, kind, review_state = 'pending' AND ended_at IS NULL, content FROM memory"
        f" WHERE agent_id = ? AND user_id IS ? AND idempotency_key {_AMONG} AND {unpurged()}",
        (partition.agent_id, partition.user_id, json_text("idempotency_key", list(keys))),
    )
    return {row[0]: Keyed(row[1], row[2], bool(row[3]), row[4]) for row in rows}


def page(
    conn: Connection,
    scope: Scope,
    *,
    kinds: Sequence[Kind] | None = None,
    condition: ColumnElement[bool] | None = None,
    after_id: int = 0,
    limit: int,
) -> list[MemoryRow]:
    """The first `limit` memories of a scope after `after_id`, ascending by id; the last id is the next cursor.

    Raises:
        InvalidInputError: `limit` is below 1.
    """
    if limit < 1:
        raise InvalidInputError(f"limit: {shown(limit)} is not accepted; give at least 1")
    parts = []
    for partition in scope.partitions:
        query = _within(select(*_SELECTED), scope, partition, condition).where(_MEMORY.c.id > after_id)
        if kinds is not None:
            query = query.where(_MEMORY.c.kind.in_(kinds))
        rows = conn.execute(query.order_by(_MEMORY.c.id).limit(limit)).fetchall()
        parts.append([memory_row(row) for row in rows])
    return list(heapq.merge(*parts, key=lambda row: row.id))[:limit]


def matching_ids(conn: Connection, scope: Scope, condition: ColumnElement[bool] | None = None) -> NDArray[np.int64]:
    """The ids of all memories of a scope that meet a condition, ascending."""
    found: list[int] = []
    for partition in scope.partitions:
        found += conn.execute(_within(select(_MEMORY.c.id), scope, partition, condition)).scalars()
    return np.sort(np.array(found, dtype=np.int64))


def _within(
    query: Select[Any], scope: Scope, partition: Partition, condition: ColumnElement[bool] | None
) -> Select[Any]:
    columns = _MEMORY.c
    query = query.where(columns.agent_id == partition.agent_id, columns.user_id.is_not_distinct_from(partition.user_id))
    query = query.where(text(unpurged()))
    if scope.session_id is not None:
        query = query.where(columns.session_id == scope.session_id)
    return query if condition is None else query.where(condition)


def update(conn: Connection, memory_id: int, *, updated_at: datetime, **columns: Any) -> None:
    """Change columns of one memory, without an operation; see `edited`.

    Raises:
        InvalidInputError: another column is named, or an entity's new name is taken.
        NotFoundError: there is no such memory.
    """
    values = {**edited(conn, memory_id, columns), "updated_at": to_micros(updated_at)}
    settings = ", ".join(f"{name} = ?" for name in values)
    changed = conn.exec_driver_sql(f"UPDATE memory SET {settings} WHERE id = ?", (*values.values(), memory_id))
    if changed.rowcount == 0:
        raise NotFoundError(f"id: there is no memory {memory_id}")


def edited(conn: Connection, memory_id: int, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of one memory as the table takes them, and those that follow; an entity gets its new name.

    Changeable: content, tokens, importance, base_importance, speaker, event_time, tags, metadata, source_ref. With a
    new content its vectors go and an `embed` job waits; without new tokens its text is analysed when it is loaded.

    Raises:
        InvalidInputError: another column is named, or an entity's new name is taken.
    """
    unknown = sorted(set(columns) - EDITABLE)
    if unknown:
        raise InvalidInputError(
            f"column: {shown(unknown[0])} cannot be changed; change one of {', '.join(sorted(EDITABLE))}"
        )
    values = dict(columns)
    if "event_time" in columns:
        values["event_time"] = to_micros(columns["event_time"])
    for name in ("tags", "metadata"):
        if name in columns:
            values[name] = json_text(name, list(columns[name]) if name == "tags" else columns[name])
    if "content" in columns:
        values["crc"] = memory_crc(memory_id, columns["content"])
        kind = conn.exec_driver_sql("SELECT kind FROM memory WHERE id = ?", (memory_id,)).scalar()
        values["text_key"] = text_key(columns["content"]) if kind in KEYED else None
        values.setdefault("tokens", None)
        values.setdefault("identity_key", None)
        rename(conn, memory_id, columns["content"])
    return values


def pin_new(conn: Connection, memory_id: int) -> None:
    """Pin a memory that the open transaction stored: it is so from its beginning, and no change that an undo reverses.

    When it would freeze is worked out by `strength.reschedule`.
    """
    conn.exec_driver_sql("UPDATE memory SET pinned = 1 WHERE id = ?", (memory_id,))


def touch(conn: Connection, ids: Sequence[int], now: datetime) -> None:
    """Note that memories were edited at a moment."""
    if ids:
        conn.exec_driver_sql(f"UPDATE memory SET updated_at = ? WHERE id {_AMONG}", (to_micros(now), id_list(ids)))


def remove(conn: Connection, ids: Sequence[int]) -> Removed:
    """Remove memories and all that hangs on them, and close the chain of each session around the hole.

    A co-occurrence count falls by one for each pair of entities of a memory that goes, but not below what the memories
    that are left still say (`together.settle`); at 0 the pair goes too. The traces of searches that go
    with them are not counted, and ids that are not there count nothing.
    """
    search_traces.forget_with(conn, ids)
    before = latest(conn)
    jobs = conn.exec_driver_sql(f"SELECT count(*) FROM job WHERE memory_id {_AMONG}", (id_list(ids),)).scalar_one()
    counts, named = counted(conn, ids)
    for memory_id in dict.fromkeys(ids):
        conn.exec_driver_sql("DELETE FROM memory WHERE id = ?", (memory_id,))
    settle(conn, counts, named, frozenset(ids))
    gone = deletions(conn, before)
    return Removed(
        memories=gone[ChangedTable.MEMORY],
        vectors=gone[ChangedTable.VECTOR],
        edges=gone[ChangedTable.EDGE],
        mentions=gone[ChangedTable.MENTION],
        cooccurrences=gone[ChangedTable.COOCCURRENCE],
        jobs=jobs,
    )
