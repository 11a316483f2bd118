"""Vectors by text, for the stores that take no vector and ask an embedder for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["GivenVectors"]


class GivenVectors:
    """An embedder that knows only what it was told last, so that it costs a look in a dictionary."""

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def tell(self, texts: Sequence[str], vectors: NDArray[Any]) -> None:
        self._known = dict(zip(texts, vectors.tolist(), strict=True))

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._known[text] for text in texts]

    def embed(self, text: str, _memory_action: str | None = None, **_: Any) -> list[float]:
        """mem0's word for it."""
        return self._known[text]

    def embed_batch(self, texts: Sequence[str], _memory_action: str | None = None) -> list[list[float]]:
        return self(texts)
