"""memcore: the whole `Memory.search()` with all its steps, durable writes, everything as it comes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import memcore.calls.sections
import memcore.storage.database  # noqa: F401 - the storage layer is imported with this module, not with the first call
from benches.whole.port import USER, Memories, Store
from memcore.kinds import EdgeType
from memcore.memory import Memory
from memcore.storage import edges
from memcore.storage.rows import NewEdge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benches.whole.work import Arcs

__all__ = ["DATABASE", "Ours"]

DATABASE = "memories.db"
START = datetime(2026, 1, 1, tzinfo=UTC)
SPEAKERS = ("Ana", "Bo", "Chen", "Dora")
BATCH = 10_000


class Ours(Store):
    """Turns of conversations of 40, a minute apart, by four speakers."""

    def __init__(self, folder: Path, _dimension: int, user: str = USER) -> None:
        self.path = folder / DATABASE
        self._memory = Memory(self.path, embedder="none")
        self._user = user
        self._places: dict[int, int] = {}

    def of(self, user: str) -> Ours:
        """The same open store, seen for another user."""
        other = object.__new__(Ours)
        other.path, other._memory, other._user, other._places = self.path, self._memory, user, {}
        return other

    def add_many(self, memories: Memories) -> None:
        for part in memories.parts(BATCH):
            self._note(part, self._memory.add_many(list(self._items(part))).ids)

    def add(self, memories: Memories) -> None:
        for item in self._items(memories):
            self._note(memories, self._memory.add(item.pop("content"), **item).ids)

    def _items(self, memories: Memories) -> Iterator[dict[str, Any]]:
        for place, text, vector in zip(memories.places, memories.texts, memories.vectors, strict=True):
            yield {
                "content": text,
                "kind": "turn",
                "user_id": self._user,
                "session_id": f"s{place // 40}",
                "speaker": SPEAKERS[place % 4],
                "event_time": START + timedelta(minutes=place),
                "embedding": vector,
            }

    def _note(self, memories: Memories, ids: Sequence[int | None]) -> None:
        self._places |= {id_: place for id_, place in zip(ids, memories.places, strict=True) if id_ is not None}

    def join(self, arcs: Arcs) -> None:
        """Joins the memories of a store that holds those of one user only, many edges a write."""
        with self._memory._database.read() as conn:  # noqa: SLF001 - ids in the order in which memories were added
            found = conn.exec_driver_sql("SELECT id FROM memory WHERE user_id = ? ORDER BY id", (self._user,))
            ids = found.scalars().all()
        for start in range(0, len(arcs.weights), BATCH):
            stop = start + BATCH
            rows = zip(
                arcs.sources[start:stop].tolist(),
                arcs.targets[start:stop].tolist(),
                arcs.weights[start:stop].tolist(),
                arcs.inhibitory[start:stop].tolist(),
                strict=True,
            )
            kinds = (EdgeType.ASSOCIATIVE, EdgeType.INHIBITORY)
            new = [NewEdge(ids[source], ids[target], kinds[bars], weight) for source, target, weight, bars in rows]
            with self._memory._database.write() as conn:  # noqa: SLF001 - a million calls of `relate` would be as many commits
                edges.put(conn, new)

    def search(self, text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        hits = self._memory.search(text, user_id=self._user, embedding=vector, limit=limit)
        return [(self._places.get(hit.id, hit.id), hit.content) for hit in hits]

    def trace(self, text: str, vector: NDArray[Any], limit: int) -> Any:
        """The trace of a search: its steps and what each took."""
        return self._memory.search(text, user_id=self._user, embedding=vector, limit=limit).trace

    def close(self) -> None:
        self._memory.close()
