"""A row of the table `memory` as a `MemoryRow`, and a `NewMemory` as the parameters of its insert."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError
from memcore.kinds import Channel, Ending, Kind, Origin, ReviewState
from memcore.scope import Partition
from memcore.storage.encoding import from_micros, json_text, memory_crc, text_key, to_micros
from memcore.storage.rows import MemoryRow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memcore.storage.rows import NewMemory

__all__ = ["COLUMNS", "INSERT", "KEYED", "insert_values", "memory_row"]

COLUMNS = (
    "id, agent_id, user_id, kind, content, tokens, origin, speaker, session_id, position, prev_id, next_id, importance,"
    " base_importance, access_count, event_time, recorded_at, updated_at, last_used_at, tags, metadata, source_ref,"
    " idempotency_key, crc, review_state, channel, pinned, expires_at, ended_at, ending"
)
INSERT = f"INSERT INTO memory ({COLUMNS}, text_key, identity_key) VALUES ({', '.join('?' * 32)})"
KEYED = (Kind.EVENT, Kind.FACT, Kind.KNOWLEDGE, Kind.SUMMARY, Kind.LESSON)
"""The kinds of which the same text is stored once; their rows are found by the hash of it."""

DEEPEST_READ = 64
"""Levels of JSON that are read back; memcore writes at most 16."""

_KINDS = {str(kind): kind for kind in Kind}
_ORIGINS = {str(origin): origin for origin in Origin}


def memory_row(row: Sequence[Any]) -> MemoryRow:
    """The value of one row that was selected as `COLUMNS`.

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
    tags, metadata = _read_json(row[19], list), _read_json(row[20], dict)
    return MemoryRow(
        id=row[0],
        partition=Partition(row[1], row[2]),
        kind=_KINDS[row[3]],
        content=row[4],
        tokens=row[5],
        origin=_ORIGINS[row[6]],
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
        last_used_at=_moment(row[18]),
        tags=tuple(tags or ()),
        metadata=metadata or {},
        source_ref=row[21],
        idempotency_key=row[22],
        review_state=ReviewState(row[24]),
        channel=None if row[25] is None else Channel(row[25]),
        pinned=bool(row[26]),
        expires_at=_moment(row[27]),
        ended_at=_moment(row[28]),
        ending=None if row[29] is None else Ending(row[29]),
        intact=None not in (tags, metadata) and (crc is None or crc == memory_crc(row[0], row[4])),
    )


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _read_json(text: str, kind: type) -> Any:
    """The list or dict that a column holds; None where a hand wrote what memcore never does and Python cannot carry."""
    if text in ("[]", "{}"):
        return kind()
    try:
        value = json.loads(text)
        return value if isinstance(value, kind) and _depth_is_sane(value) else None
    except (ValueError, RecursionError):
        return None


def _depth_is_sane(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST_READ):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return True
    return False


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
        text_key(memory.content) if memory.kind in KEYED else None,
        memory.identity_key,
    )
