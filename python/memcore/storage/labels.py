"""What people said of memories, as labels of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.storage.encoding import from_micros, id_list
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["Label", "labels"]


class Label(NamedTuple):
    """That a memory was called helpful, or not, or wrong, and when."""

    memory_id: int
    recorded_at: datetime
    helpful: bool


def labels(conn: Connection, memory_ids: Iterable[int]) -> list[Label]:
    """The labels of memories, oldest first; what was called wrong was not helpful."""
    rows = plain_rows(
        conn,
        "SELECT memory_id, recorded_at, helpful, wrong FROM feedback"
        " WHERE memory_id IN (SELECT value FROM json_each(?)) AND (helpful IS NOT NULL OR wrong = 1) ORDER BY id",
        (id_list(memory_ids),),
    )
    return [Label(row[0], from_micros(row[1]), bool(row[2]) and not row[3]) for row in rows]
