"""The stores by name, where each is, and what brings it."""

from __future__ import annotations

import importlib
import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.whole.port import Store

__all__ = ["OURS", "PEERS", "Entry", "installed"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A store; `package` is what `pip install` brings it by. At more than `most` memories it is left out, and named.

    One that is not `kept` leaves nothing on disk; of one that is not `synced`, an add may be lost with the power.
    """

    name: str
    where: str
    package: str
    note: str
    most: int | None = None
    kept: bool = True
    synced: bool = True

    def load(self) -> type[Store]:
        """The class of the store, its library imported.

        Raises:
            ImportError: it is not installed.
        """
        module, _, name = self.where.partition(":")
        found: type[Store] = getattr(importlib.import_module(f"benches.whole.{module}"), name)
        return found

    @property
    def version(self) -> str:
        return importlib.metadata.version(self.package)


OURS = Entry("memcore", "ours:Ours", "memcore", "all steps")
PEERS = (
    Entry("hand-written", "handmade:Handmade", "numpy", "FTS5 and a float32 product, fused", synced=False),
    Entry("chromadb", "chroma:Chroma", "chromadb", "vectors only, HNSW"),
    Entry("lancedb", "lance:Lance", "lancedb", "vectors only", synced=False),
    Entry("sqlite-vec", "sqlite_vec0:SqliteVec", "sqlite-vec", "vectors only"),
    Entry("langgraph", "langgraph_store:LangGraph", "langgraph-checkpoint-sqlite", "vectors only"),
    Entry(
        "mem0 with qdrant",
        "mem0_store:Mem0",
        "mem0ai",
        "vectors only, all in memory",
        most=10_000,
        kept=False,
        synced=False,
    ),
    Entry("triviumdb", "trivium:Trivium", "triviumdb", "vectors only", synced=False),
)


def installed(entries: Sequence[Entry]) -> list[Entry]:
    """Those whose library can be imported; the others are named on the screen."""
    found = []
    for entry in entries:
        try:
            entry.load()
        except ImportError as error:
            print(f"{entry.name} is not installed ({error}): its rows are missing; pip install {entry.package}")
        else:
            found.append(entry)
    print("peers: " + ", ".join(f"{entry.name} ({entry.package} {entry.version})" for entry in found), flush=True)
    return found
