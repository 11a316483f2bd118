"""geny-memory-adaptor's Synapse: BM25, hashed vectors of its own, PageRank and a ranker, in one SQLite file a person.

It takes no vectors at search, so it has its own; nothing is told back to its ranker, which so stays as it ships.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benches.peers.port import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting

__all__ = ["Synapse"]


class Synapse:
    """The session is a tag, the moment `updated_at`; it has no field for a speaker."""

    def __init__(self, setting: Setting) -> None:
        self._engine = product("geny_memory_adaptor").SynapseMemory
        self._folder = setting.folder
        self._open: dict[str, Any] = {}

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        if scope not in self._open:
            self._open[scope] = self._engine.open(str(self._folder / f"{len(self._open)}.db"))
        self._open[scope].index_many(
            [
                {
                    "node_id": item.key,
                    "text": item.text,
                    "tags": [] if item.session is None else [item.session],
                    "updated_at": None if item.moment is None else item.moment.timestamp(),
                }
                for item in items
            ]
        )

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        return [hit.id for hit in self._open[scope].search(question, top_k=limit)]

    def forget(self, scope: str, items: Sequence[Item]) -> None:
        self._open[scope].remove_many([item.key for item in items])

    def close(self) -> None:
        for engine in self._open.values():
            engine.close()
