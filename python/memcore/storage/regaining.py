"""What becomes of claims whose time a plan was to take, once that plan is called off."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.kinds import ReviewState
from memcore.storage import neighbours
from memcore.storage.claim_ends import OPEN, lifted
from memcore.storage.encoding import same_statement
from memcore.storage.operations import RowChange
from memcore.storage.ranks import rank
from memcore.storage.stored_claims import StoredClaims
from memcore.storage.supersede import replaced_by

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight

__all__ = ["GivenBack", "Regaining"]

_NEAR = """
    SELECT DISTINCT near.memory_id FROM operation_change AS own
    JOIN operation_change AS near ON near.operation_id = own.operation_id AND near.changed_table = 'claim'
    WHERE own.memory_id = ?1
      AND ?1 IN (json_extract(near.before, '$.superseded_by'), json_extract(near.after, '$.superseded_by'))
"""


class GivenBack(NamedTuple):
    """A claim that gets its time back from a plan, or a plan that is called off again by one that does.

    `plans`: what was to take it, where nothing else is to; none where it is. `plan_id`: the plan that goes; 0 for what
    is called off again. `gains`: it holds longer than it did.
    """

    change: RowChange
    plans: tuple[int, ...]
    plan_id: int
    gains: bool


class _Follows(NamedTuple):
    """What is to take the place of a claim, and from when on (microseconds)."""

    since: int
    memory_id: int


@dataclass(slots=True)
class Regaining:
    """The memories that are going, and others as they are once they have their time back; in an open transaction."""

    conn: Connection
    ids: set[int]
    sight: Sight
    stored: StoredClaims = field(init=False)
    _back: dict[int, Neighbour] = field(default_factory=dict)
    _taken: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stored = StoredClaims(self.conn, self.sight)

    def given(self, one: Neighbour, plan: Neighbour) -> GivenBack | None:
        """What becomes of a claim that a plan was to follow; None where it ends when, and by what, it does anyhow."""
        follows = [self._follows(plan, one)]
        plans: list[int] = [plan.row.id]
        end: Mapping[str, Any] = OPEN
        there: Mapping[str, Any] = {"closed_at": one.closed_at}
        for heir, before, closed in self.stored.ends_before(one.row.id):
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
            end = OPEN
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
        until = end.get("valid_until", one.valid_until)
        gains = end.get("superseded_by") is None or until is None or until > (one.valid_until or 0)
        return GivenBack(RowChange("claim", (one.row.id,), one.row.id, end), tuple(plans), plan.row.id, gains)

    def taken_again(self, one: Neighbour) -> GivenBack | None:
        """What becomes of a claim of which something has the place again that comes back; None where nothing does."""
        follows = [self._next(one, ())]
        for back_id in self._taken.get(one.row.id, ()):
            back = self._back[back_id]
            if not back.void and self._stands(back_id, one):
                follows.append(_Follows(back.valid_from or 0, back_id))
        first = min((one for one in follows if one is not None), default=None)
        if first is None:
            return None
        since = first.since if one.valid_from is None else max(first.since, one.valid_from)
        if one.valid_until is not None and since >= one.valid_until:
            return None
        end = {"valid_until": since, "closed_at": self.sight.now, "superseded_by": first.memory_id}
        self._note(one, end)
        return GivenBack(RowChange("claim", (one.row.id,), one.row.id, end), (), 0, False)

    def _until(self, named: int, one: Neighbour, planned: int | None) -> int | None:
        """Until when a claim holds that a plan is to follow which stands: as planned, or when that begins by now."""
        plan = self._there(named)
        if plan is None or plan.valid_from is None or not plan.is_planned(self.sight.now):
            return planned
        ends = min(filter(None, (plan.valid_from, self.stored.own_end(one))))
        return ends if one.valid_from is None else max(ends, one.valid_from)

    def _next(self, one: Neighbour, plans: Sequence[int]) -> _Follows | None:
        """The next plan of the slot of a claim, of evidence that is not weaker.

        For a plan that is what was set after it and holds when it would begin: it was called off by that, or would have
        been. None that is in conflict with it, or with what was to follow it: it would stand beside it.
        """
        if one.slot_key is None:
            return None
        mates = {mate.row.id: mate for mate in self.stored.in_slot_of(one)}
        for back in self._back.values():
            if (back.slot_key, back.row.partition) == (one.slot_key, one.row.partition):
                mates[back.row.id] = back
        beside = set[int]().union(*(self.stored.partners(side) for side in (one.row.id, *plans)))
        said, least = same_statement(one.row.content), rank(one.row.origin)
        covers = [
            (mate.valid_from or 0, mate.row.id)
            for mate in mates.values()
            if one.is_planned(self.sight.now)
            and self._is_later(mate, one)
            and mate.stands
            and self._covers(mate, one)
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
            and (self._is_later(mate, one) or self._led_to(one, mate))
            and mate.row.id not in beside
            and rank(mate.row.origin) >= least
            and same_statement(mate.row.content) != said
            and self._stands(mate.row.id, one)
        ]
        return min(later, default=None)

    def followers(self, plan: Neighbour) -> list[Neighbour]:
        """What a plan was to follow; but for what goes."""
        found = neighbours.by_ids(self.conn, replaced_by(self.conn, plan.row.id), self.sight).values()
        ahead = plan.is_planned(self.sight.now)
        return [one for one in found if one.row.id not in self.ids and not (ahead and self._was_over(one))]

    def _was_over(self, one: Neighbour) -> bool:
        """Whether a claim had ended by now: no plan was to end it."""
        return one.valid_until is not None and one.valid_until <= self.sight.now

    def as_it_will_be(self, one: Neighbour) -> Neighbour:
        """A claim with the end that it has from here on."""
        return self._back.get(one.row.id, one)

    def called_off_again(self, known: Collection[int]) -> list[Neighbour]:
        """What stands of which a plan that comes back had the place, or which it had called off."""
        found: dict[int, Neighbour] = {}
        for back in list(self._back.values()):
            if back.void or not back.is_planned(self.sight.now):
                continue
            aside = self.stored.partners(back.row.id) | set(known) | self.ids
            for one in self._had(back):
                if one.row.id not in aside and one.stands and not one.void:
                    self._taken.setdefault(one.row.id, []).append(back.row.id)
                    found[one.row.id] = one
            for mate in self.stored.in_slot_of(back):
                stands = mate.is_planned(self.sight.now) and not mate.void and mate.row.id not in aside
                older = self._is_later(back, mate) and rank(back.row.origin) >= rank(mate.row.origin)
                if stands and older and self._covers(back, mate) and not self._led_to(back, mate):
                    found[mate.row.id] = mate
        return sorted(found.values(), key=lambda mate: mate.row.id, reverse=True)

    def _had(self, back: Neighbour) -> list[Neighbour]:
        """The claims of which a plan was to take the place, and which it lost by no undo of that."""
        ids = self.conn.exec_driver_sql(_NEAR, (back.row.id,)).scalars().all()
        known = neighbours.by_ids(self.conn, sorted(ids), self.sight)
        return [one for one in known.values() if back.row.id in self.stored.heirs_before(one.row.id)]

    def _led_to(self, mate: Neighbour, one: Neighbour) -> bool:
        """Whether a claim was to be followed by another, at once or through others, which it did not call off."""
        seen, coming = {mate.row.id}, [mate.row.id]
        while coming:
            heirs = {heir for heir, _, _ in self.stored.ends_before(coming.pop())} - seen
            if one.row.id in heirs:
                return True
            seen |= heirs
            coming += heirs
        return False

    def _covers(self, mate: Neighbour, one: Neighbour) -> bool:
        """Whether a claim holds when another begins, or would if nothing else had taken its place since."""
        begins = one.valid_from or 0
        if mate.valid_from is not None and mate.valid_from > begins:
            return False
        until = mate.valid_until if mate.superseded_by is None else self.stored.own_end(mate)
        return until is None or until > begins

    def _is_later(self, mate: Neighbour, one: Neighbour) -> bool:
        """Whether a claim was set after another; what corrects one has its place."""
        return self.stored.order(mate) > self.stored.order(one)

    def _follows(self, plan: Neighbour | None, one: Neighbour) -> _Follows | None:
        """What stands in the place of a plan, if anything; `one` is what the plan was to follow."""
        while plan is not None and plan.superseded_by is not None and plan.valid_until is not None:
            heir = self._there(plan.superseded_by)
            if heir is None or not (heir.row.id in self.ids or heir.void):
                if heir is None or not self._takes(heir, one):
                    return None
                begins = heir.begins(self.sight.now)
                return _Follows(min(plan.valid_until, self.sight.now if begins is None else begins), heir.row.id)
            plan = heir
        return None

    def _takes(self, heir: Neighbour, one: Neighbour) -> bool:
        """Whether what has the place of a plan takes that of a claim too, which the plan was to follow."""
        if not self._stands(heir.row.id, one) or heir.row.id in self.stored.partners(one.row.id):
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
        return self._back.get(memory_id, self.stored.row(memory_id))

    def _note(self, one: Neighbour, end: Mapping[str, Any]) -> None:
        """Takes a claim, from here on, to end as it will."""
        columns: dict[str, Any] = {name: end[name] for name in OPEN if name in end}
        back = replace(one, **columns)
        latest = max(self.sight.now, back.closed_at or self.sight.now, back.valid_from or self.sight.now)
        back = replace(back, over=int(back.valid_until is not None and back.valid_until <= latest))
        self._back[one.row.id] = back
