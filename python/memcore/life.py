"""The calls of `Memory` about the life of a memory: how it strengthens, ends, is corrected, undone and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.namespaces.tasks import Tasks
from memcore.namespaces.working import Working

if TYPE_CHECKING:
    from memcore.calls.sections import Sections

__all__ = ["LifeOfMemory"]


class LifeOfMemory:
    """The part of `Memory` that its life needs; `Memory` opens the store and adds writing, searching and reading."""

    _calls: Sections

    @property
    def tasks(self) -> Tasks:
        """Things to be done, where each stands, and what happened to it."""
        return Tasks(self._calls.tasks)

    @property
    def working(self) -> Working:
        """What a conversation has in mind for now: named sets of items that end."""
        return Working(self._calls.working)
