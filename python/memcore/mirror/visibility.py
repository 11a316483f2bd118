"""Which rows of a scope a search may see at its moment, and why it may not see the others.

- A claim (fact, knowledge, lesson) is seen while it holds: valid_from ≤ t < valid_until. `t` is `as_of`, or the
  present. The present is never before the moment at which a row was written: what was recorded as begun, or closed as
  over, stays so when the clock steps back.
- With `as_of` any other memory is seen from its event time on.
- With `known_at` only what was recorded by then is seen, and had been let in: what waited for review, or had ended, by
  then is not. What holds, and when what happened did, goes by what was known of it then.
- Expiry and days of retention are ours and not the world's: they count from the present, also with `as_of`.

What holds for all searches of a version is worked out once; in most of them two or three comparisons of numbers say
that nothing is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.curves import LIVES
from memcore.mirror.lives import ALWAYS, NEVER
from memcore.mirror.rows import KIND_CODES
from memcore.storage.details import CLAIMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from memcore.kinds import Kind
    from memcore.storage.as_known import Standing

    Mask = NDArray[np.bool_]

__all__ = ["NOTHING_HIDDEN", "Hidden", "Lives", "View", "hidden_from"]

DAY = 86_400_000_000  # microseconds
_NONE: Mapping[str, int] = MappingProxyType({})
_OPEN = {"valid_from": ALWAYS, "valid_until": NEVER, "closed_at": ALWAYS}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The moments and the place that a search looks from; moments are microseconds since 1970.

    `then`: by id, how what stands otherwise today stood at `known_at`. `kinds`: those that it asks for by name.
    `retention_days`: by kind, the days after the event that a memory is shown.
    """

    now: int
    as_of: int | None = None
    known_at: int | None = None
    then: Mapping[int, Standing] = field(default_factory=lambda: MappingProxyType({}))
    in_group: bool = False
    include_dormant: bool = False
    kinds: frozenset[Kind] | None = None
    retention_days: Mapping[Kind, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is hidden from one search: a mask over the rows (None: nothing), the ids, and how many for which reason.

    `masks` has the rows of each reason; a row that several hide counts for the first.
    """

    mask: Mask | None = None
    ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    masks: Mapping[str, Mask] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=lambda: _NONE)

    def __len__(self) -> int:
        return len(self.ids)

    def reason(self, row: int) -> str | None:
        """Why a row is hidden; None where it is not."""
        return next((reason for reason, mask in self.masks.items() if mask[row]), None)


NOTHING_HIDDEN = Hidden()


class Lives:
    """The lives of the rows of a scope, and what holds for every search of this version."""

    def __init__(self, column: Callable[[str], NDArray[Any]]) -> None:
        self._column = column

    def column(self, name: str) -> NDArray[Any]:
        """One column of all rows."""
        return self._column(name)

    @cached_property
    def kinds(self) -> Mapping[Kind, Mask]:
        """The kinds that are here, each with its rows."""
        codes = self._column("kind")
        counts = np.bincount(codes, minlength=len(KIND_CODES))
        return {kind: codes == code for kind, code in KIND_CODES.items() if counts[code]}

    @cached_property
    def dormant(self) -> Mask | None:
        """Which rows are dormant; None where none is."""
        return _any(self._column("dormant"))

    @cached_property
    def direct(self) -> Mask | None:
        """Which rows were heard in a direct talk; None where none was."""
        return _any(self._column("direct"))

    @cached_property
    def earliest_expiry(self) -> int:
        """Before this moment nothing has expired."""
        return int(self._column("expires_at").min(initial=NEVER))

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """From when on a claim holds; `ALWAYS` where it was recorded as begun."""
        valid_from = self._column("valid_from")
        return np.where(valid_from <= self._column("recorded_at"), ALWAYS, valid_from)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Until when a claim holds; `ALWAYS` where it was closed as over, or ended where it began."""
        valid_until = self._column("valid_until")
        over = (valid_until <= self._column("closed_at")) | (valid_until <= self._column("valid_from"))
        return np.where(over, ALWAYS, valid_until)

    @cached_property
    def latest_begin(self) -> int:
        """From this moment on every claim has begun."""
        return int(self.begins.max(initial=ALWAYS))

    @cached_property
    def earliest_end(self) -> int:
        """Before this moment no claim is over."""
        return int(self.ends.min(initial=NEVER))


def hidden_from(lives: Lives, ids: NDArray[np.int64], view: View) -> Hidden:
    """What a search that looks from `view` may not see of the rows with these ids."""
    masks: dict[str, Mask] = {}
    counts: dict[str, int] = {}
    together: Mask | None = None
    for reason, mask in _reasons(lives, ids, view):
        fresh = mask if together is None else mask & ~together
        if count := int(np.count_nonzero(fresh)):
            masks[reason] = mask if reason not in masks else masks[reason] | mask
            counts[reason] = counts.get(reason, 0) + count
            together = mask if together is None else together | mask
    return NOTHING_HIDDEN if together is None else Hidden(together, ids[together], masks, counts)


def _reasons(lives: Lives, ids: NDArray[np.int64], view: View) -> Iterator[tuple[str, Mask]]:
    if view.known_at is not None:
        yield "recorded later", lives.column("recorded_at") > view.known_at
    if out := [memory_id for memory_id, stood in view.then.items() if not stood.known]:
        yield "let in later", np.isin(ids, out)
    for kind, rows in lives.kinds.items():
        if not LIVES[kind].injected and kind not in (view.kinds or ()):
            yield "kind", rows
    if view.in_group and lives.direct is not None:
        yield "channel", lives.direct
    if view.now >= lives.earliest_expiry:
        yield "expired", lives.column("expires_at") <= view.now
    for kind, days in view.retention_days.items():
        if kind in lives.kinds:
            oldest = (view.now - days * DAY) / 1e6
            yield "retention", lives.kinds[kind] & (lives.column("event_time") < oldest)
    yield from _validity(_as_known(lives, ids, view), view)
    if not view.include_dormant and lives.dormant is not None:
        yield "dormant", lives.dormant


def _as_known(lives: Lives, ids: NDArray[np.int64], view: View) -> Lives:
    """The lives as they were known at the moment of a view."""
    if not view.then:
        return lives
    names = ("event_time", *_OPEN)
    columns = {name: lives.column(name).copy() for name in names}
    for row in np.flatnonzero(np.isin(ids, list(view.then))).tolist():
        stood = view.then[int(ids[row])]
        columns["event_time"][row] = stood.event_time / 1e6
        for name, otherwise in _OPEN.items():
            moment = getattr(stood, name)
            columns[name][row] = otherwise if moment is None else moment
    return Lives(lambda name: columns[name] if name in columns else lives.column(name))


def _validity(lives: Lives, view: View) -> Iterator[tuple[str, Mask]]:
    at = view.now if view.as_of is None else view.as_of
    begins, ends = lives.begins, lives.ends
    if view.as_of is not None:
        happened_later = lives.column("event_time") > at / 1e6
        for kind in CLAIMED:
            if kind in lives.kinds:
                happened_later &= ~lives.kinds[kind]
        begins, ends = lives.column("valid_from"), lives.column("valid_until")
        yield "not yet", happened_later | (begins > at)
    elif at < lives.latest_begin:
        yield "not yet", begins > at
    if view.as_of is not None or at >= lives.earliest_end:
        yield "no longer", ends <= at


def _any(mask: NDArray[Any]) -> Mask | None:
    found: Mask = mask.astype(bool)
    return found if found.any() else None
