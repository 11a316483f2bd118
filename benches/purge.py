"""Forgetting: how long a purge takes, how long others wait meanwhile, what is left, and what a kill in the middle does.

    python -m benches.purge [--memories N] [--others M] [--dimension D] [--kills K]

One user has N memories, ten others have M together, in turns of the same sessions. Another process adds memories of a
third user all the time and measures each. Then K purges of a small store are killed, each at a random moment after
its mark, and it is looked at whether all was gone after the next opening. Also: a delete in the large store.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from memcore import Memory
from memcore.errors import NotFoundError

USER, SENTINEL = "anastasia", "sesamum"
ADDER = """
import sys, time
from pathlib import Path
from benches.purge import Random, Memory
with Memory(sys.argv[1], embedder=Random(int(sys.argv[2]))) as memory:
    print("ready", flush=True)
    waits = []
    while not Path(sys.argv[3]).exists():
        start = time.perf_counter()
        memory.add("one more", user_id="writer")
        waits.append(time.perf_counter() - start)
        time.sleep(0.01)
    print(max(waits), len(waits), flush=True)
"""
PURGER = """
import sys
from benches.purge import Memory, USER
from memcore.storage import purge
advance = purge.advance
purge.advance = lambda *given: (print("batch", flush=True), advance(*given))[1]
with Memory(sys.argv[1], embedder="none") as memory:
    print("ready", flush=True)
    memory.purge_user(USER, confirm=USER)
"""


class Random:
    """A vector for each text, from a seed."""

    def __init__(self, dimension: int) -> None:
        self.name, self.dimension = "random", dimension
        self._rng = np.random.default_rng(1)

    def embed(self, texts: list[str], *, query: bool = False) -> np.ndarray[Any, Any]:
        del query
        return self._rng.standard_normal((len(texts), self.dimension)).astype(np.float32)


def filled(path: Path, memories: int, others: int, dimension: int) -> None:
    rng = random.Random(1)
    words = [f"word{number}" for number in range(5_000)]
    owners = [USER] * memories + [f"user{number % 10}" for number in range(others)]
    rng.shuffle(owners)
    with Memory(path, embedder=Random(dimension), durability="relaxed") as memory:
        for start in range(0, len(owners), 2_000):
            memory.add_many(
                {
                    "content": " ".join([SENTINEL if owner == USER else "note", *rng.choices(words, k=20)]),
                    "user_id": owner,
                    "session_id": f"s{at % 50}",
                    "metadata": {"number": at},
                    "entities": [f"thing{rng.randrange(300)}"] if at % 5 == 0 else [],
                }
                for at, owner in enumerate(owners[start : start + 2_000])
            )


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if process.stdout is None or process.stdout.readline() != "ready\n":
        raise RuntimeError("a process of this bench did not start")
    return process


def left_in(folder: Path) -> int:
    """How many bytes of the files of a closed store are of the user."""
    return sum(
        file.read_bytes().count(word) for file in folder.iterdir() for word in (SENTINEL.encode(), USER.encode())
    )


def measured(folder: Path, memories: int, others: int, dimension: int) -> None:
    path = folder / "agent.db"
    filled(path, memories, others, dimension)
    print(f"{memories} memories of one user, {others} of others: {path.stat().st_size / 2**20:.0f} MiB")
    with Memory(path, embedder=Random(dimension)) as memory:
        if others:
            start = time.perf_counter()
            report = memory.delete(memory.get_all(user_id="user1", limit=1)[0].id)
            print(f"a delete: {time.perf_counter() - start:.3f} s, pending {report.pending}")
        stop = folder.with_name(f"{folder.name}.stop")
        adder = started(ADDER, path, dimension, stop)
        start = time.perf_counter()
        memory.purge_user(USER)
        print(f"counting: {time.perf_counter() - start:.2f} s")
        start = time.perf_counter()
        purged = memory.purge_user(USER, confirm=USER)
        print(f"the purge: {time.perf_counter() - start:.2f} s, {sum(purged.counts.values())} rows, {purged.pending=}")
        stop.touch()
        worst, adds = adder.communicate()[0].split()
        stop.unlink()
        print(f"another process added {adds} memories meanwhile, its longest wait was {float(worst):.3f} s")
    print(
        f"places in the files with the user's name or words: {left_in(folder)}; {path.stat().st_size / 2**20:.0f} MiB"
    )


def killed(folder: Path, kills: int) -> None:
    small, chance = folder / "small" / "agent.db", random.Random(1)
    small.parent.mkdir()
    filled(small, 5_000, 1_000, 64)
    hidden = gone = 0
    for number in range(kills):
        copy = folder / f"killed {number}" / "agent.db"
        shutil.copytree(small.parent, copy.parent)
        process = started(PURGER, copy)
        for _ in range(chance.randrange(1, 8)):
            process.stdout.readline()
        time.sleep(0.05 * chance.random())
        process.kill()
        process.wait()
        with Memory(copy, embedder="none") as memory:
            ids = range(1, 200)
            hidden += not memory.get_all(user_id=USER).items and not any(_is_of_user(memory, one) for one in ids)
        gone += left_in(copy.parent) == 0
    print(f"{kills} purges killed: after the next opening {hidden} hidden, {gone} without a byte left")


def _is_of_user(memory: Memory, memory_id: int) -> bool:
    try:
        return memory.get(memory_id).user_id == USER
    except NotFoundError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--others", type=int, default=10_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured(Path(folder), given.memories, given.others, given.dimension)
    with tempfile.TemporaryDirectory() as folder:
        killed(Path(folder), given.kills)


if __name__ == "__main__":
    main()
