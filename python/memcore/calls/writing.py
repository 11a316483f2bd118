"""The calls that change what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.kinds import Embed
from memcore.records import checked_id
from memcore.writing import change, fields, relate, successor, use
from memcore.writing.messages import from_messages
from memcore.writing.proposal import AddFields, from_call, from_items
from memcore.writing.write import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.calls.store import OpenStore
    from memcore.records import Added, AddResult, Edge, MemoryRecord
    from memcore.writing.proposal import Proposal

__all__ = ["Writing"]


@dataclass(frozen=True, slots=True)
class Writing:
    """The writing calls on one store; each says in `Memory` what it gives back and raises."""

    store: OpenStore

    def add(self, content: object, embed: object, given: AddFields) -> AddResult:
        """See `Memory.add`."""
        fields.only_known("add", given, AddFields.__annotations__)
        agent = self.store.agent_id
        if isinstance(content, list | tuple):
            return self.write(from_messages(content, agent_id=agent, **given), embed)
        return self.write((from_call(content, agent_id=agent, **given),), embed)

    def add_many(self, items: object, embed: object) -> AddResult:
        """See `Memory.add_many`."""
        return self.write(from_items(items, agent_id=self.store.agent_id), embed)

    def supersede(self, memory_id: object, content: object, embed: object, given: AddFields) -> Added:
        """See `LifeOfMemory.supersede`."""
        fields.only_known("supersede", given, set(AddFields.__annotations__) - successor.INHERITED)
        wanted, within = checked_id("id", memory_id), self.store.reach(given.get("user_id"))
        with self.store.database.read() as connection:
            proposal = successor.of(connection, wanted, content, within, given)
        return self.write((proposal,), embed)[0]

    def update(self, memory_id: object, user_id: object, given: change.UpdateFields) -> MemoryRecord:
        """See `Memory.update`."""
        fields.only_known("update", given, change.UpdateFields.__annotations__)
        within, new, store = self.store.reach(user_id), change.changes(**given), self.store
        return change.update(
            store.database, memory_id, new, within=within, vectors=store.vectors, rules=store.rules(), now=store.now()
        )

    def mark_used(self, ids: object, user_id: object) -> int:
        """See `Memory.mark_used`."""
        store, within = self.store, self.store.reach(user_id)
        return use.mark_used(store.database, ids, within=within, now=store.now(), associate=store.associates)

    def relate(
        self,
        source_id: object,
        target_id: object,
        kind: object,
        strength: object,
        user_id: object,
        *,
        valid_from: object,
    ) -> Edge:
        """See `Memory.relate`."""
        store = self.store
        if not store.associates:
            raise InvalidInputError("layers: 'association' is switched off, nothing was related; add it in Settings")
        return relate.relate(
            store.database,
            source_id,
            target_id,
            within=store.reach(user_id),
            kind=kind,
            strength=strength,
            valid_from=valid_from,
            now=store.now(),
        )

    def unrelate(self, source_id: object, target_id: object, user_id: object) -> int:
        """See `Memory.unrelate`."""
        return relate.unrelate(
            self.store.database, source_id, target_id, within=self.store.reach(user_id), now=self.store.now()
        )

    def write(self, proposals: Sequence[Proposal], embed: object) -> AddResult:
        """What became of proposals under the rules of this store, as they are now."""
        when, store = fields.choice("embed", embed, Embed), self.store
        return write(store.database, proposals, vectors=store.vectors, now=store.now(), embed=when, rules=store.rules())
