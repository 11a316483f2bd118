"""How strong memories are: what a use adds, when a fact would freeze, and how one that is dormant wakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memcore.curves import (
    LONGEST_STABILITY_DAYS,
    REVIVE,
    STABILITY_GROWTH,
    half_life,
    half_life_hours,
    hours_until_freeze,
    reinforced,
    used_stability_days,
)
from memcore.kinds import Category, OperationAction
from memcore.storage.encoding import FIRST_MICROS, LAST_MICROS, id_list, to_micros
from memcore.storage.operations import RowChange, record_each

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray
    from sqlalchemy import Connection

__all__ = ["Facts", "facts_of", "reschedule", "strengthened", "use"]

_MICROS_PER_HOUR = 3_600_000_000
_IMPORTANCE_PER_USE = 0.1
_MOST_IMPORTANCE = 10.0
_AMONG = "IN (SELECT value FROM json_each(?))"
_FACTS = (
    "SELECT f.memory_id, f.partition_id, f.category, max(m.pinned, ?), f.strength, f.strength_at, f.due_at, f.dormant"
    f" FROM fact_detail AS f JOIN memory AS m ON m.id = f.memory_id WHERE f.memory_id {_AMONG} ORDER BY f.memory_id"
)
_USE = (
    f"UPDATE memory SET access_count = access_count + 1,"
    f" base_importance = min({_MOST_IMPORTANCE}, base_importance + {_IMPORTANCE_PER_USE}),"
    " last_used_at = max(coalesce(last_used_at, ?1), ?1) WHERE id IN (SELECT value FROM json_each(?2))"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """The strengths of some facts, column by column. Moments are microseconds, half-lives hours."""

    ids: list[int]
    partition_ids: list[int]
    half_lives: NDArray[np.float64]
    strengths: NDArray[np.float64]
    strength_ats: NDArray[np.int64]
    due_ats: list[int | None]
    dormant: NDArray[np.bool_]

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Any]]) -> Facts:
        """Those of rows (id, partition, category, pinned, strength, strength_at, due_at, dormant)."""
        ids, partition_ids, categories, pinned, strengths, moments, due_ats, dormant = (
            map(list, zip(*rows, strict=True)) if rows else ([] for _ in range(8))
        )
        return cls(
            ids,
            partition_ids,
            np.array(
                [
                    half_life_hours(Category(name), pinned=bool(pin))
                    for name, pin in zip(categories, pinned, strict=True)
                ]
            ),
            np.array(strengths, np.float64),
            np.clip(np.array(moments, np.int64), FIRST_MICROS, LAST_MICROS),
            due_ats,
            np.array(dormant, np.bool_),
        )

    def retention(self, now: int) -> NDArray[np.float64]:
        """What is left of each strength at `now`: s·2^(−h/H); a strength of the future is whole."""
        kept: NDArray[np.float64] = half_life(
            self.strengths, (now - self.strength_ats) / _MICROS_PER_HOUR, self.half_lives
        )
        return kept

    def due(self) -> list[int]:
        """When the retention of each falls to the threshold below which a fact is dormant."""
        return due_ats(self.strengths, self.strength_ats, self.half_lives)


def due_ats(
    strengths: NDArray[np.float64], strength_ats: NDArray[np.int64], half_lives: NDArray[np.float64]
) -> list[int]:
    """When facts of these strengths, set at these moments, would freeze."""
    hours = hours_until_freeze(strengths, half_lives)
    due: list[int] = (strength_ats + np.rint(hours * _MICROS_PER_HOUR).astype(np.int64)).tolist()
    return due


def facts_of(conn: Connection, ids: Sequence[int], *, pinned: bool = False) -> Facts:
    """The strengths of those of the memories that are facts, ascending by id; with `pinned` as if all were pinned."""
    return Facts.of_rows(conn.exec_driver_sql(_FACTS, (int(pinned), id_list(ids))).fetchall())


def use(conn: Connection, ids: Sequence[int], now: datetime) -> None:
    """Strengthen memories that were used at `now`; an id counts once.

    Each: one access more, base importance + 0.1 up to 10, last used now, or later where a clock stepped back. A fact:
    what is left of its strength is reinforced (x + 0.35·(1 − x)), and it wakes if it was dormant, which is an operation
    `revive`. An event: stability × 1.5, at most 3,650 days.
    """
    moment = to_micros(now)
    conn.exec_driver_sql(_USE, (moment, id_list(ids)))
    conn.exec_driver_sql(
        f"UPDATE event_detail SET stability_days = min(?, stability_days * ?) WHERE memory_id {_AMONG}",
        (LONGEST_STABILITY_DAYS, STABILITY_GROWTH, id_list(ids)),
    )
    changed = _used_facts(facts_of(conn, ids), moment)
    if changed:
        conn.exec_driver_sql(
            "UPDATE fact_detail SET strength = ?, strength_at = ?, due_at = ?, dormant = ? WHERE memory_id = ?",
            [(*used.after.values(), used.memory_id) for used in changed],
        )
        woken = [
            (used.partition_id, RowChange("fact_detail", (used.memory_id,), used.memory_id, used.after, used.before))
            for used in changed
            if used.before["dormant"] > used.after["dormant"]
        ]
        record_each(conn, OperationAction.REVIVE, woken, now=now, reason="used")


def strengthened(conn: Connection, ids: Sequence[int], now: datetime) -> list[RowChange]:
    """What `use` would do, as changes for an operation that can be undone; nothing is changed yet."""
    moment = to_micros(now)
    changes = [
        RowChange("memory", (row[0],), row[0], _used_memory(row[1], row[2], row[3], moment))
        for row in conn.exec_driver_sql(
            f"SELECT id, access_count, base_importance, last_used_at FROM memory WHERE id {_AMONG} ORDER BY id",
            (id_list(ids),),
        )
    ]
    changes += [
        RowChange("fact_detail", (used.memory_id,), used.memory_id, used.after)
        for used in _used_facts(facts_of(conn, ids), moment)
    ]
    changes += [
        RowChange("event_detail", (row[0],), row[0], {"stability_days": used_stability_days(row[1])})
        for row in conn.exec_driver_sql(
            f"SELECT memory_id, stability_days FROM event_detail WHERE memory_id {_AMONG} ORDER BY memory_id",
            (id_list(ids),),
        )
    ]
    return changes


def reschedule(conn: Connection, ids: Sequence[int]) -> None:
    """Work out anew when facts would freeze, after their category, pin or visibility changed; dormant ones stay so."""
    facts = facts_of(conn, ids)
    late = [
        (due, one)
        for one, due, before, dormant in zip(facts.ids, facts.due(), facts.due_ats, facts.dormant.tolist(), strict=True)
        if not dormant and due != before
    ]
    if late:
        conn.exec_driver_sql("UPDATE fact_detail SET due_at = ? WHERE memory_id = ?", late)


def _used_memory(access_count: int, base_importance: float, last_used_at: int | None, moment: int) -> dict[str, Any]:
    return {
        "access_count": access_count + 1,
        "base_importance": min(_MOST_IMPORTANCE, base_importance + _IMPORTANCE_PER_USE),
        "last_used_at": moment if last_used_at is None else max(last_used_at, moment),
    }


class _Used(NamedTuple):
    """The columns of a fact that a use changes, from before and after."""

    memory_id: int
    partition_id: int
    before: dict[str, Any]
    after: dict[str, Any]


def _used_facts(facts: Facts, moment: int) -> list[_Used]:
    """What a use at `moment` makes of facts."""
    strengths = reinforced(facts.retention(moment))
    strength_ats = np.maximum(facts.strength_ats, moment)
    asleep = facts.dormant & (strengths < REVIVE)
    before = _columns(facts.strengths, facts.strength_ats, facts.due_ats, facts.dormant)
    after = _columns(strengths, strength_ats, due_ats(strengths, strength_ats, facts.half_lives), asleep)
    return list(map(_Used, facts.ids, facts.partition_ids, before, after))


def _columns(
    strengths: NDArray[np.float64],
    strength_ats: NDArray[np.int64],
    due: Sequence[int | None],
    dormant: NDArray[np.bool_],
) -> list[dict[str, Any]]:
    names = ("strength", "strength_at", "due_at", "dormant")
    rows = zip(strengths.tolist(), strength_ats.tolist(), due, dormant.astype(int).tolist(), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]
