"""What replaying recorded searches gives back, and what a change of parameters would do to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memcore.kinds import Mismatch
from memcore.records.plain import Plain

__all__ = ["Comparison", "Quality", "ReplayReport", "ReplayedRound"]


@dataclass(frozen=True, slots=True)
class Quality(Plain):
    """How good rankings are: nDCG and recall of their first k, and 1 / the place of the first hit; each 0 to 1."""

    ndcg: float
    recall: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Comparison(Plain):
    """Two rankings of the same rounds: their means, and how far nDCG rose, with the 95 % interval of the rise.

    `better` and `worse` are how many rounds have a higher and a lower nDCG after it.
    """

    rounds: int
    before: Quality
    after: Quality
    low: float
    high: float
    better: int
    worse: int

    @property
    def rise(self) -> float:
        """How far nDCG rose."""
        return self.after.ndcg - self.before.ndcg

    @property
    def is_sure(self) -> bool:
        """Whether the rise is more than chance: its interval lies above 0."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class ReplayedRound(Plain):
    """One recorded search, run again.

    `matches`: with its own parameters it gave the same pool, position by position, and the same answer. Else `reason`
    says why not, and `place` the first position of the pool that differs. `overlap` is the share of the answer of then
    that is in the answer now. `before` is how good its answer is, by what
    of it entered a prompt and by feedback, with its own parameters, `after` with those that were given; None where
    nothing says what was right.
    """

    trace_id: int
    matches: bool
    reason: Mismatch | None = None
    detail: str = ""
    place: int | None = None
    overlap: float | None = None
    before: Quality | None = None
    after: Quality | None = None
    changed: bool = False
    """Whether the parameters that were given answer otherwise."""


@dataclass(frozen=True, slots=True)
class ReplayReport(Plain):
    """Recorded searches that were run again: how many gave what they gave, and why the others did not.

    `matched` + the numbers in `mismatched` are all `rounds`. `overlap` is the mean share of the answers of then that is
    in the answers now. `labelled` rounds are those of which something says what
    was right; only they count in `quality` and `comparison`. `quality` is how good the answers are with the parameters
    of then, over the first `k`. `comparison` is there where other parameters were given: `changes` are what they
    change, `changed` is how many rounds they answer otherwise.
    """

    rounds: int
    matched: int
    mismatched: Mapping[Mismatch, int]
    overlap: float | None
    labelled: int
    k: int
    quality: Quality | None
    changes: Mapping[str, Any] = field(default_factory=dict)
    comparison: Comparison | None = None
    changed: int = 0
    details: tuple[ReplayedRound, ...] = ()
