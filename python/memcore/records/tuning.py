"""What tuning gives back: profiles, their activation and comparison, and the report of a search for parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memcore.records.plain import Plain
from memcore.records.replay import Comparison

__all__ = ["Activation", "Profile", "ProfileComparison", "Trial", "TuningReport"]


@dataclass(frozen=True, slots=True)
class Profile(Plain):
    """A set of parameters under a name: one that comes with the package (`named`), or one that was saved.

    `changes` is what it has otherwise than the defaults. `active`: searches go by exactly these parameters now.
    `problem` says why it cannot be activated: a parameter file that was kept as it was found may hold anything.
    """

    name: str
    named: bool
    active: bool
    recorded_at: datetime | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Activation(Plain):
    """What is in the parameter file `path` from now on, in every process: a profile, or what there was before one.

    `kept_as`: the file had been edited by hand, and what was in it is kept as the profile of that name. `changes` is
    what holds otherwise than the defaults.
    """

    profile: str
    path: str
    rolled_back: bool = False
    kept_as: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProfileComparison(Plain):
    """Two profiles: the parameters that differ, with both values, and how both answer what was recorded.

    `comparison` is None where no recorded search says what was right.
    """

    first: str
    second: str
    differing: Mapping[str, tuple[Any, Any]]
    k: int
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Trial(Plain):
    """One set that was tried: its number, what it scored, and the best score up to it."""

    number: int
    score: float
    best: float


@dataclass(frozen=True, slots=True)
class TuningReport(Plain):
    """What a search for better parameters found, and what it is worth.

    `tuned` compares the present parameters with the best ones over the half of the rounds by which they were chosen,
    `held_out` over the other half, which had no say: only that tells how they will do. `changes` is what the best ones
    change of the present ones, `params` all of them. `known` of the `trials` were scored by an earlier run, which makes
    no other report of it: two that differ in nothing else are equal.
    """

    on: str
    k: int
    seed: int
    trials: tuple[Trial, ...]
    known: int = field(compare=False)
    names: tuple[str, ...]
    changes: Mapping[str, Any]
    params: Mapping[str, Any]
    tuned: Comparison
    held_out: Comparison
    verdict: str
