"""The details of a stored memory as the values that they were given as."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.kinds import Category, Kind
from memcore.storage.detail_rows import CaseDetail, ChunkDetail, EpisodeDetail, FactDetail, LessonDetail, SummaryDetail
from memcore.storage.encoding import from_micros

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.storage.detail_rows import Detail

__all__ = ["ClaimRow", "claim_of", "detail_of"]


class ClaimRow(NamedTuple):
    """What a stored memory says of the world; see the table `claim`."""

    confidence: float
    valid_from: datetime | None
    valid_until: datetime | None
    superseded_by: int | None


def claim_of(conn: Connection, memory_id: int) -> ClaimRow | None:
    """The claim of a memory; None for a kind that claims nothing."""
    row = conn.exec_driver_sql(
        "SELECT confidence, valid_from, valid_until, superseded_by FROM claim WHERE memory_id = ?", (memory_id,)
    ).first()
    return None if row is None else ClaimRow(row[0], _moment(row[1]), _moment(row[2]), row[3])


def detail_of(conn: Connection, memory_id: int, kind: Kind) -> Detail | None:
    """The details of a memory of a kind; None for a kind that is given none."""
    read = _READ.get(kind)
    if read is None:
        return None
    query = f"SELECT * FROM {kind.value}_detail WHERE memory_id = ?"
    row = conn.exec_driver_sql(query, (memory_id,)).mappings().first()
    return None if row is None else read(dict(row))


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


_READ: dict[Kind, Callable[[Mapping[str, Any]], Detail]] = {
    Kind.FACT: lambda row: FactDetail(category=Category(row["category"]), slot=row["slot"]),
    Kind.EPISODE: lambda row: EpisodeDetail(
        started_at=from_micros(row["started_at"]),
        ended_at=from_micros(row["ended_at"]),
        cues=tuple(json.loads(row["cues"])),
    ),
    Kind.CHUNK: lambda row: ChunkDetail(path=row["path"], first_line=row["first_line"], last_line=row["last_line"]),
    Kind.SUMMARY: lambda row: SummaryDetail(
        started_at=from_micros(row["started_at"]), ended_at=from_micros(row["ended_at"])
    ),
    Kind.CASE: lambda row: CaseDetail(
        question=row["question"],
        answer=row["answer"],
        result=row["result"],
        datasource=row["datasource"],
        correction=row["correction"],
    ),
    Kind.LESSON: lambda row: LessonDetail(pattern=row["pattern"]),
}
