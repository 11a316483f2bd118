"""Stored rows as the records that the public calls give back: one memory, and what it is joined to."""

from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError, InvalidInputError, shown
from memcore.records import Edge, GraphView, MemoryRecord, Page, checked_id
from memcore.storage import edges, memories, partitions
from memcore.storage.filters import condition
from memcore.writing import fields
from memcore.writing.reach import Reach, found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcore.scope import Scope
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["MOST_HOPS", "checked_page_limit", "get", "graph_around", "page", "record_of"]

LARGEST_PAGE = 10_000
MOST_HOPS = 6


def record_of(row: "MemoryRow") -> MemoryRecord:
    """The public record of a stored row."""
    return MemoryRecord(
        id=row.id,
        content=row.content,
        kind=row.kind,
        user_id=row.partition.user_id,
        session_id=row.session_id,
        speaker=row.speaker,
        origin=row.origin,
        event_time=row.event_time,
        recorded_at=row.recorded_at,
        updated_at=row.updated_at,
        importance=row.importance,
        base_importance=row.base_importance,
        access_count=row.access_count,
        last_used_at=row.last_used_at,
        tags=row.tags,
        metadata=row.metadata,
        source_ref=row.source_ref,
        position=row.position,
        prev_id=row.prev_id,
        next_id=row.next_id,
        intact=row.intact,
    )


def get(database: "Database", memory_id: object, *, within: Reach) -> MemoryRecord:
    """The memory with this id.

    Raises:
        InvalidInputError: `memory_id` is no id.
        NotFoundError: it is unknown or outside the reach.
        CorruptDatabaseError: its text or another of its columns is damaged.
    """
    wanted = checked_id("id", memory_id)
    with database.read() as connection:
        row = found(connection, within, [wanted], field="id")[0]
    if not row.intact:
        raise CorruptDatabaseError(f"memory {wanted}: its text or another column is damaged; restore it from a backup")
    return record_of(row)


def page(
    database: "Database",
    scope: "Scope",
    *,
    kinds: object,
    filters: "Mapping[str, Any] | None",
    limit: object,
    cursor: object,
) -> Page:
    """The memories of a scope after `cursor`, ascending by id; `next_cursor` is None at the end.

    Raises:
        InvalidInputError: the limit (1 to 10,000), the cursor, a kind or a filter is not accepted.
    """
    most = checked_page_limit(limit)
    after = 0 if cursor is None else checked_id("cursor", cursor)
    wanted = None if kinds is None else fields.kinds("kinds", kinds)
    where = None if filters is None else condition(filters)
    with database.read() as connection:
        rows = memories.page(connection, scope, kinds=wanted, condition=where, after_id=after, limit=most + 1)
    shown = rows[:most]
    return Page(tuple(record_of(row) for row in shown), shown[-1].id if len(rows) > most else None)


def checked_page_limit(value: object) -> int:
    """`value` as the most memories of a page.

    Raises:
        InvalidInputError: it is no integer from 1 to 10,000.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_PAGE:
        raise InvalidInputError(f"limit: {shown(value)} is not accepted; give a whole number from 1 to {LARGEST_PAGE}")
    return value


def graph_around(database: "Database", memory_id: object, *, within: Reach, hops: object = 2) -> GraphView:
    """The memories within `hops` (1 to 6) edges or mentions of one, nearest first, through what the reach sees only.

    Raises:
        InvalidInputError: `memory_id` is no id, or `hops` is out of range.
        NotFoundError: the memory is unknown or outside the reach.
    """
    center = checked_id("id", memory_id)
    if isinstance(hops, bool) or not isinstance(hops, int) or not 1 <= hops <= MOST_HOPS:
        raise InvalidInputError(f"hops: {shown(hops)} is not accepted; give a whole number from 1 to {MOST_HOPS}")
    with database.read() as connection:
        found(connection, within, [center], field="id")
        known = partitions.all_of(connection, within.agent_id)
        visible = [number for partition, number in known.items() if within.sees(partition)]
        near = edges.around(connection, center, hops, visible)
        rows = [row for row in memories.fetch(connection, near.ids) if within.sees(row.partition)]
    seen = {row.id for row in rows}
    return GraphView(
        center,
        tuple(record_of(row) for row in rows),
        tuple(
            Edge(edge.source_id, edge.target_id, edge.type, edge.strength)
            for edge in near.edges
            if edge.source_id in seen and edge.target_id in seen
        ),
    )
