"""The calls of `Memory` about the life of a memory: how it strengthens, ends, is corrected, undone and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcore.calls.sections import Sections

__all__ = ["LifeOfMemory"]


class LifeOfMemory:
    """The part of `Memory` that its life needs; `Memory` opens the store and adds writing, searching and reading."""

    _calls: Sections
