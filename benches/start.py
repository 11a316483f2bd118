"""Cold starts: opening a store of memories and the first search, each in a fresh process, beside the peers'.

    python -m benches.start [--sizes 100000] [--edges 10] [--rounds 5] [--only PEER]… [--json FILE]

Vectors are given and no model is loaded. The library is imported before the clock starts; its import time is printed
beside. Files are in the system's cache, as after a restart of a program, not of the machine. `from rows`: without the
engine snapshot (`<database>.engine`), which the bench removes; `from the snapshot`: with it, where one is written. Ours
has so many associative edges a memory (see `benches.whole.work`), the peers none.

Resident bytes are what the process gained by opening and the first search, by /proc/self/statm; disk bytes are those of
all files after the store was closed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benches import results
from benches.results import Goal, Measured, Row, emit
from benches.whole.imports import imports
from benches.whole.ours import DATABASE
from benches.whole.registry import OURS, PEERS, installed
from benches.whole.turns import RECALL, exact, share
from benches.whole.work import arcs_of, work_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benches.whole.registry import Entry
    from benches.whole.work import Question, Work

SNAPSHOT = f"{DATABASE}.engine"
FROM_ROWS, FROM_SNAPSHOT = "from rows", "from the snapshot"
MILLISECONDS = {FROM_ROWS: 250.0, FROM_SNAPSHOT: 60.0}
RESIDENT, DISK = 750.0, 2_600.0
JUDGED = (100_000, 384)
"""The goals are of this many memories of this dimension."""
PART = 50_000
ASKED_FOR_RECALL = 20
LONG = 5_000.0
"""A peer whose start takes more milliseconds than this is started once."""


@dataclass(frozen=True, slots=True)
class Started:
    """The starts of one store: medians."""

    imported: float
    start: float
    gained: tuple[float, float] | None
    recall: float | None = None

    def measured(self, name: str, value: float, note: str) -> Measured:
        """A figure of it; a peer counts by its recall."""
        if self.recall is None:
            return Measured(name, value, note)
        return Measured(name, value, f"recall {self.recall:.3f}; {note}", counts=self.recall >= RECALL)


def disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def ask(name: str, folder: Path, question: Question, more: Sequence[Question] = ()) -> dict[str, Any]:
    """One start in a process of its own; after it, the nearest to more questions."""
    line = {
        "name": name,
        "folder": str(folder),
        "text": question.text,
        "vector": question.vector.tolist(),
        "more": [one.vector.tolist() for one in more],
    }
    ran = subprocess.run(
        [sys.executable, "-m", "benches.whole.child"],
        input=json.dumps(line) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{name} did not start: {ran.stderr.strip().splitlines()[-1:]}")
    answer: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    if not answer["found"]:
        raise RuntimeError(f"{name} started and found nothing in {folder}")
    return answer


def medians(answers: Sequence[Mapping[str, Any]], truth: Sequence[set[int]]) -> Started:
    """What several starts of a store took; its recall by what it answered after the first of them."""
    gained = [answer["gained"] for answer in answers if answer["gained"] is not None]
    return Started(
        imported=float(np.median([answer["import"] for answer in answers])),
        start=float(np.median([answer["start"] for answer in answers])),
        gained=tuple(np.median(gained, axis=0).tolist()) if gained else None,
        recall=share(answers[0]["near"], truth) if answers[0]["near"] else None,
    )


def fill(entry: Entry, folder: Path, work: Work, edges: int) -> dict[str, int]:
    """Leaves a closed store with the memories in it, ours with edges; its bytes on disk without edges, and with."""
    folder.mkdir()
    size, dimension = work.memories.vectors.shape
    store = entry.load()(folder, dimension)
    started = time.perf_counter()
    for part in work.memories.parts(PART):
        store.add_many(part)
    store.settle()
    store.close()
    print(f"  {entry.name} filled in {time.perf_counter() - started:.1f} s", flush=True)
    disk = {entry.name: disk_bytes(folder)}
    if edges and entry is OURS:
        started = time.perf_counter()
        store = entry.load()(folder, dimension)
        store.join(arcs_of(size, size * edges))
        store.close()
        print(f"  {entry.name} joined in {time.perf_counter() - started:.1f} s", flush=True)
        disk[f"{entry.name}, with {size * edges:,} edges"] = disk_bytes(folder)
    return disk


def start_in_turn(
    folders: Mapping[str, Path], question: Question, more: Sequence[Question], rounds: int
) -> dict[str, list[dict[str, Any]]]:
    """The starts of each store, round by round; ours twice, without the snapshot and with what that left."""
    answers: dict[str, list[dict[str, Any]]] = {}
    for turn in range(rounds):
        for name, folder in folders.items():
            if name == OURS.name:
                (folder / SNAPSHOT).unlink(missing_ok=True)
                answers.setdefault(FROM_ROWS, []).append(ask(name, folder, question))
                if not (folder / SNAPSHOT).exists():
                    continue
                answers.setdefault(FROM_SNAPSHOT, []).append(ask(name, folder, question))
            elif not turn or answers[name][0]["start"] <= LONG:
                answers.setdefault(name, []).append(ask(name, folder, question, () if turn else more))
    return answers


def rows_of(
    size: int, dimension: int, edges: int, started: Mapping[str, Started], disk: Mapping[str, float]
) -> list[Row]:
    """The rows of one size: the starts from rows and from the snapshot, resident and disk bytes a memory."""
    judged = (size, dimension) == JUDGED
    peers = {name: one for name, one in started.items() if name not in MILLISECONDS}
    of = f"{size:,} memories of {dimension} dimensions"
    joined = f" and {size * edges:,} edges of ours" if edges else ""
    rows = []
    for how, most in MILLISECONDS.items():
        if how not in started:
            print(f"\nno start {how}: {SNAPSHOT} is not written when a store is closed", flush=True)
            continue
        ours = started[how]
        goals = (Goal.at_most(f"at most {most:g} ms", ours.start, most),) if judged else ()
        measured = [
            one.measured(name, one.start, f"imported before, in {one.imported:,.0f} ms")
            for name, one in {results.OURS: ours, **peers}.items()
        ]
        rows.append(Row("start", f"cold open and first search {how}, {of}{joined}", "ms", tuple(measured), goals, size))
        measured = [
            one.measured(name, one.gained[0] / size, f"{one.gained[1] / size:,.0f} of them anonymous")
            for name, one in {results.OURS: ours, **peers}.items()
            if one.gained is not None
        ]
        if measured:
            goals = (Goal.at_most(f"at most {RESIDENT:g}", measured[0].value, RESIDENT),) if judged else ()
            title = f"resident bytes a memory, {how}, {of}{joined}"
            rows.append(Row("start", title, "bytes", tuple(measured), goals))
    measured = [Measured(name, held / size) for name, held in disk.items()]
    goals = (Goal.at_most(f"at most {DISK:,.0f}", measured[0].value, DISK),) if judged else ()
    rows.append(Row("start", f"disk bytes a memory after close, {of}", "bytes", tuple(measured), goals))
    return rows


def starts(folder: Path, peers: Sequence[Entry], size: int, given: argparse.Namespace) -> None:
    work = work_of(size, given.dimension, 1 + ASKED_FOR_RECALL)
    question, *more = work.questions
    folders: dict[str, Path] = {}
    disk: dict[str, float] = {}
    print(f"\n{size:,} memories", flush=True)
    for entry in (OURS, *peers):
        if not entry.kept or (entry.most is not None and size > entry.most):
            print(f"  {entry.name} is left out: " + ("too many for it" if entry.kept else "nothing of it is on disk"))
            continue
        folders[entry.name] = folder / f"{entry.name} {size}"
        disk |= fill(entry, folders[entry.name], work, given.edges)
    answers = start_in_turn(folders, question, more, given.rounds)
    truth = exact(work.memories.vectors, more)
    started = {name: medians(of, truth) for name, of in answers.items()}
    for row in rows_of(size, given.dimension, given.edges, started, disk):
        emit(row)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benches.start", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="100000", help="how many memories, with commas between")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--edges", type=int, default=10, help="associative edges a memory, of ours")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", default=[], metavar="PEER", help="only these peers")
    parser.add_argument("--json", type=Path, help="append the results to this file")
    given = parser.parse_args()
    if unknown := set(given.only) - {entry.name for entry in PEERS}:
        parser.error(f"--only: there is no {', '.join(sorted(unknown))}")
    peers = installed([entry for entry in PEERS if not given.only or entry.name in given.only])
    results.begin("start", {entry.package: entry.version for entry in peers}, given.json)
    with tempfile.TemporaryDirectory() as name:
        for size in map(int, given.sizes.split(",")):
            starts(Path(name), peers, size, given)
    imports("start")
    return 0


if __name__ == "__main__":
    sys.exit(main())
