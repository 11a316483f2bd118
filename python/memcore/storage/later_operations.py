"""Which later operations stand on one: those that hold, and changed the same after it, or built on what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.kinds import OperationAction, ReviewState
from memcore.storage import operation_rows
from memcore.storage.encoding import id_list
from memcore.storage.operation_effects import Effects, brought, effects, turned
from memcore.storage.undo_rows import firm_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from memcore.storage.operation_rows import ChangeRow, OperationRow

__all__ = ["JOINED", "later_operations"]

JOINED = ("edge", "conflict_pair")
"""The tables whose rows are named by two memories."""
_AMONG = "IN (SELECT value FROM json_each(?1))"
_LATER = f"""
    SELECT DISTINCT o.id, o.action, o.undoes, undone.id, undone.undoes
    FROM operation_change AS c JOIN operation AS o ON o.id = c.operation_id
    LEFT JOIN operation AS undone ON undone.id = o.undoes AND undone.action = 'undo'
    WHERE c.memory_id {_AMONG} AND c.operation_id > ?2 AND o.undone_by IS NULL
"""
_STOOD = """
    SELECT undoes = ?1 FROM operation
    WHERE (undoes = ?1 OR undoes IN (SELECT id FROM operation WHERE undoes = ?1)) AND id < ?2 ORDER BY id DESC LIMIT 1
"""
_BESIDE = f"""
    SELECT memory_id FROM claim WHERE superseded_by {_AMONG}
    UNION SELECT memory_b_id FROM conflict_pair WHERE memory_a_id {_AMONG}
    UNION SELECT memory_a_id FROM conflict_pair WHERE memory_b_id {_AMONG}
"""
_NOW = f"""
    SELECT m.id, m.ended_at IS NOT NULL, m.review_state, c.superseded_by
    FROM memory AS m LEFT JOIN claim AS c ON c.memory_id = m.id WHERE m.id {_AMONG}
"""


class _State(NamedTuple):
    """Where a memory is now."""

    ended: bool
    review_state: str
    superseded_by: int | None

    @property
    def found(self) -> bool:
        """Whether a search may find it, as far as an undo decides on that."""
        return not self.ended and self.review_state == ReviewState.ACTIVE.value and self.superseded_by is None


class _Later(NamedTuple):
    """An operation that holds and is later; `action` is what it did, at first or again, None where it only undid."""

    operation: OperationRow
    action: OperationAction | None


def later_operations(
    conn: Connection, operation: OperationRow, root: int, action: OperationAction | None
) -> tuple[int, ...]:
    """The operations that hold and stand on one that is to be reversed; newest first.

    They changed, after it, what it changed; what plain use changes too is no such change. Or they built on it: said
    again, approved, kept, edited or put in the place of another what the reversal takes out of the searches; replaced
    or contradicted what it had put in the place of what the reversal brings back. To do an operation again needs what
    it built on in the searches.

    `root` is the operation that it is, undid, or did again, `action` what that did. An undo counts where the operation
    that it undid, or did again, held before the other way: what was done and undone since adds up to nothing.
    """
    own = _Own.of(operation, root, action)
    ids, exposed = own.ids, sorted(own.outgoing | own.swapped)
    if exposed:
        ids = ids | set(conn.exec_driver_sql(_BESIDE, (id_list(exposed),)).scalars())
    later = _later(conn, sorted(ids), operation.id, root)
    if not later:
        return ()
    now = {row[0]: _State(bool(row[1]), row[2], row[3]) for row in conn.exec_driver_sql(_NOW, (id_list(sorted(ids)),))}
    found = [
        one.operation.id
        for one in later
        if own.is_changed_by(one.operation.changes) or own.is_needed_by(one, now) or own.is_missing_since(one, now)
    ]
    return tuple(sorted(found, reverse=True))


class _Own(NamedTuple):
    """What is to be reversed.

    `touched`: rows with the columns that it changed, None: all. `outgoing`: what leaves the searches by the reversal,
    `swapped`: what was put there in the place of what comes back by it, `needed`: what an operation that is done again
    builds on.
    """

    touched: dict[tuple[str, tuple[Any, ...]], frozenset[str] | None]
    ids: set[int]
    outgoing: set[int]
    swapped: set[int]
    needed: set[int]

    @classmethod
    def of(cls, operation: OperationRow, root: int, action: OperationAction | None) -> _Own:
        """Of an operation; what an undo takes back is its root done again."""
        changes = operation.changes
        again = operation.action is OperationAction.UNDO and operation.undoes == root
        touched: dict[tuple[str, tuple[Any, ...]], frozenset[str] | None] = {}
        for one in changes:
            before, firm = touched.get((one.table, one.key), frozenset()), firm_columns(one)
            if action is OperationAction.UPDATE and one.table == "claim" and firm is not None and "valid_from" in firm:
                firm |= {"superseded_by"}  # what took its place since did so from when on it began by then
            touched[one.table, one.key] = None if before is None or firm is None else before | firm
        did = effects(action or operation.action, map(turned, changes) if again else changes)
        outgoing, named = brought(changes), set(did.superseding.values())
        swapped = named | did.placed
        if brought(map(turned, changes)):
            swapped |= outgoing
        needed = named | did.needed if again else set[int]()
        ids = {memory_id for one in changes for memory_id in _memories(one)}
        return cls(touched, ids | swapped | needed, outgoing, swapped, needed)

    def is_changed_by(self, changes: Iterable[ChangeRow]) -> bool:
        """Whether the same columns of the same rows were changed."""
        for one in changes:
            if (one.table, one.key) in self.touched:
                ours, columns = self.touched[one.table, one.key], firm_columns(one)
                if ours is None or columns is None or ours & columns:
                    return True
        return False

    def is_needed_by(self, later: _Later, now: dict[int, _State]) -> bool:
        """Whether a later operation built on what the reversal would take away."""
        if later.action is None:
            return False
        did: Effects = effects(later.action, later.operation.changes)
        needed = did.needed | {
            new for old, new in did.superseding.items() if old in now and now[old].superseded_by == new
        }
        if any(not now[one].ended for one in self.outgoing & needed):
            return True
        superseded = {old for old in did.superseding if old in now and now[old].superseded_by is not None}
        if self.swapped & (superseded | did.replaced):
            return True
        there = [(one, other) for one, other in did.disputed if one in now and other in now]  # or it was deleted
        return any(one in self.swapped and now[other].found for one, other in there)

    def is_missing_since(self, later: _Later, now: dict[int, _State]) -> bool:
        """Whether a later operation took out of the searches what is to be built on again."""
        taken = self.needed & brought(map(turned, later.operation.changes))
        return any(not now[one].found for one in taken)


def _later(conn: Connection, ids: Sequence[int], at: int, root: int) -> list[_Later]:
    """The later operations on memories that hold, without those that add up to nothing."""
    roots: dict[int, int | None] = {}
    for number, action, undoes, undone, first in conn.exec_driver_sql(_LATER, (id_list(ids), at)).fetchall():
        if action != OperationAction.UNDO.value:
            roots[number] = number
            continue
        undid, other = undone is None, undoes if undone is None else first
        if other != root and other <= at and _was_undone(conn, other, at) != undid:
            roots[number] = None if undid else other
    rows = {one.id: one for one in operation_rows.fetch(conn, sorted(roots))}
    firsts = sorted({first for first in roots.values() if first is not None} - rows.keys())
    actions = {one.id: one.action for one in (*rows.values(), *operation_rows.fetch(conn, firsts))}
    return [_Later(rows[one], None if first is None else actions.get(first)) for one, first in roots.items()]


def _was_undone(conn: Connection, operation_id: int, at: int) -> bool:
    """Whether an operation was undone at the time of another."""
    last = conn.exec_driver_sql(_STOOD, (operation_id, at)).first()
    return last is not None and bool(last[0])


def _memories(change: ChangeRow) -> Sequence[int]:
    return (change.memory_id, *change.key[:2]) if change.table in JOINED else (change.memory_id,)
