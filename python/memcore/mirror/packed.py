"""Arrays side by side as one run of bytes, for a snapshot, and back as views of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["packed", "unpacked"]

_ALIGNED = 64


def packed(columns: Iterable[NDArray[Any]]) -> NDArray[np.uint8]:
    """The bytes of some columns of one length, each from a place on that every type may begin at."""
    held = [np.ascontiguousarray(column) for column in columns]
    size = sum(map(_room, held))
    run, at = np.zeros(size, np.uint8), 0
    for column in held:
        run[at : at + column.nbytes] = column.view(np.uint8)
        at += _room(column)
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


def _room(column: NDArray[Any]) -> int:
    return column.nbytes + -column.nbytes % _ALIGNED
