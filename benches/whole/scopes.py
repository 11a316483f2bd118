"""The rows of `python -m benches.search` that search."""

from __future__ import annotations

import gc
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benches.results import Goal, Measured, Row, emit, number
from benches.whole.port import Memories
from benches.whole.registry import OURS
from benches.whole.turns import LIMIT, RECALL, exact, in_turn, recall
from benches.whole.work import Maker, work_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benches.whole.ours import Ours
    from benches.whole.port import Store
    from benches.whole.registry import Entry
    from benches.whole.turns import Times
    from benches.whole.work import Work

__all__ = ["Plan", "among_others", "fresh", "searches"]

MEDIAN = {10_000: 1.5, 100_000: 5.0, 1_000_000: 25.0}
"""The most milliseconds that the median may take, by how many are in scope."""
SPREAD = 2.0
BESIDE = 1.2
ASKED_FOR_RECALL = 50
OTHER_SCOPE = 10_000
PART = 50_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What the command line asked for."""

    folder: Path
    peers: tuple[Entry, ...]
    sizes: tuple[int, ...]
    dimension: int
    rounds: int
    others: int
    scope: int

    def rounds_at(self, size: int) -> int:
        return self.rounds if size <= 20_000 else max(7, self.rounds // 3)


def fresh(folder: Path, name: str) -> Path:
    """An empty folder."""
    made = folder / name
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    return made


def filled(plan: Plan, entry: Entry, work: Work) -> Store:
    """A store with the memories of a work in it, and how long that took on the screen."""
    store = entry.load()(fresh(plan.folder, entry.name), plan.dimension)
    started = time.perf_counter()
    for part in work.memories.parts(PART):
        store.add_many(part)
    store.settle()
    print(f"  {entry.name} filled in {time.perf_counter() - started:.1f} s", flush=True)
    return store


def of_processors(times: Times) -> str:
    """What a call took of the processors, which others on the machine change less than they change the clock's time."""
    return f"{number(float(np.median(times.processor)))} ms of processors"


def goals_of(size: int, taken: Times) -> tuple[Goal, ...]:
    spread = Goal.at_most(f"95 % within {SPREAD:g} medians", taken.within / taken.median, SPREAD)
    if size not in MEDIAN:
        return (spread,)
    return (Goal.at_most(f"median at most {MEDIAN[size]:g} ms", taken.median, MEDIAN[size]), spread)


def searches(plan: Plan) -> None:
    """The whole `search()` with given vectors, at each size."""
    for size in plan.sizes:
        rounds = plan.rounds_at(size)
        work = work_of(size, plan.dimension, max(rounds, ASKED_FOR_RECALL))
        print(f"\n{size:,} memories in scope", flush=True)
        ours = filled(plan, OURS, work)
        stores = {OURS.name: ours}
        for entry in plan.peers:
            if entry.most is not None and size > entry.most:
                print(f"  {entry.name} is left out: it is filled with at most {entry.most:,} memories")
                continue
            stores[entry.name] = filled(plan, entry, work)
        probes = work.questions[:ASKED_FOR_RECALL]
        truth = exact(work.memories.vectors, probes)
        notes = {entry.name: entry.note for entry in (OURS, *plan.peers)}
        found = {name: recall(store, probes, truth) for name, store in stores.items() if store is not ours}
        gc.collect()
        calls = {name: asking(store, work) for name, store in stores.items()}
        taken = in_turn(calls, rounds)
        measured = [
            Measured(
                name,
                times.median,
                f"{of_processors(times)}; "
                + (notes[name] if name == OURS.name else f"recall {found[name]:.3f}; {notes[name]}"),
                counts=name == OURS.name or found[name] >= RECALL,
                within=times.within if name == OURS.name else None,
            )
            for name, times in taken.items()
        ]
        work_name = f"whole search(), {size:,} in scope, {plan.dimension} dimensions"
        emit(Row("search", work_name, "ms", tuple(measured), goals_of(size, taken[OURS.name]), size))
        print_steps(ours, work)
        for store in stores.values():
            store.close()


def asking(store: Store, work: Work) -> Callable[[int], object]:
    def ask(turn: int) -> object:
        question = work.questions[turn % len(work.questions)]
        return store.search(question.text, question.vector, LIMIT)

    return ask


def print_steps(ours: Ours, work: Work) -> None:
    """Where the time of ours goes."""
    steps: dict[str, list[float]] = {}
    for question in work.questions[:20]:
        for record in ours.trace(question.text, question.vector, LIMIT).steps:
            steps.setdefault(record.name, []).append(record.milliseconds)
    shown = ", ".join(f"{name} {np.median(times):.3f}" for name, times in steps.items())
    print(f"  of which {shown} ms (medians)", flush=True)


def among_others(plan: Plan) -> None:
    """A scope among the memories of other users, and the same scope alone; ours only."""
    rounds = plan.rounds_at(plan.scope)
    maker = Maker(plan.dimension, 42)
    memories, topics = maker.memories(plan.scope)
    questions = maker.questions(rounds, memories, topics)
    print(f"\n{plan.scope:,} in scope among {plan.others:,} of others", flush=True)
    make = OURS.load()
    alone, among = (make(fresh(plan.folder, name), plan.dimension) for name in ("alone", "among"))
    alone.add_many(memories)
    among.add_many(memories)
    for user, start in enumerate(range(0, plan.others, OTHER_SCOPE), start=1):
        other, _ = maker.memories(min(OTHER_SCOPE, plan.others - start))
        among.of(f"u{user}").add_many(Memories(plan.scope + start, other.texts, other.vectors))
    calls = {
        name: (lambda turn, store=store: store.search(questions[turn].text, questions[turn].vector, LIMIT))
        for name, store in ((OURS.name, among), ("memcore, alone", alone))
    }
    gc.collect()
    taken = in_turn(calls, rounds)
    measured = [
        Measured(name, times.median, of_processors(times), within=times.within) for name, times in taken.items()
    ]
    share = taken[OURS.name].median / taken["memcore, alone"].median
    goal = Goal.at_most("at most 1.2 times the scope alone", share, BESIDE)
    title = f"whole search(), {plan.scope:,} in scope among {plan.others:,} of others, {plan.dimension} dimensions"
    emit(Row("search", title, "ms", tuple(measured), (goal,)))
    alone.close()
    among.close()
