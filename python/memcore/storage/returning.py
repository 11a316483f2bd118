"""Facts that a change brings into the searches, or rewords: what fills their slot by then contradicts them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memcore.storage import neighbours, partitions
from memcore.storage.conflicts import conflicting, recorded_partners
from memcore.storage.encoding import same_statement, to_micros

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour, Sight
    from memcore.storage.operations import RowChange

__all__ = ["disputes_of"]

_TELLING = frozenset(
    (
        "content",
        "event_time",
        "expires_at",
        "ended_at",
        "review_state",
        "superseded_by",
        "valid_from",
        "valid_until",
        "closed_at",
    )
)
"""The columns that say what a memory says, and whether a search may find it."""


def disputes_of(conn: Connection, changes: Sequence[RowChange], sight: Sight, now: datetime) -> list[RowChange]:
    """The conflicts of the facts that some changes bring into the searches, or reword, with what stands in their slots.

    None where both say the same, do not hold together, or were recorded as a conflict before, decided or not.
    """
    become: dict[int, dict[str, Any]] = {}
    for change in changes:
        if change.table in ("memory", "claim") and change.values and not _TELLING.isdisjoint(change.values):
            become.setdefault(change.memory_id, {}).update(change.values)
    pairs = [change.key for change in changes if change.table == "conflict_pair"]
    found = neighbours.by_ids(conn, sorted(become), sight)
    after = {one: _Standing(there, become[one], sight) for one, there in found.items()}
    disputes = []
    for one, standing in sorted(after.items()):
        if standing.there.slot_key is None or not standing.stands:
            continue
        number = partitions.find(conn, standing.there.row.partition)
        if number is None:
            continue
        known = recorded_partners(conn, one) | {side for pair in pairs if one in pair for side in pair}
        disputes += [
            conflicting(mate.row.id, one, now)
            for mate in neighbours.in_slot(conn, number, standing.there.slot_key, sight)
            if mate.row.id not in after and mate.row.id not in known and standing.contradicts(mate)
        ]
        disputes += [
            conflicting(one, other, now)
            for other, beside in sorted(after.items())
            if other > one and other not in known and beside.stands and standing.contradicts_changed(beside)
        ]
    return disputes


class _Standing:
    """Where a memory stands once its columns have become others."""

    def __init__(self, there: Neighbour, become: dict[str, Any], sight: Sight) -> None:
        row, now = there.row, sight.now
        columns = {name: become[name] for name in ("valid_from", "valid_until") if name in become}
        self.there = replace(there, **columns)
        self.content: str = become.get("content", row.content)
        begins, ends = self.there.valid_from, self.there.valid_until
        ended = become.get("ended_at", row.ended_at) is not None
        active = become.get("review_state", row.review_state) == "active"
        expires = become.get("expires_at", None if row.expires_at is None else to_micros(row.expires_at))
        kept = sight.keeps(row.kind, become.get("event_time", to_micros(row.event_time)))
        over = bool(there.over)
        if columns:
            moments = (now, become.get("closed_at") or now, now if begins is None else begins)
            over = ends is not None and ends <= max(moments)
        self._now = now
        ahead = begins is not None and begins > to_micros(row.recorded_at)
        least = max(now, begins) if ahead and begins is not None else now  # what expires before it begins never holds
        self.stands = active and kept and not (ended or over or (expires is not None and expires <= least))

    def contradicts_changed(self, other: _Standing) -> bool:
        """Whether another that is changed too says something else of the same slot when both hold."""
        same_slot = (self.there.row.partition, self.there.slot_key) == (other.there.row.partition, other.there.slot_key)
        row = replace(other.there.row, content=other.content)
        return same_slot and self.contradicts(replace(other.there, row=row))

    def contradicts(self, mate: Neighbour) -> bool:
        """Whether another value of the slot says something else at a moment at which it holds."""
        begins = self.there.begins(self._now)
        differs = same_statement(mate.row.content) != same_statement(self.content)
        return differs and mate.holds_within(self._now if begins is None else begins, self.there.valid_until, self._now)
