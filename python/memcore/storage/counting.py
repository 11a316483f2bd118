"""How many rows of what an agent has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import EdgeType
from memcore.storage.edges import SOUND_EDGE
from memcore.storage.hidden import unpurged

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["edge_counts", "kind_counts", "user_count", "vector_count"]


def kind_counts(conn: Connection, agent_id: str) -> dict[str, int]:
    """How many memories of each kind, by the name of the kind."""
    rows = conn.exec_driver_sql(
        f"SELECT kind, count(*) FROM memory WHERE agent_id = ? AND {unpurged()} GROUP BY kind ORDER BY kind",
        (agent_id,),
    )
    return {kind: int(number) for kind, number in rows}


_EDGE_COUNTS = f"""
    SELECT type, count(*) FROM edge JOIN partition AS p ON p.id = edge.partition_id
    WHERE p.agent_id = :agent AND {SOUND_EDGE}
    GROUP BY type
    UNION ALL
    SELECT :mention, count(*) FROM mention JOIN memory AS m ON m.id = mention.memory_id
    WHERE m.agent_id = :agent AND {unpurged("m")}
    UNION ALL
    SELECT :sequence, count(*) FROM memory WHERE agent_id = :agent AND next_id IS NOT NULL AND {unpurged()}
"""


def edge_counts(conn: Connection, agent_id: str) -> dict[str, int]:
    """How many edges of each type, by its label, in the order of `EdgeType`; types without an edge are left out.

    A mention joins a memory to an entity, a sequence edge a turn to the next of its session; each counts once.
    """
    given = {"agent": agent_id, "mention": EdgeType.MENTION.value, "sequence": EdgeType.SEQUENCE.value}
    counts = {EdgeType(kind): int(number) for kind, number in conn.exec_driver_sql(_EDGE_COUNTS, given)}
    return {kind.label: counts[kind] for kind in sorted(counts) if counts[kind]}


def vector_count(conn: Connection, agent_id: str, space_id: int) -> int:
    """How many memories have a vector in a space."""
    query = (
        "SELECT count(*) FROM memory_vector AS v JOIN memory AS m ON m.id = v.memory_id"
        f" WHERE m.agent_id = ? AND v.space_id = ? AND {unpurged('m')}"
    )
    return int(conn.exec_driver_sql(query, (agent_id, space_id)).scalar_one())


def user_count(conn: Connection, agent_id: str) -> int:
    """How many users an agent knows; one of whom all is being purged counts no more."""
    query = (
        "SELECT count(*) FROM partition AS p WHERE p.agent_id = ? AND p.user_id IS NOT NULL"
        " AND (NOT EXISTS (SELECT 1 FROM purge_mark WHERE partition_id = p.id) OR EXISTS (SELECT 1 FROM memory AS m"
        f" WHERE m.agent_id = p.agent_id AND m.user_id = p.user_id AND {unpurged('m')}))"
    )
    return int(conn.exec_driver_sql(query, (agent_id,)).scalar_one())
