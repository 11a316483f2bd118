"""What the mirror keeps of a memory's life: from when until when a search may see it, and how it fades.

Numbers only, one row a memory. Moments are microseconds since 1970; an open side is the first or the last moment there
is. What a hand wrote out of range is brought into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.curves import (
    LIVES,
    LONGEST_STABILITY_DAYS,
    PIN_HALF_LIFE_HOURS,
    Clock,
    Curve,
    first_stability_days,
    half_life_hours,
    retention,
)
from memcore.kinds import Category, Channel, Kind
from memcore.pipeline.reader import Ages
from memcore.sets import distinct
from memcore.storage.details import CLAIMED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memcore.storage.engine_columns import MemoryColumns

__all__ = ["AGED_BY", "ALWAYS", "LIFE_DTYPES", "NEVER", "RETAINED_BY", "aged", "life_of", "retained"]

ALWAYS, NEVER = -(2**63), 2**63 - 1
LIFE_DTYPES: dict[str, Any] = {
    "recorded_at": np.int64,
    "expires_at": np.int64,
    "valid_from": np.int64,
    "valid_until": np.int64,
    "closed_at": np.int64,
    "direct": np.bool_,
    "dormant": np.bool_,
    "ages_from": np.int64,
    "used_at": np.int64,
    "strength": np.float32,
    "fade": np.float32,
}
"""`direct`: it was heard in a direct talk. `ages_from`: the moment that its age counts from. `used_at`: its last
use, or when it was recorded. `fade`: the scale of its curve, a half-life in hours or a stability in days.
"""
_SHORTEST_STABILITY_DAYS = 1e-3
_SHAPES = {curve: code for code, curve in enumerate(Curve)}
HALF_LIFE, EXPONENTIAL = _SHAPES[Curve.HALF_LIFE], _SHAPES[Curve.EXPONENTIAL]
CURVES = np.zeros(256, np.uint8)
"""By the code of a kind (its place among all kinds) the curve, as a number; what is no kind has none."""
CURVES[: len(Kind)] = [_SHAPES[LIVES[kind].curve] for kind in Kind]
BY_USE = np.zeros(256, bool)
"""By the code of a kind whether its age counts from its last use."""
BY_USE[: len(Kind)] = [LIVES[kind].clock is Clock.LAST_USE for kind in Kind]
KINDS = tuple(Kind)
RETAINED_BY = ("kind", "ages_from", "strength", "fade")
AGED_BY = ("kind", "event_time", "used_at", "fade", "importance")
CLAIMS = np.isin(np.arange(256), [list(Kind).index(kind) for kind in CLAIMED])
"""By the code of a kind whether it claims that something holds."""
MICROS_A_DAY = 86_400e6
SECONDS_A_DAY = 86_400.0
_HOURS: dict[str | None, float] = {category: half_life_hours(category) for category in Category}


def life_of(columns: MemoryColumns, kinds: NDArray[np.uint8], kept: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The columns of `LIFE_DTYPES` for the rows `kept`; `kinds` are the codes of all rows."""
    recorded_at = np.array(columns.recorded_ats, np.int64)
    curve, by_use, fixed = CURVES[kinds], BY_USE[kinds], _filled(columns.pinned, 0, np.int64) != 0
    ages_from, used_at = _clocks(columns, recorded_at, faded=curve == HALF_LIFE, by_use=by_use, pinned=fixed)
    return {
        name: values[kept]
        for name, values in {
            "recorded_at": recorded_at,
            "expires_at": _filled(columns.expires_ats, NEVER, np.int64),
            "valid_from": _filled(columns.valid_froms, ALWAYS, np.int64),
            "valid_until": _filled(columns.valid_untils, NEVER, np.int64),
            "closed_at": _filled(columns.closed_ats, ALWAYS, np.int64),
            "direct": _equal(columns.channels, Channel.DIRECT),
            "dormant": _filled(columns.dormant, 0, np.int64) != 0,
            "ages_from": ages_from,
            "used_at": used_at,
            "strength": _filled(columns.strengths, 1.0, np.float64).clip(0, 1).astype(np.float32),
            "fade": _fade(columns, curve, pinned=fixed).astype(np.float32),
        }.items()
    }


def retained(
    kinds: NDArray[np.uint8],
    ages_from: NDArray[np.int64],
    strength: NDArray[np.float32],
    fade: NDArray[np.float32],
    moment: int,
) -> NDArray[np.float64]:
    """How much is retained of rows at a moment, 0 to 1, shape (n,); the arguments are the columns of `RETAINED_BY`."""
    days = (moment - ages_from.astype(np.float64)) / MICROS_A_DAY
    strengths, fades = strength.astype(np.float64), fade.astype(np.float64)
    if len(kinds) and (kinds == kinds[0]).all():
        return np.asarray(retention(KINDS[kinds[0]], days, strengths, fades), np.float64)
    found = np.ones(len(kinds))
    for code in distinct(kinds).tolist():
        rows = kinds == code
        found[rows] = retention(KINDS[code], days[rows], strengths[rows], fades[rows])
    return found


def aged(columns: Mapping[str, NDArray[Any]], moment: int) -> Ages:
    """How old rows are at a moment, by each clock; `columns` are those of `AGED_BY`, by name."""
    kinds = columns["kind"]
    first = first_stability_days(columns["importance"].astype(np.float64))
    return Ages(
        happened=np.maximum(moment / 1e6 - columns["event_time"], 0.0) / SECONDS_A_DAY,
        used=np.maximum(moment - columns["used_at"].astype(np.float64), 0.0) / MICROS_A_DAY,
        stability=np.where(CURVES[kinds] == EXPONENTIAL, columns["fade"].astype(np.float64), first),
        claims=CLAIMS[kinds],
    )


def _filled(values: Sequence[Any], otherwise: float, dtype: Any) -> NDArray[Any]:
    """A column as an array; what is missing is `otherwise`."""
    missing = values.count(None)
    if missing == len(values):
        return np.full(len(values), otherwise, dtype)
    if not missing:
        return np.array(values, dtype)
    return np.array([otherwise if value is None else value for value in values], dtype)


def _equal(values: Sequence[str | None], wanted: str) -> NDArray[np.bool_]:
    if values.count(None) == len(values):
        return np.zeros(len(values), bool)
    return np.array([value == wanted for value in values], bool)


def _clocks(
    columns: MemoryColumns,
    recorded_at: NDArray[np.int64],
    *,
    faded: NDArray[np.bool_],
    by_use: NDArray[np.bool_],
    pinned: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """From when a memory ages, and when it was new, or last used, whatever it ages from.

    A pinned one does not age; a pinned fact ages over a hundred years.
    """
    happened = np.array(columns.event_times, np.int64)
    used = np.maximum(np.maximum(recorded_at, happened), _filled(columns.last_used_ats, ALWAYS, np.int64))
    ages_from, used_at = (np.where(pinned, NEVER, clock) for clock in (np.where(by_use, used, happened), used))
    if faded.any():
        strength_at = _filled(columns.strength_ats, ALWAYS, np.int64)
        ages_from[faded] = used_at[faded] = np.where(strength_at == ALWAYS, recorded_at, strength_at)[faded]
    return ages_from, used_at


def _fade(columns: MemoryColumns, curve: NDArray[np.uint8], *, pinned: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The scale of the kind's curve; 0 where it has none of its own."""
    fade = np.zeros(len(curve))
    of_facts, of_events = curve == HALF_LIFE, curve == EXPONENTIAL
    if of_facts.any():
        hours = np.array([_HOURS.get(category, _HOURS[Category.EVENT]) for category in columns.categories])
        fade[of_facts] = np.where(pinned, PIN_HALF_LIFE_HOURS, hours)[of_facts]
    if of_events.any():
        first = first_stability_days(np.array(columns.base_importances, np.float64))
        stability = _filled(columns.stabilities, 0.0, np.float64)
        held = np.where(stability > 0, stability, first).clip(_SHORTEST_STABILITY_DAYS, LONGEST_STABILITY_DAYS)
        fade[of_events] = held[of_events]
    return fade
