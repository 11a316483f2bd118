"""What importing memcore takes, which no time of a search or of a start has in it."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

from benches.results import Measured, Row, emit
from benches.whole.registry import OURS

__all__ = ["imports"]

STATEMENTS = ("import memcore", "from memcore import Memory", "import memcore.storage.database")
TURNS = 5


def run(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - started) * 1_000.0


def imports(bench: str) -> None:
    """A row for each import, in fresh interpreters, above one that imports nothing; the last is the storage layer's."""
    for statement in STATEMENTS:
        taken = float(np.median([run(statement) - run("pass") for _ in range(TURNS)]))
        emit(Row(bench, f"`{statement}`, above an empty interpreter", "ms", (Measured(OURS.name, taken),)))
