"""Spreading, the building of a graph, and personalised PageRank, beside their peers.

    python -m benches.kernels graph [--nodes 100000,1000000] [--rounds N] [--threads N]

Ten edges a node. 2(n - 1) are temporal, from each node to the one before and after, of weight .5; the others are
associative: target drawn by (rank + 10)^-.77, source by (rank + 10)^-.5, ids a random permutation of rank, weights
Beta(2, 2) in .02 to 1, 3 % inhibitory, one a pair; seed 42. A query has 5 seeds by popularity with energy 2, and 20
uniform ones with energy in .3 to .8.

Every answer goes to numpy arrays. Spreading and PageRank are checked against numpy or scipy in float64.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benches.kernels.timing import OURS, in_turn, once_for_each_count_of_threads, print_row, versions
from benches.results import Goal
from memcore import CognitiveGraphEngine
from memcore.kinds import EdgeType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Query = tuple[NDArray[np.int64], NDArray[np.float32]]
    Walk = Callable[[NDArray[np.int64], NDArray[np.float32]], NDArray[np.float64]]

QUERIES = 32
STEPS, DECAY, THRESHOLD, ALPHA, CAP = 2, 0.6, 0.05, 0.15, 2.0
RESTART, TOLERANCE = 0.15, 1e-6
VISITS = 2_000_000_000  # never too many: the fallback is another answer
SCIPY, PERO, IGRAPH = "scipy, rows of the frontier", "pero-memory-core", "igraph (to its own end)"
CAPPED = f"{PERO}, its cap"
EQUAL = 1e-5
"""The most by which a node's energy may differ from the slow reference."""
LEFT = TOLERANCE * (1 - RESTART) / RESTART
"""The most mass that is left to move where a step moved less than the tolerance."""
EDGES_A_SECOND, EDGE_BYTES = 10.0, 16.0
"""Millions, and of a directed edge."""


class Edges(NamedTuple):
    """The columns of a graph over the ids 0 to n - 1."""

    count: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    strengths: NDArray[np.float32]
    types: NDArray[np.uint8]


def work(count: int) -> tuple[Edges, list[Query]]:
    rng = np.random.default_rng(42)
    rank = np.arange(count)
    popular = np.cumsum((rank + 10.0) ** -0.77)
    active = np.cumsum((rank + 10.0) ** -0.5)

    def drawn(chances: NDArray[np.float64], many: int) -> NDArray[np.int64]:
        return np.searchsorted(chances, rng.random(many) * chances[-1])

    ids = rng.permutation(count)
    wanted = 10 * count - 2 * (count - 1)
    pairs = np.empty(0, np.int64)
    while len(pairs) < wanted:
        many = int(1.3 * (wanted - len(pairs))) + 10
        new = ids[drawn(active, many)] * count + ids[drawn(popular, many)]
        pairs = np.unique(np.concatenate([pairs, new[new // count != new % count]]))
    pairs = rng.permutation(pairs)[:wanted]
    strengths = (0.02 + 0.98 * rng.beta(2, 2, wanted)).astype(np.float32)
    types = np.where(rng.random(wanted) < 0.03, EdgeType.INHIBITORY, EdgeType.ASSOCIATIVE).astype(np.uint8)
    along = np.arange(count - 1)
    edges = Edges(
        count,
        np.concatenate([along, along + 1, pairs // count]),
        np.concatenate([along + 1, along, pairs % count]),
        np.concatenate([np.full(2 * (count - 1), 0.5, np.float32), strengths]),
        np.concatenate([np.full(2 * (count - 1), EdgeType.TEMPORAL, np.uint8), types]),
    )
    queries = []
    for _ in range(QUERIES):
        seeds = np.concatenate([ids[drawn(popular, 5)], rng.integers(count, size=20)])
        energies = np.concatenate([np.full(5, 2.0), rng.uniform(0.3, 0.8, 20)])
        seeds, first = np.unique(seeds, return_index=True)
        queries.append((seeds, energies[first].astype(np.float32)))
    return edges, queries


def engine_of(edges: Edges) -> CognitiveGraphEngine:
    engine = CognitiveGraphEngine()
    engine.add_edges(edges.sources, edges.targets, edges.strengths, edges.types)
    return engine


def spread_by_numpy(edges: Edges, seeds: NDArray[np.int64], energies: NDArray[np.float32]) -> NDArray[np.float64]:
    """The recurrence over all edges, in float64."""
    start = np.zeros(edges.count)
    start[seeds] = energies
    now = start.copy()
    weights = np.floor((edges.strengths * np.float32(65535)).astype(np.float64) + 0.5) / 65535
    inhibits = edges.types == EdgeType.INHIBITORY
    passed = weights * np.where(inhibits, -2 * DECAY, DECAY * (1 - ALPHA))
    for _ in range(STEPS):
        giving = np.where(now >= THRESHOLD, now, 0.0)
        arriving = giving[edges.sources] * passed
        arriving[np.abs(arriving) < THRESHOLD / 2] = 0.0
        now = np.clip(now + np.bincount(edges.targets, arriving, edges.count), -CAP, CAP)
        now[seeds] = (1 - ALPHA) * now[seeds] + ALPHA * start[seeds]
    return now


def spread_by_scipy(edges: Edges) -> Walk:
    """The same on the rows of the frontier only, in float32."""
    import scipy.sparse

    inhibits = edges.types == EdgeType.INHIBITORY
    passed = edges.strengths * np.where(inhibits, -2 * DECAY, DECAY * (1 - ALPHA)).astype(np.float32)
    matrix = scipy.sparse.csr_array((passed, (edges.sources, edges.targets)), (edges.count, edges.count))

    def walk(seeds: NDArray[np.int64], energies: NDArray[np.float32]) -> NDArray[Any]:
        now = np.zeros(edges.count, np.float32)
        now[seeds] = energies
        for _ in range(STEPS):
            frontier = np.flatnonzero(now >= THRESHOLD)
            rows = matrix[frontier]
            arriving = rows.data * np.repeat(now[frontier], np.diff(rows.indptr))
            arriving[np.abs(arriving) < THRESHOLD / 2] = 0.0
            now += np.bincount(rows.indices, arriving, edges.count).astype(np.float32)
            np.clip(now, -CAP, CAP, out=now)
            now[seeds] = (1 - ALPHA) * now[seeds] + ALPHA * energies
        return now

    return walk


def spread_by_pero(edges: Edges, fan_out: int) -> Callable[[NDArray[np.int64], NDArray[np.float32]], object]:
    """The public relative: a dict in and out; it has no return to the seeds and no inhibitory edge of ours."""
    import pero_memory_core

    graph = pero_memory_core.CognitiveGraphEngine()
    graph.configure(10_000, fan_out)
    there = edges.types != EdgeType.INHIBITORY
    columns = (edges.sources[there], edges.targets[there], edges.strengths[there])
    graph.batch_add_connections(list(zip(*(column.tolist() for column in columns), strict=True)))
    return lambda seeds, energies: graph.propagate_activation(
        dict(zip(seeds.tolist(), energies.tolist(), strict=True)), STEPS, DECAY, THRESHOLD
    )


def spreading(
    engine: CognitiveGraphEngine, edges: Edges, queries: list[Query], there: dict[str, str]
) -> tuple[dict[str, Callable[[int], object]], dict[str, str], float]:
    """The calls, the notes, and the largest difference of ours from the slow reference."""
    walks: dict[str, Callable[..., object]] = {OURS: engine.spread}
    notes = {}
    worst, reached = 0.0, []
    for seeds, energies in queries[:4]:
        exact = spread_by_numpy(edges, seeds, energies)
        found = np.zeros(edges.count)
        ids, values = engine.spread(seeds, energies)
        found[ids] = values
        worst = max(worst, np.abs(found - exact).max())
        reached.append(len(ids))
    notes[OURS] = f"largest difference {worst:.1e}; {int(np.mean(reached)):,} nodes; arrays in, arrays out"
    if "scipy" in there:
        walks[SCIPY] = spread_by_scipy(edges)
    if "pero-memory-core" in there:
        walks[PERO] = spread_by_pero(edges, edges.count)
        walks["pero-memory-core, its cap"] = spread_by_pero(edges, 20)
        notes[CAPPED] = "another answer: 20 edges a node"
    calls = {name: (lambda turn, walk=walk: walk(*queries[turn % len(queries)])) for name, walk in walks.items()}
    return calls, notes, worst


def building(edges: Edges, there: dict[str, str]) -> dict[str, Callable[[int], object]]:
    calls: dict[str, Callable[[int], object]] = {OURS: lambda _turn: engine_of(edges)}
    if "scipy" in there:
        import scipy.sparse

        shape = (edges.count, edges.count)
        columns = (edges.strengths, (edges.sources, edges.targets))
        calls["scipy csr"] = lambda _turn: scipy.sparse.csr_array(columns, shape)
    if "igraph" in there:
        calls["igraph"] = lambda _turn: igraph_of(edges)
    if "rustworkx" in there:
        calls["rustworkx"] = lambda _turn: rustworkx_of(edges)
    return calls


def igraph_of(edges: Edges) -> Any:
    import igraph

    graph = igraph.Graph(edges.count, np.column_stack([edges.sources, edges.targets]), directed=True)
    graph.es["weight"] = edges.strengths
    return graph


def rustworkx_of(edges: Edges) -> Any:
    import rustworkx

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(edges.count))
    columns = (edges.sources, edges.targets, edges.strengths)
    graph.add_edges_from(list(zip(*(column.tolist() for column in columns), strict=True)))
    return graph


def ordinary(edges: Edges) -> Edges:
    there = edges.types != EdgeType.INHIBITORY
    return Edges(edges.count, *(column[there] for column in edges[1:]))


def pagerank_by_scipy(edges: Edges, precision: Any, tolerance: float) -> Walk:
    import scipy.sparse

    weights = np.rint(edges.strengths.astype(np.float64) * 65535)
    weights /= np.bincount(edges.sources, weights, edges.count)[edges.sources]
    columns = (weights.astype(precision), (edges.targets, edges.sources))
    matrix = scipy.sparse.csr_array(columns, (edges.count, edges.count))

    def walk(seeds: NDArray[np.int64], weights: NDArray[np.float32]) -> NDArray[Any]:
        share = np.zeros(edges.count, precision)
        share[seeds] = weights / weights.sum(dtype=np.float64)
        now = share
        while True:
            new = precision(1 - RESTART) * (matrix @ now) + precision(RESTART) * share
            if np.abs(new - now).sum() < tolerance:
                return new
            now = new

    return walk


def ranking(engine: CognitiveGraphEngine, edges: Edges, queries: list[Query], there: dict[str, str]) -> Any:
    def ours(seeds: NDArray[np.int64], weights: NDArray[np.float32]) -> Any:
        return engine.pagerank(seeds, weights, restart=RESTART, tolerance=TOLERANCE, max_visits=VISITS)

    walks: dict[str, Callable[..., Any]] = {OURS: ours}
    notes, worst = {}, None
    if "scipy" in there:
        worst = 0.0
        exact_by = pagerank_by_scipy(edges, np.float64, 1e-9)
        for query in queries[:2]:
            exact = exact_by(*query)
            found = ours(*query)
            exact[found.ids] -= found.scores
            worst = max(worst, np.abs(exact).sum())
        notes[OURS] = f"L1 difference {worst:.1e}, {found.iterations} iterations"
        walks["scipy float32"] = pagerank_by_scipy(edges, np.float32, TOLERANCE)
        walks["scipy float64"] = pagerank_by_scipy(edges, np.float64, TOLERANCE)
    calls = {name: (lambda turn, walk=walk: walk(*queries[turn % len(queries)])) for name, walk in walks.items()}
    return calls, notes, worst


def slow_rankings(edges: Edges, queries: list[Query], there: dict[str, str]) -> dict[str, Callable[[int], object]]:
    """Peers that take a share of a second: asked in rounds of their own."""
    calls: dict[str, Callable[[int], object]] = {}
    if "igraph" in there:
        graph = igraph_of(edges)

        def by_igraph(turn: int) -> object:
            seeds, weights = queries[turn % len(queries)]
            reset = np.zeros(edges.count)
            reset[seeds] = weights
            return graph.personalized_pagerank(damping=1 - RESTART, reset=reset.tolist(), weights="weight")

        calls[IGRAPH] = by_igraph
    if "rustworkx" in there:
        import rustworkx

        net = rustworkx_of(edges)

        def by_rustworkx(turn: int) -> object:
            seeds, weights = queries[turn % len(queries)]
            personal = dict(zip(seeds.tolist(), weights.tolist(), strict=True))
            return rustworkx.pagerank(net, 1 - RESTART, float, personalization=personal, tol=TOLERANCE)

        calls["rustworkx"] = by_rustworkx
    if "scikit-network" in there:
        import scipy.sparse
        from sknetwork.ranking import PageRank as ByNetwork

        columns = (edges.strengths.astype(np.float64), (edges.sources, edges.targets))
        matrix = scipy.sparse.csr_matrix(columns, (edges.count, edges.count))

        def by_network(turn: int) -> object:
            seeds, weights = queries[turn % len(queries)]
            reset = np.zeros(edges.count)
            reset[seeds] = weights
            ranker = ByNetwork(1 - RESTART, solver="piteration", n_iter=200, tol=TOLERANCE)
            return ranker.fit_predict(matrix, weights=reset)

        calls["scikit-network"] = by_network
    return calls


def main(options: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.kernels graph", description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", default="100000,1000000", help="how many, with commas between; ten edges each")
    parser.add_argument("--rounds", type=int, default=41, help="at 100,000 nodes; a third of them at a million")
    parser.add_argument("--threads", type=int, help="one count of threads only")
    given = parser.parse_args(options)
    if given.threads is None:
        once_for_each_count_of_threads("graph", options)
        return
    threads = given.threads
    print(f"\n{threads} of {os.cpu_count()} threads, load {os.getloadavg()[0]:.1f}")
    there = versions(["numpy", "scipy", "igraph", "rustworkx", "scikit-network", "pero-memory-core"])
    smaller: dict[int, float] = {}
    for nodes in map(int, given.nodes.split(",")):
        edges, queries = work(nodes)
        many = len(edges.sources)
        rounds = given.rounds if nodes <= 200_000 else max(5, given.rounds // 3)
        label = f"{nodes:,} nodes, {many:,} edges, {threads} thread{'s' * (threads > 1)}"
        engine = engine_of(edges)
        calls, notes, worst = spreading(engine, edges, queries, there)
        medians = in_turn(calls, rounds, threads)
        goals = [Goal.times(8, [SCIPY], medians, "scipy"), Goal.times(8, [PERO], medians)]
        goals.append(Goal.at_most(f"equal to a slow reference to {EQUAL:g}", worst, EQUAL))
        if nodes // 10 in smaller:
            grown = medians[OURS] / smaller[nodes // 10]
            goals.append(Goal.at_most("at ten times the size at most 3.5 times our own time", grown, 3.5))
        smaller[nodes] = medians[OURS]
        print_row(f"2-hop spreading, {label}", medians, goals, notes, uncounted=(CAPPED,))
        calls = building(edges, there)
        medians = in_turn(calls, 5 if nodes <= 200_000 else 1, threads)
        weight = engine.memory_bytes / many
        rate = many / medians[OURS] / 1_000
        notes = {OURS: f"{rate:.1f} M edges/s, {weight:.1f} B an edge after spreading"}
        goals = [
            Goal.at_least(f"{EDGES_A_SECOND:g} M edges/s", rate, EDGES_A_SECOND),
            Goal.at_most(f"at most {EDGE_BYTES:g} B an edge", weight, EDGE_BYTES),
        ]
        print_row(f"building, {label}", medians, goals, notes)
        kept = ordinary(edges)
        started = time.perf_counter()
        engine.pagerank(*queries[0], max_visits=VISITS)
        first = (time.perf_counter() - started) * 1_000
        calls, notes, left = ranking(engine, kept, queries, there)
        medians = in_turn(calls, max(5, rounds // 2), threads)
        weight = engine.memory_bytes / many
        notes[OURS] = ", ".join([notes.get(OURS, ""), f"the first {first:.0f} ms, then {weight:.1f} B an edge"])
        if nodes <= 200_000:
            slow = {OURS: calls[OURS]} | slow_rankings(kept, queries, there)
            medians |= {name: time_ for name, time_ in in_turn(slow, 3, threads).items() if name != OURS}
        else:
            print("igraph, rustworkx and scikit-network are left out: they take seconds a ranking at this size")
        goals = [Goal.times(2.5 if threads == 1 else 4, ["scipy float32", "scipy float64"], medians, "scipy")]
        goals += [Goal.times(40, [IGRAPH], medians, "igraph")] if nodes <= 200_000 else []
        goals += [] if left is None else [Goal.at_most(f"no more than {LEFT:.1e} of the mass left", left, LEFT)]
        goals.append(Goal.at_most(f"at most {EDGE_BYTES:g} B an edge, with what it keeps", weight, EDGE_BYTES))
        print_row(f"personalised PageRank, {label}", medians, goals, notes)
