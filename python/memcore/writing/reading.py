"""Stored rows as the records that the public calls give back: one memory, and what it is joined to."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from memcore.errors import CorruptDatabaseError, InvalidInputError, shown
from memcore.records import Edge, GraphView, MemoryRecord, Page, checked_id
from memcore.storage import edges, memories, partitions
from memcore.storage.claims import claims_of
from memcore.storage.current import Currency, both, current
from memcore.storage.details import CLAIMED
from memcore.storage.filters import condition, named
from memcore.writing import fields
from memcore.writing.reach import Reach, found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.scope import Scope
    from memcore.storage.claims import ClaimRow
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow

__all__ = ["MOST_HOPS", "checked_hops", "checked_page_limit", "get", "graph_around", "page", "record_of", "records_of"]

LARGEST_PAGE = 10_000
MOST_HOPS = 6


def records_of(connection: "Connection", rows: "Sequence[MemoryRow]") -> list[MemoryRecord]:
    """The public records of stored rows, with what they claim, in the order given."""
    claims = claims_of(connection, [row.id for row in rows if row.kind in CLAIMED])
    return [record_of(row, claims.get(row.id)) for row in rows]


def record_of(row: "MemoryRow", claim: "ClaimRow | None" = None) -> MemoryRecord:
    """The public record of a stored row and of what it claims."""
    claimed = {} if claim is None else asdict(claim)
    return MemoryRecord(
        id=row.id,
        content=row.content,
        kind=row.kind,
        user_id=row.partition.user_id,
        session_id=row.session_id,
        speaker=row.speaker,
        origin=row.origin,
        event_time=row.event_time,
        recorded_at=row.recorded_at,
        updated_at=row.updated_at,
        importance=row.importance,
        base_importance=row.base_importance,
        access_count=row.access_count,
        last_used_at=row.last_used_at,
        tags=row.tags,
        metadata=row.metadata,
        source_ref=row.source_ref,
        position=row.position,
        prev_id=row.prev_id,
        next_id=row.next_id,
        intact=row.intact,
        review_state=row.review_state,
        channel=row.channel,
        pinned=row.pinned,
        expires_at=row.expires_at,
        ended_at=row.ended_at,
        ending=row.ending,
        **claimed,
    )


def get(database: "Database", memory_id: object, *, within: Reach) -> MemoryRecord:
    """The memory with this id.

    Raises:
        InvalidInputError: `memory_id` is no id.
        NotFoundError: it is unknown or outside the reach.
        CorruptDatabaseError: its text or another of its columns is damaged.
    """
    wanted = checked_id("id", memory_id)
    with database.read() as connection:
        row = found(connection, within, [wanted], field="id")[0]
        [record] = records_of(connection, [row])
    if not row.intact:
        raise CorruptDatabaseError(f"memory {wanted}: its text or another column is damaged; restore it from a backup")
    return record


def page(
    database: "Database",
    scope: "Scope",
    rule: Currency,
    *,
    kinds: object,
    filters: "Mapping[str, Any] | None",
    limit: object,
    cursor: object,
) -> Page:
    """The memories of a scope after `cursor`, ascending by id; `next_cursor` is None at the end.

    They are current by `rule`; where the filters name the review state or the ending, these are as the filters say.

    Raises:
        InvalidInputError: the limit (1 to 10,000), the cursor, a kind or a filter is not accepted.
    """
    most = checked_page_limit(limit)
    after = 0 if cursor is None else checked_id("cursor", cursor)
    wanted = None if kinds is None else fields.kinds("kinds", kinds)
    asked = None if filters is None else condition(filters)
    where = current(_asked(rule, named(filters)))
    if asked is not None:
        where = both(where, asked)
    with database.read() as connection:
        rows = memories.page(connection, scope, kinds=wanted, condition=where, after_id=after, limit=most + 1)
        shown = records_of(connection, rows[:most])
    return Page(tuple(shown), shown[-1].id if len(rows) > most else None)


def _asked(rule: Currency, fields_named: frozenset[str]) -> Currency:
    return replace(
        rule, any_review="review_state" in fields_named, any_ending=not fields_named.isdisjoint(("ending", "ended_at"))
    )


def checked_page_limit(value: object) -> int:
    """`value` as the most memories of a page.

    Raises:
        InvalidInputError: it is no integer from 1 to 10,000.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_PAGE:
        raise InvalidInputError(f"limit: {shown(value)} is not accepted; give a whole number from 1 to {LARGEST_PAGE}")
    return value


def checked_hops(value: object) -> int:
    """`value` as how many edges from a memory a graph goes.

    Raises:
        InvalidInputError: it is no integer from 1 to 6.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_HOPS:
        raise InvalidInputError(f"hops: {shown(value)} is not accepted; give a whole number from 1 to {MOST_HOPS}")
    return value


def graph_around(database: "Database", memory_id: object, *, within: Reach, hops: object = 2) -> GraphView:
    """The memories within `hops` (1 to 6) edges or mentions of one, nearest first, through what the reach sees only.

    Raises:
        InvalidInputError: `memory_id` is no id, or `hops` is out of range.
        NotFoundError: the memory is unknown or outside the reach.
    """
    center, most = checked_id("id", memory_id), checked_hops(hops)
    with database.read() as connection:
        found(connection, within, [center], field="id")
        known = partitions.all_of(connection, within.agent_id)
        visible = [number for partition, number in known.items() if within.sees(partition)]
        near = edges.around(connection, center, most, visible)
        rows = [row for row in memories.fetch(connection, near.ids) if within.sees(row.partition)]
        nodes = records_of(connection, rows)
    seen = {row.id for row in rows}
    return GraphView(
        center,
        tuple(nodes),
        tuple(
            Edge(edge.source_id, edge.target_id, edge.type, edge.strength)
            for edge in near.edges
            if edge.source_id in seen and edge.target_id in seen
        ),
    )
