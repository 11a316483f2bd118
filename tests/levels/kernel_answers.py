"""Asks every kernel that has levels, and a whole store, and prints the answers: `python kernel_answers.py`.

Each answer is compared here with its slow twin in numpy, at float64. What is printed as text is to be the same to the
last bit at every level; what is printed as numbers may differ in the last digits.
"""

import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from memcore import CognitiveGraphEngine, IntentEngine, Memory, compute
from memcore._core import simd_level

NOW = datetime(2026, 5, 1, tzinfo=UTC)
SAID = (
    "Ana moved to Lisbon in May.",
    "Her cat Pixel sleeps above the tram line.",
    "Ben repairs old radios on Sundays.",
    "猫喜欢新家的窗户。",
    "The red bicycle stands in the cellar.",
)


def random():
    return np.random.default_rng(7)


def bits(*arrays):
    return [np.ascontiguousarray(array).tobytes().hex() for array in arrays]


def vectors(dimension=391, count=1_100):
    """More than a block, at an odd dimension: nothing divides."""
    rows = random().standard_normal((count, dimension)).astype(np.float32)
    queries = (rows[:9] + random().standard_normal((9, dimension))).astype(np.float32)
    rows64, asked = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in map(np.float64, (rows, queries)))
    exact = asked @ rows64.T
    nearest = np.argsort(-exact, axis=1, kind="stable")[:, :10]
    same, close = [], []
    for precision, apart in (("f32", 1e-6), ("sq8", 0.01)):
        engine = IntentEngine(dimension, precision)
        engine.add(np.arange(count), rows)
        cosines = np.array([engine.cosines(query) for query in queries])
        assert np.abs(cosines - exact).max() < apart, precision
        together = engine.search(queries, 10)
        for i, query in enumerate(queries):
            ids, found = engine.search(query, 10)
            assert np.array_equal(ids, np.argsort(-cosines[i], kind="stable")[:10]), precision
            assert np.array_equal(found, cosines[i][ids]), precision
            assert np.array_equal(together[0][i], ids), precision
            assert np.array_equal(together[1][i], found), precision
            if precision == "f32":
                assert np.array_equal(ids, nearest[i])
        if precision == "sq8":
            same += bits(cosines, *together)
        else:
            same += bits(together[0])
            close.append(cosines.ravel()[::97].tolist())
    return same, close


def walks(nodes=70_000):
    """More than 2^16 nodes, and more edges than one thread is given; a hub, and nodes without an edge."""
    chance = random()
    sources, targets = chance.integers(1, nodes, 150_000), chance.integers(0, nodes // 2, 150_000)
    sources, targets = (np.concatenate(pair) for pair in ((sources, np.zeros(300, int)), (targets, np.arange(1, 301))))
    pairs = np.unique(np.column_stack([sources, targets]), axis=0)
    sources, targets = pairs[pairs[:, 0] != pairs[:, 1]].T.copy()
    strengths = chance.uniform(0.1, 1.0, len(sources)).astype(np.float32)
    graph = CognitiveGraphEngine()
    graph.add_edges(sources, targets, strengths, np.zeros(len(sources), np.uint8))
    seeds, weights = np.unique(sources)[:6], np.arange(1, 7, dtype=np.float32)
    found = graph.pagerank(seeds, weights, tolerance=1e-9, max_visits=10**9)
    assert found.converged
    assert not found.fell_back
    held = np.rint(strengths.astype(np.float64) * 65_535)
    out = np.bincount(sources, held, nodes)
    restart = np.zeros(nodes)
    restart[seeds] = weights / weights.sum()
    mass = restart
    for _ in range(110):
        flow = np.bincount(targets, (held / out[sources]) * mass[sources], nodes)
        mass = 0.85 * (flow + mass[out == 0].sum() * restart) + 0.15 * restart
    difference = mass.copy()
    difference[found.ids] -= found.scores
    assert np.abs(difference).sum() < 1e-7
    return bits(found.ids, found.scores), []


def topics():
    """The factors against their own error; the updates' slow twin stands in the Rust tests, with the same start."""
    matrix = np.abs(random().standard_normal((60, 83))).astype(np.float32)
    close = []
    for updates in ("multiplicative", "hals"):
        found = compute.nmf(matrix, k=5, iterations=30, updates=updates)
        product = found.w.astype(np.float64) @ found.h
        assert abs(np.linalg.norm(matrix - product) - found.error) < 1e-4 * found.error
        close.append([found.error, *product.ravel()[::131].tolist()])
    return [], close


def codes():
    """The objective against that of the plain iteration, run long."""
    atoms = random().standard_normal((300, 97)).astype(np.float32)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    query = (atoms[:6].sum(axis=0) / 3).astype(np.float32)
    found = compute.fista(atoms, query, lambda_=0.05, iterations=500)
    matrix, asked = atoms.astype(np.float64), query.astype(np.float64)
    step = 1.0 / np.linalg.norm(matrix @ matrix.T, 2)
    code = np.zeros(len(matrix))
    for _ in range(1_500):
        moved = code + step * (matrix @ (asked - code @ matrix))
        code = np.sign(moved) * np.maximum(np.abs(moved) - 0.05 * step, 0.0)
    objective = 0.5 * np.square(asked - code @ matrix).sum() + 0.05 * np.abs(code).sum()
    assert abs(found.objective - objective) <= 1e-6 * objective
    return bits(found.coefficients, found.residual), []


def choices():
    """Each pick is that which raises the determinant most."""
    rows = random().standard_normal((40, 61)).astype(np.float32)
    quality = random().uniform(0.2, 1.0, 40)
    picks = compute.dpp_greedy(rows, quality, k=8).tolist()
    unit = rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    kernel = quality[:, None] * (unit @ unit.T) * quality + 1e-8 * np.eye(40)
    chosen: list[int] = []
    for _ in range(8):
        raised = [-1.0 if i in chosen else np.linalg.det(kernel[np.ix_([*chosen, i], [*chosen, i])]) for i in range(40)]
        chosen.append(int(np.argmax(raised)))
    assert picks == chosen
    return [str(picks)], []


def store():
    """A store on the disk, written, searched, closed, opened from its snapshot and searched again."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(2):
            with Memory(Path(folder) / "old.db", embedder="hashing", clock=lambda: NOW) as memory:
                if turn == 0:
                    for text in SAID:
                        memory.add(text, user_id="ana")
                hits = [memory.search(question, user_id="ana") for question in ("Where does the cat sleep?", "猫")]
                found.append([hit.content for answer in hits for hit in answer])
    assert found[0] == found[1]
    assert found[0][0] == SAID[1]
    return found[0], []


def main():
    same, close = [], []
    for kernel in (vectors, walks, topics, codes, choices, store):
        of = kernel()
        same.append([kernel.__name__, *of[0]])
        close.extend(of[1])
    sys.stdout.write(json.dumps({"level": simd_level(), "same": same, "close": close}))


if __name__ == "__main__":
    main()
