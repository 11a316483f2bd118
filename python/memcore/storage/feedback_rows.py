"""Labels that people gave to memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import to_micros
from memcore.storage.operations import RowChange

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["label"]


def label(conn: Connection, memory_id: int, *, helpful: bool | None, wrong: bool, now: datetime) -> RowChange:
    """The change that writes a label down, under an id that none had before."""
    last = conn.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'feedback'").scalar()
    values = {
        "memory_id": memory_id,
        "recorded_at": to_micros(now),
        "helpful": None if helpful is None else int(helpful),
        "wrong": int(wrong),
    }
    return RowChange("feedback", (1 if last is None else int(last) + 1,), memory_id, values)
