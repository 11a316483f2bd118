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
    if shown is None:
        return counts
    of_one = scope.mentioning(entity_id)
    left: dict[int, int] = {}
    for key, count in counts.items():
        both = shown[np.intersect1d(of_one, scope.mentioning(key), assume_unique=True)]
        seen = int(np.count_nonzero(both))
        if remaining := max(count - (len(both) - seen), seen):
            left[key] = remaining
    return left
