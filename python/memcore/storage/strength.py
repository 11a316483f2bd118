"""How strong memories are: what a use adds to them, as changes that can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.curves import REVIVE, half_life, half_life_hours, hours_until_freeze, reinforced, used_stability_days
from memcore.kinds import Category
from memcore.storage.encoding import id_list, to_micros
from memcore.storage.operations import RowChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["strengthened"]

_MICROS_PER_HOUR = 3_600_000_000
_AMONG = "IN (SELECT value FROM json_each(?))"


def strengthened(conn: Connection, ids: Sequence[int], now: datetime) -> list[RowChange]:
    """What a use of memories at `now` does to them, as changes for an operation; nothing is changed yet.

    Each: one access more, base importance + 0.1 up to 10, last used now. A fact: what is left of its strength is
    reinforced, x + 0.35·(1 − x), and it wakes if it was dormant. An event: stability × 1.5, at most 3,650 days.
    """
    moment, listed = to_micros(now), (id_list(ids),)
    changes = [
        RowChange("memory", (row[0],), row[0], _used(row[1], row[2], row[3], moment))
        for row in conn.exec_driver_sql(
            f"SELECT id, access_count, base_importance, last_used_at FROM memory WHERE id {_AMONG} ORDER BY id", listed
        )
    ]
    changes += [
        RowChange("fact_detail", (row[0],), row[0], _reinforced(row[1:], moment))
        for row in conn.exec_driver_sql(
            "SELECT f.memory_id, f.category, m.pinned, f.strength, f.strength_at, f.dormant FROM fact_detail AS f"
            f" JOIN memory AS m ON m.id = f.memory_id WHERE f.memory_id {_AMONG} ORDER BY f.memory_id",
            listed,
        )
    ]
    changes += [
        RowChange("event_detail", (row[0],), row[0], {"stability_days": used_stability_days(row[1])})
        for row in conn.exec_driver_sql(
            f"SELECT memory_id, stability_days FROM event_detail WHERE memory_id {_AMONG} ORDER BY memory_id", listed
        )
    ]
    return changes


def _used(access_count: int, base_importance: float, last_used_at: int | None, moment: int) -> dict[str, Any]:
    return {
        "access_count": access_count + 1,
        "base_importance": min(10.0, base_importance + 0.1),
        "last_used_at": moment if last_used_at is None else max(last_used_at, moment),
    }


def _reinforced(fact: Sequence[Any], moment: int) -> dict[str, Any]:
    category, pinned, strength, strength_at, dormant = fact
    hours = half_life_hours(Category(category), pinned=bool(pinned))
    stronger = float(reinforced(half_life(strength, (moment - strength_at) / _MICROS_PER_HOUR, hours)))
    at = max(strength_at, moment)
    return {
        "strength": stronger,
        "strength_at": at,
        "due_at": at + round(hours_until_freeze(stronger, hours) * _MICROS_PER_HOUR),
        "dormant": int(bool(dormant) and stronger < REVIVE),
    }
