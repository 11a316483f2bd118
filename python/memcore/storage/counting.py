"""How many rows of what an agent has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["edge_count", "kind_counts", "vector_count"]


def kind_counts(conn: Connection, agent_id: str) -> dict[str, int]:
    """How many memories of each kind, by the name of the kind."""
    rows = conn.exec_driver_sql(
        "SELECT kind, count(*) FROM memory WHERE agent_id = ? GROUP BY kind ORDER BY kind", (agent_id,)
    )
    return {kind: int(number) for kind, number in rows}


def edge_count(conn: Connection, agent_id: str) -> int:
    """How many edges between memories; mentions are not counted."""
    query = "SELECT count(*) FROM edge JOIN partition AS p ON p.id = edge.partition_id WHERE p.agent_id = ?"
    return int(conn.exec_driver_sql(query, (agent_id,)).scalar_one())


def vector_count(conn: Connection, agent_id: str, space_id: int) -> int:
    """How many memories have a vector in a space."""
    query = (
        "SELECT count(*) FROM memory_vector AS v JOIN memory AS m ON m.id = v.memory_id"
        " WHERE m.agent_id = ? AND v.space_id = ?"
    )
    return int(conn.exec_driver_sql(query, (agent_id, space_id)).scalar_one())
