"""What the benchmarks of the kernels share: turns in one process, medians, ratios, the versions of peers."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from benches.results import Measured, Row, keep

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from benches.results import Goal

OURS = "memcore"
LOOP = "a read loop"
POOLS = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def in_turn(contenders: Mapping[str, Callable[[int], object]], rounds: int, threads: int) -> dict[str, float]:
    """The median milliseconds of each contender, called once a round with the round's number, after two rounds unseen.

    One thread is timed by the processor time of the process, which leaves out what others on the machine take; several
    by the clock on the wall.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(-2, rounds):
        for name, call in contenders.items():
            started = clock()
            call(abs(turn))
            times[name].append((clock() - started) * 1_000.0)
    return {name: float(np.median(taken[2:])) for name, taken in times.items()}


def print_row(
    work: str,
    medians: Mapping[str, float],
    goals: Sequence[Goal],
    notes: Mapping[str, str] | None = None,
    *,
    uncounted: Collection[str] = (),
) -> None:
    """One table: each contender, its median, how many times slower than ours it is; what of its goals was reached.

    Kept, where results are kept.

    A read loop is what the machine can do, not a peer; those `uncounted` give another answer.
    """
    print(f"\n{work}")
    ours = medians[OURS]
    for name, median in medians.items():
        note = (notes or {}).get(name, "")
        print(f"  {name:<28} {median:10.3f} ms  {median / ours:7.2f}x  {note}".rstrip(), flush=True)
    for goal in goals:
        print(f"  goal {goal}", flush=True)
    measured = [
        Measured(
            name, median, (notes or {}).get(name, ""), counts=not (name.startswith("a read loop") or name in uncounted)
        )
        for name, median in medians.items()
    ]
    threads = os.environ.get(POOLS[0])
    keep(Row("kernels", work, "ms", tuple(measured), tuple(goals), threads=int(threads) if threads else None))


def versions(packages: Sequence[str]) -> dict[str, str]:
    """The version of each package that is installed; one that is not is named on the screen."""
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not installed: its rows are missing")
    print("peers: " + ", ".join(f"{name} {version}" for name, version in found.items()))
    return found


def once_for_each_count_of_threads(rows: str, options: Sequence[str]) -> None:
    """Runs `python -m benches.kernels ROWS OPTIONS --threads N` with one thread, then with all cores.

    Each is a process of its own, since the pools of threads are made when a library is loaded.
    """
    for threads in dict.fromkeys([1, os.cpu_count() or 1]):
        environment = os.environ | dict.fromkeys(POOLS, str(threads))
        command = [sys.executable, "-m", "benches.kernels", rows, *options, "--threads", str(threads)]
        subprocess.run(command, check=True, env=environment)
