"""The names that entities are found by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, shown
from memcore.names import name_key as plain_key

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["name_key", "rename"]


def name_key(name: str) -> str:
    """The form in which names are compared; see `memcore.names`.

    Raises:
        InvalidInputError: nothing is left of the name.
    """
    key = plain_key(name)
    if not key:
        raise InvalidInputError(f"entity: {shown(name)} is not a name; give at least one visible character")
    return key


def rename(conn: Connection, memory_id: int, name: str) -> None:
    """Let an entity be found by a new name; a memory that is no entity is left alone.

    Raises:
        InvalidInputError: another entity of the same memories has this name.
    """
    entity = conn.exec_driver_sql("SELECT partition_id FROM entity WHERE memory_id = ?", (memory_id,)).first()
    if entity is None:
        return
    key = name_key(name)
    taken = conn.exec_driver_sql(
        "SELECT memory_id FROM entity WHERE partition_id = ? AND name_key = ? AND memory_id <> ?",
        (entity[0], key, memory_id),
    ).first()
    if taken is not None:
        raise InvalidInputError(f"content: memory {taken[0]} is the entity of that name already; give another name")
    conn.exec_driver_sql("UPDATE entity SET name_key = ? WHERE memory_id = ?", (key, memory_id))
