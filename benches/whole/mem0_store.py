"""mem0 with `infer=False`: no model of language, qdrant in the process, given vectors. Vectors only, as pip leaves it.

Everything is held in memory: in a folder, an add is two synced commits and ten thousand of them take minutes. Its
constructor makes a client for a model of language, which is never called, so it has a key that opens nothing.
"""

from __future__ import annotations

import logging
import os
import warnings
from typing import TYPE_CHECKING, Any

os.environ["MEM0_TELEMETRY"] = "False"
logging.getLogger("mem0").setLevel(logging.CRITICAL)  # it says with every start which extras it is without
warnings.filterwarnings("ignore", "Payload indexes have no effect", UserWarning)

from mem0 import Memory  # noqa: E402 - it reads its variables while it is imported
from qdrant_client import QdrantClient  # noqa: E402

from benches.whole.given import GivenVectors  # noqa: E402
from benches.whole.port import USER, Memories, Store  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Mem0"]


class Mem0(Store):
    def __init__(self, _folder: Path, dimension: int) -> None:
        client = QdrantClient(":memory:")
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"client": client, "embedding_model_dims": dimension},
                },
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": ":memory:",
            }
        )
        self._memory.embedding_model = self._given = GivenVectors()
        self._memory.vector_store._bm25_encoder = False  # noqa: SLF001 - its word for none, and no public way in

    def add_many(self, memories: Memories) -> None:
        """One by one: it takes one conversation a call."""
        self._given.tell(memories.texts, memories.vectors)
        for place, text in zip(memories.places, memories.texts, strict=True):
            message = {"role": "user", "content": text}
            self._memory.add([message], user_id=USER, metadata={"place": place}, infer=False)

    def search(self, text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        self._given.tell([text], vector[None])
        found = self._memory.search(text, filters={"user_id": USER}, top_k=limit, threshold=0.0)
        return [(hit["metadata"]["place"], hit["memory"]) for hit in found["results"]]

    def close(self) -> None:
        self._memory.close()
