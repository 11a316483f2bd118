"""Reading memories by id, by page, and as a neighbourhood of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.errors import CorruptDatabaseError, InvalidInputError
from memcore.kinds import Kind
from memcore.records import Edge, GraphView, Page, checked_id
from memcore.storage import edges, memories, partitions
from memcore.storage.filters import condition as filter_condition
from memcore.writing import fields
from memcore.writing.reach import found
from memcore.writing.reading import record_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcore.records import MemoryRecord
    from memcore.scope import Scope
    from memcore.storage.database import Database
    from memcore.writing.reach import Reach

__all__ = ["get", "graph", "page"]

LARGEST_PAGE = 10_000
MOST_HOPS = 8


def get(database: Database, memory_id: object, *, within: Reach) -> MemoryRecord:
    """One memory.

    Raises:
        NotFoundError: it is unknown, or outside the reach.
        CorruptDatabaseError: its text does not match its checksum.
    """
    wanted = checked_id("id", memory_id)
    with database.read() as connection:
        row = found(connection, within, [wanted], field="id")[0]
    if not row.intact:
        raise CorruptDatabaseError(f"memory {wanted}: its text does not match its checksum; restore it from a backup")
    return record_of(row)


def page(
    database: Database,
    scope: Scope,
    *,
    kinds: object,
    filters: Mapping[str, Any] | None,  # noqa: A002 - the public name
    limit: object,
    cursor: object,
) -> Page:
    """A page of a scope, ascending by id; `next_cursor` is None at the end.

    Raises:
        InvalidInputError: the limit (1 to 10,000), the cursor, a kind or a filter is not accepted.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LARGEST_PAGE:
        raise InvalidInputError(f"limit: {limit!r} is not accepted; give an integer from 1 to {LARGEST_PAGE}")
    after = 0 if cursor is None else checked_id("cursor", cursor)
    condition = filter_condition(dict(filters)) if filters else None
    wanted = _kinds(kinds)
    with database.read() as connection:
        rows = memories.page(connection, scope, kinds=wanted, condition=condition, after_id=after, limit=limit + 1)
    shown = rows[:limit]
    return Page(tuple(record_of(row) for row in shown), shown[-1].id if len(rows) > limit else None)


def graph(database: Database, memory_id: object, hops: object, *, within: Reach) -> GraphView:
    """The memories within some hops (1 to 8) of one, nearest first, and the edges between them.

    Raises:
        InvalidInputError: the id or the number of hops is not accepted.
        NotFoundError: the memory is unknown, or outside the reach.
    """
    wanted = checked_id("id", memory_id)
    if isinstance(hops, bool) or not isinstance(hops, int) or not 1 <= hops <= MOST_HOPS:
        raise InvalidInputError(f"hops: {hops!r} is not accepted; give an integer from 1 to {MOST_HOPS}")
    with database.read() as connection:
        found(connection, within, [wanted], field="id")
        visible = [
            number for partition, number in partitions.all_of(connection, within.agent_id).items() if within.sees(partition)
        ]
        around = edges.around(connection, wanted, hops, visible)
        rows = [row for row in memories.fetch(connection, around.ids) if within.sees(row.partition)]
    ids = {row.id for row in rows}
    return GraphView(
        wanted,
        tuple(record_of(row) for row in rows),
        tuple(
            Edge(edge.source_id, edge.target_id, edge.type, edge.strength)
            for edge in around.edges
            if edge.source_id in ids and edge.target_id in ids
        ),
    )


def _kinds(value: object) -> list[Kind] | None:
    if value is None:
        return None
    names: Sequence[object] = [value] if isinstance(value, str) else list(value)  # type: ignore[call-overload]
    return [fields.choice(f"kinds[{index}]", name, Kind) for index, name in enumerate(names)]

