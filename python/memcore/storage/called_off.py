"""A plan that is called off: what had not begun gives back the time that it was to take from what holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.kinds import ReviewState
from memcore.storage import neighbours
from memcore.storage.encoding import from_micros, id_list
from memcore.storage.operations import RowChange, apply_change
from memcore.storage.returning import disputes_of
from memcore.storage.supersede import leads_to, replaced_by

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight

__all__ = ["GivenBack", "forget", "give", "given_back", "told", "without_end_behind", "without_plans"]

_CHANGES = (
    "SELECT json_extract(after, '$.superseded_by'), before, json_extract(after, '$.closed_at') FROM operation_change"
    " WHERE memory_id = ? AND changed_table = 'claim' AND before IS NOT NULL"
    " AND json_extract(after, '$.superseded_by') IS NOT NULL"
    " AND json_extract(before, '$.superseded_by') IS NOT json_extract(after, '$.superseded_by')"
    " ORDER BY operation_id DESC, number DESC"
)
_AMONG = "IN (SELECT value FROM json_each(:plans))"
_FORGET = (
    "DELETE FROM operation_change WHERE memory_id = :memory_id AND changed_table = 'claim'"
    f" AND (json_extract(before, '$.superseded_by') {_AMONG} OR json_extract(after, '$.superseded_by') {_AMONG})"
)
_OPEN: dict[str, Any] = {"valid_until": None, "closed_at": None, "superseded_by": None}


class GivenBack(NamedTuple):
    """A claim that gets its time back. `plans`: what was to take it, where nothing else is to; none where it is."""

    change: RowChange
    plans: tuple[int, ...]


class _Follows(NamedTuple):
    """What takes the place of a plan, and from when on (microseconds)."""

    since: int
    memory_id: int


def given_back(conn: Connection, ids: Collection[int], sight: Sight) -> list[GivenBack]:
    """What becomes of the claims whose time those of some memories were to take that have not begun, and are going.

    An end is what it was before the plan, by the operation that planned it; without one it is open. Where that was
    another plan that does not stand any more, it is what it was before that. Where something has the place of the plan
    itself, a claim ends where that begins. A plan that was corrected meanwhile does not come back: what it was to
    follow does. What has begun gives nothing back.
    """
    going = _Going(conn, set(ids), sight)
    plans = [one for one in neighbours.by_ids(conn, sorted(ids), sight).values() if one.is_planned(sight.now)]
    found: list[GivenBack] = []
    while plans:
        plan = plans.pop(0)
        for one in neighbours.by_ids(conn, replaced_by(conn, plan.row.id), sight).values():
            if one.row.id in going.ids:
                continue
            if one.denied and one.is_planned(sight.now):
                going.ids.add(one.row.id)
                plans.append(one)
            elif (given := going.given(one, plan)) is not None:
                found.append(given)
    return found


def give(conn: Connection, given: Sequence[GivenBack], sight: Sight) -> None:
    """Give claims their time back, by no operation: the plans were deleted, and with them what planned them.

    What contradicts a claim by then is in conflict with it from now on.
    """
    changes = [one.change for one in given]
    disputes = disputes_of(conn, changes, sight, from_micros(sight.now))
    for change in (*changes, *disputes):
        apply_change(conn, change)


def forget(conn: Connection, given: Sequence[GivenBack]) -> None:
    """Remove from the operations what plans that go for good did to the claims that get their time back."""
    for one in given:
        if one.plans:
            named: Any = {"memory_id": one.change.memory_id, "plans": id_list(one.plans)}
            conn.exec_driver_sql(_FORGET, named)


def told(given: Sequence[GivenBack], plan_id: int) -> str:
    """In words which memories get their time back from a plan; empty where none."""
    ids = ", ".join(str(one.change.memory_id) for one in given)
    return f"memory {ids} keeps the time that memory {plan_id} was to take" if ids else ""


def without_plans(conn: Connection, one: Neighbour) -> int | None:
    """Until when a claim would hold if nothing were planned to take its place (microseconds); None: open."""
    end: Mapping[str, Any] = {name: getattr(one, name) for name in _OPEN}
    for heir, before, closed in _ends(conn, one.row.id):
        if heir == end["superseded_by"]:
            end = _OPEN if lifted(end, closed) else before
    until: int | None = end["valid_until"] if end["superseded_by"] is None else None
    return until


def without_end_behind(one: Neighbour) -> dict[str, int | None]:
    """The columns by which a claim has no end any more behind that of what is to take its place.

    It is told by a microsecond for which the nearer end was not known yet: so an undo brings it back like any other
    column, and what was planned stands as it was.
    """
    return {"closed_at": None if one.closed_at is None else one.closed_at + 1}


def lifted(end: Mapping[str, Any], closed: int | None) -> bool:
    """Whether a claim lost the end behind a plan since that was made, by when it was closed and when the plan was."""
    return closed is not None and end.get("closed_at") == closed + 1


def _ends(conn: Connection, memory_id: int) -> Iterator[tuple[int, Mapping[str, Any], int | None]]:
    """By whom a claim came to be superseded, its end before that, and when it was closed by it, the newest first."""
    for heir, before, closed in conn.exec_driver_sql(_CHANGES, (memory_id,)).fetchall():
        yield heir, json.loads(before), closed


@dataclass(slots=True)
class _Going:
    """The memories that are going, in an open transaction."""

    conn: Connection
    ids: set[int]
    sight: Sight
    _known: dict[int, Neighbour | None] = field(default_factory=dict)

    def given(self, one: Neighbour, plan: Neighbour) -> GivenBack | None:
        """What becomes of a claim that a plan was to follow; None where it ends when it would have anyhow."""
        follows = [self._follows(plan, one)]
        plans: list[int] = [plan.row.id]
        end: Mapping[str, Any] = _OPEN
        there: Mapping[str, Any] = {"closed_at": one.closed_at}
        for heir, before, closed in _ends(self.conn, one.row.id):
            if len(plans) > 1 and heir != plans[-1]:
                continue
            if lifted(there, closed):
                break
            there = before
            end, named = before, before["superseded_by"]
            if named is None or self._stands(named, one):
                break
            plans.append(named)
            follows.append(self._follows(self._there(named), one))
            end = _OPEN
        first = min((one for one in follows if one is not None), default=None)
        ends = end.get("valid_until", one.valid_until)
        if first is not None and (ends is None or first.since < ends):
            since = first.since if one.valid_from is None else max(first.since, one.valid_from)
            end, plans = {"valid_until": since, "closed_at": self.sight.now, "superseded_by": first.memory_id}, []
            if since == one.valid_until:
                return None
        return GivenBack(RowChange("claim", (one.row.id,), one.row.id, end), tuple(plans))

    def _follows(self, plan: Neighbour | None, one: Neighbour) -> _Follows | None:
        """What stands in the place of a plan, if anything; `one` is what the plan was to follow."""
        while plan is not None and plan.superseded_by is not None and plan.valid_until is not None:
            if plan.superseded_by not in self.ids:
                stands = self._stands(plan.superseded_by, one)
                return _Follows(plan.valid_until, plan.superseded_by) if stands else None
            plan = self._there(plan.superseded_by)
        return None

    def _stands(self, memory_id: int, one: Neighbour) -> bool:
        """Whether a memory is there and in no way out, and is not itself to be followed by `one`."""
        there = None if memory_id in self.ids else self._there(memory_id)
        if there is None or there.denied or there.row.ended_at is not None:
            return False
        return there.row.review_state is ReviewState.ACTIVE and not leads_to(self.conn, memory_id, one.row.id)

    def _there(self, memory_id: int) -> Neighbour | None:
        if memory_id not in self._known:
            self._known[memory_id] = neighbours.by_ids(self.conn, [memory_id], self.sight).get(memory_id)
        return self._known[memory_id]
