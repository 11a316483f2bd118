"""How often entities were written of together, as far as a search may know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.mirror.scope_rows import ScopeRows

__all__ = ["companions"]


def companions(scope: ScopeRows, shown: NDArray[np.bool_] | None, entity_id: int) -> dict[int, int]:
    """The other entity of each pair, and its count; `shown` (None: all) are the rows that the search may see.

    Each hidden memory that mentions both takes 1 away, but not below the memories that are shown and mention both.
    """
    counts: dict[int, int] = {}
    for block in scope.blocks:
        for key, count in block.entities.companions(entity_id).items():
            counts[key] = counts.get(key, 0) + count
    if shown is None and not any(block.unseen for block in scope.blocks):
        return counts
    left: dict[int, int] = {}
    for key, count in counts.items():
        both, seen = _naming_both(scope, shown, entity_id, key)
        if remaining := max(count - (both - seen), seen):
            left[key] = remaining
    return left


def _naming_both(scope: ScopeRows, shown: NDArray[np.bool_] | None, one: int, other: int) -> tuple[int, int]:
    """How many memories mention two entities, and how many of them the search may see."""
    both = [
        np.intersect1d(block.entities.mentioning(one), block.entities.mentioning(other), assume_unique=True)
        for block in scope.blocks
    ]
    ids = np.concatenate(both) if both else np.empty(0, np.int64)
    rows = scope.rows_of(ids)
    rows = rows[rows >= 0]
    return len(ids), len(rows) if shown is None else int(np.count_nonzero(shown[rows]))
