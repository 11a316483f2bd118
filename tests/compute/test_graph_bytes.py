"""A graph as bytes: it comes back and goes on, and what is no graph is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memcore import EngineError
from memcore.compute import Bm25Index, CognitiveGraphEngine

if TYPE_CHECKING:
    from collections.abc import Callable


def graph_of(seed: int, count: int = 300) -> CognitiveGraphEngine:
    rng = np.random.default_rng(seed)
    graph = CognitiveGraphEngine(7)
    types = rng.choice(np.array([0, 1, 255], np.uint8), count)
    sources, targets = rng.integers(60, size=(2, count))
    graph.add_edges(sources, targets, rng.random(count, dtype=np.float32), types)
    graph.remove_nodes(np.array([3, 8, 50]))
    return graph


def answers(graph: CognitiveGraphEngine) -> list[list[float]]:
    seeds, energies = np.array([1, 5, 9]), np.array([1, 0.5, 2], np.float32)
    ranked = graph.pagerank(seeds, energies)
    spread = graph.spread(seeds, energies)
    near = [column.tolist() for seed in seeds.tolist() for column in graph.neighbors(seed)]
    return [*(column.tolist() for column in spread), ranked.ids.tolist(), ranked.scores.tolist(), *near]


def test_a_graph_comes_back_from_its_bytes_and_goes_on() -> None:
    graph = graph_of(1)
    restored = CognitiveGraphEngine.from_bytes(graph.to_bytes())
    assert isinstance(restored, CognitiveGraphEngine)
    assert restored.to_bytes() == graph.to_bytes()
    for one in (graph, restored):
        one.remove_nodes(np.array([11, 12]))
        one.add_edges(np.array([70, 1]), np.array([1, 71]), np.array([0.9, 0.8], "f4"), np.array([0, 3], "u1"))
    assert answers(restored) == answers(graph)
    assert (restored.node_count, restored.edge_count) == (graph.node_count, graph.edge_count)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:0],
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
        lambda data: data[:4] + b"\x09" + data[5:],
        lambda _: Bm25Index().to_bytes(),
    ],
)
def test_bytes_that_are_no_graph_are_refused(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(EngineError, match="graph is damaged"):
        CognitiveGraphEngine.from_bytes(damage(graph_of(2).to_bytes()))
