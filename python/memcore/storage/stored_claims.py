"""Claims as they are stored, each read once: for decisions that look at the same ones over and over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memcore.storage import neighbours, partitions
from memcore.storage.claim_ends import end_steps, ends_before, heirs_before, own_end
from memcore.storage.conflicts import recorded_partners
from memcore.storage.supersede import replaced_by

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.claim_ends import EndStep, HadEnd
    from memcore.storage.neighbours import Neighbour, Sight

__all__ = ["StoredClaims"]


@dataclass(slots=True)
class StoredClaims:
    """What a transaction finds stored before it writes; good until it does."""

    conn: Connection
    sight: Sight
    _rows: dict[int, Neighbour | None] = field(default_factory=dict)
    _slots: dict[tuple[str, str | None, str], list[Neighbour]] = field(default_factory=dict)
    _ends: dict[int, list[HadEnd]] = field(default_factory=dict)
    _steps: dict[int, list[EndStep]] = field(default_factory=dict)
    _order: dict[int, int] = field(default_factory=dict)
    _partners: dict[int, set[int]] = field(default_factory=dict)

    def row(self, memory_id: int) -> Neighbour | None:
        """One memory, whatever became of it; None where it is gone."""
        if memory_id not in self._rows:
            self._rows[memory_id] = neighbours.by_ids(self.conn, [memory_id], self.sight).get(memory_id)
        return self._rows[memory_id]

    def order(self, one: Neighbour) -> int:
        """When a claim was set, as an id: a correction stands where what it corrects stood."""
        if one.row.id not in self._order:
            self._order[one.row.id] = one.row.id  # until it is known
            old = neighbours.by_ids(self.conn, replaced_by(self.conn, one.row.id), self.sight).values()
            corrected = [it for it in old if it.denied and (it.row.ended_at is None or it.row.ending == "wrong")]
            self._order[one.row.id] = min([one.row.id, *map(self.order, corrected)])
        return self._order[one.row.id]

    def in_slot_of(self, one: Neighbour) -> list[Neighbour]:
        """What fills the slot of a claim; empty where it has none."""
        number = None if one.slot_key is None else partitions.find(self.conn, one.row.partition)
        if one.slot_key is None or number is None:
            return []
        key = (one.row.partition.agent_id, one.row.partition.user_id, one.slot_key)
        if key not in self._slots:
            self._slots[key] = neighbours.in_slot(self.conn, number, one.slot_key, self.sight)
        return self._slots[key]

    def ends_before(self, memory_id: int) -> list[HadEnd]:
        """The times that a claim came to be superseded, the newest first."""
        if memory_id not in self._ends:
            self._ends[memory_id] = list(ends_before(self._of(memory_id)))
        return self._ends[memory_id]

    def heirs_before(self, memory_id: int) -> set[int]:
        """What a claim was superseded by at any time."""
        return heirs_before(self._of(memory_id))

    def own_end(self, one: Neighbour) -> int | None:
        """Until when a claim would hold if nothing were planned to take its place (microseconds); None: open."""
        return own_end(one, self._of(one.row.id))

    def _of(self, memory_id: int) -> list[EndStep]:
        if memory_id not in self._steps:
            self._steps[memory_id] = end_steps(self.conn, memory_id)
        return self._steps[memory_id]

    def partners(self, memory_id: int) -> set[int]:
        """What a memory is, or was, in conflict with."""
        if memory_id not in self._partners:
            self._partners[memory_id] = set(recorded_partners(self.conn, memory_id))
        return self._partners[memory_id]
