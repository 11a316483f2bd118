"""lancedb: a table a user, after its `optimize()`, without a vector index: exact. Vectors only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lancedb
import pyarrow as pa

from benches.whole.port import USER, Memories, Store

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Lance"]


class Lance(Store):
    def __init__(self, folder: Path, dimension: int) -> None:
        self._vector = pa.list_(pa.float32(), dimension)
        self._schema = pa.schema([("id", pa.int64()), ("text", pa.string()), ("vector", self._vector)])
        self._table: Any = lancedb.connect(folder).create_table(USER, schema=self._schema, exist_ok=True)

    def add_many(self, memories: Memories) -> None:
        columns = [
            pa.array(memories.places, pa.int64()),
            pa.array(memories.texts, pa.string()),
            pa.FixedSizeListArray.from_arrays(pa.array(memories.vectors.ravel()), type=self._vector),
        ]
        self._table.add(pa.Table.from_arrays(columns, schema=self._schema))

    def settle(self) -> None:
        self._table.optimize()

    def search(self, _text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        asked = self._table.search(vector).distance_type("cosine").select(["id", "text", "_distance"])
        return [(row["id"], row["text"]) for row in asked.limit(limit).to_list()]

    def close(self) -> None:
        del self._table
