"""A plan that is called off: what had not begun gives back the time that it was to take from what holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.kinds import ReviewState
from memcore.storage import neighbours, partitions
from memcore.storage.conflicts import recorded_partners
from memcore.storage.encoding import from_micros, id_list, same_statement
from memcore.storage.operations import RowChange, apply_change
from memcore.storage.ranks import rank
from memcore.storage.returning import disputes_of
from memcore.storage.supersede import replaced_by

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight

__all__ = ["GivenBack", "forget", "give", "given_back", "never_begin", "told", "without_end_behind", "without_plans"]

_CHANGES = (
    "SELECT before, after FROM operation_change WHERE memory_id = ? AND changed_table = 'claim'"
    " AND before IS NOT NULL AND after IS NOT NULL ORDER BY operation_id DESC, number DESC"
)
_END = "SELECT valid_until, closed_at, superseded_by FROM claim WHERE memory_id = ?"
_AMONG = "IN (SELECT value FROM json_each(:plans))"
_FORGET = (
    "DELETE FROM operation_change WHERE memory_id = :memory_id AND changed_table = 'claim'"
    f" AND (json_extract(before, '$.superseded_by') {_AMONG} OR json_extract(after, '$.superseded_by') {_AMONG})"
)
_OPEN: dict[str, Any] = {"valid_until": None, "closed_at": None, "superseded_by": None}


class GivenBack(NamedTuple):
    """A claim that gets its time back from a plan, or a plan that is called off again by one that does.

    `plans`: what was to take it, where nothing else is to; none where it is. `plan_id`: the plan that goes; 0 for what
    is called off again. `gains`: it does not end when it did.
    """

    change: RowChange
    plans: tuple[int, ...]
    plan_id: int
    gains: bool


class _Follows(NamedTuple):
    """What is to take the place of a claim, and from when on (microseconds)."""

    since: int
    memory_id: int


def given_back(conn: Connection, ids: Collection[int], sight: Sight) -> list[GivenBack]:
    """What becomes of the claims whose time those of some memories were to take that have not begun, and are going.

    Going is what is taken out, and what something else has the place of before it would begin. An end is what it was
    before the plan, by the operation that planned it; without one it is open. Where that was another plan that does not
    stand any more, it is what it was before that. Where something has the place of the plan itself, a claim ends where
    that begins; and it holds at most until the next plan of its slot that stands, but for what is in conflict with it.
    A plan that was corrected meanwhile does not come back: what it was to follow does. A plan that had been called off
    by what was set after it stays so, or is so again, where that comes back. What has begun gives nothing back.
    Ascending by id.
    """
    going = _Going(conn, set(ids), sight)
    plans = [one for one in neighbours.by_ids(conn, sorted(ids), sight).values() if one.is_planned(sight.now)]
    first = next(iter(plans), None)
    followed: list[tuple[Neighbour, Neighbour]] = []
    while plans:
        plan = plans.pop(0)
        for one in neighbours.by_ids(conn, replaced_by(conn, plan.row.id), sight).values():
            if one.row.id in going.ids:
                continue
            if one.denied and one.row.ended_at is None and one.is_planned(sight.now):
                going.ids.add(one.row.id)
                plans.append(one)
            else:
                followed.append((one, plan))
    followed.sort(key=lambda pair: pair[0].row.id, reverse=True)  # what was set later has the place of what was before
    for one, plan in followed:
        going.given(one, plan)
    again = going.called_off_again({one.row.id for one, _ in followed})
    found = [going.given(one, plan) for one, plan in followed]  # now that it is known which of the others stand
    if first is not None:  # these followed no plan that goes: what comes back has their place again
        found += [given._replace(plan_id=0) for one in again if (given := going.given(one, first)) is not None]
    return sorted(filter(None, found), key=lambda given: given.change.memory_id)


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


def never_begin(conn: Connection, changes: Sequence[RowChange], sight: Sight) -> list[int]:
    """The plans of which something else has the place by some changes, that were made, before they would begin."""
    ended = {one.memory_id for one in changes if one.table == "claim" and (one.values or {}).get("superseded_by")}
    known = neighbours.by_ids(conn, sorted(ended), sight) if ended else {}
    return [one.row.id for one in known.values() if one.is_planned(sight.now) and one.void]


def told(given: Sequence[GivenBack]) -> str:
    """In words which memories get their time back from which plans, or end by another; empty where none."""
    kept: dict[int, list[int]] = {}
    parts = []
    for one in given:
        if one.gains:
            kept.setdefault(one.plan_id, []).append(one.change.memory_id)
    for plan_id, ids in kept.items():
        whose = ", ".join(map(str, ids))
        parts.append(f"memory {whose} keeps the time that memory {plan_id} was to take")
    for one in given:
        if not one.gains and one.change.values is not None:
            heir, it = one.change.values["superseded_by"], one.change.memory_id
            again = f"has the place of memory {it} again"
            instead = again if one.plan_id == 0 else f"is to follow memory {it} instead of {one.plan_id}"
            parts.append(f"memory {heir} {instead}")
    return "; ".join(parts)


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
    changes = conn.exec_driver_sql(_CHANGES, (memory_id,)).fetchall()
    end: dict[str, Any] = dict(conn.exec_driver_sql(_END, (memory_id,)).mappings().one())
    for before, after in changes:
        told = json.loads(after)
        new = {name: told.get(name, end[name]) for name in _OPEN}
        told = json.loads(before)
        end = {name: told.get(name, new[name]) for name in _OPEN}
        if new["superseded_by"] not in (None, end["superseded_by"]):
            yield new["superseded_by"], end, new["closed_at"]


@dataclass(slots=True)
class _Going:
    """The memories that are going, and others as they are once they have their time back; in an open transaction."""

    conn: Connection
    ids: set[int]
    sight: Sight
    _known: dict[int, Neighbour | None] = field(default_factory=dict)
    _back: dict[int, Neighbour] = field(default_factory=dict)

    def given(self, one: Neighbour, plan: Neighbour) -> GivenBack | None:
        """What becomes of a claim that a plan was to follow; None where it ends when, and by what, it does anyhow."""
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
            if named is None:
                break
            if self._stands(named, one):
                end = {**before, "valid_until": self._until(named, one, before["valid_until"])}
                break
            plans.append(named)
            follows.append(self._follows(self._there(named), one))
            end = _OPEN
        follows.append(self._next(one, plans))
        first = min((one for one in follows if one is not None), default=None)
        ends = end.get("valid_until", one.valid_until)
        if first is not None and (ends is None or first.since < ends):
            since = first.since if one.valid_from is None else max(first.since, one.valid_from)
            if (since, first.memory_id) == (one.valid_until, one.superseded_by):
                return None
            closed_at = one.closed_at if since == one.valid_until else self.sight.now
            end, plans = {"valid_until": since, "closed_at": closed_at, "superseded_by": first.memory_id}, []
        self._note(one, end)
        gains = end.get("superseded_by") is None or end.get("valid_until", one.valid_until) != one.valid_until
        return GivenBack(RowChange("claim", (one.row.id,), one.row.id, end), tuple(plans), plan.row.id, gains)

    def _until(self, named: int, one: Neighbour, planned: int | None) -> int | None:
        """Until when a claim holds that a plan is to follow which stands: as planned, or when that begins by now."""
        plan = self._there(named)
        if plan is None or plan.valid_from is None or not plan.is_planned(self.sight.now):
            return planned
        ends = min(filter(None, (plan.valid_from, without_plans(self.conn, one))))
        return ends if one.valid_from is None else max(ends, one.valid_from)

    def _next(self, one: Neighbour, plans: Sequence[int]) -> _Follows | None:
        """The next plan of the slot of a claim, of evidence that is not weaker.

        For a plan that is what was set after it and holds when it would begin: it was called off by that, or would have
        been. None that is in conflict with it, or with what was to follow it: it would stand beside it.
        """
        number = None if one.slot_key is None else partitions.find(self.conn, one.row.partition)
        if one.slot_key is None or number is None:
            return None
        mates = {mate.row.id: mate for mate in neighbours.in_slot(self.conn, number, one.slot_key, self.sight)}
        for back in self._back.values():
            if (back.slot_key, back.row.partition) == (one.slot_key, one.row.partition):
                mates[back.row.id] = back
        beside = set[int]().union(*(recorded_partners(self.conn, side) for side in (one.row.id, *plans)))
        said, least = same_statement(one.row.content), rank(one.row.origin)
        covers = [
            (mate.valid_from or 0, mate.row.id)
            for mate in mates.values()
            if one.is_planned(self.sight.now)
            and mate.row.id > one.row.id
            and mate.stands
            and _covers(mate, one)
            and not self._led_to(mate, one)
            and mate.row.id not in beside
            and rank(mate.row.origin) >= least
            and self._stands(mate.row.id, one)
        ]
        if covers and one.valid_from is not None:
            return _Follows(one.valid_from, max(covers)[1])
        later = [
            _Follows(mate.valid_from, mate.row.id)
            for mate in mates.values()
            if mate.valid_from is not None
            and mate.stands
            and mate.is_planned(self.sight.now)
            and (one.valid_from is None or mate.valid_from > one.valid_from)
            and (mate.row.id > one.row.id or self._led_to(one, mate))
            and mate.row.id not in beside
            and rank(mate.row.origin) >= least
            and same_statement(mate.row.content) != said
            and self._stands(mate.row.id, one)
        ]
        return min(later, default=None)

    def called_off_again(self, known: Collection[int]) -> list[Neighbour]:
        """The plans that stand, set before one that comes back, which had called them off."""
        found: dict[int, Neighbour] = {}
        for back in list(self._back.values()):
            number = None if back.slot_key is None else partitions.find(self.conn, back.row.partition)
            if back.slot_key is None or number is None or back.void or not back.is_planned(self.sight.now):
                continue
            beside = recorded_partners(self.conn, back.row.id) | set(known) | self.ids
            for mate in neighbours.in_slot(self.conn, number, back.slot_key, self.sight):
                stands = mate.is_planned(self.sight.now) and not mate.void and mate.row.id not in beside
                older = mate.row.id < back.row.id and rank(back.row.origin) >= rank(mate.row.origin)
                if stands and older and _covers(back, mate) and not self._led_to(back, mate):
                    found[mate.row.id] = mate
        return sorted(found.values(), key=lambda mate: mate.row.id, reverse=True)

    def _led_to(self, mate: Neighbour, one: Neighbour) -> bool:
        """Whether a claim was to be followed by another, which it did not call off."""
        return any(heir == one.row.id for heir, _, _ in _ends(self.conn, mate.row.id))

    def _follows(self, plan: Neighbour | None, one: Neighbour) -> _Follows | None:
        """What stands in the place of a plan, if anything; `one` is what the plan was to follow."""
        while plan is not None and plan.superseded_by is not None and plan.valid_until is not None:
            heir = self._there(plan.superseded_by)
            if heir is None or not (heir.row.id in self.ids or heir.void):
                takes = heir is not None and self._takes(heir, one)
                return _Follows(plan.valid_until, plan.superseded_by) if takes else None
            plan = heir
        return None

    def _takes(self, heir: Neighbour, one: Neighbour) -> bool:
        """Whether what has the place of a plan takes that of a claim too, which the plan was to follow."""
        if not self._stands(heir.row.id, one) or heir.row.id in recorded_partners(self.conn, one.row.id):
            return False
        return None in (heir.valid_until, one.valid_from) or (heir.valid_until or 0) > (one.valid_from or 0)

    def _stands(self, memory_id: int, one: Neighbour) -> bool:
        """Whether a memory is there and in no way out, and is not itself to be followed by `one`."""
        there = None if memory_id in self.ids else self._there(memory_id)
        if there is None or there.denied or there.row.ended_at is not None or there.void:
            return False
        return there.row.review_state is ReviewState.ACTIVE and not self._leads(there, one.row.id)

    def _leads(self, there: Neighbour | None, wanted: int) -> bool:
        """Whether a memory is another, or is superseded by it, at once or through others."""
        while there is not None and there.row.id != wanted:
            there = None if there.superseded_by is None else self._there(there.superseded_by)
        return there is not None

    def _there(self, memory_id: int) -> Neighbour | None:
        if memory_id not in self._known:
            self._known[memory_id] = neighbours.by_ids(self.conn, [memory_id], self.sight).get(memory_id)
        return self._known[memory_id]

    def _note(self, one: Neighbour, end: Mapping[str, Any]) -> None:
        """Takes a claim, from here on, to end as it will."""
        columns: dict[str, Any] = {name: end[name] for name in _OPEN if name in end}
        back = replace(one, **columns)
        latest = max(self.sight.now, back.closed_at or self.sight.now, back.valid_from or self.sight.now)
        back = replace(back, over=int(back.valid_until is not None and back.valid_until <= latest))
        self._known[one.row.id] = self._back[one.row.id] = back


def _covers(mate: Neighbour, one: Neighbour) -> bool:
    """Whether a claim holds when another begins, or did until something else took its place."""
    begins = one.valid_from or 0
    if mate.valid_from is not None and mate.valid_from > begins:
        return False
    return mate.valid_until is None or mate.valid_until > begins or mate.superseded_by is not None
