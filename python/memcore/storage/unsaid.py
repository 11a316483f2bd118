"""What operations that stay say of memories that are deleted, or of their sources: it goes with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.storage.encoding import id_list
from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

__all__ = ["Told", "silence", "told_of", "unsay"]

_GOING = "IN (SELECT value FROM json_each(?1))"
_PARTS = (
    f"SELECT operation_id FROM operation_change WHERE memory_id {_GOING}"
    " UNION SELECT operation_id FROM operation_change"
    f" WHERE changed_table = 'conflict_pair' AND json_extract(row_key, '$[0]') {_GOING}"
)
_OWNERS = f"""
    SELECT DISTINCT p.id FROM memory AS m JOIN partition AS p ON p.agent_id = m.agent_id AND p.user_id IS m.user_id
    WHERE m.id {_GOING}
"""
_REASONS = """
    SELECT o.id, o.reason FROM operation AS o WHERE o.partition_id = ?1 AND o.reason <> ''
      AND EXISTS (
        SELECT 1 FROM json_each(?2) AS going
        WHERE instr(o.reason, ' ' || going.value) AND o.reason || ' ' GLOB '* ' || going.value || '[^0-9]*')
"""
_SOURCES = (
    f"SELECT source_ref FROM memory WHERE id {_GOING} AND source_ref IS NOT NULL"
    " UNION SELECT source_ref FROM operation WHERE id IN (SELECT value FROM json_each(?2)) AND source_ref IS NOT NULL"
)
_UNSAY = """
    UPDATE operation SET source_ref = NULL WHERE partition_id = ?1 AND source_ref = ?2
      AND NOT EXISTS (
        SELECT 1 FROM partition AS p JOIN memory AS m ON m.agent_id = p.agent_id AND m.user_id IS p.user_id
        WHERE p.id = ?1 AND m.source_ref = ?2)
      AND NOT EXISTS (
        SELECT 1 FROM operation AS o JOIN operation_change AS c ON c.operation_id = o.id
        WHERE o.partition_id = ?1 AND o.source_ref = ?2 AND c.changed_table = 'memory'
        AND json_extract(c.after, '$.ending') IS NULL)
"""
"""What a source brought, or said again, is a row that the operation changed and did not take out."""
_NAMES = re.compile(r"\b(?:memory|supersedes) (\d+(?:, \d+)*)")


class Told(NamedTuple):
    """The operations that tell of memories which are going, the partitions of these, and the sources of both."""

    operations: tuple[int, ...]
    partitions: tuple[int, ...]
    sources: tuple[str, ...]


def told_of(conn: Connection, ids: Sequence[int]) -> Told:
    """What tells of memories that are about to go: operations that changed them, or name them in their reasons."""
    gone, given = set(ids), id_list(ids)
    owners = tuple(conn.exec_driver_sql(_OWNERS, (given,)).scalars())
    found = set(conn.exec_driver_sql(_PARTS, (given,)).scalars())
    for owner in owners:
        for number, reason in plain_rows(conn, _REASONS, (owner, given)):
            if not gone.isdisjoint(_named(reason)):
                found.add(number)
    operations = tuple(sorted(found))
    sources = tuple(conn.exec_driver_sql(_SOURCES, (given, id_list(operations))).scalars())
    return Told(operations, owners, sources)


def unsay(conn: Connection, told: Told) -> None:
    """Make what stays of the operations tell nothing of memories that are gone by now.

    Their reasons go: what somebody wrote there may be about any of the memories. A source goes from all of them once
    nothing that it brought, or said again, is there.
    """
    silence(conn, told.operations)
    for owner in told.partitions:
        for source in told.sources:
            conn.exec_driver_sql(_UNSAY, (owner, source))


def silence(conn: Connection, operations: Iterable[int]) -> None:
    """Take the reasons of some operations away."""
    given: Any = (id_list(operations),)
    conn.exec_driver_sql(f"UPDATE operation SET reason = '' WHERE reason <> '' AND id {_GOING}", given)


def _named(reason: str) -> set[int]:
    return {int(one) for ids in _NAMES.findall(reason) for one in ids.split(", ")}
