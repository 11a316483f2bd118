"""The seeded work of whole searches: vectors, texts, questions, and the arcs between memories.

Vectors are unit rows normalise(.6 * centroid[zipf of 1,000] + .8 * unit noise), those of questions normalise(row + .5 *
unit noise). Texts are sentences of Zipf words of lognormal length, 18 words on average, a third of them from one of 400
topics, the topic going with the centroid; a question has 3 to 6 words of the topic of its row, and 2 ordinary ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.whole.port import Memories

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rng = np.random.Generator

__all__ = ["Arcs", "Question", "Work", "arcs_of", "work_of"]

CENTROIDS = 1_000
TOPICS = 400
TOPIC_WORDS = 60
ORDINARY_WORDS = 30_000
LENGTH = 18.0
SPREAD = 0.4
CHUNK = 50_000
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    vector: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Work:
    memories: Memories
    questions: list[Question]


def unit(rows: NDArray[Any]) -> NDArray[Any]:
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def words_of(rng: Rng, count: int) -> NDArray[np.object_]:
    """Different words that can be said, of two to four syllables."""
    found: dict[str, None] = {}
    while len(found) < count:
        drawn = rng.integers(0, len(SYLLABLES), (count, 4))
        lengths = rng.integers(2, 5, count)
        found |= dict.fromkeys(
            "".join(SYLLABLES[at] for at in row[:length]) for row, length in zip(drawn.tolist(), lengths, strict=True)
        )
    return np.array(list(found)[:count], dtype=object)


def zipf(rng: Rng, ranks: int, count: int) -> NDArray[np.int64]:
    """Ranks from 0 on, the chance of each inverse to its place."""
    chances = np.cumsum(1.0 / np.arange(1, ranks + 1))
    return np.searchsorted(chances, rng.random(count) * chances[-1], side="right")


class Maker:
    """Draws everything in one order from one seed; what it draws first does not depend on what comes after."""

    def __init__(self, dimension: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._dimension = dimension
        self._centroids = self._noise(CENTROIDS)
        words = words_of(self._rng, ORDINARY_WORDS + TOPICS * TOPIC_WORDS)
        self._ordinary = words[:ORDINARY_WORDS]
        self._topical = words[ORDINARY_WORDS:].reshape(TOPICS, TOPIC_WORDS)

    def _noise(self, count: int) -> NDArray[Any]:
        return unit(self._rng.standard_normal((count, self._dimension), dtype=np.float32))

    def memories(self, count: int, first: int = 0) -> tuple[Memories, NDArray[np.int64]]:
        """So many memories, and the topic of each."""
        vectors, texts = np.empty((count, self._dimension), np.float32), []
        topics = np.empty(count, np.int64)
        for at in range(0, count, CHUNK):
            many = min(CHUNK, count - at)
            drawn = zipf(self._rng, CENTROIDS, many)
            vectors[at : at + many] = unit(
                np.float32(0.6) * self._centroids[drawn] + np.float32(0.8) * self._noise(many)
            )
            topics[at : at + many] = drawn % TOPICS
            texts += self._texts(drawn % TOPICS)
        return Memories(first, texts, vectors), topics

    def _texts(self, topics: NDArray[np.int64]) -> list[str]:
        rng = self._rng
        lengths = np.maximum(3, rng.lognormal(np.log(LENGTH) - SPREAD**2 / 2, SPREAD, len(topics)).astype(np.int64))
        whole = int(lengths.sum())
        drawn = self._ordinary[zipf(rng, ORDINARY_WORDS, whole)]
        topical = np.flatnonzero(rng.random(whole) < 1 / 3)
        of = np.repeat(topics, lengths)[topical]
        drawn[topical] = self._topical[of, zipf(rng, TOPIC_WORDS, len(topical))]
        ends = np.cumsum(lengths).tolist()
        return [" ".join(drawn[end - length : end]) + "." for end, length in zip(ends, lengths.tolist(), strict=True)]

    def questions(self, count: int, memories: Memories, topics: NDArray[np.int64]) -> list[Question]:
        rows = self._rng.integers(0, len(memories), count)
        vectors = unit(memories.vectors[rows] + np.float32(0.5) * self._noise(count))
        texts = [self._question(int(topic)) for topic in topics[rows]]
        return [Question(*pair) for pair in zip(texts, vectors, strict=True)]

    def _question(self, topic: int) -> str:
        many = int(self._rng.integers(3, 7))
        asked = [*self._topical[topic, zipf(self._rng, TOPIC_WORDS, many)]]
        asked += [*self._ordinary[zipf(self._rng, ORDINARY_WORDS, 2)]]
        return " ".join(self._rng.permutation(asked)) + "?"


def work_of(count: int, dimension: int, questions: int, seed: int = 42) -> Work:
    """So many memories, and questions about some of them."""
    maker = Maker(dimension, seed)
    memories, topics = maker.memories(count)
    return Work(memories, maker.questions(questions, memories, topics))


@dataclass(frozen=True, slots=True)
class Arcs:
    """Directed edges by the places of memories."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: NDArray[np.float64]
    inhibitory: NDArray[np.bool_]


def arcs_of(nodes: int, count: int, seed: int = 42) -> Arcs:
    """Associative arcs: targets by (rank + 10)^-.77, sources by (rank + 10)^-.5, places a permutation of ranks.

    Weights are Beta(2, 2) in [.02, 1], 3 % inhibitory; an arc that was drawn before, or ends where it begins, is left
    out, so there are at most `count`.
    """
    rng = np.random.default_rng(seed)
    ranks = np.arange(nodes) + 10.0

    def drawn(power: float) -> NDArray[np.int64]:
        chances = np.cumsum(ranks**power)
        return np.searchsorted(chances, rng.random(count) * chances[-1], side="right")

    places = rng.permutation(nodes)
    targets, sources = places[drawn(-0.77)], places[drawn(-0.5)]
    _, firsts = np.unique(sources * nodes + targets, return_index=True)
    firsts = firsts[sources[firsts] != targets[firsts]]
    weights = 0.02 + 0.98 * rng.beta(2.0, 2.0, len(firsts))
    return Arcs(sources[firsts], targets[firsts], weights, rng.random(len(firsts)) < 0.03)
