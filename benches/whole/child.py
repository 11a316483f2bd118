"""The fresh process of `python -m benches.start`: imports a store's library, opens a folder, asks one question.

It reads a line of JSON (the store's name, its folder, the question) and writes one: the milliseconds of the import, of
the opening with the first search, and what the process gained by those in resident bytes; after that, the nearest to
some more vectors, from which recall is taken.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from benches.whole.registry import OURS, PEERS
from benches.whole.turns import LIMIT

STATM = Path("/proc/self/statm")


def resident() -> tuple[int, int] | None:
    """The resident bytes, and those of them that are no file's; None where the system does not tell."""
    if not STATM.exists():
        return None
    _, pages, shared, *_ = map(int, STATM.read_text(encoding="ascii").split())
    size = os.sysconf("SC_PAGE_SIZE")
    return pages * size, (pages - shared) * size


def main() -> int:
    asked = json.loads(sys.stdin.readline())
    vector = np.array(asked["vector"], np.float32)
    started = time.perf_counter()
    entry = next(entry for entry in (OURS, *PEERS) if entry.name == asked["name"])
    make = entry.load()
    imported = time.perf_counter()
    gc.collect()
    before = resident()
    opening = time.perf_counter()
    store = make(Path(asked["folder"]), len(vector))
    opened = time.perf_counter()
    found = store.search(asked["text"], vector, LIMIT)
    searched = time.perf_counter()
    gc.collect()
    after = resident()
    near = [store.nearest(np.array(more, np.float32), LIMIT) for more in asked["more"]]
    store.close()
    answer = {
        "import": (imported - started) * 1_000.0,
        "open": (opened - opening) * 1_000.0,
        "start": (searched - opening) * 1_000.0,
        "found": len(found),
        "near": near,
        "gained": None
        if before is None or after is None
        else [now - then for now, then in zip(after, before, strict=True)],
    }
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
