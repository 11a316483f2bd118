"""What stands around hits: the turns before and after them, and what contradicts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.kinds import Kind
from memcore.pipeline.reconstruct import Line
from memcore.records import Conflict
from memcore.storage import memories
from memcore.storage.conflicts import known_pairs
from memcore.storage.encoding import from_micros
from memcore.writing.reading import records_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, tzinfo

    from sqlalchemy import Connection

    from memcore.mirror.reader import MirrorReader
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["Contradictions", "beside", "contradictions", "line"]


@dataclass(frozen=True, slots=True)
class Contradictions:
    """The conflicts that hits are in, those known longest first, and the rows of both sides."""

    conflicts: tuple[Conflict, ...] = ()
    rows: tuple[MemoryRow, ...] = ()

    def against(self, now: datetime) -> dict[int, tuple[Line, ...]]:
        """For each memory that is in conflict, the lines that contradict it; days are those of the zone of `now`."""
        lines = {row.id: line(row, now) for row in self.rows}
        found: dict[int, tuple[Line, ...]] = {}
        for conflict in self.conflicts:
            for one, other in ((conflict.older, conflict.newer), (conflict.newer, conflict.older)):
                found[one.id] = (*found.get(one.id, ()), lines[other.id])
        return found


def contradictions(
    connection: Connection, hits: Mapping[int, MemoryRow], reader: MirrorReader, known_at: int | None
) -> Contradictions:
    """The conflicts of which a hit is one side and the search could see both.

    `known_at` (microseconds): as they were known then; None: that are open now.
    """
    pairs = known_pairs(connection, sorted(hits), known_at)
    if not pairs:
        return Contradictions()
    ids = np.array(sorted({one for pair in pairs for one in pair[:2]}), np.int64)
    seen = ids[reader.rows_of(ids) >= 0].tolist()
    rows = [row for row in memories.fetch(connection, seen) if row.intact]
    records = {record.id: record for record in records_of(connection, rows)}
    conflicts = [
        Conflict(records[older], records[newer], from_micros(recorded_at))
        for older, newer, recorded_at in pairs
        if older in records and newer in records
    ]
    return Contradictions(tuple(conflicts), tuple(rows))


def beside(
    database: Database, ids: Sequence[int], rows: Mapping[int, MemoryRow], reader: MirrorReader, now: datetime
) -> Mapping[int, Line]:
    """The turns before and after some hits that the search could see, in the same session and partition."""
    wanted = {key for identity in ids for key in (rows[identity].prev_id, rows[identity].next_id) if key is not None}
    with database.read() as connection:
        around = np.array(sorted(wanted - set(ids)), np.int64)
        found = memories.fetch(connection, around[reader.rows_of(around) >= 0].tolist())
    sessions = {(rows[identity].partition, rows[identity].session_id) for identity in ids}
    shown = [row for row in found if row.intact and row.kind is not Kind.ENTITY]
    return {row.id: line(row, now) for row in shown if (row.partition, row.session_id) in sessions}


def line(row: MemoryRow, now: datetime) -> Line:
    """A line of the block; its day is one of the calendar that the search goes by."""
    session = None if row.session_id is None else (row.partition.user_id, row.session_id)
    return Line(
        row.id,
        row.content,
        row.kind,
        row.speaker,
        session,
        _in_zone(row.event_time, now.tzinfo),
        row.prev_id,
        row.next_id,
    )


def _in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """A moment in a zone; one at the very ends of the calendar, where the zone would lead out of it, as it is."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
