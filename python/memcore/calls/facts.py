"""The calls about facts and their slots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any, TypedDict

from memcore.kinds import Category, Kind
from memcore.records import Page, checked_id
from memcore.scope import checked_name, read_scope
from memcore.storage import as_known, claims, memories, partitions
from memcore.storage.claims import Moment
from memcore.storage.details import slot_key
from memcore.storage.encoding import to_micros
from memcore.writing import fields
from memcore.writing.evidence import rank
from memcore.writing.proposal import from_call
from memcore.writing.reading import checked_page_limit, records_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.calls.store import OpenStore
    from memcore.calls.writing import Writing
    from memcore.records import Added, MemoryRecord
    from memcore.scope import Scope

__all__ = ["FactCalls", "SetFields"]

MOST_IN_SLOT = 1_000


class SetFields(TypedDict, total=False):
    """The keywords of `facts.set`: those of `add` that a fact has."""

    user_id: Any
    session_id: Any
    category: Any
    confidence: Any
    origin: Any
    speaker: Any
    entities: Any
    tags: Any
    importance: Any
    channel: Any
    event_time: Any
    valid_from: Any
    valid_until: Any
    expires_at: Any
    metadata: Any
    source_ref: Any
    idempotency_key: Any
    embedding: Any


@dataclass(frozen=True, slots=True)
class FactCalls:
    """The calls about the facts of one store; each says in `namespaces.Facts` what it gives back and raises."""

    store: OpenStore
    writing: Writing

    def set(self, slot: object, content: object, embed: object, given: SetFields) -> Added:
        """See `Facts.set`."""
        fields.only_known("set", given, SetFields.__annotations__)
        whole: Any = {**given, "kind": Kind.FACT, "slot": fields.name("slot", slot)}
        if whole.get("category") is None:
            now = self.get(slot, whole.get("user_id"), as_of=None, known_at=None)
            whole["category"] = None if now is None else now.category
        proposal = from_call(content, agent_id=self.store.agent_id, **whole)
        named = frozenset(name for name, value in given.items() if value is not None)
        return self.writing.write((replace(proposal, fills_slot=True, given=named),), embed)[0]

    def get(self, slot: object, user_id: object, *, as_of: object, known_at: object) -> MemoryRecord | None:
        """See `Facts.get`."""
        key, moment = slot_key(fields.name("slot", slot)), self._moment(as_of, known_at)
        owner = None if user_id is None else checked_name("user_id", user_id)
        scope = read_scope(self.store.agent_id, owner)
        with self.store.database.read() as connection:
            numbers = self._numbers(connection, scope)
            ids = claims.facts(connection, numbers, moment, slot_key=key, limit=MOST_IN_SLOT)
            records = [one for one in records_of(connection, memories.fetch(connection, ids)) if one.intact]
            then = _evidence_then(connection, ids if len(records) > 1 else [], moment.known_at)
        return max(records, key=lambda one: _weight(one, owner, then), default=None)

    def list(
        self,
        user_id: object,
        *,
        slot: object,
        category: object,
        include_dormant: object,
        as_of: object,
        known_at: object,
        limit: object,
        cursor: object,
    ) -> Page:
        """See `Facts.list`."""
        scope, moment = read_scope(self.store.agent_id, user_id), self._moment(as_of, known_at)
        most = checked_page_limit(limit)
        after = 0 if cursor is None else checked_id("cursor", cursor)
        key = None if slot is None else slot_key(fields.name("slot", slot))
        kind = None if category is None else fields.choice("category", category, Category)
        asleep = fields.yes_or_no("include_dormant", include_dormant)
        with self.store.database.read() as connection:
            ids = claims.facts(
                connection,
                self._numbers(connection, scope),
                moment,
                slot_key=key,
                category=kind,
                include_dormant=asleep,
                after_id=after,
                limit=most + 1,
            )
            shown = records_of(connection, memories.fetch(connection, ids[:most]))
        return Page(tuple(shown), shown[-1].id if len(ids) > most else None)

    def _moment(self, as_of: object, known_at: object) -> Moment:
        now, days = self.store.now(), self.store.settings.retention_days.get(Kind.FACT)
        return Moment(
            now,
            None if as_of is None else fields.moment("as_of", as_of),
            None if known_at is None else fields.moment("known_at", known_at),
            None if days is None else now.astimezone(UTC) - timedelta(days=days),
        )

    def _numbers(self, connection: Connection, scope: Scope) -> Sequence[int]:
        """The partitions of a scope that are there; none where the layer of facts is switched off."""
        if Kind.FACT.layer not in self.store.settings.layers:
            return []
        found = (partitions.find(connection, partition) for partition in scope.partitions)
        return [number for number in found if number is not None]


@dataclass(frozen=True, slots=True)
class _Then:
    """Origins and confidences that memories had at a moment, where they have others by now."""

    origins: dict[int, str]
    confidences: dict[int, float]


def _evidence_then(connection: Connection, ids: Sequence[int], known_at: datetime | None) -> _Then:
    if known_at is None or not ids:
        return _Then({}, {})
    origins, confidences = (
        as_known.values_then(connection, ids, column, to_micros(known_at)) for column in ("origin", "confidence")
    )
    return _Then(origins, confidences)


def _weight(record: MemoryRecord, owner: str | None, then: _Then) -> tuple[bool, int, float, float, int]:
    """What decides between two values of a slot: the user's own before a shared one, then evidence, then the newer."""
    confidence = then.confidences.get(record.id, 1.0 if record.confidence is None else record.confidence)
    return (
        record.user_id == owner,
        rank(then.origins.get(record.id, record.origin)),
        confidence,
        record.recorded_at.timestamp(),
        record.id,
    )
