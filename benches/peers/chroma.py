"""chromadb, in process and ephemeral: one collection, cosine, our vectors, filtered by user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benches.peers.port import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting

__all__ = ["Chroma"]

BATCH = 5_000
"""At most so many rows a call: chromadb has a limit of its own, of 5,461."""


class Chroma:
    """Session, speaker and moment are metadata, which its search does not read unless it is told to filter by them."""

    def __init__(self, setting: Setting) -> None:
        chromadb = product("chromadb")
        self._vectors = setting.vectors
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        self._client = chromadb.EphemeralClient(settings=settings)
        self._name = f"memories-{setting.folder.name}"
        self._collection: Any = self._client.create_collection(
            self._name, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            self._collection.add(
                ids=[item.key for item in part],
                documents=[item.text for item in part],
                embeddings=self._vectors.rows([item.text for item in part]),
                metadatas=[
                    {
                        "user": scope,
                        "speaker": item.speaker or "",
                        "session": item.session or "",
                        "moment": "" if item.moment is None else item.moment.isoformat(),
                    }
                    for item in part
                ],
            )

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        found = self._collection.query(
            query_embeddings=[self._vectors.of(question)], n_results=limit, where={"user": scope}, include=[]
        )
        return list(found["ids"][0])

    def forget(self, scope: str, items: Sequence[Item]) -> None:
        self._collection.delete(ids=[item.key for item in items], where={"user": scope})

    def close(self) -> None:
        self._client.delete_collection(self._name)
