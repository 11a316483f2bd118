"""Typed edges between memories of one user, or between one of them and a shared memory."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, shown
from memcore.kinds import EdgeType
from memcore.storage import partitions
from memcore.storage.encoding import id_list, to_micros
from memcore.storage.hidden import unpurged
from memcore.storage.owners import checked_partition, joint_partition, owners_of
from memcore.storage.rows import ChangedTable, EdgeRow, Neighbourhood, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.scope import Partition
    from memcore.storage.rows import NewEdge

__all__ = ["around", "put", "reinforce", "remove"]

_PUT = (
    "INSERT INTO edge (source_id, target_id, type, strength, partition_id, valid_from, recorded_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET strength = excluded.strength"
)
SOUND_EDGE = f"strength BETWEEN 0 AND 1 AND type IN ({', '.join(str(one.value) for one in EdgeType)})"
"""What holds of every edge that memcore wrote; a hand may have switched the table's own checks off."""
_BETWEEN = "(source_id = ?1 AND target_id = ?2) OR (source_id = ?2 AND target_id = ?1)"
_KEPT = "source_id, target_id, type, strength, partition_id, valid_from, recorded_at"
_AROUND = f"""
    WITH near AS (SELECT value AS id FROM json_each(:near)),
         found AS (
            SELECT source_id, target_id, type, strength, partition_id FROM edge
            WHERE source_id IN (SELECT id FROM near) AND {SOUND_EDGE}
            UNION
            SELECT source_id, target_id, type, strength, partition_id FROM edge
            WHERE target_id IN (SELECT id FROM near) AND {SOUND_EDGE}
            UNION SELECT memory_id, entity_id, 5, 1.0, NULL FROM mention WHERE memory_id IN (SELECT id FROM near)
            UNION SELECT memory_id, entity_id, 5, 1.0, NULL FROM mention WHERE entity_id IN (SELECT id FROM near)
         )
    SELECT f.source_id, f.target_id, f.type, f.strength FROM found AS f
    JOIN memory AS s ON s.id = f.source_id
    JOIN memory AS t ON t.id = f.target_id
    JOIN partition AS ps ON ps.agent_id = s.agent_id AND ps.user_id IS s.user_id
    JOIN partition AS pt ON pt.agent_id = t.agent_id AND pt.user_id IS t.user_id
    WHERE ps.id IN (SELECT value FROM json_each(:visible)) AND pt.id IN (SELECT value FROM json_each(:visible))
      AND {unpurged("s")} AND {unpurged("t")}
      AND (f.partition_id IS NULL OR f.partition_id IN (SELECT value FROM json_each(:visible)))
    ORDER BY 1, 2, 3
"""


def put(conn: Connection, edges: Sequence[NewEdge]) -> None:
    """Write edges; one that is there already, by (source, target, type), gets the new strength.

    An edge holds from its `valid_from` on, else from when it was recorded; without either it has always held.

    Raises:
        InvalidInputError: a strength outside 0..1, an edge from a memory to itself, between two users, or of a type
            that follows from the memories (mention, sequence).
        NotFoundError: a memory is not there, or the two belong to two agents.
    """
    owners = owners_of(conn, chain.from_iterable((edge.source_id, edge.target_id) for edge in edges))
    numbers: dict[Partition, int] = {}
    values = []
    for edge in edges:
        ends = (edge.source_id, edge.target_id)
        if not (math.isfinite(edge.strength) and 0 <= edge.strength <= 1):
            raise InvalidInputError(f"strength: {shown(edge.strength)} is not accepted; give a number from 0 to 1")
        if edge.source_id == edge.target_id:
            raise InvalidInputError(f"edge: {edge.source_id} would be joined to itself; join two memories")
        if not EdgeType(edge.type).declared:
            raise InvalidInputError(
                f"type: {EdgeType(edge.type).label} edges follow from the memories; give another type"
            )
        owner = checked_partition(ends, owners[edge.source_id], owners[edge.target_id])
        if owner not in numbers:
            numbers[owner] = partitions.ensure(conn, owner)
        values.append((*ends, EdgeType(edge.type).value, edge.strength, numbers[owner], *_since(edge)))
    if values:
        conn.exec_driver_sql(_PUT, values)
        _log_targets(conn, [(value[4], value[1]) for value in values])


def _since(edge: NewEdge) -> tuple[int | None, int | None]:
    """From when on an edge holds, and when it was recorded."""
    recorded_at = None if edge.recorded_at is None else to_micros(edge.recorded_at)
    return recorded_at if edge.valid_from is None else to_micros(edge.valid_from), recorded_at


def reinforce(conn: Connection, pairs: Sequence[tuple[int, int]], *, new: float, now: datetime | None = None) -> int:
    """How many associative edges were strengthened or made: x + new·(1 - x), or `new` where there was none.

    A pair has no direction: an edge either way is the one that is strengthened, and a pair that is named twice counts
    once. Pairs that no edge may join (of two users, of two agents, of a memory with itself) are left out: memories of
    several people can be used together. An edge that is made holds from `now` on; None: it has always held.

    Raises:
        NotFoundError: a memory is not there.
        InvalidInputError: `new` is outside 0..1.
    """
    if not 0 <= new <= 1:
        raise InvalidInputError(f"new: {shown(new)} is not accepted; give a number from 0 to 1")
    owners = owners_of(conn, chain.from_iterable(pairs))
    since = None if now is None else to_micros(now)
    written = 0
    for low, high in sorted({(min(pair), max(pair)) for pair in pairs}):
        owner = joint_partition(owners[low], owners[high])
        if owner is None or low == high:
            continue
        strengthened = conn.exec_driver_sql(
            "UPDATE edge SET strength = min(1.0, strength + ?1 * (1 - strength))"
            " WHERE type = 0 AND ((source_id = ?2 AND target_id = ?3) OR (source_id = ?3 AND target_id = ?2))",
            (new, low, high),
        )
        if strengthened.rowcount == 0:
            owned_by = partitions.ensure(conn, owner)
            conn.exec_driver_sql(_PUT, (low, high, EdgeType.ASSOCIATIVE.value, new, owned_by, since, since))
        written += 1
    return written


def remove(conn: Connection, source_id: int, target_id: int, *, now: datetime) -> int:
    """How many edges between two memories ended: all types, both directions (mentions and the session's chain stay).

    They are kept in `edge_history` as having held until `now`, for searches that look from an earlier moment.
    """
    conn.exec_driver_sql(
        f"INSERT INTO edge_history ({_KEPT}, valid_until, closed_at)"
        f" SELECT {_KEPT}, max(?3, coalesce(valid_from, ?3)), ?3 FROM edge WHERE {_BETWEEN}",
        (source_id, target_id, to_micros(now)),
    )
    ended = conn.exec_driver_sql(
        f"DELETE FROM edge WHERE {_BETWEEN} RETURNING partition_id, target_id", (source_id, target_id)
    ).fetchall()
    if ended:
        _log_targets(conn, [(owner, target) for owner, target in ended])
    return len(ended)


def _log_targets(conn: Connection, targets: Sequence[tuple[int, int]]) -> None:
    """Has the log name these memories, (partition of the edge, target), too: it names the sources by itself."""
    conn.exec_driver_sql(
        "INSERT INTO revision_log (partition_id, changed_table, row_id, operation) VALUES (?, ?, ?, ?)",
        [(owner, ChangedTable.EDGE.value, target, Operation.UPDATE.value) for owner, target in targets],
    )


def around(conn: Connection, memory_id: int, hops: int, visible: Sequence[int], *, limit: int = 1000) -> Neighbourhood:
    """What edges and mentions lead to within `hops`, through memories of the partitions `visible` only.

    At most `limit` memories are gathered, nearest first; edges to memories that were left out are left out too.

    Raises:
        InvalidInputError: `hops` or `limit` is below 1.
    """
    for field, value in (("hops", hops), ("limit", limit)):
        if value < 1:
            raise InvalidInputError(f"{field}: {shown(value)} is not accepted; give at least 1")
    ids = {memory_id: None}
    edges: dict[EdgeRow, None] = {}
    near = [memory_id]
    for _ in range(hops):
        rows = conn.exec_driver_sql(_AROUND, {"near": id_list(near), "visible": id_list(visible)}).fetchall()
        edges.update(dict.fromkeys(EdgeRow(row[0], row[1], EdgeType(row[2]), row[3]) for row in rows))
        near = sorted({end for row in rows for end in row[:2]} - ids.keys())[: limit - len(ids)]
        if not near:
            break
        ids.update(dict.fromkeys(near))
    kept = (edge for edge in edges if edge.source_id in ids and edge.target_id in ids)
    return Neighbourhood(tuple(ids), tuple(sorted(kept, key=lambda edge: (edge.source_id, edge.target_id, edge.type))))
