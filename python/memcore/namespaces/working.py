"""`memory.working`: what a conversation has in mind for now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from memcore.calls.working import WorkingCalls
    from memcore.records import WorkingItem, WorkingSet

__all__ = ["Working"]


class Working:
    """Named sets of items, each of one user (or shared) and one session (or none); they end when it is said.

    A set is there as long as something is in it. From its end on an item is not shown any more; it is removed when its
    set is written to, or by the job `trim`. Items are no memories: no search finds them.

    >>> from memcore import Memory
    >>> with Memory(":memory:", embedder="none") as memory:
    ...     _ = memory.working.put("plan", "look up the ferry", user_id="ana", session_id="s", ttl=3600)
    ...     turn = memory.working.watermark()
    ...     _ = memory.working.put("plan", "book it", user_id="ana", session_id="s")
    ...     [item.content for item in memory.working.items("plan", user_id="ana", session_id="s", before=turn)]
    ['look up the ferry']
    """

    def __init__(self, calls: WorkingCalls) -> None:
        self._calls = calls

    def put(
        self,
        set: str,
        content: str,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        ttl: timedelta | float | None = None,
        expires_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> WorkingItem:
        """The new item, last in its set, which is made where there is none; without `user_id` it is shared.

        It ends after `ttl` (a timedelta, or seconds) or at `expires_at` (an aware moment), else with its set.

        Raises:
            InvalidInputError: a field is not accepted, or both ends are given; nothing was stored.
        """
        return self._calls.put(set, content, user_id, session_id, ttl=ttl, expires_at=expires_at, metadata=metadata)

    def items(
        self,
        set: str,
        *,
        user_id: str | Sequence[str] | None = None,
        session_id: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[WorkingItem]:
        """The last `limit` items (1 to 10,000) of a set, in the order put; none where there is no such set.

        `user_id` names one user or several, whose sets of this name and session are seen as one with the shared one;
        without it only the shared one. `session_id` None is the set that belongs to no session.

        `before` is the id of an item, or what `watermark` gave: nothing that was put from there on is shown, so that a
        turn which took a watermark at its beginning sees what was there then, whatever is put meanwhile. What ends or
        is dropped meanwhile is not shown.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return [*self._calls.items(set, user_id, session_id, before=before, limit=limit)]

    def watermark(self) -> int:
        """What `items` takes as `before`, to see what has been put until now and nothing that is put later."""
        return self._calls.watermark()

    def sets(self, *, user_id: str | Sequence[str] | None = None, session_id: str | None = None) -> list[WorkingSet]:
        """The sets, in the order in which they were made; with `session_id` those of that session, else those of all.

        `user_id` names one user or several, whose sets are seen beside the shared ones; without it only shared ones.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.sets(user_id, session_id)

    def expire(
        self,
        set: str,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        ttl: timedelta | float | None = None,
        expires_at: datetime | None = None,
    ) -> WorkingSet:
        """The set, which now ends with all that is in it as `put` says of an item; without an end it ends no more.

        Raises:
            InvalidInputError: an argument is not accepted, or both ends are given.
            NotFoundError: there is no such set of this user (without one: no shared one) and session.
        """
        return self._calls.expire(set, user_id, session_id, ttl=ttl, expires_at=expires_at)

    def drop(self, what: str | int | WorkingItem, *, user_id: str | None = None, session_id: str | None = None) -> int:
        """Removes a set (by its name) or an item (itself, or its id); how many items went, 0 where there is no set.

        A set is that of the user and session named; without them, the shared one and that of no session. An item needs
        no session, and may be any user's of the agent where no user is named.

        Raises:
            InvalidInputError: an argument is not accepted.
            NotFoundError: there is no such item of this agent (and user), or it has ended.
        """
        return self._calls.drop(what, user_id, session_id)

    def clear(self, session_id: str, *, user_id: str | None = None) -> int:
        """Removes the sets of a session, of the user named or else the shared ones; how many items went.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.clear(session_id, user_id)
