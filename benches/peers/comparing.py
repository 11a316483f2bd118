"""Asks memcore and its peers the same questions and sets the answers side by side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from benches.metrics import METRICS, interval
from benches.peers.port import Item, Setting
from benches.retrieval import LIMIT, Asked, print_table, reported

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benches.evaluation import Store
    from benches.peers.port import Peer, Vectors
    from benches.peers.registry import Entry

__all__ = ["asked_of", "items_of", "print_margin"]

EVERYBODY = "everybody"
COMPARED = ("R@5", "nDCG@10")


def items_of(store: Store) -> list[Item]:
    """The memories of a store as a peer gets them."""
    return [
        Item(
            key=f"{store.name}/{name}",
            text=text,
            speaker=item["speaker"],
            session=item["session_id"],
            moment=item["event_time"],
        )
        for item, text, name in zip(store.items, store.texts, store.names, strict=True)
    ]


def asked_of(
    entry: Entry, stores: Sequence[Store], shared: Sequence[str], vectors: Vectors, folder: Path
) -> list[Asked]:
    """The answers of one peer to the questions of all stores, and what it took to store the memories, printed.

    A store is a scope of its own. Where memories are shared, which no peer knows, each store in turn stands with them
    in one scope, and is taken out again.

    Raises:
        ImportError: the peer is not installed.
    """
    folder.mkdir()
    peer = entry.open(Setting(folder, vectors))
    started = time.perf_counter()
    if shared:
        lines = enumerate(shared)
        peer.fill(EVERYBODY, [Item(f"/{place}", line, None, None, None) for place, line in lines])
    seconds = time.perf_counter() - started
    asked: list[Asked] = []
    for store in stores:
        scope = EVERYBODY if shared else store.name
        items = items_of(store)
        started = time.perf_counter()
        peer.fill(scope, items)
        seconds += time.perf_counter() - started
        asked += _answers(peer, scope, store)
        if shared:
            peer.forget(scope, items)
    peer.close()
    print(f"  {entry.name:<20} stored in {seconds:.1f} s; given: {entry.given}", flush=True)
    return asked


def _answers(peer: Peer, scope: str, store: Store) -> list[Asked]:
    found = []
    for question in store.questions:
        started = time.perf_counter()
        keys = peer.search(scope, question.text, LIMIT)
        took = (time.perf_counter() - started) * 1_000.0
        ranking = [key.removeprefix(f"{store.name}/") for key in dict.fromkeys(keys)]
        found.append(Asked(question, ranking, took))
    return found


def print_margin(name: str, ours: Sequence[Asked], theirs: Sequence[Asked]) -> None:
    """A row of a peer, and how far ours are ahead, paired by question; both answer the same questions in order."""
    left, compared = reported(list(ours)), reported(list(theirs))
    print_table(name, compared)
    cells = []
    for metric in COMPARED:
        column = METRICS.index(metric)
        mine, yours = (np.array([one.scores[column] for one in side]) for side in (left, compared))
        low, high = interval(mine - yours)
        ratio = f"x{mine.mean() / yours.mean():.2f}" if yours.mean() > 0 else "from 0"
        cells.append(f"{metric} {(mine - yours).mean():+.3f} [{low:+.3f}, {high:+.3f}] {ratio}")
    print(f"  {'':<20}        memcore ahead by  {'  '.join(cells)}", flush=True)
