"""A small store with something of everything that engines hold, and what its searches answer."""

import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from memcore import Memory, Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORD = "Zyxwvutsrq"
TOPICS = ("lisbon harbour ferry", "green tea garden", "cello and violin music", "invoice of the mountain radio")
QUERIES = ("the ferry of lisbon", "green tea", "violin", "what did Ana say of the radio?", WORD)
HERE = Path(__file__).parent


class Letters:
    """A vector from the characters of a text."""

    name = "letters"
    dimension = 16

    def embed(self, texts, *, query=False):
        del query
        rows = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, character in enumerate(text):
                row[(ord(character) * 7 + place % 3) % self.dimension] += 1.0
        return rows


def opened(path, **given):
    return Memory(path, **{"embedder": Letters(), "clock": lambda: NOW, "durability": "relaxed"} | given)


def filled(path, rows=60, user="ana"):
    """A store that was written and searched; its snapshot is beside it."""
    with opened(path) as memory:
        memory.add("The harbour is shared by all.", entities=["The harbour"])
        ids = memory.add_many(
            {
                "content": f"{TOPICS[number % 4]} number {number}",
                "user_id": user,
                "session_id": f"s{number // 10}",
                "kind": ("turn", "event", "fact")[number % 3],
                "speaker": ("Ana", "Bo")[number % 2],
                "entities": [f"Thing {number % 5}", "Ana"],
            }
            for number in range(rows)
        ).ids
        memory.add(f"The code word is {WORD} indeed.", user_id=user, entities=[f"Entity {WORD}"])
        for number in range(0, rows - 5, 7):
            memory.relate(ids[number], ids[number + 5], "causal", 0.7)
        answers(memory, user)
    return ids


def answers(memory, user="ana"):
    """What searches answer and how they came to it, but for how long it took."""
    found = []
    for query in QUERIES:
        result = memory.search(query, user_id=user, limit=8)
        trace = result.trace
        hits = [asdict(hit) | {"signals": dict(hit.signals)} for hit in result]
        steps = [(step.name, step.summary) if hasattr(step, "summary") else step.name for step in trace.steps]
        pool = (trace.ids.tolist(), trace.retrieval.scores.tolist(), trace.scope_size, dict(trace.hidden))
        found.append((hits, steps, pool, result.block().text))
    return found


def from_rows(path, user="ana"):
    """What a process answers that makes no use of a snapshot."""
    with opened(path, settings=Settings(snapshot=False)) as memory:
        return answers(memory, user)


def engine(path):
    return Path(f"{path}.engine")


def run(*arguments):
    """What `snapshot_processes.py` does with these arguments, in a process of its own."""
    process = started(*arguments, wait=False)
    process.communicate("\n", timeout=240)
    assert process.returncode == 0


def started(*arguments, wait=True):
    """A process of `snapshot_processes.py`, which waits for a line once it says that it is ready."""
    command = [sys.executable, str(HERE / "snapshot_processes.py"), *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert not wait or process.stdout.readline().strip() == "ready"
    return process
