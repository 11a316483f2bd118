"""A plan that goes for good before it began: operations on what it was to follow become what they were without it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memcore.kinds import OperationAction
from memcore.storage.claim_ends import lifted
from memcore.storage.encoding import id_list
from memcore.storage.operations import RowChange, record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["Followed", "forget_plans", "note_heirs"]

_END = ("valid_until", "closed_at", "superseded_by")
_GOING = "IN (SELECT value FROM json_each(?1))"
_PLANS = (
    f"SELECT m.id, c.valid_from FROM memory AS m JOIN claim AS c ON c.memory_id = m.id"
    f" WHERE m.id {_GOING} AND c.valid_from > m.recorded_at"
)
_CLAIMS = f"""
    SELECT beside.memory_id, beside.operation_id, beside.number, beside.before, beside.after, o.recorded_at
    FROM operation_change AS beside JOIN operation AS o ON o.id = beside.operation_id
    WHERE beside.changed_table = 'claim' AND beside.before IS NOT NULL AND beside.after IS NOT NULL
      AND beside.memory_id NOT {_GOING} AND beside.memory_id IN (
        SELECT near.memory_id FROM operation_change AS own
        JOIN operation_change AS near ON near.operation_id = own.operation_id AND near.changed_table = 'claim'
        WHERE own.memory_id {_GOING}
        UNION SELECT mate.memory_id FROM fact_detail AS own
        JOIN fact_detail AS mate ON mate.partition_id = own.partition_id AND mate.slot_key = own.slot_key
        WHERE own.memory_id {_GOING}
        UNION SELECT memory_id FROM claim WHERE superseded_by {_GOING}
      )
    ORDER BY beside.memory_id, beside.operation_id, beside.number
"""
_HEIRS = (
    "SELECT json_extract(after, '$.superseded_by'), max(operation_id) FROM operation_change"
    f" WHERE memory_id {_GOING} AND changed_table = 'claim' AND json_extract(after, '$.superseded_by') IS NOT NULL"
    " GROUP BY 1"
)
_CALLED_OFF = (
    "SELECT o.id FROM operation_change AS c JOIN operation AS o ON o.id = c.operation_id AND o.action <> 'undo'"
    f" AND o.undone_by IS NULL WHERE c.memory_id {_GOING} AND c.changed_table = 'memory'"
    " AND (json_extract(c.after, '$.ending') IS NOT NULL OR json_extract(c.after, '$.review_state') = 'rejected')"
)
_FORGET_CONFLICTS = (
    "DELETE FROM operation_change WHERE operation_id IN (SELECT value FROM json_each(?2))"
    " AND changed_table = 'conflict_pair' AND (before IS NULL OR after IS NULL)"
    " AND EXISTS (SELECT 1 FROM operation_change AS own WHERE own.operation_id = operation_change.operation_id"
    f" AND own.changed_table = 'memory' AND own.memory_id {_GOING})"
)
_PARTITION = (
    "SELECT p.id FROM memory AS m JOIN partition AS p ON p.agent_id = m.agent_id AND p.user_id IS m.user_id"
    " WHERE m.id = ?"
)
_REMOVE = "DELETE FROM operation_change WHERE operation_id = ? AND number = ?"
_ADD = (
    "INSERT INTO operation_change (operation_id, number, memory_id, changed_table, row_key, before, after)"
    " SELECT operation_id, max(number) + 1, ?, 'claim', ?, ?, ? FROM operation_change WHERE operation_id = ?"
    " GROUP BY operation_id"
)

_End = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Followed:
    """A claim that a plan is to follow which goes: its end without the plan, and what was to follow the plan itself.

    `heirs`: id → the operation by which that took the place of a plan.
    """

    memory_id: int
    end: _End
    heirs: dict[int, int]


@dataclass(slots=True)
class _Change:
    """What an operation did to a claim; `old` and `new` are its whole end from before and after.

    `is_about`: the claim was to be followed, before or after it, by one of the plans that go.
    """

    operation_id: int
    number: int
    at: int
    before: dict[str, Any]
    after: dict[str, Any]
    old: _End = field(default_factory=dict)
    new: _End = field(default_factory=dict)
    is_about: bool = False


def forget_plans(conn: Connection, ids: Sequence[int], now: int) -> list[Followed]:
    """Take plans that go, and never began, out of the operations on other claims; before they are removed.

    Where a claim was to end by such a plan, an operation has, instead of that end, the one that it had without. What
    did nothing but to plan that, or to call it off, does nothing to it any more, and is forgotten. So are the conflicts
    that came of calling it off: they stay, by no operation. What is given back is to be given to `note_heirs` once the
    plans are gone.
    """
    begin = {row[0]: row[1] for row in conn.exec_driver_sql(_PLANS, (id_list(ids),))}
    if not begin:
        return []
    rows = conn.exec_driver_sql(_CLAIMS, (id_list(ids),)).fetchall()
    heirs = {row[0]: row[1] for row in conn.exec_driver_sql(_HEIRS, (id_list(ids),))}
    off = set(conn.exec_driver_sql(_CALLED_OFF, (id_list(ids),)).scalars())
    followed, changed = [], set[int]()
    for memory_id, group in groupby(rows, key=itemgetter(0)):
        changes = [_Change(row[1], row[2], row[5], json.loads(row[3]), json.loads(row[4])) for row in group]
        end = _filled(conn, memory_id, changes)
        plans = _never_begun(changes, end["superseded_by"], begin, now)
        without = _without(changes, plans)
        written = [one for one in changes if _is_written(conn, one)]
        changed |= {one.operation_id for one in written}
        for change in written:
            if change.operation_id in off and not _is_built_on(change, changes, heirs):
                _moved(conn, memory_id, change, heirs)
        if end["superseded_by"] in without:
            followed.append(Followed(memory_id, without[end["superseded_by"]], heirs))
    conn.exec_driver_sql(_FORGET_CONFLICTS, (id_list(ids), id_list(sorted(changed))))
    return followed


def note_heirs(conn: Connection, followed: Sequence[Followed], now: datetime) -> None:
    """Note that claims end by what was to follow a plan that is gone, in the operation by which that took its place.

    Where none did, because what has the place now was to begin later, that is an operation of its own. Undone, they
    hold as they did without either.
    """
    for one in followed:
        end = _end_of(conn, one.memory_id)
        if end["superseded_by"] is None or end == one.end:
            continue
        number = one.heirs.get(end["superseded_by"])
        if number is not None:
            _insert(conn, one.memory_id, number, one.end, end)
        elif end["superseded_by"] != one.end["superseded_by"]:
            noted = RowChange("claim", (one.memory_id,), one.memory_id, end, one.end)
            partition = int(conn.exec_driver_sql(_PARTITION, (one.memory_id,)).scalar_one())
            record(conn, partition, OperationAction.SUPERSEDE, [noted], now=now)


def _filled(conn: Connection, memory_id: int, changes: Sequence[_Change]) -> _End:
    """Fills in what was the end of a claim before and after each change; what it is now."""
    now = end = _end_of(conn, memory_id)
    for one in reversed(changes):
        one.new = {name: one.after.get(name, end[name]) for name in _END}
        one.old = end = {name: one.before.get(name, one.new[name]) for name in _END}
    return now


def _end_of(conn: Connection, memory_id: int) -> _End:
    query = f"SELECT {', '.join(_END)} FROM claim WHERE memory_id = ?"
    return dict(conn.exec_driver_sql(query, (memory_id,)).mappings().one())


def _never_begun(changes: Sequence[_Change], heir: int | None, begin: dict[int, int], now: int) -> set[int]:
    """The plans that had not begun when a claim was to be followed by them no more."""
    until: dict[int, int] = {}
    for one in changes:
        before, after = one.old["superseded_by"], one.new["superseded_by"]
        if before in begin and before != after:
            until[before] = max(until.get(before, one.at), one.at)
    if heir in begin:
        until[heir] = now
    return {one for one, moment in until.items() if begin[one] > moment}


def _without(changes: Sequence[_Change], plans: set[int]) -> dict[int, _End]:
    """The end of a claim without each of the plans; the changes have it in the place of the one by the plan."""
    without: dict[int, _End] = {}
    for one in changes:
        before, after = one.old["superseded_by"], one.new["superseded_by"]
        one.is_about = not plans.isdisjoint((before, after)) and not one.after.keys().isdisjoint(_END)
        lifts = before == after and lifted(one.new, one.old["closed_at"])
        one.old = without.get(before, one.old)
        if after in plans:
            without[after] = dict.fromkeys(_END) if lifts else without.get(after, one.old)
            one.new = without[after]
    return without


def _is_written(conn: Connection, change: _Change) -> bool:
    """Writes what is left of a change of an end by one of the plans, or to one; whether it was such."""
    if not change.is_about:
        return False
    names = [name for name in _END if change.old[name] != change.new[name]]
    before, after = (
        {name: value for name, value in columns.items() if name not in _END} | {name: end[name] for name in names}
        for columns, end in ((change.before, change.old), (change.after, change.new))
    )
    place = (change.operation_id, change.number)
    if before == after:
        conn.exec_driver_sql(_REMOVE, place)
    else:
        conn.exec_driver_sql(
            "UPDATE operation_change SET before = ?, after = ? WHERE operation_id = ? AND number = ?",
            (_json(before), _json(after), *place),
        )
    return True


def _is_built_on(change: _Change, changes: Sequence[_Change], heirs: dict[int, int]) -> bool:
    """Whether the claim got another end between the operation that planned its heir and one that called a plan off."""
    since = heirs.get(change.new["superseded_by"], change.operation_id)
    between = [one for one in changes if since <= one.operation_id < change.operation_id]
    return since >= change.operation_id or any(one.old != one.new for one in between)


def _moved(conn: Connection, memory_id: int, change: _Change, heirs: dict[int, int]) -> None:
    """Has a claim end by what was to follow a plan since that was planned, and not since the plan was called off."""
    conn.exec_driver_sql(_REMOVE, (change.operation_id, change.number))
    _insert(conn, memory_id, heirs[change.new["superseded_by"]], change.old, change.new)


def _insert(conn: Connection, memory_id: int, operation_id: int, old: _End, new: _End) -> None:
    """One more change of an operation: the end of a claim."""
    names = [name for name in _END if old[name] != new[name]]
    before, after = (_json({name: end[name] for name in names}) for end in (old, new))
    key = json.dumps([memory_id])
    conn.exec_driver_sql(_ADD, (memory_id, key, before, after, operation_id))


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
