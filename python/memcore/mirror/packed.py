"""Arrays side by side as one run of bytes, for a snapshot, and back as views of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["packed", "unpacked"]

_ALIGNED = 64


def packed(columns: Iterable[NDArray[Any]]) -> list[NDArray[np.uint8]]:
    """The bytes of some columns of one length, each from a place on that every type may begin at, one after another."""
    run = []
    for column in columns:
        run += [np.ascontiguousarray(column).view(np.uint8), np.zeros(-column.nbytes % _ALIGNED, np.uint8)]
    return run


def unpacked(run: NDArray[np.uint8], dtypes: Iterable[Any], count: int) -> list[NDArray[Any]]:
    """The columns of these types, `count` values each.

    Raises:
        ValueError: the run is of another size.
    """
    columns, at = [], 0
    for dtype in dtypes:
        size = count * np.dtype(dtype).itemsize
        columns.append(run[at : at + size].view(dtype))
        if len(columns[-1]) != count:
            raise ValueError("the run ends too early")
        at += size + -size % _ALIGNED
    if at != len(run):
        raise ValueError(f"{len(run) - at} bytes are left over")
    return columns
