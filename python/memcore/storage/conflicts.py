"""Conflicts: pairs of memories that say different things of one slot, until somebody decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.storage.as_known import pairs_then
from memcore.storage.encoding import id_list, json_text, to_micros
from memcore.storage.neighbours import kept_condition, over_condition
from memcore.storage.operations import RowChange
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind
    from memcore.storage.neighbours import Sight

__all__ = ["Pair", "conflicting", "known_pairs", "open_pairs", "partners", "recorded_partners", "resolved"]

Pair = tuple[int, int, int]
"""The smaller id, the larger id, and the microseconds at which the conflict was recorded."""

_AMONG = "{} IN (SELECT value FROM json_each(:{}))"
_AFTER = "{one}.valid_from > {memory}.recorded_at AND {one}.valid_from >= {other}.valid_until"
_NEVER_TOGETHER = (
    f"coalesce({_AFTER.format(one='ca', memory='a', other='cb')}, 0)"
    f" OR coalesce({_AFTER.format(one='cb', memory='b', other='ca')}, 0)"
)
_SAY_THE_SAME = (
    "fa.slot_key IS fb.slot_key AND coalesce(a.text_key, memcore_text_key(a.content)) ="
    " coalesce(b.text_key, memcore_text_key(b.content))"
)
_SIDES = "".join(
    f" CROSS JOIN memory AS {side} ON {side}.id = k.memory_{side}_id LEFT JOIN claim AS c{side} ON c{side}.memory_id ="
    f" {side}.id LEFT JOIN fact_detail AS f{side} ON f{side}.memory_id = {side}.id"
    for side in ("a", "b")
)
_STAND = " AND ".join(
    f"{side}.review_state <> 'rejected' AND {kept_condition(side)} AND NOT {over_condition(f'c{side}')}"
    f" AND NOT coalesce({side}.expires_at <= c{side}.valid_from AND c{side}.valid_from > {side}.recorded_at, 0)"
    for side in ("a", "b")
)
_OF_PAIR = "SELECT k.memory_a_id, k.memory_b_id, k.recorded_at FROM "
_PAIR = f"{_OF_PAIR}conflict_pair AS k{_SIDES}"
_PAIRS = ", ".join(
    f"json_extract(value, '$[{at}]') AS {name}" for at, name in enumerate(("memory_a_id", "memory_b_id", "recorded_at"))
)
_GIVEN_PAIR = f"{_OF_PAIR}(SELECT {_PAIRS} FROM json_each(:pairs)) AS k{_SIDES}"
_OPEN = f"{_PAIR} WHERE k.resolved_at IS NULL AND {_STAND} AND NOT ({_NEVER_TOGETHER}) AND NOT ({_SAY_THE_SAME})"
"""What an open conflict is, wherever one is listed, decided or counted.

Nobody decided, and both sides are kept, not rejected and not over, do not expire before they begin, hold at a common
moment, and say different things.
What something else supersedes from a later day on holds until then.
"""


def conflicting(one: int, other: int, now: datetime) -> RowChange:
    """That two memories contradict each other, as is known from `now` on."""
    values = {"recorded_at": to_micros(now), "resolved_at": None}
    return RowChange("conflict_pair", (min(one, other), max(one, other)), max(one, other), values)


def resolved(one: int, other: int, now: datetime) -> RowChange:
    """That somebody decided between two memories."""
    key = (min(one, other), max(one, other))
    return RowChange("conflict_pair", key, key[1], {"resolved_at": to_micros(now)})


def open_pairs(
    conn: Connection, agent_id: str, user_id: str | None, sight: Sight, *, limit: int, kinds_off: Iterable[Kind] = ()
) -> list[Pair]:
    """The first `limit` open conflicts of a partition, by the moment of recording, then the ids; none of `kinds_off`.

    Open: nobody decided, and both sides are still there (neither expired, over, rejected nor past their days of
    retention), hold at a common moment, and say different things.
    """
    values: Any = {
        **sight.parameters,
        "agent_id": agent_id,
        "user_id": user_id,
        "off": json_text("kinds_off", sorted(kind.value for kind in kinds_off)),
        "limit": limit,
    }
    rows = plain_rows(
        conn,
        f"{_OPEN} AND b.agent_id = :agent_id AND b.user_id IS :user_id AND NOT {_AMONG.format('a.kind', 'off')} AND NOT"
        f" {_AMONG.format('b.kind', 'off')} ORDER BY k.recorded_at, k.memory_a_id, k.memory_b_id LIMIT :limit",
        values,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def partners(conn: Connection, memory_id: int, sight: Sight) -> list[int]:
    """The memories that are in open conflict with one, ascending."""
    values: Any = {**sight.parameters, "one": memory_id}
    rows = plain_rows(conn, f"{_OPEN} AND (k.memory_a_id = :one OR k.memory_b_id = :one)", values)
    return sorted(row[1] if row[0] == memory_id else row[0] for row in rows)


def recorded_partners(conn: Connection, memory_id: int) -> set[int]:
    """The memories that one ever was in conflict with, decided or not."""
    rows = plain_rows(
        conn,
        "SELECT memory_b_id FROM conflict_pair WHERE memory_a_id = ?"
        " UNION SELECT memory_a_id FROM conflict_pair WHERE memory_b_id = ?",
        (memory_id, memory_id),
    )
    return {row[0] for row in rows}


def known_pairs(conn: Connection, ids: Sequence[int], known_at: int | None) -> list[Pair]:
    """The conflicts that one of `ids` is in, by the moment of recording, then the ids; whatever became of the sides.

    `known_at` (microseconds): recorded by then, and not decided then, also where it was taken back since; None: not
    decided to this day. Two that say the same by now are in none.
    """
    if known_at is None:
        among = f"({_AMONG.format('k.memory_a_id', 'ids')} OR {_AMONG.format('k.memory_b_id', 'ids')})"
        query, values = f"{_PAIR} WHERE {among} AND k.resolved_at IS NULL", {"ids": id_list(ids)}
    else:
        query, values = f"{_GIVEN_PAIR} WHERE 1", {"pairs": json_text("pairs", pairs_then(conn, ids, known_at))}
    parameters: Any = values
    rows = plain_rows(
        conn, f"{query} AND NOT ({_SAY_THE_SAME}) ORDER BY k.recorded_at, k.memory_a_id, k.memory_b_id", parameters
    )
    return [(row[0], row[1], row[2]) for row in rows]
