"""Evaluation files, as the package reads them, and a memory filled with one of their stores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memcore.learning.evaluation import Question, Store, read_stores

if TYPE_CHECKING:
    from memcore import Memory

__all__ = ["Question", "Store", "evaluation_files", "fill", "read_stores"]


def evaluation_files() -> list[Path]:
    """The development files in the folder that `MEMCORE_EVALUATION` names; none where it is not set."""
    folder = os.environ.get("MEMCORE_EVALUATION")
    return sorted(Path(folder).glob("*dev*.jsonl")) if folder else []


def fill(memory: Memory, store: Store) -> dict[int, str]:
    """Stores the memories; which name each new id belongs to."""
    added = memory.add_many(list(store.items))
    return {one.id: name for one, name in zip(added, store.names, strict=True) if one.id is not None}
