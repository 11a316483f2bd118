"""Whose memories are: what may be joined to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, NotFoundError
from memcore.scope import Partition
from memcore.storage.plain import among, plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

__all__ = ["checked_partition", "joint_partition", "owners_of"]


def owners_of(conn: Connection, ids: Iterable[int]) -> dict[int, Partition]:
    """The partition of each memory.

    Raises:
        NotFoundError: one of them is not there.
    """
    wanted = dict.fromkeys(ids)
    condition, parameters = among(wanted)
    rows = plain_rows(conn, f"SELECT id, agent_id, user_id FROM memory WHERE id {condition}", parameters)
    owners = {row[0]: Partition(row[1], row[2]) for row in rows}
    for memory_id in wanted:
        if memory_id not in owners:
            raise NotFoundError(f"id: there is no memory {memory_id}")
    return owners


def joint_partition(source: Partition, target: Partition) -> Partition | None:
    """Whom an edge between two memories belongs to: their user, or the one user of the two; None: it may not be."""
    if source.agent_id != target.agent_id:
        return None
    if source.user_id is None or source == target:
        return target
    return source if target.user_id is None else None


def checked_partition(ids: tuple[int, int], source: Partition, target: Partition) -> Partition:
    """`joint_partition`, where there is one.

    Raises:
        NotFoundError: the memories belong to two agents; neither learns that the other is there.
        InvalidInputError: they belong to two users of one agent.
    """
    if source.agent_id != target.agent_id:
        raise NotFoundError(f"id: there is no memory {ids[1]}")
    joint = joint_partition(source, target)
    if joint is None:
        raise InvalidInputError(f"edge: memories {ids[0]} and {ids[1]} belong to two users; join memories of one user")
    return joint
