"""Stored rows as the records that the public calls give back: one memory, and what it is joined to."""

from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.records import Edge, GraphView, MemoryRecord, checked_id
from memcore.storage import edges, memories, partitions
from memcore.writing.reach import Reach, found

if TYPE_CHECKING:
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["MOST_HOPS", "get", "graph_around", "record_of"]

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
    )


def get(database: "Database", memory_id: object, *, within: Reach) -> MemoryRecord:
    """The memory with this id.

    Raises:
        InvalidInputError: `memory_id` is no id.
        NotFoundError: it is unknown or outside the reach.
    """
    wanted = checked_id("id", memory_id)
    with database.read() as connection:
        return record_of(found(connection, within, [wanted], field="id")[0])


def graph_around(database: "Database", memory_id: object, *, within: Reach, hops: object = 2) -> GraphView:
    """The memories within `hops` (1 to 6) edges or mentions of one, nearest first, through what the reach sees only.

    Raises:
        InvalidInputError: `memory_id` is no id, or `hops` is out of range.
        NotFoundError: the memory is unknown or outside the reach.
    """
    center = checked_id("id", memory_id)
    if isinstance(hops, bool) or not isinstance(hops, int) or not 1 <= hops <= MOST_HOPS:
        raise InvalidInputError(f"hops: {hops!r} is not accepted; give a whole number from 1 to {MOST_HOPS}")
    with database.read() as connection:
        found(connection, within, [center], field="id")
        known = partitions.all_of(connection, within.agent_id)
        visible = [number for partition, number in known.items() if within.sees(partition)]
        near = edges.around(connection, center, hops, visible)
        rows = memories.fetch(connection, near.ids)
    return GraphView(
        center,
        tuple(record_of(row) for row in rows),
        tuple(Edge(edge.source_id, edge.target_id, edge.type, edge.strength) for edge in near.edges),
    )
