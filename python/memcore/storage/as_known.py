"""What was known at an earlier moment: how memories, claims and conflicts stood by the operations of until then.

An operation keeps the values from before. So what a row was at a moment is what it is today, with the changes of every
later operation turned back, the newest first. Later is what was recorded later: of operations that the clock brought
out of order, the first that is later tells. What no operation changed is as it is today; a row that is gone for good
does not come back, and operations tell nothing of it.

It is read only where somebody asks for what was known, from the operations since.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.kinds import ReviewState
from memcore.storage.encoding import id_list
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

__all__ = ["Standing", "pairs_then", "stood_at", "values_then"]

_AMONG = "IN (SELECT value FROM json_each({}))"
_LATER = (
    "SELECT c.memory_id, c.before, coalesce(c.after, '{}')"
    " FROM operation AS o JOIN operation_change AS c ON c.operation_id = o.id"
    f" WHERE o.partition_id {_AMONG.format('?')} AND o.recorded_at > ? AND c.changed_table IN ('memory', 'claim')"
    " AND c.before IS NOT NULL ORDER BY o.id DESC, c.number DESC"
)
_TODAY = (
    "SELECT m.id, m.review_state, m.ended_at, m.event_time, c.valid_from, c.valid_until, c.closed_at, c.superseded_by,"
    " h.recorded_at FROM memory AS m LEFT JOIN claim AS c ON c.memory_id = m.id"
    f" LEFT JOIN memory AS h ON h.id = c.superseded_by WHERE m.id {_AMONG.format('?')} AND m.recorded_at <= ?"
)
_COLUMNS = ("review_state", "ended_at", "event_time", "valid_from", "valid_until", "closed_at", "superseded_by")
_OPEN = {"valid_until": None, "closed_at": None, "superseded_by": None}
_VALUE = (
    "SELECT c.memory_id, json_extract(c.before, ?1) FROM operation_change AS c JOIN operation AS o"
    f" ON o.id = c.operation_id WHERE c.memory_id {_AMONG.format('?2')} AND o.recorded_at > ?3"
    " AND json_type(c.before, ?1) IS NOT NULL ORDER BY o.id DESC, c.number DESC"
)
_PAIRS = (
    "SELECT memory_a_id, memory_b_id, recorded_at, resolved_at FROM conflict_pair"
    f" WHERE memory_a_id {_AMONG.format('?1')} OR memory_b_id {_AMONG.format('?1')}"
)
_LATER_PAIRS = (
    "SELECT c.row_key, c.before FROM operation_change AS c JOIN operation AS o ON o.id = c.operation_id"
    " WHERE c.changed_table = 'conflict_pair' AND o.recorded_at > ?2"
    f" AND (c.memory_id {_AMONG.format('?1')} OR json_extract(c.row_key, '$[0]') {_AMONG.format('?1')})"
    " ORDER BY o.id DESC, c.number DESC"
)


class Standing(NamedTuple):
    """How a memory stood at an earlier moment, as far as it stands otherwise today; moments are microseconds.

    `known`: it was let in, and had not ended. `gone`: it is out of the searches by now. The last four are of claims.
    """

    known: bool
    gone: bool
    event_time: int
    valid_from: int | None
    valid_until: int | None
    closed_at: int | None
    superseded_by: int | None


def stood_at(
    conn: Connection, partition_ids: Sequence[int], known_at: int, closed_since: Iterable[int] = ()
) -> dict[int, Standing]:
    """The memories of some partitions that stood otherwise at a moment (microseconds) than they do today, by id.

    What was recorded later is left out: it was not known at all.

    `closed_since`: the claims whose end, as it is today, was told after the moment. One of which no operation tells was
    open until then, but where it ends by what was recorded by then: a deleted plan gives its time back by no operation.
    """
    told: dict[int, dict[str, Any]] = {}
    rows = plain_rows(conn, _LATER, (id_list(partition_ids), known_at))
    befores, afters = (json.loads(f"[{','.join(row[at] for row in rows)}]") for at in (1, 2))  # one by one is slow
    for (memory_id, _, _), was, became in zip(rows, befores, afters, strict=True):
        if changed := {name: was[name] for name in _COLUMNS if name in was and was[name] != became.get(name, was)}:
            told.setdefault(memory_id, {}).update(changed)
    found: dict[int, Standing] = {}
    for memory_id, *values, heir_since in plain_rows(conn, _TODAY, (id_list({*told, *closed_since}), known_at)):
        today = dict(zip(_COLUMNS, values, strict=True))
        then = today | told.get(memory_id, {})
        if "closed_at" not in told.get(memory_id, {}) and _told_later(then, heir_since, known_at):
            then |= _OPEN
        if then != today:
            stood = {name: then[name] for name in _COLUMNS[2:]}
            found[memory_id] = Standing(_stands(then), not _stands(today), **stood)
    return found


def values_then(conn: Connection, ids: Sequence[int], column: str, known_at: int) -> dict[int, Any]:
    """What a column of some memories was at a moment, where an operation has changed it since, by id."""
    return dict(plain_rows(conn, _VALUE, (f"$.{column}", id_list(ids), known_at)))


def pairs_then(conn: Connection, ids: Sequence[int], known_at: int) -> list[tuple[int, int, int]]:
    """The conflicts of some memories that were recorded and not decided at a moment: two ids, and when recorded."""
    then: dict[tuple[int, int], dict[str, Any] | None] = {
        (row[0], row[1]): {"recorded_at": row[2], "resolved_at": row[3]}
        for row in plain_rows(conn, _PAIRS, (id_list(ids),))
    }
    for key, before in plain_rows(conn, _LATER_PAIRS, (id_list(ids), known_at)):
        pair: tuple[int, int] = tuple(json.loads(key))
        then[pair] = None if before is None else {**(then.get(pair) or {}), **json.loads(before)}
    return [
        (*pair, columns["recorded_at"])
        for pair, columns in then.items()
        if columns is not None
        and columns["recorded_at"] <= known_at
        and (columns["resolved_at"] is None or columns["resolved_at"] > known_at)
    ]


def _stands(columns: Mapping[str, Any]) -> bool:
    return columns["review_state"] == ReviewState.ACTIVE and columns["ended_at"] is None


def _told_later(claim: Mapping[str, Any], heir_since: int | None, known_at: int) -> bool:
    """Whether the end of a claim was told after a moment, by what it says itself."""
    if claim["closed_at"] is None or claim["closed_at"] <= known_at:
        return False
    return heir_since is None or heir_since > known_at
