"""The calls of `Memory` about the life of a memory: how it strengthens, ends, is corrected, undone and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from memcore.namespaces.facts import Facts
from memcore.namespaces.review import Review

if TYPE_CHECKING:
    from memcore.calls.sections import Sections
    from memcore.records import Added
    from memcore.writing.proposal import AddFields

__all__ = ["LifeOfMemory"]


class LifeOfMemory:
    """The part of `Memory` that its life needs; `Memory` opens the store and adds writing, searching and reading."""

    _calls: Sections

    @property
    def facts(self) -> Facts:
        """What is known of a person or a thing, by exact slots."""
        return Facts(self._calls.facts)

    @property
    def review(self) -> Review:
        """Memories that wait for a person, and conflicts that one decides."""
        return Review(self._calls.review)

    def supersede(
        self,
        id: int,  # noqa: A002
        content: str,
        *,
        embed: str = "now",
        **given: Unpack[AddFields],
    ) -> Added:
        """What became of a text that takes the place of a fact, a piece of knowledge or a lesson; the old row stays.

        It is of the same kind, user, slot and category (a lesson keeps its pattern); `given` has the other fields of
        `add`, and `user_id` refuses an id that is not that user's. The old memory is valid until the new one is, and
        points to it. What comes from a weaker `origin` than the old memory waits for review instead.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
            InvalidInputError: it is superseded already, ended, or of a kind that cannot be, or a field is not accepted;
                nothing was stored.
        """
        return self._calls.writing.supersede(id, content, embed, given)
