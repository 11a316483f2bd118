"""The columns of a partition's memories: contiguous arrays that grow by doubling, rows ascending by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.kinds import Kind
from memcore.mirror.lives import LIFE_DTYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["DTYPES", "KIND_CODES", "RowTable"]

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
"""The numbers of the column `kind`."""

# `text` and `vector` are hashes of the token stream and of the vector's bytes, to see which of the two changed; −1 for
# no vector.
DTYPES: dict[str, Any] = {
    "ids": np.int64,
    "event_time": np.float64,
    "session": np.int32,
    "speaker": np.int32,
    "kind": np.uint8,
    "importance": np.float32,
    "access_count": np.int32,
    "prev_id": np.int64,
    "next_id": np.int64,
    "question": np.bool_,
    "holds": np.uint8,
    "length": np.int32,
    "text": np.int64,
    "vector": np.int64,
    **LIFE_DTYPES,
}
SMALLEST = 64
WIDEST = 4
"""How many ids there may be from the first to the last for each that is here, for a table of all of them."""


class RowTable:
    """Named columns of one length. Appending ascending ids costs O(1) amortised, anything else O(n).

    A view that was given out never changes: rows are appended behind it, and any other change makes new arrays. A
    column that has one value in all rows, as most columns of most tables have, is kept as that value.
    """

    def __init__(self) -> None:
        self._size = 0
        self._columns: dict[str, NDArray[Any]] = {"ids": np.empty(0, np.int64)}
        self._values: dict[str, NDArray[Any]] = {}

    @classmethod
    def of(cls, columns: dict[str, NDArray[Any]], values: dict[str, NDArray[Any]]) -> RowTable:
        """The table of some columns, ascending by id, and of those that have one value, shape (1,), in all rows."""
        table = cls()
        table._columns, table._values = columns, values
        table._size = len(columns["ids"])
        return table

    def __len__(self) -> int:
        return self._size

    def column(self, name: str) -> NDArray[Any]:
        """One column, a view of the live rows; not to be written to."""
        held = self._columns.get(name)
        if held is not None:
            return held[: self._size]
        value = self._values.get(name)
        if value is None:
            return np.empty(0, DTYPES[name])
        return np.ndarray((self._size,), value.dtype, value, 0, (0,))

    @property
    def single(self) -> dict[str, NDArray[Any]]:
        """The columns that are kept as the one value that they have, shape (1,)."""
        return dict(self._values)

    @property
    def memory_bytes(self) -> int:
        """What the arrays take, spare room included."""
        return sum(array.nbytes for array in self._columns.values())

    def rows_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each id, −1 where it is not here."""
        held = self.column("ids")
        if not len(held):
            return np.full(len(ids), -1, np.int64)
        first, width = held[0], int(held[-1] - held[0]) + 1
        if width == len(held):  # no gap: the row follows from the id
            rows = ids - first
            return np.where((rows >= 0) & (rows < width), rows, -1)
        if 4 * len(ids) >= len(held) and width <= WIDEST * len(held):  # many are asked for, with few gaps between
            places = np.full(width + 1, -1, np.int64)
            places[held - first] = np.arange(len(held))
            rows = ids - first
            return places[np.where((rows >= 0) & (rows < width), rows, width)]
        rows = np.minimum(np.searchsorted(held, ids), len(held) - 1)
        return np.where(held[rows] == ids, rows, -1)

    def put(self, fresh: dict[str, NDArray[Any]]) -> bool:
        """Inserts or replaces rows by their ids (ascending, distinct). True when all of them went to the end."""
        ids = fresh["ids"]
        if not len(ids):
            return True
        if not self._size or ids[0] > self.column("ids")[-1]:
            self._append(fresh)
            return True
        rows = self.rows_of(ids)
        there = rows >= 0
        for name in DTYPES:
            self._replace(name, rows[there], fresh[name][there])
        if not there.all():
            self._insert({name: fresh[name][~there] for name in DTYPES})
        return False

    def remove(self, ids: Iterable[int]) -> int:
        """How many of these ids were here and are gone now."""
        rows = self.rows_of(np.fromiter(ids, np.int64))
        gone = np.unique(rows[rows >= 0])
        if len(gone):
            self._columns = {name: np.delete(self.column(name), gone) for name in self._columns}
            self._size -= len(gone)
        return len(gone)

    def _replace(self, name: str, rows: NDArray[np.int64], values: NDArray[Any]) -> None:
        if np.array_equal(self.column(name)[rows], values):
            return
        changed = self.column(name).copy()
        changed[rows] = values
        self._columns[name] = changed
        self._values.pop(name, None)

    def _insert(self, fresh: dict[str, NDArray[Any]]) -> None:
        places = np.searchsorted(self.column("ids"), fresh["ids"])
        for name in DTYPES:
            if not self._has_only(name, fresh[name]):
                self._columns[name] = np.insert(self.column(name), places, fresh[name])
                self._values.pop(name, None)
        self._size += len(fresh["ids"])

    def _append(self, fresh: dict[str, NDArray[Any]]) -> None:
        needed = self._size + len(fresh["ids"])
        for name, dtype in DTYPES.items():
            if not self._size and name != "ids":
                self._columns.pop(name, None)
                self._values[name] = fresh[name][:1].copy()
            if self._has_only(name, fresh[name]):
                continue
            array = self._columns.get(name, self._columns["ids"][:0])
            if name not in self._columns or needed > len(array):
                grown = np.empty(needed + max(SMALLEST, needed // 8), dtype)
                grown[: self._size] = self.column(name)
                self._columns[name] = array = grown
                self._values.pop(name, None)
            array[self._size : needed] = fresh[name]
        self._size = needed

    def _has_only(self, name: str, values: NDArray[Any]) -> bool:
        """Whether a column is kept as one value, and is still with these."""
        value = self._values.get(name)
        return value is not None and bool((values == value).all())
