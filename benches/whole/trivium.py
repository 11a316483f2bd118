"""triviumdb, as it comes: its own index over the vectors. Vectors only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import triviumdb

from benches.whole.port import Memories, Store

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Trivium"]


class Trivium(Store):
    def __init__(self, folder: Path, dimension: int) -> None:
        self._database = triviumdb.TriviumDB(str(folder / "memories.tdb"), dim=dimension)

    def add_many(self, memories: Memories) -> None:
        payloads = [{"text": text} for text in memories.texts]
        ids = [place + 1 for place in memories.places]  # it takes no 0
        self._database.batch_insert_with_ids(ids, memories.vectors.tolist(), payloads)

    def settle(self) -> None:
        self._database.flush()

    def search(self, _text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        found = self._database.search(vector.tolist(), top_k=limit, min_score=-1.0)
        return [(hit.id - 1, hit.payload["text"]) for hit in found]

    def close(self) -> None:
        self._database.close()
