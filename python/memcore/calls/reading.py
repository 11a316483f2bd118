"""The calls that read what is stored, without a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.scope import read_scope
from memcore.searching.request import checked_switch
from memcore.storage.current import Currency
from memcore.storage.encoding import to_micros
from memcore.writing import fields, reading

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
        include_dormant: object,
        as_of: object,
        limit: object,
        cursor: object,
    ) -> Page:
        """See `Memory.get_all`."""
        store = self.store
        scope = read_scope(store.agent_id, user_id, session_id)
        rule = Currency(
            now=to_micros(store.now()),
            kinds_off=store.kinds_off,
            as_of=None if as_of is None else to_micros(fields.moment("as_of", as_of)),
            include_dormant=checked_switch("include_dormant", include_dormant),
            retention_days=store.settings.retention_days,
        )
        return reading.page(store.database, scope, rule, kinds=kinds, filters=filters, limit=limit, cursor=cursor)

    def graph(self, memory_id: object, hops: object, user_id: object) -> GraphView:
        """See `Memory.graph`."""
        return reading.graph_around(self.store.database, memory_id, hops=hops, within=self.store.reach(user_id))
