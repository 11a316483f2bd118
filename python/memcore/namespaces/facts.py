"""`memory.facts`: what is known of a person or a thing, by exact slots such as "home city"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memcore.calls.facts import FactCalls, SetFields
    from memcore.records import Added, MemoryRecord, Page

__all__ = ["Facts"]


class Facts:
    """Facts by their slots. A slot is a name that one value fills; two spellings of it (case, width, spaces) are one.

    >>> from memcore import Memory
    >>> with Memory(":memory:", embedder="none") as memory:
    ...     _ = memory.facts.set("home city", "Ana lives in Lisbon.", user_id="ana")
    ...     _ = memory.facts.set("home city", "Ana lives in Porto.", user_id="ana")
    ...     memory.facts.get("Home City", user_id="ana").content
    'Ana lives in Porto.'
    """

    def __init__(self, calls: FactCalls) -> None:
        self._calls = calls

    def set(self, slot: str, content: str, *, embed: str = "now", **given: Unpack[SetFields]) -> Added:
        """What became of the fact, which takes the place of whatever its slot said for this user until now.

        The old rows stay, valid until this one is, and give it their category unless it has its own. A text that fills
        the slot already is strengthened, and gets the `expires_at`, `importance` and `category` that are given; `tags`
        and `metadata` are added to what it has, a key that is there already with its new value. Said again
        without its end it goes on, unless something else is planned to take its place then: that plan stays. What stays
        as it was first said, such as the speaker, `Added.reason` names. What takes the place of a pinned value is
        pinned, unless it comes from a tool, the web or a job. What comes from a weaker origin than the slot's value
        (`origin` is `user` unless given) waits for review instead.

        Raises:
            InvalidInputError: a field is not accepted; nothing was stored.
            StorageError: nothing was stored.
        """
        return self._calls.set(slot, content, embed, given)

    def get(
        self,
        slot: str,
        *,
        user_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> MemoryRecord | None:
        """The fact that fills a slot, asleep or not; None where none does.

        The user's own comes before a shared one. Of two in open conflict it is the one of stronger evidence, then the
        newer; `list(slot=…)` and `memory.review.conflicts()` show both. `as_of` asks for what held in the world then,
        `known_at` for what was known then: recorded, neither waiting for review nor out of the searches, and held by
        what was known of its time, whatever was retired, called wrong, moved or undone since. Of two in conflict the
        evidence of then decides. The record itself is as it is today; what was deleted does not come back.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.get(slot, user_id, as_of=as_of, known_at=known_at)

    def list(
        self,
        *,
        user_id: str | Sequence[str] | None = None,
        slot: str | None = None,
        category: str | None = None,
        include_dormant: bool = True,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        limit: int = 100,
        cursor: int | None = None,
    ) -> Page:
        """A page of the facts that hold, of the named users and shared, ascending by id, with `next_cursor`.

        `as_of` and `known_at` are as in `get`.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.list(
            user_id,
            slot=slot,
            category=category,
            include_dormant=include_dormant,
            as_of=as_of,
            known_at=known_at,
            limit=limit,
            cursor=cursor,
        )
