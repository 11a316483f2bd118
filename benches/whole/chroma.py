"""chromadb, persistent: a collection a user, cosine, HNSW as it comes. Vectors only: its words are not ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chromadb

from benches.whole.port import USER, Memories, Store

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Chroma"]

BATCH = 5_000
"""At most so many rows a call: chromadb has a limit of its own, of 5,461."""


class Chroma(Store):
    def __init__(self, folder: Path, _dimension: int) -> None:
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(folder, settings=settings)
        self._collection: Any = self._client.get_or_create_collection(
            f"user-{USER}", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add_many(self, memories: Memories) -> None:
        for part in memories.parts(BATCH):
            self._collection.add(
                ids=[str(place) for place in part.places], documents=list(part.texts), embeddings=part.vectors
            )

    def search(self, _text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        found = self._collection.query(query_embeddings=[vector], n_results=limit, include=["documents"])
        return [(int(id_), text) for id_, text in zip(found["ids"][0], found["documents"][0], strict=True)]

    def close(self) -> None:
        self._client.close()
