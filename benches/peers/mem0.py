"""mem0 with `infer=False`: no model of language, qdrant in memory, our vectors.

Its constructor makes a client for a model of language, which is never called, so it has a key that opens nothing.
As `pip install mem0ai` leaves it, it ranks by cosine alone. `Mem0Hybrid` has its keyword half too: fastembed's BM25,
which would download a list of stop words, and is given one. spaCy's model for lemmas and entities is on no registry
that was reached, so its boost by entities is off in both; fastembed stems by itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from benches.peers.lexical import STOP_WORDS
from benches.peers.port import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting, Vectors

__all__ = ["Mem0", "Mem0Hybrid"]


def joined(name: str) -> str:
    """A name without spaces, which mem0 does not take."""
    return "_".join(name.split())


class Embedding:
    """mem0's embedder, by its two calls."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, text: str, _memory_action: str | None = None, **_: Any) -> list[float]:
        return [float(value) for value in self._vectors.of(text)]

    def embed_batch(self, texts: Sequence[str], _memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class Mem0:
    """The user is its `user_id`, the session its `run_id`, the speaker a message's `name`, the moment `created_at`."""

    def __init__(self, setting: Setting) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(setting.folder)
        client = product("qdrant_client").QdrantClient(":memory:")
        self._memory: Any = product("mem0").Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"client": client, "embedding_model_dims": setting.vectors.dimension},
                },
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(setting.folder / "history.db"),
            }
        )
        self._memory.embedding_model = Embedding(setting.vectors)
        self._memory.vector_store._bm25_encoder = self.encoder(setting)  # noqa: SLF001 - it has no public way in
        self._keys: dict[str, str] = {}

    def encoder(self, _setting: Setting) -> Any:
        """mem0's keyword encoder; False is its word for none."""
        return False

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        for item in items:
            message = {"role": "user", "content": item.text}
            if item.speaker is not None:
                message["name"] = item.speaker
            metadata = {"key": item.key}
            if item.moment is not None:
                metadata["created_at"] = item.moment.isoformat()
            session = None if item.session is None else joined(item.session)
            added = self._memory.add([message], user_id=joined(scope), run_id=session, metadata=metadata, infer=False)
            self._keys[item.key] = added["results"][0]["id"]

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        found = self._memory.search(question, filters={"user_id": joined(scope)}, top_k=limit)
        return [hit["metadata"]["key"] for hit in found["results"]]

    def forget(self, _scope: str, items: Sequence[Item]) -> None:
        for item in items:
            self._memory.delete(self._keys.pop(item.key))

    def close(self) -> None:
        self._memory.close()


class Mem0Hybrid(Mem0):
    """With its keyword half."""

    def encoder(self, setting: Setting) -> Any:
        bm25 = product("fastembed.sparse.bm25").Bm25
        return bm25("Qdrant/bm25", specific_model_path=str(setting.folder), stopwords=set(STOP_WORDS))
