"""An evaluation file as cases for a tuning: its stores in a database in memory, by the present embedder."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from memcore.calls.store import open_store
from memcore.calls.writing import Writing
from memcore.errors import InvalidInputError
from memcore.learning.cases import Case, digest_of, setting_of
from memcore.learning.evaluation import read_document, stores_of
from memcore.learning.remembering import remembering
from memcore.searching.request import request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memcore.calls.store import OpenStore
    from memcore.learning.evaluation import Store
    from memcore.params import RetrievalParams
    from memcore.searching.request import SearchFields, SearchRequest
    from memcore.searching.search import Searcher

__all__ = ["evaluation_cases"]

LIMIT = 20
"""Hits that a question of an evaluation asks for."""
_NAMED = 5


@contextmanager
def evaluation_cases(store: OpenStore, path: Path, k: int) -> Iterator[tuple[list[Case], str, str]]:
    """The questions of a file, which can be asked while the block runs, what names them, and what makes them more.

    Each is asked from the newest moment of its store, so that the answer is the same whenever it is asked.

    Raises:
        InvalidInputError: the file is no evaluation file; the message names the line.
    """
    document = read_document(path)
    stores = list(stores_of(document, path))
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
        cases: list[Case] = []
        for one in stores:
            try:
                cases += _cases_of(one, writing, searcher, store.agent_id, max(k, LIMIT))
            except InvalidInputError as error:
                raise InvalidInputError(f"on: line {one.line} of {path}: {error}") from error
        hashed = hashlib.sha256(document).hexdigest()
        yield cases, digest_of([store.agent_id, setting_of(opened.searcher), hashed]), _more(stores, path)
    finally:
        opened.close()


def _more(stores: Sequence[Store], path: Path) -> str:
    """What makes the questions of a file more, with the first lines that have none."""
    none = [str(one.line) for one in stores if not one.questions]
    lines = f"line {', '.join(none[:_NAMED])}{', …' if len(none) > _NAMED else ''} of {path} has none; " if none else ""
    return f'a query of {path} counts if it has evidence; {lines}give queries with the ids of memories as "evidence"'


def _cases_of(one: Store, writing: Writing, searcher: Searcher, agent_id: str, limit: int) -> list[Case]:
    """The questions of one store, whose memories are stored now."""
    added = writing.add_many(list(one.items), "now")
    ids = {name: found.id for found, name in zip(added, one.names, strict=True) if found.id is not None}
    latest = max(item["event_time"] for item in one.items)
    cases = []
    for question in one.questions:
        gains = {ids[name]: 1.0 for name in question.evidence if name in ids}
        if gains:
            given: SearchFields = {"user_id": one.name, "limit": limit}
            asked = request(question.text, agent_id=agent_id, clock=latest, given=given)
            cases.append(Case(f"{one.name} {question.id}", question.text, gains, _asking(searcher, asked)))
    return cases


def _asking(searcher: Searcher, asked: SearchRequest) -> Callable[[RetrievalParams], Sequence[int]]:
    def run(params: RetrievalParams) -> Sequence[int]:
        own = replace(asked, params=params)  # type: ignore[arg-type]  # a whole set takes the place of the present one
        return [hit.id for hit in searcher.search(own)]

    return run
