"""Counts of entities named together, kept true to what is still mentioned when memories go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import id_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["Counted", "counted", "settle"]

Counted = dict[tuple[int, int, int], int]
"""By partition and pair of entities: the count."""

_BEFORE = (
    "SELECT DISTINCT c.partition_id, c.entity_a_id, c.entity_b_id, c.count FROM mention AS a"
    " JOIN mention AS b ON b.memory_id = a.memory_id AND b.entity_id > a.entity_id"
    " JOIN cooccurrence AS c ON c.entity_a_id = a.entity_id AND c.entity_b_id = b.entity_id"
    " WHERE a.memory_id IN (SELECT value FROM json_each(?))"
)
_NOW = "SELECT count FROM cooccurrence WHERE partition_id = ? AND entity_a_id = ? AND entity_b_id = ?"
_SHARED = (  # the younger entity has fewer memories as a rule, so the search starts from it
    "SELECT count(*) FROM mention AS b CROSS JOIN mention AS a ON a.memory_id = b.memory_id AND a.entity_id = ?"
    " JOIN memory AS m ON m.id = b.memory_id JOIN partition AS p ON p.agent_id = m.agent_id AND p.user_id IS m.user_id"
    " WHERE b.entity_id = ? AND p.id = ?"
)
_PUT = (
    "INSERT INTO cooccurrence (partition_id, entity_a_id, entity_b_id, count) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET count = excluded.count"
)
_UNMENTIONED = (
    "DELETE FROM cooccurrence WHERE {side} IN (SELECT value FROM json_each(?1) WHERE NOT EXISTS"
    " (SELECT 1 FROM mention WHERE entity_id = value))"
)


def counted(conn: Connection, ids: Sequence[int]) -> tuple[Counted, list[int]]:
    """The counts that the removal of these memories may touch, and the entities that they mention."""
    listed = (id_list(ids),)
    named = conn.exec_driver_sql(
        "SELECT DISTINCT entity_id FROM mention WHERE memory_id IN (SELECT value FROM json_each(?))", listed
    )
    entities = [row[0] for row in named]
    rows = conn.exec_driver_sql(_BEFORE, listed)
    return {(row[0], row[1], row[2]): row[3] for row in rows}, entities


def settle(conn: Connection, before: Counted, entities: Sequence[int], gone: frozenset[int]) -> None:
    """Corrects, after a removal, what was taken off per memory from counts that were made per batch.

    A count stays at least min(what it was, memories left that mention both); an entity that no memory mentions any
    more has no companions.
    """
    for (partition, a, b), count in before.items():
        if a in gone or b in gone:
            continue
        now = conn.exec_driver_sql(_NOW, (partition, a, b)).scalar() or 0
        least = now if now == count else min(count, conn.exec_driver_sql(_SHARED, (a, b, partition)).scalar_one())
        if least > now:
            conn.exec_driver_sql(_PUT, (partition, a, b, least))
    for side in ("entity_a_id", "entity_b_id"):
        conn.exec_driver_sql(_UNMENTIONED.format(side=side), (id_list(entities),))
