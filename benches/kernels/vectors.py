"""The nearest unit vectors: one byte a component, exact float32, and a batch of 32 queries.

    python -m benches.kernels vectors [--sizes 100000x384,...] [--rounds N] [--threads N]

Rows are normalise(.6 * centroid[zipf of 1,000] + .8 * unit noise), queries normalise(row + .5 * unit noise), seed 42.
Everything is the top 10 by cosine; recall is taken against all products in float32. The read loop is numpy's maximum
over the same bytes in the same rounds.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benches.kernels.timing import OURS, in_turn, once_for_each_count_of_threads, print_row, versions
from benches.results import Goal
from memcore import IntentEngine
from memcore._core import simd_level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Search = Callable[[NDArray[np.float32]], NDArray[np.int64]]

K = 10
BATCH = 32
QUERIES = 128
CHUNK = 50_000
SIMSIMD, FAISS, NUMPY, SCAN = "simsimd int8", "faiss SQ8", "numpy float32", "memcore, float32 scan"
EXACT = ("numpy", "faiss flat", "usearch float32, exact")
WIDE = 1_024
SIZES = "100000x384,1000000x384,100000x1024,1000000x1024"


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def work(count: int, dimension: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The rows and the queries."""
    rng = np.random.default_rng(42)

    def noise(many: int) -> NDArray[np.float32]:
        return unit(rng.standard_normal((many, dimension), dtype=np.float32))

    centroids, chances = noise(1_000), 1.0 / np.arange(1, 1_001)
    rows = np.empty((count, dimension), np.float32)
    for at in range(0, count, CHUNK):
        many = min(CHUNK, count - at)
        drawn = rng.choice(1_000, many, p=chances / chances.sum())
        rows[at : at + many] = unit(np.float32(0.6) * centroids[drawn] + np.float32(0.8) * noise(many))
    return rows, unit(rows[rng.choice(count, QUERIES, replace=False)] + np.float32(0.5) * noise(QUERIES))


def quantised(rows: NDArray[np.float32]) -> NDArray[np.int8]:
    codes = np.empty(rows.shape, np.int8)
    for at in range(0, len(rows), CHUNK):
        part = rows[at : at + CHUNK]
        codes[at : at + CHUNK] = np.rint(part * (127.0 / np.abs(part).max(axis=1, keepdims=True)))
    return codes


def best(scores: NDArray[Any]) -> NDArray[np.int64]:
    """The places of the highest scores, by column of queries or for one query."""
    near = np.argpartition(scores, -K, axis=0)[-K:]
    return np.take_along_axis(near, np.argsort(np.take_along_axis(scores, near, 0), axis=0)[::-1], 0).T


def engine_of(precision: Any, rows: NDArray[np.float32]) -> IntentEngine:
    engine = IntentEngine(rows.shape[1], precision)
    engine.add(np.arange(len(rows)), rows)
    return engine


def of_bytes(
    rows: NDArray[np.float32], codes: NDArray[np.int8], there: dict[str, str], threads: int
) -> dict[str, Search]:
    """One byte a component: a query (d,) or a batch (q, d)."""
    engine = engine_of("sq8", rows)
    found: dict[str, Search] = {OURS: lambda query: engine.search(query, K)[0]}
    if "simsimd" in there:
        import simsimd

        def by_simsimd(query: NDArray[np.float32]) -> NDArray[np.int64]:
            distances = simsimd.cdist(codes, quantised(np.atleast_2d(query)), metric="cosine", threads=threads)
            scores = -np.asarray(distances)
            return best(scores[:, 0] if query.ndim == 1 else scores)

        found[SIMSIMD] = by_simsimd
    if "faiss-cpu" in there:
        import faiss

        quantizer = faiss.ScalarQuantizer.QT_8bit
        index = faiss.IndexScalarQuantizer(rows.shape[1], quantizer, faiss.METRIC_INNER_PRODUCT)
        index.train(rows[:CHUNK])
        index.add(rows)
        found[FAISS] = lambda query: index.search(np.atleast_2d(query), K)[1].reshape(*query.shape[:-1], K)
    if "usearch" in there:
        from usearch.index import MetricKind
        from usearch.index import search as usearch

        def by_usearch(query: NDArray[np.float32]) -> NDArray[np.int64]:
            asked = quantised(np.atleast_2d(query))
            keys = usearch(codes, asked, K, MetricKind.Cos, exact=True, threads=threads).keys
            return np.asarray(keys, np.int64).reshape(*query.shape[:-1], K)

        found["usearch int8, exact"] = by_usearch
    return found


def of_floats(rows: NDArray[np.float32], there: dict[str, str], threads: int) -> dict[str, Search]:
    """Exact: an engine of float32, which reads its bytes first, and its scan of all rows."""
    engine = engine_of("f32", rows)
    found: dict[str, Search] = {
        OURS: lambda query: engine.search(query, K)[0],
        SCAN: lambda query: best(engine.cosines(query)),
        "numpy": lambda query: best(rows @ query),
    }
    if "faiss-cpu" in there:
        import faiss

        index = faiss.IndexFlatIP(rows.shape[1])
        index.add(rows)
        found["faiss flat"] = lambda query: index.search(query[np.newaxis], K)[1][0]
    if "usearch" in there:
        from usearch.index import MetricKind
        from usearch.index import search as usearch

        found["usearch float32, exact"] = lambda query: np.asarray(
            usearch(rows, query, K, MetricKind.IP, exact=True, threads=threads).keys, np.int64
        )
    return found


class Case(NamedTuple):
    """What is asked, and how often."""

    title: str
    goals: Callable[[dict[str, float], dict[str, float], str], list[Goal]]
    """What was to be reached, by the medians, the recalls and the name of the read loop."""
    queries: NDArray[np.float32]
    truth: NDArray[np.int64]
    rounds: int
    threads: int


def of_one(medians: dict[str, float], recalls: dict[str, float], loop: str) -> list[Goal]:
    """The goals of one query to bytes; those of one thread."""
    if loop not in medians:
        return []
    return [
        Goal.times(2.3, [SIMSIMD], medians, "simsimd"),
        Goal.times(2.3, [FAISS], medians, "faiss"),
        Goal.at_least("90 % of the read loop", medians[loop] / medians[OURS], 0.9),
        Goal.at_least("recall .99", recalls[OURS], 0.99),
    ]


def of_batch(medians: dict[str, float], _recalls: dict[str, float], _loop: str) -> list[Goal]:
    return [Goal.times(4, [NUMPY], medians, "numpy's product"), Goal.times(6, [FAISS], medians)]


def of_exact(times: float) -> Callable[[dict[str, float], dict[str, float], str], list[Goal]]:
    """The goals of one exact query; those of one thread."""

    def goals(medians: dict[str, float], recalls: dict[str, float], loop: str) -> list[Goal]:
        if loop not in medians:
            return []
        return [
            Goal.times(times, EXACT, medians, "the best exact peer"),
            Goal.at_least("recall .999", recalls[OURS], 0.999),
            Goal.at_least("the float32 scan 95 % of the read loop", medians[loop] / medians[SCAN], 0.95),
        ]

    return goals


def measure(case: Case, searches: dict[str, Search], loop: tuple[str, Callable[[], object]] | None) -> None:
    """One table; queries are asked one by one, or all of them in one batch when they are as many as a batch has."""
    queries, truth = case.queries, case.truth
    batch = len(queries) == BATCH

    def recall(search: Search) -> float:
        answers = search(queries) if batch else np.array([search(query) for query in queries[:20]])
        pairs = zip(answers, truth, strict=False)
        return sum(len(np.intersect1d(answer, true)) for answer, true in pairs) / (len(answers) * K)

    recalls = {name: recall(search) for name, search in searches.items()}
    notes = {name: f"recall {found:.3f}" for name, found in recalls.items()}
    calls: dict[str, Callable[[int], object]] = {
        name: (lambda turn, search=search: search(queries if batch else queries[turn % len(queries)]))
        for name, search in searches.items()
    }
    if loop is not None:
        calls[loop[0]] = lambda _turn: loop[1]()
    medians = in_turn(calls, case.rounds, case.threads)
    if batch:
        medians = {name: median / BATCH for name, median in medians.items()}
    if loop is not None:
        for name in searches:
            if name.startswith(OURS):
                notes[name] += f", {medians[loop[0]] / medians[name]:.0%} of {loop[0]}"
    print_row(case.title, medians, case.goals(medians, recalls, "" if loop is None else loop[0]), notes)


def main(options: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.kernels vectors", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=SIZES, help="rows x dimension, with commas between")
    parser.add_argument("--rounds", type=int, default=41, help="at 100,000 rows; a third of them at a million")
    parser.add_argument("--threads", type=int, help="one count of threads only")
    given = parser.parse_args(options)
    if given.threads is None:
        once_for_each_count_of_threads("vectors", options)
        return
    threads = given.threads
    print(f"\n{threads} of {os.cpu_count()} threads, SIMD level {simd_level()}, load {os.getloadavg()[0]:.1f}")
    there = versions(["numpy", "simsimd", "faiss-cpu", "usearch"])
    if "faiss-cpu" in there:
        import faiss

        faiss.omp_set_num_threads(threads)
    for size in given.sizes.split(","):
        count, dimension = map(int, size.split("x"))
        rows, queries = work(count, dimension)
        codes = quantised(rows)
        truth = best(rows @ queries.T)
        rounds = given.rounds if count <= 200_000 else max(7, given.rounds // 3)
        label = f"{count:,} x {dimension}, {threads} thread{'s' * (threads > 1)}"
        byte_loop = ("a read loop of int8", lambda codes=codes: codes.view(np.int32).max())
        float_loop = ("a read loop of float32", lambda rows=rows: rows.view(np.int32).max())
        bytewise = of_bytes(rows, codes, there, threads)
        case = Case(f"SQ8, {label}", of_one, queries, truth, rounds, threads)
        measure(case, bytewise, byte_loop if threads == 1 else None)
        bytewise[NUMPY] = lambda asked, rows=rows: best(rows @ asked.T)
        title = f"SQ8, time a query of a batch of {BATCH}, {label}"
        measure(Case(title, of_batch, queries[:BATCH], truth, max(5, rounds // 6), threads), bytewise, None)
        del bytewise
        title = f"exact by any means (memcore: bytes first, then float32), {label}"
        case = Case(title, of_exact(3.3 if dimension >= WIDE else 4), queries, truth, rounds, threads)
        measure(case, of_floats(rows, there, threads), float_loop if threads == 1 else None)
