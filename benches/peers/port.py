"""What an adapter to a peer is handed, and what it is asked."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Item", "Peer", "Setting", "Vectors", "product"]


@dataclass(frozen=True, slots=True)
class Item:
    """One memory. `key` is unique over all stores of a file."""

    key: str
    text: str
    """As the file has it, with the speaker's name in front where it stands there."""
    speaker: str | None
    session: str | None
    moment: datetime | None


class Vectors:
    """Vectors of length 1, each text embedded once for all peers, so that no peer's time has the embedder's in it."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.dimension: int = embedder.dimension
        self._known: dict[str, NDArray[np.float32]] = {}

    def learn(self, texts: Iterable[str]) -> None:
        """Embeds what is not known yet."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            matrix = np.asarray(self._embedder.embed(fresh), dtype=np.float32)
            lengths = np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
            self._known |= zip(fresh, matrix / lengths, strict=True)

    def of(self, text: str) -> NDArray[np.float32]:
        """The vector (d,) of a text."""
        self.learn([text])
        return self._known[text]

    def rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors (n, d) of texts."""
        self.learn(texts)
        return np.array([self._known[text] for text in texts], dtype=np.float32).reshape(-1, self.dimension)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a peer is built with: where it may write, and the vectors it may take."""

    folder: Path
    vectors: Vectors


class Peer(Protocol):
    """A retriever. A scope is one person's memories: what one scope holds, no other one finds."""

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        """Stores memories, in order."""

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        """The keys of the best memories of a scope, best first."""

    def forget(self, scope: str, items: Sequence[Item]) -> None:
        """Takes memories out again."""

    def close(self) -> None:
        """Lets go of files and memory."""


def product(module: str) -> Any:
    """The module of a peer that is installed beside memcore.

    Raises:
        ImportError: it is not installed.
    """
    return importlib.import_module(module)
