"""Every curve by which a memory fades or strengthens, and which kind lives by which: the one place for both.

All curves give 1 at age 0 for full strength, fall as age grows and stay above 0. Ages are in days (hours for the
half-life), never below 0: a moment in the future has age 0. Every function takes scalars or numpy arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from memcore.kinds import Category, Kind

__all__ = [
    "FREEZE",
    "GAUSSIAN_DECAY",
    "GAUSSIAN_OFFSET_DAYS",
    "GAUSSIAN_SCALE_DAYS",
    "HALF_LIFE_HOURS",
    "LIVES",
    "LONGEST_STABILITY_DAYS",
    "PIN_HALF_LIFE_HOURS",
    "REINFORCEMENT",
    "REVIVE",
    "STABILITY_GROWTH",
    "Clock",
    "Curve",
    "Life",
    "exponential",
    "first_stability_days",
    "gaussian",
    "half_life",
    "half_life_hours",
    "hours_until_freeze",
    "hyperbolic",
    "logarithmic",
    "reinforced",
    "retention",
    "used_stability_days",
]

FREEZE = 0.1
"""A fact whose retention falls below this becomes dormant."""
REVIVE = 0.15
"""A dormant fact whose retention is at least this wakes; the gap to FREEZE keeps it from flickering."""
REINFORCEMENT = 0.35
"""The share of what is missing to full strength that one use adds."""
PIN_HALF_LIFE_HOURS = 876_000.0
"""The half-life of what is pinned: a hundred years."""
HALF_LIFE_HOURS: dict[Category, float] = {
    Category.IDENTITY: 365 * 24.0,
    Category.DATE: 365 * 24.0,
    Category.PREFERENCE: 90 * 24.0,
    Category.RELATION: 90 * 24.0,
    Category.HABIT: 60 * 24.0,
    Category.EVENT: 21 * 24.0,
    Category.STATE: 12.0,
}
LONGEST_STABILITY_DAYS = 3650.0
STABILITY_GROWTH = 1.5
_STABILITY_DAYS = 30.0
_HYPERBOLIC_DAYS = 30.0
GAUSSIAN_OFFSET_DAYS, GAUSSIAN_SCALE_DAYS, GAUSSIAN_DECAY = 180.0, 1825.0, 0.5
"""Half a year without loss; what is left another five years later."""


class Curve(StrEnum):
    """The shape by which retention falls."""

    NONE = "none"
    HALF_LIFE = "half_life"
    EXPONENTIAL = "exponential"
    HYPERBOLIC = "hyperbolic"
    GAUSSIAN = "gaussian"
    LOGARITHMIC = "logarithmic"


class Clock(StrEnum):
    """From which moment the age of a memory counts.

    The last use of what was never used is the moment at which it was recorded; what is to happen later ages from then.
    """

    EVENT_TIME = "event_time"
    LAST_USE = "last_use"


@dataclass(frozen=True, slots=True)
class Life:
    """How a kind lives: its curve, the moment its age counts from, its days to live once distilled, who may see it.

    `ttl_days` None: it never expires. `injected`: a search may return it without being asked for its kind.
    """

    curve: Curve
    clock: Clock
    ttl_days: int | None
    injected: bool


LIVES: dict[Kind, Life] = {
    Kind.TURN: Life(Curve.GAUSSIAN, Clock.EVENT_TIME, 30, injected=True),
    Kind.EVENT: Life(Curve.EXPONENTIAL, Clock.LAST_USE, None, injected=True),
    Kind.EPISODE: Life(Curve.GAUSSIAN, Clock.EVENT_TIME, 90, injected=True),
    Kind.FACT: Life(Curve.HALF_LIFE, Clock.LAST_USE, None, injected=True),
    Kind.KNOWLEDGE: Life(Curve.NONE, Clock.LAST_USE, None, injected=True),
    Kind.CHUNK: Life(Curve.NONE, Clock.LAST_USE, None, injected=False),
    Kind.ENTITY: Life(Curve.NONE, Clock.LAST_USE, None, injected=False),
    Kind.SUMMARY: Life(Curve.GAUSSIAN, Clock.EVENT_TIME, 3650, injected=True),
    Kind.CASE: Life(Curve.HYPERBOLIC, Clock.EVENT_TIME, None, injected=True),
    Kind.LESSON: Life(Curve.NONE, Clock.LAST_USE, None, injected=True),
}
"""The life of each kind. Expiry of episodes is known but off: nothing sets their `expires_at` by itself."""


def half_life(strength: Any, age_hours: Any, half_life_hours: Any) -> Any:
    """Retention s·2^(−h/H) (Ebbinghaus 1885, in the form with a half-life); of facts."""
    return strength * np.exp2(-np.maximum(age_hours, 0.0) / half_life_hours)


def exponential(age_days: Any, stability_days: Any) -> Any:
    """Retention e^(−t/S) with stability S in days (Woźniak 1995); of events."""
    return np.exp(-np.maximum(age_days, 0.0) / stability_days)


def hyperbolic(age_days: Any) -> Any:
    """Retention 1/(1 + t/30 d) (Mazur 1987); of cases, which rank by 0.8 + 0.2 times it."""
    return 1.0 / (1.0 + np.maximum(age_days, 0.0) / _HYPERBOLIC_DAYS)


def gaussian(
    age_days: Any,
    offset_days: float = GAUSSIAN_OFFSET_DAYS,
    scale_days: float = GAUSSIAN_SCALE_DAYS,
    decay: float = GAUSSIAN_DECAY,
) -> Any:
    """Retention d^((max(0, t − offset)/scale)²); of turns and episodes .5, 180 d, 1825 d.

    Flat for half a year then, and half at 5.5 years. The rank form `postgres` takes other numbers by parameter.
    """
    late = np.maximum(np.asarray(age_days, np.float64) - offset_days, 0.0) / scale_days
    return np.power(decay, late * late)


def logarithmic(age_days: Any) -> Any:
    """Retention 0.8 + 0.2/(1 + ln(1 + t)); of the rank form `perocore`, which ages all kinds by event time alike."""
    return 0.8 + 0.2 / (1.0 + np.log1p(np.maximum(age_days, 0.0)))


def retention(kind: Kind, age_days: Any, strength: Any, fade: Any) -> Any:
    """How much is retained of memories of a kind, from 0 to 1, by its curve in `LIVES`.

    `age_days` counts from the kind's clock. `strength` (0 to 1) is a fact's; `fade` is a fact's half-life in hours, or
    an event's stability in days, above 0. Of a case 0.8 + 0.2 · hyperbolic; of kinds without a curve 1.
    """
    curve = LIVES[kind].curve
    if curve is Curve.HALF_LIFE:
        return half_life(strength, 24.0 * age_days, fade)
    if curve is Curve.EXPONENTIAL:
        return exponential(age_days, fade)
    if curve is Curve.GAUSSIAN:
        return gaussian(age_days)
    if curve is Curve.HYPERBOLIC:
        return 0.8 + 0.2 * hyperbolic(age_days)
    return np.ones_like(np.asarray(age_days, np.float64))


def half_life_hours(category: Category, *, pinned: bool = False) -> float:
    """The half-life of a fact of a category; of a pinned one a hundred years."""
    return PIN_HALF_LIFE_HOURS if pinned else HALF_LIFE_HOURS[category]


def hours_until_freeze(strength: Any, half_life_hours: Any) -> Any:
    """The hours after which s·2^(−h/H) reaches FREEZE; 0 where it is there already."""
    return half_life_hours * np.log2(np.maximum(strength, FREEZE) / FREEZE)


def reinforced(strength: Any) -> Any:
    """Strength after one use: x + 0.35·(1 − x), ever nearer to 1."""
    return strength + REINFORCEMENT * (1.0 - strength)


def first_stability_days(importance: Any) -> Any:
    """The stability of a new event: 30 d·(1 + importance/10); importance from 0 to 10."""
    return _STABILITY_DAYS * (1.0 + importance / 10.0)


def used_stability_days(stability_days: float) -> float:
    """Stability after one use: ×1.5, at most 3,650 d."""
    return min(stability_days * STABILITY_GROWTH, LONGEST_STABILITY_DAYS)
