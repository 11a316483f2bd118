"""MemPalace over its default store, chromadb, with our vectors in place of the model that it would download.

A person is a wing, a memory a drawer in it, a session the source file that the drawer is from and its place there the
`chunk_index`, as its own miner files a conversation. `search_memories` ranks by distance and BM25 together. It has two
ways to gather candidates: "vector", its default, and "union", where the lexical index gathers too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from benches.peers.port import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting, Vectors

__all__ = ["Palace", "PalaceUnion"]

BATCH = 1_000


def embedding_function(vectors: Vectors) -> Any:
    """An embedding function of chromadb's kind."""
    base = product("chromadb").EmbeddingFunction

    class Given(base):  # type: ignore[misc, valid-type]
        dimension = vectors.dimension

        def __init__(self) -> None:
            pass

        def __call__(self, input: Sequence[str]) -> Any:  # noqa: A002 - chromadb calls it by that name
            return list(vectors.rows(list(input)))

        @staticmethod
        def name() -> str:
            return "default"

    return Given()


class Palace:
    """Candidates by vector, as it comes."""

    strategy = "vector"

    def __init__(self, setting: Setting) -> None:
        os.environ["HOME"] = str(setting.folder)  # where it keeps its configuration and its log of writes
        os.environ["MEMPALACE_PALACE_PATH"] = self._path = str(setting.folder / "palace")
        given = embedding_function(setting.vectors)
        product("mempalace.embedding").get_embedding_function = lambda *_, **__: given
        self._search = product("mempalace.searcher").search_memories
        self._drawers: Any = product("mempalace.palace").get_collection(self._path, create=True)

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            self._drawers.upsert(
                ids=[item.key for item in part],
                documents=[item.text for item in part],
                metadatas=[
                    {
                        "wing": scope,
                        "room": "conversation",
                        "source_file": item.session or "",
                        "chunk_index": start + place,
                        "added_by": item.speaker or "",
                        "filed_at": "" if item.moment is None else item.moment.isoformat(),
                    }
                    for place, item in enumerate(part)
                ],
            )

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        found = self._search(question, self._path, wing=scope, n_results=limit, candidate_strategy=self.strategy)
        if "error" in found:
            raise RuntimeError(found["error"])
        return [hit["drawer_id"] for hit in found["results"]]

    def forget(self, _scope: str, items: Sequence[Item]) -> None:
        self._drawers.delete(ids=[item.key for item in items])

    def close(self) -> None:
        del self._drawers


class PalaceUnion(Palace):
    """Candidates by vector and by word."""

    strategy = "union"
