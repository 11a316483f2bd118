"""Stored rows as the records that the public calls give back."""

from typing import TYPE_CHECKING

from memcore.records import MemoryRecord

if TYPE_CHECKING:
    from memcore.storage.rows import MemoryRow

__all__ = ["record_of"]


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
