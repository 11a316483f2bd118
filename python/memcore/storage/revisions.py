"""The revision log: what changed since a moment, for whoever keeps something derived from the store."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from memcore.errors import InvalidInputError, shown
from memcore.storage.encoding import id_list
from memcore.storage.plain import plain_rows
from memcore.storage.rows import Change, ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = [
    "Moment",
    "by_use",
    "changes",
    "deletions",
    "follows",
    "kept",
    "last_of",
    "latest",
    "moment",
    "seen_by",
    "take_back",
    "trim",
]

_LINE = "revision, partition_id, changed_table, row_id, operation"
_MEMORY = "id, agent_id, user_id, recorded_at, crc"


class Moment(NamedTuple):
    """Where a store stood: its last revision with the line of it, and its newest memory; None where there is none."""

    revision: int
    line: tuple[Any, ...] | None
    newest: tuple[Any, ...] | None


def latest(conn: Connection) -> int:
    """The number of the last change that this transaction sees; 0 before the first. Trimming does not lower it."""
    rows = plain_rows(conn, "SELECT seq FROM sqlite_sequence WHERE name = 'revision_log'")
    return int(rows[0][0]) if rows else 0


def moment(conn: Connection) -> Moment:
    """Where the store stands as this transaction sees it."""
    line = _first(conn, f"SELECT {_LINE} FROM revision_log ORDER BY revision DESC LIMIT 1")
    newest = _first(conn, f"SELECT {_MEMORY} FROM memory ORDER BY id DESC LIMIT 1")
    return Moment(latest(conn), line, newest)


def seen_by(conn: Connection) -> tuple[object, int, int]:
    """What of a connection stays the same for as long as nobody changes the store: two that are equal see the same.

    SQLite counts in `data_version` what other connections commit, and in `total_changes` what this one changes.
    """
    below = conn.connection.dbapi_connection
    [(version,)] = plain_rows(conn, "PRAGMA data_version")
    return below, int(version), 0 if below is None else int(below.total_changes)


def follows(conn: Connection, before: Moment, since: Sequence[Change]) -> bool:
    """Whether the store is still the one of a moment, and not an older copy that was written to from there on.

    `since` are the changes after that moment. The line of the moment must be as it was, unless it was trimmed, and so
    must the newest memory of then, unless the changes name it.
    """
    line = _first(conn, f"SELECT {_LINE} FROM revision_log WHERE revision = ?", before.revision)
    if line is not None and line != before.line:
        return False
    if before.newest is None:
        return True
    newest = _first(conn, f"SELECT {_MEMORY} FROM memory WHERE id = ?", before.newest[0])
    named = any(change.table is ChangedTable.MEMORY and change.id == before.newest[0] for change in since)
    return named or newest == before.newest


def _first(conn: Connection, query: str, *parameters: object) -> tuple[Any, ...] | None:
    rows = plain_rows(conn, query, parameters)
    return rows[0] if rows else None


def changes(conn: Connection, after: int) -> list[Change] | None:
    """Every change after a revision, in order; None where the log does not reach back so far: load all anew."""
    reach, found = kept(conn, after)
    return found if reach == after else None


def kept(conn: Connection, after: int) -> tuple[int, list[Change]]:
    """The changes after a revision, as far as the log still has them, and after which revision it has them all.

    That is a later one where the log was trimmed, and an earlier one where the store is older than the revision.
    """
    last = latest(conn)
    if after >= last:
        return last, []
    rows = conn.exec_driver_sql(
        f"SELECT {_LINE} FROM revision_log WHERE revision > ? ORDER BY revision",
        (after,),
    ).fetchall()
    found = [Change(row[0], row[1], ChangedTable(row[2]), row[3], Operation(row[4])) for row in rows]
    return (found[0].revision - 1 if found else last), found


def last_of(conn: Connection, partition_ids: Sequence[int]) -> dict[int, int]:
    """The last change of each of these partitions, as far as the log still tells; else the newest that it may be."""
    rows = conn.exec_driver_sql("SELECT min(revision) FROM revision_log").scalar()
    before = latest(conn) if rows is None else int(rows) - 1
    found = conn.exec_driver_sql(
        "SELECT partition_id, max(revision) FROM revision_log"
        " WHERE partition_id IN (SELECT value FROM json_each(?)) GROUP BY partition_id",
        (id_list(partition_ids),),
    ).fetchall()
    return {**dict.fromkeys(partition_ids, before), **{row[0]: row[1] for row in found}}


def deletions(conn: Connection, after: int) -> Counter[ChangedTable]:
    """How many rows of each table went after a revision."""
    rows = conn.exec_driver_sql(
        "SELECT changed_table, count(*) FROM revision_log WHERE revision > ? AND operation = ? GROUP BY changed_table",
        (after, Operation.DELETE.value),
    )
    return Counter({ChangedTable(table): number for table, number in rows})


def by_use(conn: Connection, after: int) -> None:
    """Have the log say that all which this transaction has changed after a revision follows from a use of memories."""
    conn.exec_driver_sql(
        "UPDATE revision_log SET operation = ? WHERE revision > ? AND operation <> ?",
        (Operation.USE.value, after, Operation.DELETE.value),
    )


def take_back(conn: Connection, after: int) -> None:
    """Take back the lines that this transaction has written after a revision: what changed, nobody could see before."""
    conn.exec_driver_sql("DELETE FROM revision_log WHERE revision > ?", (after,))
    conn.exec_driver_sql("UPDATE sqlite_sequence SET seq = ? WHERE name = 'revision_log'", (after,))


def trim(conn: Connection, keep: int) -> int:
    """Forget all but the last `keep` changes; how many went.

    Raises:
        InvalidInputError: `keep` is negative.
    """
    if keep < 0:
        raise InvalidInputError(f"keep: {shown(keep)} is not accepted; give 0 or more")
    return conn.exec_driver_sql("DELETE FROM revision_log WHERE revision <= ?", (latest(conn) - keep,)).rowcount
