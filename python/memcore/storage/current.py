"""Which memories are current: the rule of a listing, and what a claim says of one memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, exists, not_, or_, select, text, true

from memcore.storage.columns import table_of
from memcore.storage.details import CLAIMED
from memcore.storage.encoding import from_micros
from memcore.storage.life_tables import Claim, FactDetail
from memcore.storage.tables import MemoryEntry

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.kinds import Kind

__all__ = ["Currency", "Validity", "both", "current", "validity_of", "waiting"]

_MEMORY: Any = table_of(MemoryEntry)
_CLAIM: Any = table_of(Claim)
_FACT: Any = table_of(FactDetail)
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Currency:
    """What counts as current. Moments are microseconds since 1970; `kinds_off` are those whose layer is off.

    `any_review` and `any_ending` leave these two rules out, for a listing that asks for either itself.
    """

    now: int
    kinds_off: Collection[Kind]
    as_of: int | None = None
    include_dormant: bool = False
    retention_days: Mapping[Kind, int]
    any_review: bool = False
    any_ending: bool = False


def current(rule: Currency) -> ColumnElement[bool]:
    """The condition on the table `memory`: reviewed, not ended, not expired, valid, awake, of a layer that is on."""
    memory = _MEMORY.c
    parts = [true() if rule.any_review else memory.review_state == "active", _kept(rule), _valid(rule)]
    if not rule.include_dormant:
        parts.append(not_(exists(select(1).where(_FACT.c.memory_id == memory.id, _FACT.c.dormant != 0))))
    return and_(*parts)


def waiting(rule: Currency) -> ColumnElement[bool]:
    """The condition on the table `memory`: it waits for review, and once it is approved something may find it."""
    return and_(text("memory.review_state = 'pending'"), _kept(rule))  # in the words of the index `memory_waiting`


def _kept(rule: Currency) -> ColumnElement[bool]:
    """That a memory is not ended, not expired, within its days of retention, and of a layer that is on."""
    memory = _MEMORY.c
    return and_(
        true() if rule.any_ending else memory.ended_at.is_(None),
        or_(memory.expires_at.is_(None), memory.expires_at > rule.now),
        memory.kind.not_in(sorted(rule.kinds_off)),
        *(
            or_(memory.kind != kind, memory.event_time >= rule.now - days * _DAY)
            for kind, days in sorted(rule.retention_days.items())
        ),
    )


def _valid(rule: Currency) -> ColumnElement[bool]:
    """That no claim says that it does not hold; what was recorded as begun or as over stays so when the clock errs.

    What ended where it began never held.
    """
    memory, claim = _MEMORY.c, _CLAIM.c
    if rule.as_of is None:
        outside = or_(
            and_(claim.valid_from > rule.now, claim.valid_from > memory.recorded_at),
            claim.valid_until <= rule.now,
            claim.valid_until <= claim.closed_at,
            claim.valid_until <= claim.valid_from,
        )
        happened: ColumnElement[bool] = true()
    else:
        outside = or_(claim.valid_from > rule.as_of, claim.valid_until <= rule.as_of)
        happened = or_(memory.kind.in_(CLAIMED), memory.event_time <= rule.as_of)
    return and_(happened, not_(exists(select(1).where(claim.memory_id == memory.id, outside))))


def both(one: ColumnElement[bool], other: ColumnElement[bool]) -> ColumnElement[bool]:
    """That two conditions hold."""
    return and_(one, other)


@dataclass(frozen=True, slots=True)
class Validity:
    """From when until when a claim holds (None: open), and the memory that superseded it."""

    valid_from: datetime | None
    valid_until: datetime | None
    superseded_by: int | None


def validity_of(conn: Connection, memory_id: int) -> Validity | None:
    """The validity of a memory; None where its kind makes no claim."""
    row = conn.exec_driver_sql(
        "SELECT valid_from, valid_until, superseded_by FROM claim WHERE memory_id = ?", (memory_id,)
    ).first()
    if row is None:
        return None
    valid_from, valid_until = (None if moment is None else from_micros(moment) for moment in row[:2])
    return Validity(valid_from, valid_until, row[2])
