"""Facts that an undo brings back: what fills their slot by then contradicts them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memcore.storage import neighbours, partitions
from memcore.storage.conflicts import conflicting, recorded_partners
from memcore.storage.encoding import same_statement, to_micros
from memcore.storage.neighbours import Sight

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour
    from memcore.storage.operations import RowChange

__all__ = ["disputes_of_return"]

_STANDING = frozenset(("ended_at", "review_state", "superseded_by", "valid_from", "valid_until", "closed_at"))
"""The columns that say whether a memory is current."""


def disputes_of_return(conn: Connection, changes: Sequence[RowChange], now: datetime) -> list[RowChange]:
    """The conflicts of the facts that some changes bring into the searches with what stands in their slots.

    None where both say the same, do not hold together, or were in conflict before, decided or not.
    """
    become: dict[int, dict[str, Any]] = {}
    for change in changes:
        if change.table in ("memory", "claim") and change.values and not _STANDING.isdisjoint(change.values):
            become.setdefault(change.memory_id, {}).update(change.values)
    pairs = [change.key for change in changes if change.table == "conflict_pair"]
    sight = Sight.at(now, {})
    found = neighbours.by_ids(conn, sorted(become), sight)
    after = {one: _Standing(there, become[one], sight.now) for one, there in found.items()}
    disputes = []
    for one, standing in sorted(after.items()):
        if standing.there.slot_key is None or not standing.returns:
            continue
        number = partitions.find(conn, standing.there.row.partition)
        if number is None:
            continue
        known = recorded_partners(conn, one) | {side for pair in pairs if one in pair for side in pair}
        disputes += [
            conflicting(mate.row.id, one, now)
            for mate in neighbours.in_slot(conn, number, standing.there.slot_key, sight)
            if mate.shown and mate.row.id not in after and mate.row.id not in known and standing.contradicts(mate)
        ]
        disputes += [
            conflicting(one, other, now)
            for other, beside in sorted(after.items())
            if other > one and other not in known and beside.returns and standing.contradicts_returning(beside)
        ]
    return disputes


class _Standing:
    """Where a memory stands once its columns have become others."""

    def __init__(self, there: Neighbour, become: dict[str, Any], now: int) -> None:
        row, columns = there.row, {name: become[name] for name in ("valid_from", "valid_until") if name in become}
        self.there = replace(there, **columns)
        begins, ends = self.there.valid_from, self.there.valid_until
        ended = become.get("ended_at", row.ended_at) is not None
        active = become.get("review_state", row.review_state) == "active"
        current = become.get("superseded_by", there.superseded_by) is None
        expired = row.expires_at is not None and to_micros(row.expires_at) <= now
        over = bool(there.over)
        if columns:
            moments = (now, become.get("closed_at") or now, now if begins is None else begins)
            over = ends is not None and ends <= max(moments)
        self._now, self._was_shown = now, there.shown
        self.shown = active and current and not (ended or expired or over)

    @property
    def returns(self) -> bool:
        """Whether it comes to be current."""
        return self.shown and not self._was_shown

    def contradicts_returning(self, other: _Standing) -> bool:
        """Whether another that comes back into the same slot says something else at a moment at which both hold."""
        same_slot = (self.there.row.partition, self.there.slot_key) == (other.there.row.partition, other.there.slot_key)
        return same_slot and self.contradicts(other.there)

    def contradicts(self, mate: Neighbour) -> bool:
        """Whether another value of the slot says something else at a moment at which it holds."""
        begins = self.there.begins(self._now)
        differs = same_statement(mate.row.content) != same_statement(self.there.row.content)
        return differs and mate.holds_within(self._now if begins is None else begins, self.there.valid_until, self._now)
