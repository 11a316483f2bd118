"""Undoing an operation: the values from before come back, where nothing that was done later stands on those from after.

To undo an undo is to do the operation again, and to undo that is to undo the operation again: however often it goes
back and forth, `undoes` names the operation, or an undo of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from memcore.curves import REVIVE
from memcore.errors import InvalidInputError, UndoRefusedError
from memcore.kinds import OperationAction
from memcore.storage import memories, neighbours, operation_rows, strength
from memcore.storage.encoding import id_list, to_micros
from memcore.storage.entity_names import rename
from memcore.storage.later_operations import JOINED, later_operations
from memcore.storage.neighbours import Sight
from memcore.storage.operations import RowChange, record
from memcore.storage.returning import disputes_of
from memcore.storage.supersede import hides, leads_to, replaced_by
from memcore.storage.undo_rows import is_birth, loose_columns, reversed_change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind
    from memcore.storage.operation_rows import OperationRow

__all__ = ["Undone", "named", "undo"]

MOST_NAMED = 20
"""Operations that a refusal names in words."""
_MOST_STEPS = 80
"""Looks at an operation, and trials of an undo, that a refusal is worth."""

_EDITABLE = memories.EDITABLE - loose_columns("memory")
_SPAN = ("valid_from", "valid_until", "superseded_by")


@dataclass(frozen=True, slots=True)
class Undone:
    """The operation that an undo is, and the texts that came back by it, which have no vector yet."""

    operation_id: int
    texts: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Course:
    """What an undo does: which changes it reverses, and which operations hold no more, or hold again, after it.

    `root` is the operation that was done first, `action` what it did; None where it is gone.
    """

    reversed: OperationRow
    root: int
    action: OperationAction | None
    undoes: int
    ended: tuple[int, ...]
    resumed: tuple[int] | None = None


def undo(
    conn: Connection,
    operation: OperationRow,
    *,
    now: datetime,
    retention_days: Mapping[Kind, int] | None = None,
    thorough: bool = True,
) -> Undone | None:
    """Undo one operation that holds; None where nothing of it is left to undo.

    The columns that plain use changes too (access count, base importance, last use, strength, dormancy, stability) stop
    no undo: counts lose what the operation added, the others go back only where they are as it left them. A fact that
    it wakes is as strong as the threshold for waking at least, so that the next sweep leaves it awake.

    Where a part of what it changed was deleted, the rest goes back. A fact that comes back, or gets its old words, in a
    slot that something else fills is in conflict with it from then on, unless somebody decided between the two before.

    Raises:
        UndoRefusedError: later operations stand on it (`operations` has all of them, in the order in which they are to
            be undone, or the next ones where they are many or `thorough` is false), it is to be done again and a memory
            that it changed was deleted, a row is no longer as it left it, or no search would find what took the place
            of another since; nothing was changed.
    """
    try:
        return _undo(conn, operation, now, retention_days or {})
    except UndoRefusedError as error:
        if error.operations:
            before = _all_in_the_way(conn, operation, now, retention_days or {}) if thorough else ()
            rest = "" if before else " and what stands on these"
            before = before or error.operations
            told = f"later operations stand on it: {named(before)}{rest}; undo them first, newest first"
            _refuse(operation, told, before)
        raise


def _undo(
    conn: Connection, operation: OperationRow, now: datetime, retention_days: Mapping[Kind, int]
) -> Undone | None:
    """Undoes an operation; where others stand on it, the refusal has the next ones."""
    course = _course(conn, operation)
    changes = course.reversed.changes
    # an operation that only adds says of each memory that it was stored, and each stands by itself
    done_again = course.resumed is not None and course.action is not OperationAction.ADD
    if done_again and len(changes) < course.reversed.size:
        _refuse(operation, "a memory that it changed was deleted")
    later = later_operations(conn, course.reversed, course.root, course.action)
    if later:
        _refuse(operation, "later operations stand on it", later)
    reversals = []
    for change in reversed(changes):
        one = reversed_change(conn, change, to_micros(now))
        if one is None:
            _refuse(operation, f"{change.table} of memory {change.memory_id} was changed since, by no operation")
        reversals += [one] if one.values != {} else []
    reversals = _awake(conn, reversals, now)
    _check_references(conn, operation, reversals)
    sight = Sight.at(now, retention_days)
    _check_found(conn, operation, reversals, sight)
    _check_order(conn, operation, reversals)
    _check_plans(conn, operation, reversals, sight)
    reversals += disputes_of(conn, reversals, sight, now)
    partition, action = operation.partition_id, OperationAction.UNDO
    written = record(conn, partition, action, reversals, now=now, undoes=course.undoes)
    if written is None:
        return None
    conn.exec_driver_sql(
        "UPDATE operation SET undone_by = ? WHERE id IN (SELECT value FROM json_each(?))",
        (written, id_list(course.ended)),
    )
    if course.resumed:
        conn.exec_driver_sql("UPDATE operation SET undone_by = NULL WHERE id = ?", course.resumed)
    return Undone(written, _settle(conn, operation, reversals, now))


def named(ids: Sequence[int]) -> str:
    """Some ids in words: the first `MOST_NAMED`, and how many more there are."""
    first = ", ".join(map(str, ids[:MOST_NAMED]))
    return first if len(ids) <= MOST_NAMED else f"{first} and {len(ids) - MOST_NAMED} more"


def _all_in_the_way(
    conn: Connection, operation: OperationRow, now: datetime, retention_days: Mapping[Kind, int]
) -> tuple[int, ...]:
    """What is to be undone before this operation, in that order: it is tried, and rolled back.

    Nothing where that takes more than `_MOST_STEPS`: other writers wait meanwhile.
    """
    order: list[int] = []
    path = [operation]
    conn.exec_driver_sql("SAVEPOINT in_the_way")
    try:
        for _ in range(_MOST_STEPS):
            above = _newest_on(conn, path[-1])
            if above is not None and above.id not in (one.id for one in path):
                path.append(above)
                continue
            top = path.pop()
            if not path or top.id in order:
                return tuple(order)
            order.append(top.id)
            try:
                undone = _undo(conn, top, now, retention_days)
            except UndoRefusedError:
                return tuple(order)  # what is below it stays as it is
            if undone is None:
                return tuple(order)
    finally:
        conn.exec_driver_sql("ROLLBACK TO in_the_way")
        conn.exec_driver_sql("RELEASE in_the_way")
    return ()


def _newest_on(conn: Connection, operation: OperationRow) -> OperationRow | None:
    """The newest operation that stands on one; None where none does, or it is to be undone no more."""
    try:
        course = _course(conn, operation)
    except UndoRefusedError:
        return None
    later = later_operations(conn, course.reversed, course.root, course.action)
    return operation_rows.fetch(conn, later[:1])[0] if later else None


def _course(conn: Connection, operation: OperationRow) -> _Course:
    number, action = operation.id, operation.action
    if action is not OperationAction.UNDO:
        again = operation_rows.redone(conn, number)
        if again is None:
            return _Course(operation, number, action, number, (number,))
        [done] = operation_rows.fetch(conn, [again])
        return _Course(_with_births(done, operation), number, action, number, (number, again))
    before = operation_rows.fetch(conn, [operation.undoes or 0])
    if not before:
        _refuse(operation, "what it undid is gone, with a memory that was deleted")
    if before[0].action is OperationAction.UNDO and before[0].undoes is not None:
        root = before[0].undoes
        first = operation_rows.fetch(conn, [root])
        done = _with_births(operation, first[0]) if first else operation
        return _Course(done, root, first[0].action if first else None, root, (number, root))
    return _Course(operation, before[0].id, before[0].action, number, (number,), (before[0].id,))


def _with_births(done: OperationRow, first: OperationRow) -> OperationRow:
    """An operation that was done again, with the memories that it brought and that were out of the searches by then."""
    has = {one.memory_id for one in done.changes if one.table == "memory"}
    births = [one for one in first.changes if is_birth(one) and one.memory_id not in has]
    return replace(done, changes=(*births, *done.changes), size=done.size + len(births))


def _awake(conn: Connection, reversals: list[RowChange], now: datetime) -> list[RowChange]:
    """The changes, in which a fact that wakes is strong enough to stay awake."""
    waking = {
        one.memory_id: one.values
        for one in reversals
        if one.table == "fact_detail" and one.values and one.values.get("dormant") == 0
    }
    if not waking:
        return reversals
    held = {one.memory_id for one in reversals if one.table == "memory" and one.values and one.values.get("pinned")}
    weak = _weak(conn, {one: values for one, values in waking.items() if one not in held}, now, pinned=False)
    weak |= _weak(conn, {one: values for one, values in waking.items() if one in held}, now, pinned=True)
    return [
        RowChange(one.table, one.key, one.memory_id, {**(one.values or {}), **weak[one.memory_id]})
        if one.table == "fact_detail" and one.memory_id in weak
        else one
        for one in reversals
    ]


def _weak(
    conn: Connection, waking: Mapping[int, Mapping[str, Any]], now: datetime, *, pinned: bool
) -> dict[int, dict[str, Any]]:
    """Those of the facts that sleep of which too little would be left; each with the strength that waking needs.

    `pinned`: they become pinned.
    """
    moment, facts = to_micros(now), strength.facts_of(conn, list(waking), pinned=pinned)
    become = [waking[one] for one in facts.ids]
    strengths = [values.get("strength", own) for values, own in zip(become, facts.strengths.tolist(), strict=True)]
    moments = [values.get("strength_at", own) for values, own in zip(become, facts.strength_ats.tolist(), strict=True)]
    facts = replace(facts, strengths=np.array(strengths, np.float64), strength_ats=np.array(moments, np.int64))
    return {
        memory_id: {"strength": REVIVE, "strength_at": max(strength_at, moment)}
        for memory_id, kept, strength_at, sleeps in zip(
            facts.ids, facts.retention(moment).tolist(), moments, facts.dormant.tolist(), strict=True
        )
        if sleeps and kept < REVIVE
    }


def _check_references(conn: Connection, operation: OperationRow, reversals: Sequence[RowChange]) -> None:
    """Refuses to name a memory that is gone, or to let a chain of supersession end in itself."""
    superseding = {
        one.memory_id: int(one.values["superseded_by"])
        for one in reversals
        if one.table == "claim" and one.values and one.values.get("superseded_by") is not None
    }
    named = {
        *superseding.values(),
        *(end for one in reversals if one.table in JOINED and one.values for end in one.key[:2]),
    }
    if named:
        query = "SELECT count(*) FROM memory WHERE id IN (SELECT value FROM json_each(?))"
        if conn.exec_driver_sql(query, (id_list(sorted(named)),)).scalar_one() < len(named):
            _refuse(operation, "a memory that it named was deleted")
    for old, new in superseding.items():
        if leads_to(conn, new, old):
            _refuse(operation, f"memory {new} is superseded by memory {old} now, through others or at once")


def _check_order(conn: Connection, operation: OperationRow, reversals: Sequence[RowChange]) -> None:
    """Refuses to let a claim end before it begins, because it ended since where it began."""
    become: dict[int, dict[str, Any]] = {}
    for one in reversals:
        if one.table == "claim" and one.values and not {"valid_from", "valid_until"}.isdisjoint(one.values):
            become.setdefault(one.memory_id, {}).update(one.values)
    query = "SELECT valid_from, valid_until FROM claim WHERE memory_id = ?"
    for memory_id, values in become.items():
        row = conn.exec_driver_sql(query, (memory_id,)).mappings().one()
        begins, ends = (values.get(name, row[name]) for name in ("valid_from", "valid_until"))
        if begins is not None and ends is not None and ends < begins:
            _refuse(operation, f"memory {memory_id} ended since, before it would begin; undo first what ended it")


def _check_plans(conn: Connection, operation: OperationRow, reversals: Sequence[RowChange], sight: Sight) -> None:
    """Refuses to let a claim end by a plan that is out by then, or whose place something else has before it begins."""
    become: dict[int, dict[str, Any]] = {}
    for one in reversals:
        if one.table in ("memory", "claim"):
            become.setdefault(one.memory_id, {}).update(one.values or {})
    followed: dict[int, set[int]] = {}
    for memory_id, values in become.items():
        if values.get("superseded_by") is not None:
            followed.setdefault(values["superseded_by"], set()).add(memory_id)
        stay = [other for other in replaced_by(conn, memory_id) if "superseded_by" not in become.get(other, {})]
        followed.setdefault(memory_id, set()).update(stay)
    heirs = sorted(heir for heir, ends in followed.items() if ends)
    for heir, there in neighbours.by_ids(conn, heirs, sight).items() if heirs else ():
        own = become.get(heir, {})
        then = replace(there, **{name: own[name] for name in _SPAN if name in own})
        ended = own.get("ended_at", there.row.ended_at) is not None
        if then.is_planned(sight.now) and (ended or then.void):
            ending = neighbours.by_ids(conn, sorted(followed[heir]), sight).values()
            left = [claim.row.id for claim in ending if not claim.denied or claim.row.ended_at is not None]
            if left:  # and not only what was corrected
                told = f"memory {heir} is to follow memory {left[0]}, and would be out or never hold"
                _refuse(operation, f"{told}; undo first what called it off, or retire it instead")


def _check_found(conn: Connection, operation: OperationRow, reversals: Sequence[RowChange], sight: Sight) -> None:
    """Refuses to move what took the place of another before its days of retention: neither would be found."""
    for one in reversals:
        if one.table == "memory" and one.values and "event_time" in one.values:
            replaced = hides(conn, one.memory_id, one.values["event_time"], sight)
            if replaced is not None:
                _refuse(
                    operation,
                    f"no search would find memory {one.memory_id}, which took the place of memory {replaced} since",
                )


def _settle(conn: Connection, operation: OperationRow, reversals: Sequence[RowChange], now: datetime) -> dict[int, str]:
    """What follows from the values that came back: names, times of change, when facts freeze; the texts among them."""
    changed: dict[int, dict[str, Any]] = {}
    for one in reversals:
        if one.table == "memory":
            changed.setdefault(one.memory_id, {}).update(one.values or {})
    texts = {memory_id: values["content"] for memory_id, values in changed.items() if "content" in values}
    for memory_id, content in texts.items():
        try:
            rename(conn, memory_id, content)
        except InvalidInputError:
            _refuse(operation, f"the name that memory {memory_id} had is another entity's by now")
    edited = [memory_id for memory_id, values in changed.items() if values.keys() & _EDITABLE]
    memories.touch(conn, edited, now)
    strength.reschedule(conn, sorted({one.memory_id for one in reversals}))
    return texts


def _refuse(operation: OperationRow, why: str, later: tuple[int, ...] = ()) -> NoReturn:
    raise UndoRefusedError(f"operation_id: {operation.id} ({operation.action}) cannot be undone: {why}", later)
