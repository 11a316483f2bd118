"""Entities that are there only because memories name them: they go with the last memory that does.

Such an entity has an `identity_key`; it has none from when it is declared, or gets another name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import id_list, text_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["forget_aliases", "keep", "last_named_by", "mark_of"]

_LAST = """
    SELECT DISTINCT n.entity_id FROM json_each(?1) AS going CROSS JOIN mention AS n ON n.memory_id = going.value
    JOIN memory AS e ON e.id = n.entity_id AND e.kind = 'entity' AND e.identity_key IS NOT NULL AND e.pinned = 0
    WHERE NOT EXISTS (SELECT 1 FROM mention AS other WHERE other.entity_id = e.id
        AND other.memory_id NOT IN (SELECT value FROM json_each(?1)))
      AND NOT EXISTS (SELECT 1 FROM operation_change AS done WHERE done.memory_id = e.id)
      AND NOT EXISTS (SELECT 1 FROM feedback AS said WHERE said.memory_id = e.id)
      AND NOT EXISTS (SELECT 1 FROM edge WHERE e.id IN (edge.source_id, edge.target_id))
    ORDER BY 1
"""
_FORGET = """
    DELETE FROM entity_alias WHERE memory_id IN (SELECT n.entity_id FROM mention AS n
        JOIN memory AS e ON e.id = n.entity_id AND e.kind = 'entity' AND e.identity_key IS NOT NULL
        WHERE n.memory_id IN (SELECT value FROM json_each(?1)))
      AND NOT EXISTS (SELECT 1 FROM mention AS other JOIN memory AS m ON m.id = other.memory_id
        JOIN partition AS p ON p.agent_id = m.agent_id AND p.user_id IS m.user_id
        WHERE other.entity_id = entity_alias.memory_id AND p.id = entity_alias.partition_id
          AND m.id NOT IN (SELECT value FROM json_each(?1)))
"""


def mark_of(name: str) -> int:
    """The `identity_key` of an entity that is new because a memory names it."""
    return text_key(name)


def keep(conn: Connection, memory_id: int) -> None:
    """Notes that an entity was declared: it stays whether a memory names it or not."""
    conn.exec_driver_sql(
        "UPDATE memory SET identity_key = NULL WHERE id = ? AND identity_key IS NOT NULL", (memory_id,)
    )


def last_named_by(conn: Connection, ids: Sequence[int]) -> list[int]:
    """The entities that nothing but these memories holds, ascending.

    What was declared, renamed, changed, pinned, labelled or joined by an edge is held by that.
    """
    return list(conn.exec_driver_sql(_LAST, (id_list(ids),)).scalars())


def forget_aliases(conn: Connection, ids: Sequence[int]) -> int:
    """Removes the other names of such entities that only the owner of these memories has, and needs no more; how many.

    What a user calls a shared entity goes with the user's last memory that names it, though others name it still.
    """
    return conn.exec_driver_sql(_FORGET, (id_list(ids),)).rowcount
