"""What a tuning is measured on: searches that can be run with any parameters, and what they should find."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore._core import __version__
from memcore.errors import InvalidInputError, MemcoreError
from memcore.learning.metrics import scored
from memcore.learning.remembering import remembering
from memcore.learning.replay import all_traces, gains_of
from memcore.learning.rerun import rerun
from memcore.names import without_end, words_key
from memcore.storage import partitions, revisions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memcore.params import RetrievalParams
    from memcore.records.learning import SearchTrace
    from memcore.records.replay import Quality
    from memcore.searching.search import Searcher

__all__ = ["LEAST", "Case", "Cases", "digest_of", "setting_of", "traced_cases", "traced_digest"]

SCORED = 1
"""Counted up when a set is scored otherwise on the same answers: what was kept before is no score any more."""

LEAST = 4
"""Different queries of which something says what was right: two halves of at least two."""
OF_SEARCHES = "a search counts once something of it entered a prompt, by `context`, or has feedback"
"""How recorded searches come to be enough."""


@dataclass(frozen=True, slots=True)
class Case:
    """One search: `key` names it, `query` is its text, `run` gives the ids that it answers with, best first.

    `users`: whose memories it sees, beside those of all.
    """

    key: str
    query: str
    gains: Mapping[int, float]
    run: Callable[[RetrievalParams], Sequence[int]]
    users: tuple[str, ...] = ()

    def quality(self, params: RetrievalParams, k: int) -> Quality:
        """How good its answer is with these parameters."""
        return scored(self.run(params), self.gains, k)


@dataclass(frozen=True, slots=True)
class Cases:
    """Cases in two halves: one by which parameters are chosen, and one that has no say in it.

    `digest` names what the scores of the first half follow from: the same cases on the same store have the same.
    """

    on: str
    tuned: tuple[Case, ...]
    held_out: tuple[Case, ...]
    digest: str

    @classmethod
    def halves(cls, on: str, cases: Sequence[Case], seed: int, digest: str, *, more: str = OF_SEARCHES) -> Cases:
        """The cases, by a seed in two halves; a query that was asked often, however spelled, is in one of them alone.

        `more` says what makes them more, where they are too few.

        Raises:
            InvalidInputError: there are too few different queries.
        """
        queries: dict[str, str] = {}  # the first by the alphabet of those that are alike
        for case in cases:
            alike = _alike(case.query)
            queries[alike] = min(case.query, queries.get(alike, case.query))
        if len(queries) < LEAST:
            raise InvalidInputError(
                f"on: {len(queries)} different queries with something that was right are too few; at least {LEAST}"
                f" are needed ({more})"
            )
        order = sorted(queries, key=lambda alike: digest_of([str(seed), queries[alike]]))
        chosen = set(order[::2])
        halves = [tuple(case for case in cases if (_alike(case.query) in chosen) is half) for half in (True, False)]
        return cls(on, halves[0], halves[1], digest_of([digest, *(case.key for case in halves[0])]))


def traced_cases(searcher: Searcher, agent_id: str, traces: Sequence[SearchTrace] | None) -> list[Case]:
    """The recorded searches of which something says what was right, and that can still be run."""
    kept = remembering(searcher)
    found = all_traces(searcher, agent_id, traces)
    cases = []
    for trace, gains in zip(found, gains_of(searcher, found), strict=True):
        if gains and _still_runs(kept, agent_id, trace):
            cases.append(Case(f"trace {trace.id}", trace.query, gains, _running(kept, agent_id, trace), trace.user_ids))
    return cases


def traced_digest(searcher: Searcher, agent_id: str, cases: Sequence[Case]) -> str:
    """What names recorded searches on what their users, and all, have in the store; what others have has no part."""
    users = {None, *(user for case in cases for user in case.users)}
    with searcher.database.read() as connection:
        numbers = partitions.all_of(connection, agent_id)
        scope = sorted(number for partition, number in numbers.items() if partition.user_id in users)
        last = revisions.last_of(connection, scope)
    parts = [agent_id, json.dumps(sorted(last.items())), setting_of(searcher)]
    return digest_of([*parts, *(f"{case.key} {sorted(case.gains.items())}" for case in cases)])


def setting_of(searcher: Searcher) -> str:
    """All that scores follow from beside the cases and the parameters: version, settings, embedding space."""
    settings, source = searcher.settings, searcher.vectors
    with searcher.database.read() as connection:
        space = source.stored_space(connection)
    days = sorted((str(kind), count) for kind, count in settings.retention_days.items())
    embedder = None if source.embedder is None else source.embedder.name
    return json.dumps([__version__, SCORED, sorted(settings.layers), days, embedder, repr(space)])


def _alike(query: str) -> str:
    """A query as it counts as asked before: without regard to case, width, space and what ends it."""
    return without_end(words_key(query))


def digest_of(parts: Sequence[str]) -> str:
    """A hash of texts."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()


def _running(searcher: Searcher, agent_id: str, trace: SearchTrace) -> Callable[[RetrievalParams], Sequence[int]]:
    return lambda params: rerun(searcher, agent_id, trace, params).answer


def _still_runs(searcher: Searcher, agent_id: str, trace: SearchTrace) -> bool:
    """Whether a search is still accepted: filters and embedders change."""
    try:
        rerun(searcher, agent_id, trace, searcher.params.current())
    except MemcoreError:
        return False
    return True
