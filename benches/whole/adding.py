"""The rows of `python -m benches.search` that store."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.results import Goal, Measured, Row, emit
from benches.whole.ours import DATABASE
from benches.whole.registry import OURS
from benches.whole.scopes import fresh
from benches.whole.turns import commits, in_turn
from benches.whole.work import work_of
from memcore.storage.driver import sqlite_driver

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benches.whole.port import Memories
    from benches.whole.scopes import Plan

__all__ = ["batches", "single"]

RATE = 30_000.0
BESIDE = 0.25
"""The most milliseconds that a durable add may take beyond a bare synced commit."""
TURNS = 3
LONG = 5.0
"""A batch that takes more seconds than this is stored once."""
STORED_BEFORE = 1_000
BARE = "a bare synced commit"


def once(made: int | None, before: int | None) -> str:
    """How many commits there were between two looks at the log, as far as the log tells."""
    return "?" if made is None or before is None or made < before else str(made - before)


def batches(plan: Plan) -> None:
    """Batches into empty stores, in turn; memories a second."""
    memories = work_of(plan.scope, plan.dimension, 1).memories
    entries = [OURS, *(entry for entry in plan.peers if entry.most is None or plan.scope <= entry.most)]
    times: dict[str, list[float]] = {entry.name: [] for entry in entries}
    made = "?"
    for _ in range(TURNS):
        for entry in entries:
            if times[entry.name] and times[entry.name][0] > LONG and entry is not OURS:
                continue
            folder = fresh(plan.folder, entry.name)
            store = entry.load()(folder, plan.dimension)
            before = commits(folder / f"{DATABASE}-wal") if entry is OURS else None
            gc.collect()
            started = time.perf_counter()
            store.add_many(memories)
            times[entry.name].append(time.perf_counter() - started)
            if entry is OURS:
                made = once(commits(folder / f"{DATABASE}-wal"), before)
            store.close()
    measured = []
    for entry in entries:
        runs = len(times[entry.name])
        note = f"{entry.note}; {runs} run{'s' * (runs > 1)}"
        measured.append(Measured(entry.name, plan.scope / float(np.median(times[entry.name])), note))
    goals = (
        Goal.at_least(f"at least {RATE:,.0f} a second", measured[0].value, RATE),
        Goal("one commit a batch", made == "1", made),
    )
    title = f"add_many of {plan.scope:,} with vectors, {plan.dimension} dimensions"
    emit(Row("search", title, "memories/s", tuple(measured), goals, more=True))


def bare(path: Path, before: Memories) -> Callable[[Memories], None]:
    """Stores a text and a vector in a table of their own, synced.

    What every store holds before is in it too: a log that has not been written to the end once grows with each commit,
    and a sync of a file that grows takes several times as long.
    """
    database: Any = sqlite_driver().connect(str(path), isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT, vector BLOB)")

    def add(memories: Memories) -> None:
        rows = [(text, vector.tobytes()) for text, vector in zip(memories.texts, memories.vectors, strict=True)]
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO row (text, vector) VALUES (?, ?)", rows)
        database.execute("COMMIT")

    add(before)
    return add


def single(plan: Plan) -> None:
    """One memory at a time into stores that hold some, in turn with a bare commit."""
    unseen = 2
    memories = work_of(STORED_BEFORE + plan.rounds + unseen, plan.dimension, 1).memories
    first, *rest = memories.parts(STORED_BEFORE)
    ones = [one for part in rest for one in part.parts(1)]
    folders = {entry.name: fresh(plan.folder, entry.name) for entry in (OURS, *plan.peers)}
    stores = {entry.name: entry.load()(folders[entry.name], plan.dimension) for entry in (OURS, *plan.peers)}
    for store in stores.values():
        store.add_many(first)
    log = folders[OURS.name] / f"{DATABASE}-wal"
    before = commits(log)
    stores[OURS.name].add(ones.pop())
    made = once(commits(log), before)
    calls: dict[str, Any] = {name: one_more(store.add, ones) for name, store in stores.items()}
    calls = {OURS.name: calls.pop(OURS.name), BARE: one_more(bare(plan.folder / "bare.db", first), ones), **calls}
    taken = in_turn(calls, plan.rounds - 1, unseen)
    synced = {OURS.name: True} | {entry.name: entry.synced for entry in plan.peers}
    measured = [
        Measured(
            name,
            times.median,
            "" if synced.get(name, True) else "not synced",
            counts=synced.get(name, False),
            within=times.within if name == OURS.name else None,
        )
        for name, times in taken.items()
    ]
    more = float(np.median(taken[OURS.name].wall - taken[BARE].wall))
    goals = (
        Goal.at_most(f"at most {BESIDE} ms more than {BARE}, by the median of the rounds", more, BESIDE),
        Goal("exactly one commit", made == "1", made),
    )
    title = f"one durable add, vector given, {plan.dimension} dimensions"
    emit(Row("search", title, "ms", tuple(measured), goals))
    for store in stores.values():
        store.close()


def one_more(add: Callable[[Memories], None], ones: list[Memories]) -> Callable[[int], None]:
    """Adds the next of the memories with each call."""
    left = iter(ones)
    return lambda _turn: add(next(left))
