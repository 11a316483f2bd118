"""Conflicts: pairs of memories that say different things of one slot, until somebody decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import id_list, json_text, to_micros
from memcore.storage.operations import RowChange
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind

__all__ = ["Pair", "conflicting", "known_pairs", "open_pairs", "partners", "recorded_partners", "resolved"]

Pair = tuple[int, int, int]
"""The smaller id, the larger id, and the microseconds at which the conflict was recorded."""

_AMONG = "{} IN (SELECT value FROM json_each(?))"
_SIDE = (
    " JOIN memory AS {side} ON {side}.id = k.memory_{side}_id AND {side}.ended_at IS NULL"
    " AND ({side}.expires_at IS NULL OR {side}.expires_at > ?)"
    " AND {side}.review_state <> 'rejected' LEFT JOIN claim AS c{side} ON c{side}.memory_id = {side}.id"
)
_OPEN = (
    f"SELECT k.memory_a_id, k.memory_b_id, k.recorded_at FROM conflict_pair AS k{_SIDE.format(side='a')}"
    f"{_SIDE.format(side='b')} WHERE k.resolved_at IS NULL"
    " AND (ca.valid_until IS NULL OR ca.valid_until > max(?, ca.closed_at, coalesce(ca.valid_from, ca.closed_at)))"
    " AND (cb.valid_until IS NULL OR cb.valid_until > max(?, cb.closed_at, coalesce(cb.valid_from, cb.closed_at)))"
    " AND ca.superseded_by IS NULL AND cb.superseded_by IS NULL"
)


def conflicting(one: int, other: int, now: datetime) -> RowChange:
    """That two memories contradict each other, as is known from `now` on."""
    values = {"recorded_at": to_micros(now), "resolved_at": None}
    return RowChange("conflict_pair", (min(one, other), max(one, other)), max(one, other), values)


def resolved(one: int, other: int, now: datetime) -> RowChange:
    """That somebody decided between two memories."""
    key = (min(one, other), max(one, other))
    return RowChange("conflict_pair", key, key[1], {"resolved_at": to_micros(now)})


def open_pairs(
    conn: Connection, agent_id: str, user_id: str | None, now: datetime, *, limit: int, kinds_off: Iterable[Kind] = ()
) -> list[Pair]:
    """The first `limit` open conflicts of a partition, by the moment of recording, then the ids; none of `kinds_off`.

    Open: nobody decided, and both sides are still there, neither expired nor over, current or waiting for review, and
    superseded by nothing.
    """
    moment, off = to_micros(now), json_text("kinds_off", sorted(kind.value for kind in kinds_off))
    rows = plain_rows(
        conn,
        f"{_OPEN} AND b.agent_id = ? AND b.user_id IS ? AND NOT {_AMONG.format('a.kind')} AND NOT"
        f" {_AMONG.format('b.kind')} ORDER BY k.recorded_at, k.memory_a_id, k.memory_b_id LIMIT ?",
        (*[moment] * 4, agent_id, user_id, off, off, limit),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def partners(conn: Connection, memory_id: int, now: datetime) -> list[int]:
    """The memories that are in open conflict with one, ascending."""
    moment = to_micros(now)
    query = f"{_OPEN} AND (k.memory_a_id = ? OR k.memory_b_id = ?)"
    rows = plain_rows(conn, query, (*[moment] * 4, memory_id, memory_id))
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

    `known_at` (microseconds): recorded by then, and not decided by then; None: not decided to this day.
    """
    when = "resolved_at IS NULL" if known_at is None else "recorded_at <= ? AND coalesce(resolved_at > ?, 1)"
    among = "IN (SELECT value FROM json_each(?))"
    rows = plain_rows(
        conn,
        "SELECT memory_a_id, memory_b_id, recorded_at FROM conflict_pair"
        f" WHERE (memory_a_id {among} OR memory_b_id {among}) AND {when}"
        " ORDER BY recorded_at, memory_a_id, memory_b_id",
        (*[id_list(ids)] * 2, *([] if known_at is None else [known_at] * 2)),
    )
    return [(row[0], row[1], row[2]) for row in rows]
