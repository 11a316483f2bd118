"""An evaluation file as cases for a tuning: its stores in a database in memory, by the present embedder."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from memcore.calls.store import open_store
from memcore.calls.writing import Writing
from memcore.learning.cases import Case, digest_of
from memcore.learning.evaluation import read_stores
from memcore.learning.remembering import remembering
from memcore.searching.request import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memcore.calls.store import OpenStore
    from memcore.params import RetrievalParams
    from memcore.searching.search import Searcher

__all__ = ["evaluation_cases"]

LIMIT = 20
"""Hits that a question of an evaluation asks for."""


@contextmanager
def evaluation_cases(store: OpenStore, path: Path, k: int) -> Iterator[tuple[list[Case], str]]:
    """The questions of a file, which can be asked while the block runs, and what names them.

    Each is asked from the newest moment of its store, so that the answer is the same whenever it is asked.

    Raises:
        InvalidInputError: the file is no evaluation file.
    """
    stores = list(read_stores(path))
    embedder = store.vectors.embedder
    opened = open_store(
        ":memory:",
        agent_id=store.agent_id,
        embedder="none" if embedder is None else embedder.wrapped,
        params=None,
        clock=store.clock,
        settings=store.settings,
        durability="relaxed",
        on_error="raise",
    )
    try:
        writing, searcher = Writing(opened), remembering(opened.searcher)
        cases = []
        for one in stores:
            added = writing.add_many(list(one.items), "now")
            ids = {name: found.id for found, name in zip(added, one.names, strict=True) if found.id is not None}
            latest = max(item["event_time"] for item in one.items)
            for question in one.questions:
                gains = {ids[name]: 1.0 for name in question.evidence if name in ids}
                if gains:
                    given = {"user": one.name, "text": question.text, "now": latest, "limit": max(k, LIMIT)}
                    run = _asking(searcher, store.agent_id, **given)
                    cases.append(Case(f"{one.name} {question.id}", question.text, gains, run))
        yield cases, digest_of([str(embedder), path.read_text(encoding="utf-8")])
    finally:
        opened.close()


def _asking(
    searcher: Searcher, agent_id: str, *, user: str, text: str, now: datetime, limit: int
) -> Callable[[RetrievalParams], Sequence[int]]:
    def run(params: RetrievalParams) -> Sequence[int]:
        asked = request(
            text, agent_id=agent_id, clock=now, given={"user_id": user, "limit": limit, "params": params.model_dump()}
        )
        return [hit.id for hit in searcher.search(asked)]

    return run
