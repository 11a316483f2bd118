"""A row of the table `memory` as a `MemoryRow`, and a `NewMemory` as the parameters of its insert."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError
from memcore.kinds import Kind, Origin
from memcore.scope import Partition
from memcore.storage.encoding import from_micros, json_text, memory_crc, to_micros
from memcore.storage.rows import MemoryRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.storage.rows import NewMemory

__all__ = ["COLUMNS", "INSERT", "insert_values", "memory_row"]

COLUMNS = (
    "id, agent_id, user_id, kind, content, tokens, origin, speaker, session_id, position, prev_id, next_id, importance,"
    " base_importance, access_count, event_time, recorded_at, updated_at, last_used_at, tags, metadata, source_ref,"
    " idempotency_key, crc"
)
INSERT = f"INSERT INTO memory ({COLUMNS}) VALUES ({', '.join('?' * 24)})"

DEEPEST_READ = 64
"""Levels of JSON that are read back; memcore writes at most 16."""

_KINDS = {str(kind): kind for kind in Kind}
_ORIGINS = {str(origin): origin for origin in Origin}


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
    last_used_at, crc = row[18], row[23]
    tags, metadata = _read_json(row[19], list), _read_json(row[20], dict)
    kind, origin = _KINDS.get(row[3]), _ORIGINS.get(row[6])
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
        last_used_at=None if last_used_at is None else from_micros(last_used_at),
        tags=tuple(tags or ()),
        metadata=metadata or {},
        source_ref=row[21],
        idempotency_key=row[22],
        intact=None not in (kind, origin, tags, metadata)
        and isfinite(row[12])
        and isfinite(row[13])
        and (crc is None or crc == memory_crc(row[0], row[4])),
    )


def _read_json(text: str, kind: type) -> Any:
    """The list of strings or the dict that a column holds; None where a hand wrote what memcore never does."""
    if text in ("[]", "{}"):
        return kind()
    try:
        value = json.loads(text, parse_constant=_refused_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, kind) or not _depth_is_sane(value):
        return None
    plain = not isinstance(value, list) or all(isinstance(item, str) for item in value)
    return value if plain else None


def _refused_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number of JSON")


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
    )
