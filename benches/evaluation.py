"""Evaluation files, as the package reads them, and a memory filled with one of their stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.learning.evaluation import Question, Store, read_stores

if TYPE_CHECKING:
    from memcore import Memory

__all__ = ["Question", "Store", "fill", "read_stores"]


def fill(memory: Memory, store: Store) -> dict[int, str]:
    """Stores the memories; which name each new id belongs to."""
    added = memory.add_many(list(store.items))
    return {one.id: name for one, name in zip(added, store.names, strict=True) if one.id is not None}
