"""Calls in turn, how near the answers are to the exact ones, and commits counted in SQLite's log."""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benches.whole.port import Store
    from benches.whole.work import Question

__all__ = ["LIMIT", "RECALL", "Times", "commits", "exact", "in_turn", "recall", "share"]

LIMIT = 10
RECALL = 0.98
"""A peer that finds less of the exact answer does not count."""
HEADER, FRAME = 32, 24


class Times(NamedTuple):
    """Milliseconds of each round: by the clock on the wall, and of all processors for this process."""

    wall: NDArray[Any]
    processor: NDArray[Any]

    @property
    def median(self) -> float:
        return float(np.median(self.wall))

    @property
    def within(self) -> float:
        """What 95 % of the rounds took at most."""
        return float(np.quantile(self.wall, 0.95))


def in_turn(calls: Mapping[str, Callable[[int], object]], rounds: int, unseen: int = 2) -> dict[str, Times]:
    """What each call took in each round, after some rounds unseen."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for turn in range(-unseen, rounds):
        for name, call in calls.items():
            spent, started = time.process_time(), time.perf_counter()
            call(turn % rounds)
            wall = time.perf_counter() - started
            times[name].append((wall * 1_000.0, (time.process_time() - spent) * 1_000.0))
    return {name: Times(*np.array(taken[unseen:]).T) for name, taken in times.items()}


def exact(vectors: NDArray[Any], questions: Sequence[Question]) -> list[set[int]]:
    """The places of the nearest vectors to questions, by all products in float32."""
    scores = vectors @ np.array([question.vector for question in questions]).T
    near = np.argpartition(-scores, LIMIT - 1, axis=0)[:LIMIT]
    return [set(column.tolist()) for column in near.T]


def share(found: Sequence[Sequence[int]], truth: Sequence[set[int]]) -> float:
    """How much of the exact answers was found.

    Example:
        >>> share([[1, 2], [3, 9]], [{1, 2}, {3, 4}])
        0.75
    """
    return sum(len(true.intersection(one)) for one, true in zip(found, truth, strict=True)) / sum(map(len, truth))


def recall(store: Store, questions: Sequence[Question], truth: Sequence[set[int]]) -> float:
    """The share of the exact answers that a store finds."""
    return share([store.nearest(question.vector, LIMIT) for question in questions], truth)


def commits(log: Path) -> int | None:
    """How many transactions were committed to a WAL file since it was last begun; None without one.

    A frame whose header has the size of the database in it ends a transaction; a frame with other salts than those of
    the file is left over from before.
    """
    try:
        held = log.read_bytes()
    except FileNotFoundError:
        return None
    if len(held) < HEADER:
        return None
    (page,), salts = struct.unpack_from(">I", held, 8), held[16:24]
    found = 0
    for at in range(HEADER, len(held) - FRAME + 1, FRAME + page):
        if held[at + 8 : at + 16] != salts:
            break
        found += struct.unpack_from(">I", held, at + 4)[0] > 0
    return found
