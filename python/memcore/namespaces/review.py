"""`memory.review`: memories that wait for a person, and conflicts that one decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.calls.review import ReviewCalls
    from memcore.records import Conflict, MemoryRecord, Page

__all__ = ["Review"]


class Review:
    """What waits is never found by a search. Each decision is an operation that can be undone.

    >>> from memcore import Memory
    >>> with Memory(":memory:", embedder="none") as memory:
    ...     _ = memory.facts.set("diet", "Ana eats everything.", user_id="ana")
    ...     _ = memory.add("Ana eats no nuts.", user_id="ana", kind="fact", slot="diet", origin="tool")
    ...     [waiting] = memory.review.pending(user_id="ana")
    ...     memory.review.approve(waiting.id).review_state.value
    'active'
    """

    def __init__(self, calls: ReviewCalls) -> None:
        self._calls = calls

    def pending(
        self, *, user_id: str | Sequence[str] | None = None, limit: int = 100, cursor: int | None = None
    ) -> Page:
        """A page of the memories that wait, of the named users and shared, ascending by id, with `next_cursor`.

        What was retired, undone or called wrong while it waited is left out, and so is what no search would find once
        it is approved: what has expired, is past its days of retention, or of a layer that is off.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.pending(user_id, limit, cursor)

    def approve(self, id: int, *, user_id: str | None = None) -> MemoryRecord:
        """The memory, which searches find from now on.

        A claim whose beginning was not given holds from the approval on. What fills the slot of a fact, or is in
        conflict with a claim, is superseded by it where both hold at some moment: a person has decided. What is over or
        has expired by then takes the place of nothing. Where a current memory says the same already, that one is
        strengthened and given back, and what waited is retired. What takes the place of a pinned memory is pinned,
        unless it comes from a tool, the web or a job; a fact that was dormant wakes.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
            InvalidInputError: it does not wait for review, or its layer is off.
        """
        return self._calls.approve(id, user_id)

    def reject(self, id: int, *, reason: str | None = None, user_id: str | None = None) -> MemoryRecord:
        """The memory, which stays in the store and is never found.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
            InvalidInputError: it does not wait for review, or its layer is off.
        """
        return self._calls.reject(id, reason, user_id)

    def conflicts(self, *, user_id: str | None = None, limit: int = 100) -> list[Conflict]:
        """The first open conflicts of a user (without `user_id`: of the shared memories), those known longest first.

        One is open while both sides are there and hold, or will hold together, and say different things: neither is
        over, expired or past its days of retention. What is superseded from a later day on holds until then. Conflicts
        in a layer that is off are left out.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.conflicts(user_id, limit)

    def resolve(
        self,
        keep_id: int,
        drop_id: int,
        *,
        keep_both: bool = False,
        reason: str | None = None,
        user_id: str | None = None,
    ) -> MemoryRecord:
        """The memory that is kept, once a conflict is decided. The other is superseded by it, or rejected if it waited.

        With `keep_both` both are true: both are found, and the conflict is over. A memory that something else was to
        supersede from a later day on is superseded by the one that is kept, from now on. What takes the place of a
        pinned memory is pinned, unless it comes from a tool, the web or a job. What is kept and was dormant wakes, as
        by a use.

        Raises:
            NotFoundError: one of them is no memory of this agent (and user).
            InvalidInputError: the two are not in open conflict, their layer is off, or the one to drop took the place
                of the one to keep, at once or through others.
        """
        return self._calls.resolve(keep_id, drop_id, reason, user_id, keep_both=keep_both)
