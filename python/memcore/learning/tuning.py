"""Looking for better parameters: sets drawn at random first, then one parameter after the other from the best of them.

The same cases, seed and number of trials give the same result to the last digit. What a set scores is kept as it is
known, so that a search that was cut off goes on: begun again it takes the same way, and what is known costs nothing.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from memcore.learning.cases import digest_of
from memcore.learning.metrics import compared
from memcore.learning.profiles import changed
from memcore.params import overridden
from memcore.params.tunable import TUNABLE
from memcore.records.tuning import Trial, TuningReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memcore.learning.cases import Cases
    from memcore.params import RetrievalParams
    from memcore.records.replay import Comparison

__all__ = ["Scores", "search"]

DRAWN = 0.5
"""Share of the trials that is drawn at random."""
MOVED = 0.5
"""Chance of each parameter to be moved in a drawn set."""
STEPS = (1 / 4, 1 / 8, 1 / 16, 1 / 32)
"""How far a parameter is moved, in shares of its range, when it is moved alone."""
_MORE = 1e-12


class Scores(Protocol):
    """Where the scores of sets are kept, by their keys."""

    known: Mapping[str, float]

    def keep(self, set_key: str, score: float) -> None:
        """Keep a score."""
        ...


@dataclass(slots=True)
class _Search:
    """One search on its way: what was tried, and the best of it."""

    cases: Cases
    base: RetrievalParams
    names: tuple[str, ...]
    k: int
    budget: int
    scores: Scores
    progress: Callable[[int, int], None] | None
    best: dict[str, float] = field(default_factory=dict)
    best_score: float = -1.0
    trials: list[Trial] = field(default_factory=list)
    tried: dict[str, float] = field(default_factory=dict)
    from_before: int = 0

    def try_out(self, moved: Mapping[str, float]) -> bool:
        """Whether a set, as what it changes, is better than the best; a set that was tried costs no trial."""
        params = overridden(self.base, moved)
        key = digest_of([params.model_dump_json()])
        if key in self.tried:
            return False
        score = self.scores.known.get(key)
        if score is None:
            found = [case.quality(params, self.k).ndcg for case in self.cases.tuned]
            score = math.fsum(found) / len(found)
            self.scores.keep(key, score)
        else:
            self.from_before += 1
        self.tried[key] = score
        better = score > self.best_score + _MORE
        if better:
            self.best, self.best_score = dict(moved), score
        self.trials.append(Trial(len(self.trials), score, self.best_score))
        if self.progress is not None:
            self.progress(len(self.trials), self.budget)
        return better

    @property
    def left(self) -> int:
        """Trials that may still be made."""
        return self.budget - len(self.trials)


def search(
    cases: Cases,
    base: RetrievalParams,
    *,
    names: Sequence[str],
    trials: int,
    seed: int,
    k: int,
    scores: Scores,
    progress: Callable[[int, int], None] | None = None,
) -> TuningReport:
    """The best of `trials` sets, and what it is worth where it was not chosen; `names` are of the white-list.

    Raises:
        StorageError: the store cannot be read, or a score not be kept.
    """
    looking = _Search(cases, base, tuple(names), k, trials, scores, progress)
    looking.try_out({})
    for moved in _drawn(looking, seed, round((trials - 1) * DRAWN)):
        looking.try_out(moved)
    _descend(looking, seed)
    best = overridden(base, looking.best)
    tuned, held_out = (
        _compared([case.quality(base, k) for case in half], [case.quality(best, k) for case in half], seed)
        for half in (cases.tuned, cases.held_out)
    )
    changes = changed(base, best)
    return TuningReport(
        on=cases.on,
        k=k,
        seed=seed,
        trials=tuple(looking.trials),
        known=looking.from_before,
        names=tuple(names),
        changes=changes,
        params=best.model_dump(mode="json"),
        tuned=tuned,
        held_out=held_out,
        verdict=_verdict(changes, held_out),
    )


def _drawn(looking: _Search, seed: int, number: int) -> Iterator[dict[str, float]]:
    """Sets in which about half of the parameters are drawn from their ranges."""
    for trial in range(number):
        draw = random.Random(f"{seed} {trial}")  # noqa: S311 - nothing is kept secret by it
        moved = {name: TUNABLE[name].value(draw.random()) for name in looking.names if draw.random() < MOVED}
        yield moved or {name: TUNABLE[name].value(draw.random()) for name in looking.names[:1]}


def _descend(looking: _Search, seed: int) -> None:
    """Moves one parameter after the other, both ways, by ever smaller steps, from the best set that is known."""
    draw = random.Random(f"{seed} order")  # noqa: S311 - nothing is kept secret by it
    present = looking.base.model_dump()
    for step in STEPS:
        improved = True
        while improved and looking.left > 0:
            improved = False
            for name in draw.sample(looking.names, len(looking.names)):
                for way in (step, -step):
                    if looking.left <= 0:
                        return
                    at = TUNABLE[name]
                    share = at.share(float(looking.best.get(name, present[name])))
                    improved |= looking.try_out({**looking.best, name: at.value(share + way)})


def _compared(before: Sequence[Any], after: Sequence[Any], seed: int) -> Comparison:
    found = compared(before, after, seed)
    if found is None:  # `Cases.halves` sees to it that no half is empty
        raise ValueError("a half without cases cannot be compared")
    return found


def _verdict(changes: Mapping[str, Any], held_out: Comparison) -> str:
    if not changes:
        return "nothing better was found; the present parameters stay"
    if held_out.is_sure:
        return "better, also where it was not chosen"
    if held_out.rise > 0:
        return "better where it was not chosen too, but that may be chance; record more searches"
    return "no better where it was not chosen: fitted to the rounds it was chosen by; keep the present parameters"
