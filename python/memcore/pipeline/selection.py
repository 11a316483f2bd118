"""The one selection of the best rows: largest value first wins a place, equal values go to the lower row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["best_rows"]


def best_rows(values: NDArray[np.float64], among: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """The rows (at most `count`, ascending) with the largest of `values` (n,) where `among` (n,) is True. O(n)."""
    rows = np.flatnonzero(among)
    if len(rows) <= count:
        return rows
    held = values[rows]
    least = np.partition(held, len(held) - count)[len(held) - count]
    above = rows[held > least]
    level = rows[held == least][: count - len(above)]
    return np.sort(np.concatenate([above, level]))
