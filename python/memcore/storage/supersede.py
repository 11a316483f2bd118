"""Superseding: an older claim ends where a newer one begins, and points to it. The old row stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.errors import InvalidInputError
from memcore.storage import neighbours
from memcore.storage.encoding import to_micros
from memcore.storage.operations import RowChange

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Sight

__all__ = ["heirs", "hides", "leads_to", "replaced_by", "superseded"]

_CLAIM = (
    "SELECT c.valid_from, c.superseded_by, c.valid_until, m.recorded_at"
    " FROM claim AS c JOIN memory AS m ON m.id = c.memory_id WHERE c.memory_id = ?"
)
_HEIRS = """
    WITH RECURSIVE chain (id) AS (
        SELECT ?1 UNION SELECT c.superseded_by FROM claim AS c JOIN chain ON c.memory_id = chain.id
        WHERE c.superseded_by IS NOT NULL
    )
    SELECT id FROM chain"""
_CHAIN = f"{_HEIRS} WHERE id = ?2"


def superseded(
    conn: Connection,
    old_id: int,
    new_id: int,
    now: datetime,
    *,
    begins: datetime | None = None,
    field: str = "supersedes",
) -> RowChange:
    """What becomes of the claim `old_id` when `new_id` takes its place.

    It is valid until `begins`, by default the moment from which the new claim is valid, as is known from `now` on. It
    never ends before it began, and one that is over by then keeps its end. One that still holds then, because what
    superseded it begins later, is superseded by the new one instead. `field` names the old one in an error.

    Raises:
        InvalidInputError: the two are one, one of them makes no claim, the old one is superseded already, or the new
            one was itself superseded, in the end, by the old.
    """
    if old_id == new_id:
        raise InvalidInputError(f"{field}: {old_id} is not accepted; a memory cannot supersede itself")
    old, new = _claim(conn, old_id, field), _claim(conn, new_id, field)
    holds = to_micros(begins or now) if begins is not None or new.valid_from is None else new.valid_from
    if new.valid_from is None or new.valid_from <= new.recorded_at:
        holds = min(holds, to_micros(now))  # it had begun when it was stored, also where the clock stepped back since
    if old.superseded_by is not None and (old.valid_until is None or old.valid_until <= holds):
        raise InvalidInputError(
            f"{field}: memory {old_id} is superseded by {old.superseded_by} already; supersede that one"
        )
    if leads_to(conn, new_id, old_id):
        raise InvalidInputError(
            f"{field}: {old_id} is not accepted; it took the place of memory {new_id}, at once or through others, now"
            " or from a later day on: undo that first"
        )
    ends = holds if old.valid_from is None else max(holds, old.valid_from)
    ends = ends if old.valid_until is None else min(ends, old.valid_until)
    values = {"valid_until": ends, "closed_at": to_micros(now), "superseded_by": new_id}
    return RowChange("claim", (old_id,), old_id, values)


def leads_to(conn: Connection, memory_id: int, wanted: int) -> bool:
    """Whether a memory is another, or is superseded by it, at once or through others."""
    return conn.exec_driver_sql(_CHAIN, (memory_id, wanted)).first() is not None


def replaced_by(conn: Connection, memory_id: int) -> list[int]:
    """The claims that a memory superseded, ascending."""
    query = "SELECT memory_id FROM claim WHERE superseded_by = ? ORDER BY memory_id"
    return list(conn.exec_driver_sql(query, (memory_id,)).scalars())


def hides(conn: Connection, memory_id: int, happened: int, sight: Sight) -> int | None:
    """The memory whose place another took, where no search would find that one with this event time (microseconds).

    None where one would be found, or nothing is lost by it.
    """
    replaced = replaced_by(conn, memory_id)
    known = neighbours.by_ids(conn, [memory_id, *replaced], sight) if replaced else {}
    if not replaced or not known[memory_id].stands or sight.keeps(known[memory_id].row.kind, happened):
        return None
    return next((one for one in replaced if known[one].kept), None)


def heirs(conn: Connection, memory_id: int) -> frozenset[int]:
    """What took the place of a claim, or is to, at once or through others."""
    return frozenset(conn.exec_driver_sql(_HEIRS, (memory_id,)).scalars()) - {memory_id}


class _Claim(NamedTuple):
    valid_from: int | None
    superseded_by: int | None
    valid_until: int | None
    recorded_at: int


def _claim(conn: Connection, memory_id: int, field: str) -> _Claim:
    row = conn.exec_driver_sql(_CLAIM, (memory_id,)).first()
    if row is None:
        raise InvalidInputError(f"{field}: memory {memory_id} is no fact, knowledge or lesson; use update instead")
    return _Claim(*row)
