"""The detail rows of new memories: what each kind keeps in tables of its own."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

from memcore.curves import first_stability_days, half_life_hours, hours_until_freeze
from memcore.errors import InvalidInputError
from memcore.kinds import Kind
from memcore.storage import partitions
from memcore.storage.detail_rows import (
    CaseDetail,
    ChunkDetail,
    Claim,
    EpisodeDetail,
    FactDetail,
    LessonDetail,
    SummaryDetail,
)
from memcore.storage.encoding import json_text, same_text, text_key, to_micros
from memcore.storage.plain import plain_insert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from memcore.scope import Partition
    from memcore.storage.rows import NewMemory

__all__ = ["CLAIMED", "DETAILED", "insert_details", "slot_key"]

CLAIMED = (Kind.FACT, Kind.KNOWLEDGE, Kind.LESSON)
"""The kinds that say something of the world, each with a row in `claim`."""
DETAILED: dict[Kind, type] = {
    Kind.FACT: FactDetail,
    Kind.EPISODE: EpisodeDetail,
    Kind.CHUNK: ChunkDetail,
    Kind.SUMMARY: SummaryDetail,
    Kind.CASE: CaseDetail,
    Kind.LESSON: LessonDetail,
}
"""The kinds whose details a caller gives, and what they are."""
_INSERT = {
    "claim": "(memory_id, confidence, valid_from, valid_until, closed_at) VALUES (?, ?, ?, ?, ?)",
    "fact_detail": (
        "(memory_id, partition_id, category, slot, slot_key, strength, strength_at, due_at)"
        " VALUES (?, ?, ?, ?, ?, 1.0, ?, ?)"
    ),
    "event_detail": "(memory_id, stability_days) VALUES (?, ?)",
    "knowledge_detail": "(memory_id, partition_id, content_key) VALUES (?, ?, ?)",
    "episode_detail": "(memory_id, started_at, ended_at, cues) VALUES (?, ?, ?, ?)",
    "chunk_detail": "(memory_id, path, first_line, last_line) VALUES (?, ?, ?, ?)",
    "summary_detail": "(memory_id, started_at, ended_at) VALUES (?, ?, ?)",
    "case_detail": "(memory_id, question, answer, result, datasource, correction) VALUES (?, ?, ?, ?, ?, ?)",
    "lesson_detail": "(memory_id, pattern) VALUES (?, ?)",
}


def slot_key(slot: str) -> str:
    """What a slot is looked up by: see `same_text`."""
    return same_text(slot)


def insert_details(conn: Connection, ids: Sequence[int], memories: Sequence[NewMemory]) -> None:
    """Write the detail rows of memories that were just inserted; a kind without rules of its own has none.

    Raises:
        InvalidInputError: a memory has the details of another kind, or lacks those that its kind needs.
    """
    numbers: dict[Partition, int] = {}
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for memory_id, memory in zip(ids, memories, strict=True):
        if memory.kind in _PLAIN and memory.detail is None:
            continue
        if memory.partition not in numbers and memory.kind in (Kind.FACT, Kind.KNOWLEDGE):
            numbers[memory.partition] = partitions.ensure(conn, memory.partition)
        if memory.kind in CLAIMED:
            rows.setdefault("claim", []).append((memory_id, *_claim(memory)))
        values = _values(memory, numbers.get(memory.partition, 0))
        if values is not None:
            rows.setdefault(f"{memory.kind.value}_detail", []).append((memory_id, *values))
    for table, of_table in rows.items():
        plain_insert(conn, f"INSERT INTO {table} {_INSERT[table]}", of_table)


def _claim(memory: NewMemory) -> tuple[Any, ...]:
    """A claim that ended before it was heard of, and does not say since when it held, is open on that side."""
    claim = memory.claim or Claim()
    recorded_at = to_micros(memory.recorded_at)
    valid_until = None if claim.valid_until is None else to_micros(claim.valid_until)
    valid_from = to_micros(claim.valid_from or memory.event_time)
    if claim.valid_from is None and valid_until is not None and valid_until <= valid_from:
        return claim.confidence, None, valid_until, recorded_at
    return claim.confidence, valid_from, valid_until, None if valid_until is None else recorded_at


def _values(memory: NewMemory, partition_id: int) -> tuple[Any, ...] | None:
    """The columns of the kind's own detail table; None where it has none."""
    detail, wanted = memory.detail, DETAILED.get(memory.kind)
    if detail is not None and (wanted is None or not isinstance(detail, wanted)):
        raise InvalidInputError(f"details: {type(detail).__name__} does not belong to the kind {memory.kind.value}")
    write = _COLUMNS.get(memory.kind)
    if write is None:
        return None
    if wanted is not None and detail is None and memory.kind not in _ASSUMED:
        raise InvalidInputError(f"details: a memory of kind {memory.kind.value} needs them; give {wanted.__name__}")
    return write(memory, detail, partition_id)


def _fact(memory: NewMemory, detail: Any, partition_id: int) -> tuple[Any, ...]:
    fact = detail or FactDetail()
    hours = hours_until_freeze(1.0, half_life_hours(fact.category))
    due_at = to_micros(memory.recorded_at.astimezone(UTC) + timedelta(hours=hours))  # of a zone the clock would count
    slot = (None, None) if fact.slot is None else (fact.slot, slot_key(fact.slot))
    return partition_id, fact.category.value, *slot, to_micros(memory.recorded_at), due_at


def _period(memory: NewMemory, detail: Any, _partition_id: int) -> tuple[Any, ...]:
    happened = to_micros(memory.event_time)
    started = to_micros(detail.started_at) if detail and detail.started_at else happened
    return started, to_micros(detail.ended_at) if detail and detail.ended_at else max(started, happened)


def _episode(memory: NewMemory, detail: Any, partition_id: int) -> tuple[Any, ...]:
    cues = json_text("details.cues", list(detail.cues)) if detail else "[]"
    return *_period(memory, detail, partition_id), cues


_ASSUMED = (Kind.FACT, Kind.EPISODE, Kind.SUMMARY)
_COLUMNS: dict[Kind, Callable[[NewMemory, Any, int], tuple[Any, ...]]] = {
    Kind.EVENT: lambda memory, _detail, _partition_id: (first_stability_days(memory.importance),),
    Kind.FACT: _fact,
    Kind.KNOWLEDGE: lambda memory, _detail, number: (number, f"{text_key(memory.content) & (2**64 - 1):016x}"),
    Kind.EPISODE: _episode,
    Kind.SUMMARY: _period,
    Kind.CHUNK: lambda _memory, chunk, _partition_id: (chunk.path, chunk.first_line, chunk.last_line),
    Kind.CASE: lambda _memory, case, _partition_id: (
        case.question,
        case.answer,
        case.result,
        case.datasource,
        case.correction,
    ),
    Kind.LESSON: lambda _memory, lesson, _partition_id: (lesson.pattern,),
}
_PLAIN = frozenset(Kind) - {*CLAIMED, *_COLUMNS}
"""The kinds that have no row beside their own."""
