"""Whole searches, and what it takes to store, beside the stores that people would use instead.

    python -m benches.search [--sizes 10000,100000] [--rows search,others,add_many,add] [--only PEER]… [--json FILE]

Ours and the peers stand in one process and take turns on the same seeded work (see `benches.whole.work`), with given
vectors and no model. Each search gives texts, not only numbers. recall@10 of a peer's vectors is taken against all
products in float32; one under .98 does not count. Times are of the clock on the wall: medians, and what 95 % of ours
stay within.

The rows: `search` is the whole `Memory.search()` with all its steps; `others` the same in a scope of 10,000 among the
memories of others, against the same scope alone; `add_many` a batch into an empty store; `add` one memory, durable,
against a bare synced SQLite commit of the same bytes on the same disk.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benches import results
from benches.whole import adding, scopes
from benches.whole.imports import imports
from benches.whole.registry import OURS, PEERS, installed

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS: dict[str, Callable[[scopes.Plan], None]] = {
    "search": scopes.searches,
    "others": scopes.among_others,
    "add_many": adding.batches,
    "add": adding.single,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.search", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="10000,100000", help="how many memories in scope, with commas between")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=100, help="up to 20,000 memories; a third of them above")
    parser.add_argument("--others", type=int, default=100_000, help="memories of others")
    parser.add_argument("--scope", type=int, default=10_000, help="memories in scope among others, and in a batch")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"some of {', '.join(ROWS)}, with commas between")
    parser.add_argument("--only", action="append", default=[], metavar="PEER", help="only these peers")
    parser.add_argument("--json", type=Path, help="append the results to this file")
    given = parser.parse_args()
    if unknown := set(given.rows.split(",")) - set(ROWS):
        parser.error(f"--rows: there is no {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    if unknown := set(given.only) - {entry.name for entry in PEERS}:
        parser.error(f"--only: there is no {', '.join(sorted(unknown))}")
    return given


def main() -> int:
    given = arguments()
    peers = installed([entry for entry in PEERS if not given.only or entry.name in given.only])
    results.begin("search", {entry.package: entry.version for entry in peers}, given.json)
    imports("search")
    OURS.load()
    with tempfile.TemporaryDirectory() as name:
        plan = scopes.Plan(
            folder=Path(name),
            peers=tuple(peers),
            sizes=tuple(map(int, given.sizes.split(","))),
            dimension=given.dimension,
            rounds=given.rounds,
            others=given.others,
            scope=given.scope,
        )
        for row in given.rows.split(","):
            ROWS[row](plan)
    return 0


if __name__ == "__main__":
    sys.exit(main())
