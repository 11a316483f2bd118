"""What facts, knowledge and lessons claim, and which facts are there: in a slot, of a category, at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.kinds import Category
from memcore.storage.as_known import stood_at
from memcore.storage.encoding import from_micros, id_list, json_text, to_micros
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = ["ClaimRow", "Moment", "claims_of", "facts"]

_CLAIMS = (
    "SELECT c.memory_id, c.confidence, c.valid_from, c.valid_until, c.superseded_by, f.category, f.slot, f.strength,"
    " f.dormant FROM claim AS c LEFT JOIN fact_detail AS f ON f.memory_id = c.memory_id"
    " WHERE c.memory_id IN (SELECT value FROM json_each(?))"
)
_FACTS = """
    {stood}SELECT m.id FROM fact_detail AS f CROSS JOIN memory AS m ON m.id = f.memory_id
    CROSS JOIN claim AS c ON c.memory_id = m.id{joined}
    WHERE f.partition_id = :partition AND f.memory_id > :after{among}
      AND (:category IS NULL OR f.category = :category)
      AND (:dormant OR f.dormant = 0) AND {stands}
      AND (m.expires_at IS NULL OR m.expires_at > :now)
      AND (:kept_since IS NULL OR m.event_time >= :kept_since)
      AND ({valid_from} IS NULL OR {valid_from} <= coalesce(:as_of, max(:now, m.recorded_at)))
      AND ({valid_until} IS NULL
        OR {valid_until} > coalesce(:as_of, max(:now, {closed_at}, coalesce({valid_from}, :now))))
      AND NOT EXISTS (SELECT 1 FROM purge_mark AS g WHERE g.partition_id = f.partition_id AND m.id <= g.last_id)
    ORDER BY f.memory_id LIMIT :limit
"""
_IN_SLOT, _PRESENT = " AND f.slot_key = :slot", " AND f.shown_until > :now"
_OF_ALL = " AND f.shown_until > -9223372036854775808"
"""In the words of the index `fact_shown`, which has the facts of a partition in their order without those long past."""
_STANDS = "m.review_state = 'active' AND m.ended_at IS NULL"
_END = ("valid_from", "valid_until", "closed_at")
_TODAY = {"stood": "", "joined": "", "stands": _STANDS} | {name: f"c.{name}" for name in _END}
_STOOD = ", ".join(f"json_extract(value, '$[{at}]') AS {name}" for at, name in enumerate(("memory_id", "known", *_END)))
_THEN = {
    "stood": f"WITH t AS MATERIALIZED (SELECT {_STOOD} FROM json_each(:stood)) ",
    "joined": " LEFT JOIN t ON t.memory_id = m.id",
    "stands": f"m.recorded_at <= :known_at AND iif(t.memory_id IS NULL, {_STANDS}, t.known)",
} | {name: f"iif(t.memory_id IS NULL, c.{name}, t.{name})" for name in _END}
_CLOSED = (
    "SELECT c.memory_id FROM fact_detail AS f CROSS JOIN claim AS c ON c.memory_id = f.memory_id"
    " WHERE f.partition_id = :partition{among} AND c.closed_at > :known_at"
)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What a memory claims; the last four are of facts."""

    confidence: float
    valid_from: datetime | None
    valid_until: datetime | None
    superseded_by: int | None
    category: Category | None
    slot: str | None
    strength: float | None
    dormant: bool | None


@dataclass(frozen=True, slots=True)
class Moment:
    """What is asked for: what holds in the world at `as_of`, by what was known at `known_at` (None: by all).

    What waited for review or had ended by then is not known. What was let in, has ended or got another time since is
    taken as it was then.

    `as_of` None is `now`; what was recorded as begun, or closed as over, stays so when the clock steps back. Expiry and
    `kept_since`, the earliest event time that is shown, count from `now` in any case.
    """

    now: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None
    kept_since: datetime | None = None


def claims_of(conn: Connection, ids: Sequence[int]) -> dict[int, ClaimRow]:
    """The claims of those of the memories that make one, by id."""
    return {
        row[0]: ClaimRow(
            confidence=row[1],
            valid_from=None if row[2] is None else from_micros(row[2]),
            valid_until=None if row[3] is None else from_micros(row[3]),
            superseded_by=row[4],
            category=None if row[5] is None else Category(row[5]),
            slot=row[6],
            strength=row[7],
            dormant=None if row[8] is None else bool(row[8]),
        )
        for row in plain_rows(conn, _CLAIMS, (id_list(ids),))
    }


def facts(
    conn: Connection,
    partition_ids: Sequence[int],
    moment: Moment,
    *,
    slot_key: str | None = None,
    category: Category | None = None,
    include_dormant: bool = True,
    after_id: int = 0,
    limit: int,
) -> list[int]:
    """The first `limit` facts of some partitions after an id that hold at a moment, ascending by id.

    At present an index leaves out what is past, however much that is.
    """
    among = _OF_ALL if slot_key is None else _IN_SLOT
    if moment.as_of is None and moment.known_at is None:
        among += _PRESENT
    elif slot_key is None:
        among = ""
    values: Any = {
        "after": after_id,
        "slot": slot_key,
        "category": None if category is None else category.value,
        "dormant": int(include_dormant),
        "now": to_micros(moment.now),
        "as_of": None if moment.as_of is None else to_micros(moment.as_of),
        "kept_since": None if moment.kept_since is None else to_micros(moment.kept_since),
        "known_at": None if moment.known_at is None else to_micros(moment.known_at),
        "limit": limit,
    }
    of_each: list[Any] = [{**values, "partition": number} for number in partition_ids]
    if moment.known_at is not None:
        stood = json_text("stood", _stood(conn, partition_ids, of_each, "" if slot_key is None else _IN_SLOT))
        of_each = [{**of_one, "stood": stood} for of_one in of_each]
    query = _FACTS.format(among=among, **(_TODAY if moment.known_at is None else _THEN))
    found = [plain_rows(conn, query, of_one) for of_one in of_each]
    return sorted(row[0] for rows in found for row in rows)[:limit]


def _stood(conn: Connection, partition_ids: Sequence[int], of_each: Sequence[Any], among: str) -> list[list[Any]]:
    """How the facts that stand otherwise today stood at the moment that is asked for: the columns of `_STOOD`."""
    query, known_at = _CLOSED.format(among=among), of_each[0]["known_at"] if of_each else 0
    closed = [row[0] for of_one in of_each for row in plain_rows(conn, query, of_one)]
    stood = stood_at(conn, partition_ids, known_at, closed)
    return [
        [memory_id, int(one.known), one.valid_from, one.valid_until, one.closed_at] for memory_id, one in stood.items()
    ]
