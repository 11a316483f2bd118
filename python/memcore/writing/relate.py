"""Joining and parting two memories by hand."""

from datetime import datetime
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError
from memcore.kinds import EdgeType
from memcore.records import Edge, checked_id
from memcore.storage import edges
from memcore.storage.rows import NewEdge
from memcore.writing import fields
from memcore.writing.reach import Reach, found
from memcore.writing.use import ASSOCIATION, joinable

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["EDGE_TYPES", "edge_type", "relate", "unrelate"]

EDGE_TYPES = {
    **{one.label: one for one in EdgeType if one.declared},
    "inhibits": EdgeType.INHIBITORY,
    "contradictory": EdgeType.INHIBITORY,
}
"""What `relate` accepts as a type. Mentions come from entities and speakers, the order of turns from the session."""


def edge_type(field: str, value: object) -> EdgeType:
    """The type of edge that `value` names.

    Raises:
        InvalidInputError: there is none of that name; the nearest one is named.
    """
    if isinstance(value, EdgeType) and value.declared:
        return value
    if isinstance(value, str) and value in EDGE_TYPES:
        return EDGE_TYPES[value]
    return fields.refuse(field, value, f"give one of {', '.join(EDGE_TYPES)}{fields.nearest(value, EDGE_TYPES)}")


def relate(
    database: "Database",
    source_id: object,
    target_id: object,
    *,
    within: Reach,
    now: datetime,
    kind: object = EdgeType.ASSOCIATIVE,
    strength: object = ASSOCIATION,
    valid_from: object = None,
) -> Edge:
    """The edge as it is stored; one of the same source, target and type is set to the new strength.

    It holds from `valid_from` on, by default from `now`; one that is there holds since when it held.

    Raises:
        InvalidInputError: an id, the type or the strength (0 to 1) is not accepted, `valid_from` lies after `now`, the
            two are one memory, or they belong to two users.
        NotFoundError: one of them is unknown or outside the reach.
    """
    edge = NewEdge(
        checked_id("source_id", source_id),
        checked_id("target_id", target_id),
        edge_type("type", kind),
        fields.number("strength", strength, 1),
        None if valid_from is None else _begun("valid_from", valid_from, now),
        now,
    )
    _not_itself(edge.source_id, edge.target_id)
    with database.write() as connection:
        source, target = _both(connection, within, edge.source_id, edge.target_id)
        if not joinable(source, target):
            raise InvalidInputError(
                f"target_id: {edge.target_id} is not accepted; an edge joins two memories of one user, or one with a "
                "shared memory"
            )
        edges.put(connection, [edge])
    return Edge(edge.source_id, edge.target_id, edge.type, edge.strength)


def unrelate(database: "Database", source_id: object, target_id: object, *, within: Reach, now: datetime) -> int:
    """How many edges between the two ended at `now`, of whatever type and direction; mentions stay.

    Raises:
        InvalidInputError: an id is not accepted, or the two are one memory.
        NotFoundError: one of them is unknown or outside the reach.
    """
    source, target = checked_id("source_id", source_id), checked_id("target_id", target_id)
    _not_itself(source, target)
    with database.write() as connection:
        _both(connection, within, source, target)
        return edges.remove(connection, source, target, now=now)


def _begun(field: str, value: object, now: datetime) -> datetime:
    """`value` as a moment that is not after `now`."""
    moment = fields.moment(field, value)
    if moment > now:
        fields.refuse_shown(field, moment.isoformat(), "give a moment that is not after now, or leave it out")
    return moment


def _not_itself(source_id: int, target_id: int) -> None:
    if source_id == target_id:
        raise InvalidInputError(f"target_id: {target_id} is not accepted; give another memory than source_id")


def _both(connection: "Connection", within: Reach, source_id: int, target_id: int) -> "tuple[MemoryRow, MemoryRow]":
    """Both rows; a named user may join what is shared to something of its own, not two shared memories."""
    source = found(connection, within, [source_id], field="source_id")[0]
    target = found(connection, within, [target_id], field="target_id")[0]
    if not (within.owns(source.partition) or within.owns(target.partition)):
        within.missing("source_id", source_id)
    return source, target
