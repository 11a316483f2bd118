"""How long it takes: one search in a scope of 10,000 memories, one durable add, the import.

    python -m benches.search [--memories N] [--dimension D] [--queries Q]

The work is generated from a seed: sentences of Zipf words in sessions, unit vectors around 1,000 centres. The search is
the whole `Memory.search()` with its vector given. The durable add is compared with a bare synced SQLite commit of the
same bytes on the same disk, in turn. Medians over all runs; the machine's noise shows in the 90th percentile.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memcore import Memory

START = datetime(2026, 1, 1, tzinfo=UTC)
SPEAKERS = ("Ana", "Bo", "Chen", "Dora")


def words(rng: np.random.Generator, count: int) -> list[str]:
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return ["".join(rng.choice(letters, rng.integers(3, 10))) for _ in range(count)]


def sentence(rng: np.random.Generator, vocabulary: list[str], length: int) -> str:
    ranks = np.minimum(rng.zipf(1.3, length), len(vocabulary)) - 1
    return " ".join(vocabulary[rank] for rank in ranks) + ("?" if rng.random() < 0.2 else ".")


def unit(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return (matrix / np.linalg.norm(matrix, axis=-1, keepdims=True)).astype(np.float32)


def percentiles(values: list[float]) -> str:
    return f"median {np.median(values):7.3f} ms, 90th percentile {np.quantile(values, 0.9):7.3f} ms, {len(values)} runs"


def import_time(statement: str) -> float:
    """Milliseconds of an import in a fresh interpreter, above those of an interpreter that does nothing."""

    def run(code: str) -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return (time.perf_counter() - started) * 1_000.0

    return float(np.median([run(statement) - run("pass") for _ in range(9)]))


def time_searches(
    memory: Memory, queries: list[tuple[str, np.ndarray[Any, Any]]]
) -> tuple[list[float], dict[str, float]]:
    steps: dict[str, list[float]] = {}
    taken = []
    for text, vector in queries:
        started = time.perf_counter()
        found = memory.search(text, user_id="u", embedding=vector, now=START + timedelta(days=30))
        taken.append((time.perf_counter() - started) * 1_000.0)
        for record in found.trace.steps:
            steps.setdefault(record.name, []).append(record.milliseconds)
    return taken, {name: float(np.median(values)) for name, values in steps.items()}


def time_adds(folder: Path, vectors: np.ndarray[Any, Any]) -> tuple[list[float], list[float]]:
    """Milliseconds of durable adds with a given vector, and of bare synced commits of as many bytes, alternating."""
    from memcore.storage.driver import sqlite_driver

    memory = Memory(folder / "adds.db", embedder="none")
    bare = sqlite_driver().connect(str(folder / "bare.db"), isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT, vector BLOB)")
    ours, theirs = [], []
    for index, vector in enumerate(vectors):
        text = f"memory number {index} of a quite ordinary length"
        started = time.perf_counter()
        memory.add(text, user_id="u", embedding=vector)
        ours.append((time.perf_counter() - started) * 1_000.0)
        started = time.perf_counter()
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO row (text, vector) VALUES (?, ?)", (text, vector.tobytes()))
        bare.execute("COMMIT")
        theirs.append((time.perf_counter() - started) * 1_000.0)
    bare.close()
    memory.close()
    return ours[20:], theirs[20:]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benches.search")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--queries", type=int, default=300)
    given = parser.parse_args()
    rng = np.random.default_rng(42)
    vocabulary = words(rng, 8_000)
    centres = unit(rng.standard_normal((1_000, given.dimension)))
    near = centres[np.minimum(rng.zipf(1.2, given.memories), 1_000) - 1]
    vectors = unit(0.6 * near + 0.8 * unit(rng.standard_normal((given.memories, given.dimension))))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory = Memory(folder / "search.db", embedder="none", durability="relaxed")
        started = time.perf_counter()
        memory.add_many(
            {
                "content": sentence(rng, vocabulary, int(rng.lognormal(2.8, 0.4)) + 1),
                "kind": "turn",
                "user_id": "u",
                "session_id": f"s{index // 40}",
                "speaker": SPEAKERS[index % 4],
                "event_time": START + timedelta(minutes=index),
                "embedding": vectors[index],
            }
            for index in range(given.memories)
        )
        print(
            f"{given.memories} memories of {given.dimension} dimensions stored in {time.perf_counter() - started:.1f} s"
        )
        picked = rng.integers(0, given.memories, given.queries)
        noise = unit(rng.standard_normal((given.queries, given.dimension)))
        asked = unit(vectors[picked] + 0.5 * noise)
        queries = [
            (f"{sentence(rng, vocabulary, 8)} {SPEAKERS[index % 4]}", asked[index]) for index in range(given.queries)
        ]
        started = time.perf_counter()
        memory.search(*queries[0][:1], user_id="u", embedding=queries[0][1])
        print(f"first search, which loads the scope: {(time.perf_counter() - started) * 1_000:.0f} ms")
        taken, steps = time_searches(memory, queries)
        print(f"search                          {percentiles(taken)}")
        print("  of which " + ", ".join(f"{step} {value:.3f}" for step, value in steps.items()) + " ms (medians)")
        memory.close()
        ours, theirs = time_adds(folder, vectors[:320])
        print(f"durable add, vector given       {percentiles(ours)}")
        print(f"bare synced SQLite commit       {percentiles(theirs)}")
        print(f"  the add costs {np.median(ours) - np.median(theirs):.3f} ms more (medians)")
    for statement in ("import memcore", "from memcore import Memory"):
        print(f"{statement:<31} median {import_time(statement):7.1f} ms above an empty interpreter")
    return 0


if __name__ == "__main__":
    sys.exit(main())
