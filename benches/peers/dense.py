"""The vectors alone: the exact cosine of the question with every memory of the scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benches.peers.port import Item, Setting

__all__ = ["Dense"]


class Dense:
    """A matrix a scope.

    Example:
        >>> from pathlib import Path
        >>> from benches.peers.port import Item, Setting, Vectors
        >>> from memcore.embedding import HashingEmbedder
        >>> peer = Dense(Setting(Path(), Vectors(HashingEmbedder())))
        >>> peer.fill("u", [Item(t, t, None, None, None) for t in ("two dogs barked", "it rained")])
        >>> peer.search("u", "it rained", 1)
        ['it rained']
    """

    def __init__(self, setting: Setting) -> None:
        self._vectors = setting.vectors
        self._keys: dict[str, list[str]] = {}
        self._rows: dict[str, NDArray[np.float32]] = {}

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        before = self._rows.get(scope, np.empty((0, self._vectors.dimension), dtype=np.float32))
        self._rows[scope] = np.vstack([before, self._vectors.rows([item.text for item in items])])
        self._keys.setdefault(scope, []).extend(item.key for item in items)

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        order = np.argsort(-(self._rows[scope] @ self._vectors.of(question)), kind="stable")
        return [self._keys[scope][place] for place in order[:limit].tolist()]

    def forget(self, scope: str, items: Sequence[Item]) -> None:
        gone = {item.key for item in items}
        kept = [place for place, key in enumerate(self._keys[scope]) if key not in gone]
        self._rows[scope] = self._rows[scope][kept]
        self._keys[scope] = [self._keys[scope][place] for place in kept]

    def close(self) -> None:
        self._rows.clear()
