"""The calls that read what is stored, without a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.scope import read_scope
from memcore.writing import reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcore.calls.store import OpenStore
    from memcore.records import GraphView, MemoryRecord, Page

__all__ = ["Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading calls on one store; each says in `Memory` what it gives back and raises."""

    store: OpenStore

    def get(self, memory_id: object, user_id: object) -> MemoryRecord:
        """See `Memory.get`."""
        return reading.get(self.store.database, memory_id, within=self.store.reach(user_id))

    def get_all(
        self,
        user_id: object,
        session_id: object,
        *,
        kinds: object,
        filters: Mapping[str, Any] | None,
        limit: object,
        cursor: object,
    ) -> Page:
        """See `Memory.get_all`."""
        scope = read_scope(self.store.agent_id, user_id, session_id)
        return reading.page(self.store.database, scope, kinds=kinds, filters=filters, limit=limit, cursor=cursor)

    def graph(self, memory_id: object, hops: object, user_id: object) -> GraphView:
        """See `Memory.graph`."""
        return reading.graph_around(self.store.database, memory_id, hops=hops, within=self.store.reach(user_id))
