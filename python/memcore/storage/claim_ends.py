"""Until when claims hold, by what was planned: the end that a claim has now, and those it had before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.storage.neighbours import Neighbour

__all__ = [
    "OPEN",
    "EndStep",
    "HadEnd",
    "end_steps",
    "ends_before",
    "heirs_before",
    "lifted",
    "own_end",
    "without_end_behind",
    "without_plans",
]

_CHANGES = """
    SELECT o.id, o.undone_by, c.before, c.after FROM operation_change AS c JOIN operation AS o ON o.id = c.operation_id
    WHERE c.memory_id = ? AND c.changed_table = 'claim' AND c.before IS NOT NULL AND c.after IS NOT NULL
    ORDER BY c.operation_id DESC, c.number DESC
"""
_END = "SELECT valid_until, closed_at, superseded_by FROM claim WHERE memory_id = ?"
OPEN: Mapping[str, Any] = {"valid_until": None, "closed_at": None, "superseded_by": None}
"""The columns of a claim without an end."""


class EndStep(NamedTuple):
    """The columns of a claim's end before and after an operation."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]


class HadEnd(NamedTuple):
    """That a claim came to be superseded: by what, its end before that, and when it was closed by it."""

    heir: int
    before: Mapping[str, Any]
    closed_at: int | None


def without_plans(conn: Connection, one: Neighbour) -> int | None:
    """Until when a claim would hold if nothing were planned to take its place (microseconds); None: open."""
    return own_end(one, end_steps(conn, one.row.id))


def own_end(one: Neighbour, steps: Sequence[EndStep]) -> int | None:
    """Until when a claim would hold if nothing were planned to take its place, by the steps of its end."""
    end: Mapping[str, Any] = {name: getattr(one, name) for name in OPEN}
    for heir, before, closed in ends_before(steps):
        if heir == end["superseded_by"]:
            end = OPEN if lifted(end, closed) else before
    until: int | None = end["valid_until"] if end["superseded_by"] is None else None
    return until


def without_end_behind(one: Neighbour) -> dict[str, int | None]:
    """The columns by which a claim has no end any more behind that of what is to take its place.

    It is told by a microsecond for which the nearer end was not known yet: so an undo brings it back like any other
    column, and what was planned stands as it was.
    """
    return {"closed_at": None if one.closed_at is None else one.closed_at + 1}


def lifted(end: Mapping[str, Any], closed: int | None) -> bool:
    """Whether a claim lost the end behind a plan since that was made, by when it was closed and when the plan was."""
    return closed is not None and end.get("closed_at") == closed + 1


def ends_before(steps: Sequence[EndStep]) -> Iterator[HadEnd]:
    """The times that a claim came to be superseded, the newest first, by the steps of its end."""
    for old, new in steps:
        if new["superseded_by"] not in (None, old["superseded_by"]):
            yield HadEnd(new["superseded_by"], old, new["closed_at"])


def heirs_before(steps: Sequence[EndStep]) -> set[int]:
    """What a claim was superseded by at any time, by the steps of its end."""
    return {end["superseded_by"] for step in steps for end in step} - {None}


def end_steps(conn: Connection, memory_id: int) -> list[EndStep]:
    """The end of a claim before and after each operation that changed it, the newest first.

    What was taken back since counts for nothing. Empty where there is no such claim any more.
    """
    row = conn.exec_driver_sql(_END, (memory_id,)).mappings().first()
    if row is None:
        return []
    steps: list[tuple[int, int | None, Mapping[str, Any], Mapping[str, Any]]] = []
    end: Mapping[str, Any] = dict(row)
    for number, undone_by, before, after in conn.exec_driver_sql(_CHANGES, (memory_id,)).fetchall():
        told = json.loads(after)
        new: Mapping[str, Any] = {name: told.get(name, end[name]) for name in OPEN}
        told = json.loads(before)
        old: Mapping[str, Any] = {name: told.get(name, new[name]) for name in OPEN}
        steps.append((number, undone_by, old, new))
        end = old
    by_number = {number: (old, new) for number, _, old, new in steps}
    taken_back = set[int]()
    for number, undone_by, old, new in steps:
        if undone_by is not None and by_number.get(undone_by) == (new, old):
            taken_back |= {number, undone_by}
    return [EndStep(old, new) for number, _, old, new in steps if number not in taken_back]
