"""Sets of numbers as ascending arrays.

numpy has these too; what it has first loads its masked arrays, which is a tenth of a first search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["among", "distinct"]


def distinct(*parts: NDArray[Any]) -> NDArray[Any]:
    """The values of some arrays of one type, each once, ascending.

    >>> distinct(np.array([3, 1, 3]), np.array([2, 1])).tolist()
    [1, 2, 3]
    """
    values = np.sort(np.concatenate(parts))
    first = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[first]


def among(values: NDArray[Any], held: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of some values are held; `held` ascends.

    >>> among(np.array([4, 1, 9]), np.array([1, 4])).tolist()
    [True, True, False]
    """
    if not len(held):
        return np.zeros(len(values), bool)
    found: NDArray[np.bool_] = held[np.searchsorted(held, values).clip(max=len(held) - 1)] == values
    return found
