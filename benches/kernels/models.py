"""Sparse codes, topics and varied choices, beside their peers.

    python -m benches.kernels models [--rounds N] [--threads N]

Rows are normalise(.6 * centroid[zipf of 1,000] + .8 * unit noise) of 384 dimensions, seed 42. A query of the LASSO is
normalise(row + .5 * unit noise), or a mixture: normalise(eight rows with normal weights + .5 * unit noise); its lambda
is .1. Topics are of the absolute values of the rows. The quality of a choice is uniform in .5 to 1.

Each peer solves to its own standard: the notes say which objective or error it reached.
"""

from __future__ import annotations

import argparse
import itertools
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.kernels.timing import OURS, in_turn, once_for_each_count_of_threads, print_row, versions
from benches.results import Goal
from memcore import dpp_greedy, fista, nmf
from memcore._core import simd_level
from memcore.compute import Dictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Code = Callable[[NDArray[np.float32]], NDArray[np.float64]]

DIMENSION = 384
QUERIES = 16
LAMBDA = 0.1
TOPICS = 12
ITERATIONS = 100
SCIKIT = ("scikit-learn mu", "scikit-learn mu, float32")
SEEDS = range(42, 47)


def unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def rows_of(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    chances = 1.0 / np.arange(1, 1_001)
    centroids = unit(rng.standard_normal((1_000, DIMENSION)))
    drawn = centroids[rng.choice(1_000, count, p=chances / chances.sum())]
    return unit(0.6 * drawn + 0.8 * unit(rng.standard_normal((count, DIMENSION))))


def coders(atoms: NDArray[np.float32], there: dict[str, str], threads: int) -> dict[str, Code]:
    """The LASSO by each library: a query to the coefficients."""
    columns = np.asfortranarray(atoms.T, np.float64)
    dictionary = Dictionary(atoms)  # prepared beforehand, as the columns of the others are
    found: dict[str, Code] = {
        OURS: lambda query: dictionary.code(query, lambda_=LAMBDA, iterations=80).coefficients,
        "memcore, atoms as they come": lambda query: fista(atoms, query, lambda_=LAMBDA).coefficients,
    }
    if "spams-bin" in there:
        import spams

        def by_lars(query: NDArray[np.float32]) -> NDArray[np.float64]:
            asked = np.asfortranarray(query[:, np.newaxis], np.float64)
            code = spams.lasso(asked, D=columns, lambda1=LAMBDA, mode=2, numThreads=threads)
            return np.asarray(code.todense())[:, 0]

        found["SPAMS LARS"] = by_lars
    if "celer" in there:
        from celer import Lasso as Celer

        celer = Celer(alpha=LAMBDA / DIMENSION, fit_intercept=False, tol=1e-6)
        found["celer"] = lambda query: celer.fit(columns, query.astype(np.float64)).coef_
    if "scikit-learn" in there:
        from sklearn.linear_model import Lasso

        lasso = Lasso(alpha=LAMBDA / DIMENSION, fit_intercept=False, tol=1e-6)
        found["scikit-learn"] = lambda query: lasso.fit(columns, query.astype(np.float64)).coef_
    return found


def sparse_codes(count: int, mixed: bool, there: dict[str, str], rounds: int, threads: int) -> None:
    rng = np.random.default_rng(42)
    atoms = rows_of(rng, count)
    noise = 0.5 * unit(rng.standard_normal((QUERIES, DIMENSION)))
    weights = rng.standard_normal((QUERIES, 8, 1)) if mixed else np.ones((QUERIES, 1, 1))
    queries = unit((weights * atoms[rng.choice(count, weights.shape[:2])]).sum(axis=1) + noise)

    def objective(query: NDArray[np.float32], code: NDArray[np.float64]) -> float:
        rest = query - code @ atoms.astype(np.float64)
        return float(0.5 * rest @ rest + LAMBDA * np.abs(code).sum())

    by_name = coders(atoms, there, threads)
    codes = {name: [code(query) for query in queries] for name, code in by_name.items()}
    reached = {name: [objective(*pair) for pair in zip(queries, codes[name], strict=True)] for name in codes}
    best = np.min(list(reached.values()), axis=0)
    worst = {name: float(np.max(np.array(values) / best - 1.0)) for name, values in reached.items()}
    notes = {name: f"objective within {over:.0e} of the best" for name, over in worst.items()}
    used = np.mean([np.count_nonzero(code) for code in codes[OURS]])
    notes[OURS] += f", {used:.1f} atoms a query"
    calls = {name: (lambda turn, code=code: code(queries[turn % QUERIES])) for name, code in by_name.items()}
    asked = "a mixture of eight rows" if mixed else "near a row"
    title = f"LASSO, {DIMENSION} x {count:,}, a query {asked}"
    medians = in_turn(calls, rounds, threads)
    goals = [
        Goal.times(5, ["SPAMS LARS"], medians),
        Goal.times(25, ["scikit-learn"], medians),
        Goal.at_most("objective within 1e-4 of the best", worst[OURS], 1e-4),
    ]
    print_row(title, medians, goals, notes)


def by_numpy(matrix: NDArray[np.float64], seed: int) -> float:
    """Lee & Seung's updates as they stand; the error."""
    rng = np.random.default_rng(seed)
    size = np.sqrt(matrix.mean() / TOPICS)
    w, h = (2 * size * rng.random(shape) for shape in ((len(matrix), TOPICS), (TOPICS, matrix.shape[1])))
    for _ in range(ITERATIONS):
        h *= (w.T @ matrix) / (w.T @ w @ h)
        w *= (matrix @ h.T) / (w @ (h @ h.T))
    return float(np.linalg.norm(matrix - w @ h))


def agreement(matrix: NDArray[np.float32], **how: Any) -> float:
    """How alike the topics of two starts are: the mean cosine of a topic with its nearest, over pairs of seeds."""
    made = [nmf(matrix, k=TOPICS, seed=seed, **how).h for seed in SEEDS]
    return float(np.mean([(one @ two.T).max(axis=1).mean() for one, two in itertools.permutations(made, 2)]))


def topics(there: dict[str, str], rounds: int, threads: int) -> None:
    matrix = np.abs(rows_of(np.random.default_rng(42), 2_000))
    wide = matrix.astype(np.float64)
    calls: dict[str, Callable[[int], object]] = {
        OURS: lambda _turn: nmf(matrix, k=TOPICS, iterations=ITERATIONS),
        "numpy": lambda _turn: by_numpy(wide, 42),
    }
    goal = own = nmf(matrix, k=TOPICS, iterations=ITERATIONS).error
    notes = {OURS: f"error {own:.4f}, float64", "numpy": f"error {by_numpy(wide, 42):.4f}, float64"}
    if "scikit-learn" in there:
        from sklearn.decomposition import NMF

        def by_scikit(values: NDArray[Any]) -> float:
            model = NMF(TOPICS, init="random", solver="mu", max_iter=ITERATIONS, tol=0.0, random_state=42)
            return float(model.fit(values).reconstruction_err_)

        for name, values in zip(SCIKIT, (wide, matrix), strict=True):
            calls[name] = lambda _turn, values=values: by_scikit(values)
            notes[name] = f"error {by_scikit(values):.4f}, {values.dtype}"
        goal = by_scikit(wide)
    title = f"NMF, 2,000 x {DIMENSION}, k = {TOPICS}, {ITERATIONS} iterations"
    medians = in_turn(calls, rounds, threads)
    goals = [Goal.times(1.8, [name], medians) for name in SCIKIT] if threads == 1 else []
    goals.append(Goal.at_most("error at most scikit-learn's, to 1e-3", own / goal, 1.001))
    print_row(title, medians, goals, notes)

    few = next(
        (n for n in range(1, ITERATIONS) if nmf(matrix, k=TOPICS, iterations=n, updates="hals").error <= goal), 0
    )
    if not few:
        print(f"\nNMF to the error {goal:.4f}: not reached by HALS in {ITERATIONS} iterations")
        return
    calls[OURS] = lambda _turn: nmf(matrix, k=TOPICS, iterations=few, updates="hals")
    error = nmf(matrix, k=TOPICS, iterations=few, updates="hals").error
    notes[OURS] = f"HALS, {few} iterations, error {error:.4f}"
    calls["memcore, multiplicative"] = lambda _turn: nmf(matrix, k=TOPICS, iterations=ITERATIONS)
    title = f"NMF, the same matrix, to the error {goal:.4f}"
    medians = in_turn(calls, rounds, threads)
    print_row(title, medians, [Goal.times(4, [name], medians) for name in SCIKIT], notes)
    for name, how in (
        (f"multiplicative, {ITERATIONS} iterations", {"iterations": ITERATIONS}),
        (f"HALS, {few} iterations", {"iterations": few, "updates": "hals"}),
        (f"HALS, {ITERATIONS} iterations", {"iterations": ITERATIONS, "updates": "hals"}),
    ):
        print(f"  topics of two starts alike: {agreement(matrix, **how):.3f}  {name}")


def chosen_by_numpy(vectors: NDArray[np.float32], quality: NDArray[np.float64], k: int) -> list[int]:
    """Chen, Zhang & Zhou (2018) as they publish it, with the kernel of the vectors."""
    unit_rows = vectors.astype(np.float64)
    unit_rows /= np.linalg.norm(unit_rows, axis=1, keepdims=True)
    kernel = quality[:, np.newaxis] * (unit_rows @ unit_rows.T) * quality
    kernel[np.diag_indices(len(kernel))] += 1e-8
    factor, gains = np.zeros((k, len(kernel))), np.copy(np.diag(kernel))
    picked = [int(gains.argmax())]
    while len(picked) < k:
        made, last = len(picked) - 1, picked[-1]
        row = (kernel[last] - factor[:made, last] @ factor[:made]) / np.sqrt(gains[last])
        factor[made] = row
        gains -= row * row
        gains[last] = -np.inf
        picked.append(int(gains.argmax()))
    return picked


def choices(count: int, k: int, times: float, rounds: int, threads: int) -> None:
    rng = np.random.default_rng(42)
    vectors, quality = rows_of(rng, count), rng.uniform(0.5, 1.0, count)
    same = dpp_greedy(vectors, quality, k=k).tolist() == chosen_by_numpy(vectors, quality, k)
    calls: dict[str, Callable[[int], object]] = {
        OURS: lambda _turn: dpp_greedy(vectors, quality, k=k),
        "numpy, with its kernel": lambda _turn: chosen_by_numpy(vectors, quality, k),
    }
    notes = {OURS: "the same picks" if same else "OTHER picks"}
    medians = in_turn(calls, rounds, threads)
    goals = [Goal.times(times, ["numpy, with its kernel"], medians, "numpy"), Goal.so("the same picks", same)]
    print_row(f"DPP, {count:,} choose {k}, from vectors", medians, goals, notes)


def main(options: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.kernels models", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--rounds", type=int, default=41, help="of sparse codes and choices; a quarter of them of topics"
    )
    parser.add_argument("--threads", type=int, help="one count of threads only")
    given = parser.parse_args(options)
    if given.threads is None:
        once_for_each_count_of_threads("models", options)
        return
    warnings.filterwarnings("ignore", module="sklearn|celer")  # that so many iterations were not enough: the notes tell
    threads = given.threads
    print(f"\n{threads} of {os.cpu_count()} threads, SIMD level {simd_level()}, load {os.getloadavg()[0]:.1f}")
    there = versions(["numpy", "scikit-learn", "celer", "spams-bin"])
    for mixed, count in itertools.product((False, True), (2_000, 10_000)):
        sparse_codes(count, mixed, there, given.rounds, threads)
    topics(there, max(3, given.rounds // 4), threads)
    choices(300, 24, 2, given.rounds, threads)
    choices(1_000, 10, 10, given.rounds, threads)
