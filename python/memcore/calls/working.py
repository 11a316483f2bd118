"""The calls about working memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from numbers import Integral
from typing import TYPE_CHECKING, Any

from memcore.errors import NotFoundError
from memcore.records import WorkingItem, checked_id
from memcore.scope import Partition, checked_name, read_scope
from memcore.storage import working
from memcore.writing import fields
from memcore.writing.reading import checked_page_limit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.calls.store import OpenStore
    from memcore.records import WorkingSet
    from memcore.writing.reach import Reach

__all__ = ["WorkingCalls", "end_of"]

_FIRST_BEYOND = datetime(9000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WorkingCalls:
    """The calls about the working memory of one store; each says in `namespaces.Working` what it gives and raises."""

    store: OpenStore

    def put(
        self,
        name: object,
        content: object,
        user_id: object,
        session_id: object,
        *,
        ttl: object,
        expires_at: object,
        metadata: object,
    ) -> WorkingItem:
        """See `Working.put`."""
        now = self.store.now()
        of, session = self._owner(user_id), _session(session_id)
        named, words = fields.name("set", name), fields.text("content", content)
        kept = {} if metadata is None else fields.json_object("metadata", metadata)
        end = end_of(ttl, expires_at, now)
        with self.store.database.write() as connection:
            number = working.put(connection, of, session, named, words, expires_at=end, metadata=kept, now=now)
            return _found(connection, self.store.reach(), number, now)

    def items(
        self, name: object, user_id: object, session_id: object, *, before: object, limit: object
    ) -> tuple[WorkingItem, ...]:
        """See `Working.items`."""
        scope, session = read_scope(self.store.agent_id, user_id), _session(session_id)
        named, most = fields.name("set", name), checked_page_limit(limit)
        mark = None if before is None else checked_id("before", before, of="working item")
        now = self.store.now()
        with self.store.database.read() as connection:
            shown = working.items(connection, scope.partitions, session, named, before=mark, limit=most, now=now)
        return tuple(shown)

    def sets(self, user_id: object, session_id: object) -> list[WorkingSet]:
        """See `Working.sets`."""
        scope = read_scope(self.store.agent_id, user_id, session_id)
        with self.store.database.read() as connection:
            return working.sets(connection, scope.partitions, scope.session_id, self.store.now())

    def watermark(self) -> int:
        """See `Working.watermark`."""
        with self.store.database.read() as connection:
            return working.last_id(connection, self.store.agent_id) + 1

    def expire(
        self, name: object, user_id: object, session_id: object, *, ttl: object, expires_at: object
    ) -> WorkingSet:
        """See `Working.expire`."""
        now = self.store.now()
        of, session, named = self._owner(user_id), _session(session_id), fields.name("set", name)
        end = end_of(ttl, expires_at, now)
        with self.store.database.write() as connection:
            ended = working.end_set(connection, of, session, named, expires_at=end, now=now)
            if ended is None:
                raise NotFoundError(f"set: there is no set {named!r} of that user and session; put makes one")
            return ended

    def drop(self, what: object, user_id: object, session_id: object) -> int:
        """See `Working.drop`."""
        now = self.store.now()
        if isinstance(what, str):
            of, session, named = self._owner(user_id), _session(session_id), fields.name("what", what)
            with self.store.database.write() as connection:
                return working.drop_set(connection, of, session, named, now)
        number = what.id if isinstance(what, WorkingItem) else what
        if isinstance(number, bool) or not isinstance(number, Integral):
            fields.refuse("what", what, "give the name of a set, an item, or the integer id of one")
        number = checked_id("what", number, of="working item")
        if session_id is not None:
            fields.refuse("session_id", session_id, "leave it out: an item is named by its id alone")
        within = self.store.reach(user_id)
        with self.store.database.write() as connection:
            working.drop_item(connection, _found(connection, within, number, now, to_change=True).id)
        return 1

    def clear(self, session_id: object, user_id: object) -> int:
        """See `Working.clear`."""
        of, session, now = self._owner(user_id), checked_name("session_id", session_id), self.store.now()
        with self.store.database.write() as connection:
            return working.drop_session(connection, of, session, now)

    def _owner(self, user_id: object) -> Partition:
        return Partition(self.store.agent_id, None if user_id is None else checked_name("user_id", user_id))


def _session(session_id: object) -> str | None:
    return None if session_id is None else checked_name("session_id", session_id)


def end_of(ttl: Any, expires_at: object, now: datetime) -> datetime | None:
    """When something put now ends; None where neither is given.

    Raises:
        InvalidInputError: both are given, `ttl` is no time to come, or `expires_at` is no moment to come.
    """
    if ttl is not None and expires_at is not None:
        fields.refuse("ttl", ttl, "give ttl or expires_at, not both")
    if expires_at is not None:
        end = fields.moment("expires_at", expires_at)
        if end <= now:
            fields.refuse_shown("expires_at", end.isoformat(), "give a moment that is still to come")
        return end
    if ttl is None:
        return None
    remedy = "give a timedelta or seconds, above 0 and ending before the year 9000"
    if isinstance(ttl, bool) or not isinstance(ttl, timedelta | int | float):
        fields.refuse("ttl", ttl, remedy)
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    longest = (_FIRST_BEYOND - now).total_seconds()
    if not 1e-6 <= seconds < longest:
        fields.refuse("ttl", ttl, remedy)
    return now.astimezone(UTC) + (ttl if isinstance(ttl, timedelta) else timedelta(seconds=seconds))


def _found(
    connection: Connection, within: Reach, item_id: int, now: datetime, *, to_change: bool = False
) -> WorkingItem:
    """The item with this id.

    Raises:
        NotFoundError: it is unknown, has ended, or is outside the reach.
    """
    item = working.fetch(connection, within.agent_id, item_id, now)
    allowed = within.owns if to_change else within.sees
    if item is None or not allowed(Partition(within.agent_id, item.user_id)):
        within.missing("what", item_id, of="item of working memory", listed_by="working.items()")
    return item
