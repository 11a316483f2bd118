"""A plan that is called off: what had not begun gives back the time that it was to take from what holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.storage import neighbours
from memcore.storage.encoding import from_micros, id_list
from memcore.storage.operations import apply_change
from memcore.storage.regaining import GivenBack, Regaining
from memcore.storage.returning import disputes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight
    from memcore.storage.operations import RowChange

__all__ = ["GivenBack", "forget", "give", "given_back", "never_begin", "told"]

_AMONG = "IN (SELECT value FROM json_each(:plans))"
_FORGET = (
    "DELETE FROM operation_change WHERE memory_id = :memory_id AND changed_table = 'claim'"
    f" AND (json_extract(before, '$.superseded_by') {_AMONG} OR json_extract(after, '$.superseded_by') {_AMONG})"
)


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
    going = Regaining(conn, set(ids), sight)
    plans = [one for one in neighbours.by_ids(conn, sorted(ids), sight).values() if one.is_planned(sight.now)]
    followed: list[tuple[Neighbour, Neighbour]] = []
    again: dict[int, Neighbour] = {}
    looked_at = {one.row.id for one in plans}
    while plans:
        nearer = _followers(going, plans)
        for one, plan in nearer:
            going.given(one, plan)
        followed += nearer
        fresh = going.called_off_again({one.row.id for one, _ in followed} | again.keys())
        for one in fresh:
            going.taken_again(one)
        again |= {one.row.id: one for one in fresh}
        become = map(going.as_it_will_be, [*fresh, *(one for one, _ in nearer)])
        void = (one for one in become if one.void and one.is_planned(sight.now))
        plans = [one for one in void if one.row.id not in looked_at]  # what they were to follow is followed by others
        looked_at |= {one.row.id for one in plans}
    found = [going.given(one, plan) for one, plan in followed]  # now that it is known which of the others stand
    found += [going.taken_again(one) for one in again.values()]  # they followed no plan that goes
    return sorted(filter(None, found), key=lambda given: given.change.memory_id)


def _followers(going: Regaining, plans: list[Neighbour]) -> list[tuple[Neighbour, Neighbour]]:
    """What some plans that go were to follow, each with its plan; what was set later first, as it has the place.

    A plan that was corrected goes too.
    """
    followed = []
    while plans:
        plan = plans.pop(0)
        for one in going.followers(plan):
            if one.denied and one.row.ended_at is None and one.is_planned(going.sight.now):
                going.ids.add(one.row.id)
                plans.append(one)
            else:
                followed.append((one, plan))
    return sorted(followed, key=lambda pair: pair[0].row.id, reverse=True)


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
