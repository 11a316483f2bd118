"""A row of the table `memory` as a `MemoryRow`, and a `NewMemory` as the parameters of its insert."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError
from memcore.kinds import Channel, Ending, Kind, Origin, ReviewState
from memcore.scope import Partition
from memcore.storage.encoding import (
    from_micros,
    json_text,
    memory_crc,
    moment_or_none,
    read_json,
    text_key,
    to_micros,
)
from memcore.storage.rows import MemoryRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.storage.rows import NewMemory

__all__ = ["COLUMNS", "INSERT", "KEYED", "insert_values", "key_of", "memory_row"]

COLUMNS = (
    "id, agent_id, user_id, kind, content, tokens, origin, speaker, session_id, position, prev_id, next_id, importance,"
    " base_importance, access_count, event_time, recorded_at, updated_at, last_used_at, tags, metadata, source_ref,"
    " idempotency_key, crc, review_state, channel, pinned, expires_at, ended_at, ending"
)
INSERT = f"INSERT INTO memory ({COLUMNS}, text_key, identity_key) VALUES ({', '.join('?' * 32)})"
KEYED = frozenset((Kind.EVENT, Kind.FACT, Kind.KNOWLEDGE, Kind.SUMMARY, Kind.LESSON))
"""The kinds of which the same text is stored once; their rows are found by the hash of it."""

_KINDS = {str(kind): kind for kind in Kind}
_ORIGINS = {str(origin): origin for origin in Origin}
_REVIEW_STATES = {str(state): state for state in ReviewState}
_CHANNELS = {str(channel): channel for channel in Channel}
_ENDINGS = {str(ending): ending for ending in Ending}


def memory_row(row: Sequence[Any]) -> MemoryRow:
    """The value of one row that was selected as `COLUMNS`; what can be read of it, where it is not intact.

    Raises:
        CorruptDatabaseError: a column holds what memcore never writes there.
    """
    try:
        return _value_of(row)
    except (KeyError, ValueError, OverflowError, TypeError, RecursionError) as error:
        raise CorruptDatabaseError(
            f"memory {row[0]}: one of its columns is damaged ({type(error).__name__}); restore it from a backup"
        ) from error


def _value_of(row: Sequence[Any]) -> MemoryRow:
    crc = row[23]
    tags, metadata = read_json(row[19], list), read_json(row[20], dict)
    kind, origin, review_state = _KINDS.get(row[3]), _ORIGINS.get(row[6]), _REVIEW_STATES.get(row[24])
    return MemoryRow(
        id=row[0],
        partition=Partition(row[1], row[2]),
        kind=kind or row[3],
        content=row[4],
        tokens=row[5],
        origin=origin or row[6],
        speaker=row[7],
        session_id=row[8],
        position=row[9],
        prev_id=row[10],
        next_id=row[11],
        importance=row[12],
        base_importance=row[13],
        access_count=row[14],
        event_time=from_micros(row[15]),
        recorded_at=from_micros(row[16]),
        updated_at=from_micros(row[17]),
        last_used_at=moment_or_none(row[18]),
        tags=tuple(tags or ()),
        metadata=metadata or {},
        source_ref=row[21],
        idempotency_key=row[22],
        review_state=row[24] if review_state is None else review_state,
        channel=_CHANNELS.get(row[25], row[25]),
        pinned=bool(row[26]),
        expires_at=moment_or_none(row[27]),
        ended_at=moment_or_none(row[28]),
        ending=_ENDINGS.get(row[29], row[29]),
        intact=None not in (kind, origin, review_state, tags, metadata)
        and isfinite(row[12])
        and isfinite(row[13])
        and (crc is None or crc == memory_crc(row[0], row[4])),
    )


def key_of(memory: NewMemory) -> int:
    """The hash of a memory's text."""
    return text_key(memory.content) if memory.text_key is None else memory.text_key


def insert_values(
    memory_id: int, memory: NewMemory, position: int | None, prev_id: int | None, next_id: int | None
) -> tuple[Any, ...]:
    """The parameters of `INSERT` for one memory that was given its id and its place in the session."""
    recorded_at = to_micros(memory.recorded_at)
    return (
        memory_id,
        memory.partition.agent_id,
        memory.partition.user_id,
        memory.kind.value,
        memory.content,
        memory.tokens,
        memory.origin.value,
        memory.speaker,
        memory.session_id,
        position,
        prev_id,
        next_id,
        memory.importance,
        memory.importance,
        0,
        to_micros(memory.event_time),
        recorded_at,
        recorded_at,
        None,
        json_text("tags", list(memory.tags)) if memory.tags else "[]",
        json_text("metadata", memory.metadata) if memory.metadata else "{}",
        memory.source_ref,
        memory.idempotency_key,
        memory_crc(memory_id, memory.content),
        memory.review_state.value,
        None if memory.channel is None else memory.channel.value,
        0,
        None if memory.expires_at is None else to_micros(memory.expires_at),
        None,
        None,
        key_of(memory) if memory.kind in KEYED else None,
        memory.identity_key,
    )
