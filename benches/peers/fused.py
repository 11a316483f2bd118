"""Reciprocal rank fusion of the lexical and the dense ranking: 1 / (60 + rank), over the first 100 of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benches.peers.dense import Dense
from benches.peers.lexical import Lexical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting

__all__ = ["Fused", "fuse"]

OFFSET = 60
DEPTH = 100


def fuse(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Keys by their summed reciprocal ranks, which count from 1; a tie goes to the better place in the first ranking.

    Example:
        >>> fuse([["a", "b"], ["c", "b"]])
        ['b', 'a', 'c']
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (OFFSET + place)
    return sorted(scores, key=lambda key: -scores[key])


class Fused:
    """Both channels have an equal say."""

    def __init__(self, setting: Setting) -> None:
        self._channels = (Lexical(setting), Dense(setting))

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        for channel in self._channels:
            channel.fill(scope, items)

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        return fuse([channel.search(scope, question, DEPTH) for channel in self._channels])[:limit]

    def forget(self, scope: str, items: Sequence[Item]) -> None:
        for channel in self._channels:
            channel.forget(scope, items)

    def close(self) -> None:
        for channel in self._channels:
            channel.close()
