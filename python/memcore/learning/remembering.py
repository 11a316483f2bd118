"""An embedder that remembers queries: in a tuning the same ones are asked hundreds of times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.writing.vectors import VectorSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memcore.embedding import Embedder
    from memcore.searching.search import Searcher

__all__ = ["remembering"]


class _Remembering:
    """The vectors of another embedder, each query's asked for once.

    Texts that were asked for together are remembered together: embedded in another company, the last digits may differ.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[str, ...], NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not query:
            return self._embedder.embed(texts)
        asked = tuple(texts)
        if asked not in self._known:
            self._known[asked] = self._embedder.embed(texts, query=True)
        return self._known[asked]


def remembering(searcher: Searcher) -> Searcher:
    """The same searches, by an embedder that is asked for each query once."""
    embedder = searcher.vectors.embedder
    if embedder is None:
        return searcher
    return replace(searcher, vectors=VectorSource(_Remembering(embedder.wrapped)))
