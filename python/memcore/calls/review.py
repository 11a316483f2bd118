"""The calls by which a person decides about memories that wait, and about conflicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.records import Conflict, Page, checked_id
from memcore.scope import checked_name, read_scope
from memcore.storage import conflicts, memories
from memcore.storage.current import Currency, waiting
from memcore.storage.encoding import from_micros, to_micros
from memcore.storage.neighbours import Sight
from memcore.writing import fields, review
from memcore.writing.reading import checked_page_limit, records_of

if TYPE_CHECKING:
    from memcore.calls.store import OpenStore
    from memcore.records import MemoryRecord

__all__ = ["ReviewCalls"]


@dataclass(frozen=True, slots=True)
class ReviewCalls:
    """The calls about review of one store; each says in `namespaces.Review` what it gives back and raises."""

    store: OpenStore

    def pending(self, user_id: object, limit: object, cursor: object) -> Page:
        """See `Review.pending`."""
        scope = read_scope(self.store.agent_id, user_id)
        most = checked_page_limit(limit)
        after = 0 if cursor is None else checked_id("cursor", cursor)
        store = self.store
        where = waiting(
            Currency(
                now=to_micros(store.now()), kinds_off=store.kinds_off, retention_days=store.settings.retention_days
            )
        )
        with store.database.read() as connection:
            rows = memories.page(connection, scope, condition=where, after_id=after, limit=most + 1)
            shown = records_of(connection, rows[:most])
        return Page(tuple(shown), shown[-1].id if len(rows) > most else None)

    def approve(self, memory_id: object, user_id: object) -> MemoryRecord:
        """See `Review.approve`."""
        wanted, store = checked_id("id", memory_id), self.store
        return review.approve(store.database, wanted, within=store.reach(user_id), now=store.now(), rules=store.rules())

    def reject(self, memory_id: object, reason: object, user_id: object) -> MemoryRecord:
        """See `Review.reject`."""
        wanted, told, store = checked_id("id", memory_id), _reason(reason), self.store
        return review.reject(
            store.database,
            wanted,
            within=store.reach(user_id),
            now=store.now(),
            rules=store.rules(),
            reason=told,
        )

    def conflicts(self, user_id: object, limit: object) -> list[Conflict]:
        """See `Review.conflicts`."""
        owner = None if user_id is None else checked_name("user_id", user_id)
        most, store = checked_page_limit(limit), self.store
        sight = Sight.at(store.now(), store.settings.retention_days)
        with store.database.read() as connection:
            pairs = conflicts.open_pairs(
                connection, store.agent_id, owner, sight, limit=most, kinds_off=store.kinds_off
            )
            ids = sorted({one for pair in pairs for one in pair[:2]})
            records = {one.id: one for one in records_of(connection, memories.fetch(connection, ids))}
        return [Conflict(records[a], records[b], from_micros(moment)) for a, b, moment in pairs]

    def resolve(
        self, keep_id: object, drop_id: object, reason: object, user_id: object, *, keep_both: object
    ) -> MemoryRecord:
        """See `Review.resolve`."""
        keep, drop, told = checked_id("keep_id", keep_id), checked_id("drop_id", drop_id), _reason(reason)
        both, store = fields.yes_or_no("keep_both", keep_both), self.store
        if keep == drop:
            raise InvalidInputError(f"drop_id: {drop} is not accepted; give another memory than keep_id")
        return review.resolve(
            store.database,
            keep,
            drop,
            within=store.reach(user_id),
            now=store.now(),
            rules=store.rules(),
            keep_both=both,
            reason=told,
        )


def _reason(value: object) -> str:
    return "" if value is None else fields.text("reason", value).strip()
