"""langgraph's SQLite store: a namespace a user, vectors by sqlite-vec, exact. Vectors only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benches.whole.given import GivenVectors
from benches.whole.port import USER, Memories, Store
from benches.whole.sqlite_vec0 import connect

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["LangGraph"]

BATCH = 2_000
"""It puts all values of a call into one statement, and SQLite has a limit of 32,766."""


class LangGraph(Store):
    def __init__(self, folder: Path, dimension: int) -> None:
        self._given = GivenVectors()
        self._database = connect(folder / "memories.db")
        index: Any = {"dims": dimension, "embed": self._given, "fields": ["text"], "text_fields": ["text"]}
        self._store = SqliteStore(self._database, index=index)
        self._store.setup()

    def add_many(self, memories: Memories) -> None:
        for part in memories.parts(BATCH):
            self._given.tell(part.texts, part.vectors)
            pairs = zip(part.places, part.texts, strict=True)
            self._store.batch([PutOp((USER,), str(place), {"text": text}) for place, text in pairs])

    def search(self, text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        self._given.tell([text], vector[None])
        return [(int(item.key), item.value["text"]) for item in self._store.search((USER,), query=text, limit=limit)]

    def close(self) -> None:
        self._database.close()
