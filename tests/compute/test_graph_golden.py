"""The golden values of the two walks, and what the graph engine refuses, through the bindings."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from memcore._core import CognitiveGraphEngine, DimensionError, InvalidInputError, pagerank, spread
from memcore.kinds import EdgeType

SPREAD: dict[str, Any] = {
    "steps": 2,
    "decay": 0.6,
    "threshold": 0.05,
    "teleport_alpha": 0.15,
    "max_active": 10_000,
    "allowed": None,
}
PAGERANK: dict[str, Any] = {"restart": 0.15, "tolerance": 1e-6, "max_visits": 5_000_000, "allowed": None}


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def numbers(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def undirected(*edges: tuple[int, int, float, int]) -> CognitiveGraphEngine:
    engine = CognitiveGraphEngine(None)
    columns = list(zip(*[*edges, *[(b, a, w, t) for a, b, w, t in edges]], strict=True))
    engine.add_edges(ids(*columns[0]), ids(*columns[1]), numbers(*columns[2]), np.array(columns[3], np.uint8))
    return engine


def chain() -> CognitiveGraphEngine:
    return undirected((1, 2, 0.9, 0), (2, 3, 0.85, 0), (3, 4, 0.7, 0))


def rival() -> CognitiveGraphEngine:
    return undirected((1, 2, 0.9, 0), (1, 3, 0.5, EdgeType.INHIBITORY))


@pytest.mark.parametrize(
    ("graph", "changed", "expected"),
    [
        (chain, {"teleport_alpha": 0.0}, {1: 1.291605, 2: 1.080009, 3: 0.275404}),
        (chain, {}, {1: 1.179082, 2: 0.918008, 3: 0.198979}),
        (rival, {"steps": 1}, {1: 1.0, 2: 0.459004, 3: -0.600009}),
        (rival, {}, {1: 1.179082, 2: 0.918008, 3: -1.200018}),
    ],
)
def test_spreading_has_its_golden_values(graph: Any, changed: dict[str, Any], expected: dict[int, float]) -> None:
    found, energies = graph().spread(ids(1), numbers(1), **{**SPREAD, **changed})
    assert found.dtype == np.int64
    assert energies.dtype == np.float32
    assert dict(zip(found.tolist(), energies.tolist(), strict=True)) == pytest.approx(expected, abs=1e-5)
    assert np.all(np.diff(np.abs(energies)) <= 0)


def test_blocks_are_one_graph_and_the_answer_is_the_same_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    pairs = np.unique(rng.integers(0, 300, (2000, 2)), axis=0)
    strengths = rng.uniform(0, 1, len(pairs)).astype(np.float32)
    types = rng.choice([0, 3, EdgeType.INHIBITORY], len(pairs)).astype(np.uint8)

    def blocks(order: np.ndarray, count: int) -> list[CognitiveGraphEngine]:
        engines = [CognitiveGraphEngine(None) for _ in range(count)]
        for i in order:
            engines[i % count].add_edges(
                *np.ascontiguousarray(pairs[i].reshape(2, 1)), strengths[i : i + 1], types[i : i + 1]
            )
        return engines

    seeds, energies = ids(3, 5, 8), numbers(2, 1, 0.5)
    one = blocks(np.arange(len(pairs)), 1)
    many = blocks(rng.permutation(len(pairs)), 4)
    apart = [spread(engines, seeds, energies, **SPREAD, max_outflow=1.5) for engines in (one, many)]
    assert len(apart[0][0]) > 30
    assert [array.tobytes() for array in apart[0][:2]] == [array.tobytes() for array in apart[1][:2]]
    assert apart[0][2] == apart[1][2]
    ranks = [pagerank(engines, seeds, energies, **PAGERANK) for engines in (one, many)]
    assert ranks[0].scores.tobytes() == ranks[1].scores.tobytes()
    assert ranks[0].converged
    assert ranks[0].scores.sum() == pytest.approx(1)


def test_a_spread_tells_how_many_nodes_met_the_bound() -> None:
    hub = undirected(*[(i, 100, 1.0, 0) for i in range(1, 9)])
    found, energies, clamped = spread([hub], ids(*range(1, 9)), np.full(8, 2, np.float32), **SPREAD, max_outflow=None)
    assert clamped >= 1
    assert energies[found.tolist().index(100)] == 2


def test_energy_stays_within_what_is_allowed() -> None:
    found, _ = chain().spread(ids(1), numbers(1), **{**SPREAD, "steps": 9, "allowed": ids(1, 2, 4)})
    assert sorted(found.tolist()) == [1, 2]
    assert set(chain().pagerank(ids(1), numbers(1), **{**PAGERANK, "allowed": ids(1, 2, 4)}).ids.tolist()) == {1, 2}


def test_past_its_budget_pagerank_falls_back_and_says_so() -> None:
    rank = chain().pagerank(ids(1), numbers(1), **{**PAGERANK, "max_visits": 3})
    assert rank.fell_back
    assert not rank.converged
    assert rank.ids.tolist() == [1, 2, 3]


def test_neighbors_are_sorted_and_removals_are_counted() -> None:
    graph = undirected((1, 3, 0.5, 2), (1, 2, 1.0, 0), (1, 3, 0.25, 0))
    targets, strengths, types = graph.neighbors(1)
    assert (targets.tolist(), types.tolist()) == ([2, 3, 3], [0, 0, 2])
    assert strengths == pytest.approx([1, 0.25, 0.5], abs=1e-5)
    assert (graph.node_count, graph.edge_count) == (3, 6)
    assert graph.remove_edges(ids(1), ids(3)) == 2
    assert graph.remove_nodes(ids(2, 77)) == 1
    assert (graph.node_count, graph.edge_count) == (2, 2)
    assert graph.memory_bytes > 0
    assert [column.size for column in graph.neighbors(5)] == [0, 0, 0]


def test_every_edge_type_has_its_byte_in_the_engine() -> None:
    graph = CognitiveGraphEngine(None)
    types = np.array(list(EdgeType), np.uint8)
    count = len(types)
    graph.add_edges(np.zeros(count, np.int64), np.arange(1, count + 1), np.ones(count, np.float32), types)
    assert graph.edge_count == count
    with pytest.raises(InvalidInputError, match="types: 7 at 0"):
        graph.add_edges(ids(1), ids(2), numbers(1), np.array([7], np.uint8))


@pytest.mark.parametrize(
    ("seeds", "energies", "changed", "field"),
    [
        (ids(-1), numbers(1), {}, "seed_ids"),
        (np.array([2**63], np.uint64), numbers(1), {}, "seed_ids"),
        (ids(1), numbers(float("nan")), {}, "seed_energies"),
        (ids(1), np.ones(1), {}, "seed_energies"),
        (ids(1), numbers(1), {"steps": -1}, "steps"),
        (ids(1), numbers(1), {"steps": True}, "steps"),
        (ids(1), numbers(1), {"max_active": 0}, "max_active"),
        (ids(1), numbers(1), {"decay": float("nan")}, "decay"),
        (ids(1), numbers(1), {"threshold": "0.05"}, "threshold"),
        (ids(1), numbers(1), {"allowed": [1]}, "allowed"),
        (ids(1), numbers(1), {"allowed": ids(-1)}, "allowed"),
    ],
)
def test_bad_arguments_are_named(seeds: Any, energies: Any, changed: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"^{field}: "):
        chain().spread(seeds, energies, **{**SPREAD, **changed})


@pytest.mark.parametrize("wrong", [-1, 2**63, "7", True, None, 1.5])
def test_an_impossible_id_is_an_error_and_never_a_wrap(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^id:"):
        chain().neighbors(wrong)


def test_columns_of_different_length_do_not_match() -> None:
    with pytest.raises(DimensionError, match="targets"):
        CognitiveGraphEngine(None).add_edges(ids(1), ids(1, 2), numbers(1), np.zeros(1, np.uint8))


def test_threads_may_write_and_walk_at_once() -> None:
    graph = chain()

    def work(first: int) -> None:
        for i in range(first, first + 50):
            graph.add_edges(ids(i), ids(i + 1), numbers(1), np.zeros(1, np.uint8))
            spread([graph, graph], ids(1), numbers(1), **SPREAD, max_outflow=None)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [100, 200, 300, 400]))
    assert graph.edge_count == 6 + 200


def test_a_class_of_ones_own_may_extend_the_engine() -> None:
    class Named(CognitiveGraphEngine):
        name = "mine"

    assert Named(3).edge_count == 0


def test_no_walk_enters_or_leaves_what_is_hidden():
    found, energies, _ = spread([chain()], ids(1, 3), numbers(1, 1), **SPREAD, max_outflow=None, hidden=ids(3))
    assert found.tolist() == [1, 2]
    alone, expected = chain().spread(ids(1), numbers(1), **{**SPREAD, "allowed": ids(1, 2)})
    assert (found.tolist(), energies.tolist()) == (alone.tolist(), expected.tolist())
    assert set(pagerank([chain()], ids(1), numbers(1), **PAGERANK, hidden=ids(3)).ids.tolist()) == {1, 2}
