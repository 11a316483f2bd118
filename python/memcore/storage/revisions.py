"""The revision log: what changed since a moment, for whoever keeps something derived from the store."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, shown
from memcore.storage.plain import plain_rows
from memcore.storage.rows import Change, ChangedTable, Operation

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["changes", "deletions", "latest", "take_back", "trim"]


def latest(conn: Connection) -> int:
    """The number of the last change that this transaction sees; 0 before the first. Trimming does not lower it."""
    rows = plain_rows(conn, "SELECT seq FROM sqlite_sequence WHERE name = 'revision_log'")
    return int(rows[0][0]) if rows else 0


def changes(conn: Connection, after: int) -> list[Change] | None:
    """Every change after a revision, in order; None where the log does not reach back so far: load all anew."""
    last = latest(conn)
    if after == last:
        return []
    rows = conn.exec_driver_sql(
        "SELECT revision, partition_id, changed_table, row_id, operation FROM revision_log WHERE revision > ?"
        " ORDER BY revision",
        (after,),
    ).fetchall()
    if after > last or not rows or rows[0][0] != after + 1:
        return None
    return [Change(row[0], row[1], ChangedTable(row[2]), row[3], Operation(row[4])) for row in rows]


def deletions(conn: Connection, after: int) -> Counter[ChangedTable]:
    """How many rows of each table went after a revision."""
    rows = conn.exec_driver_sql(
        "SELECT changed_table, count(*) FROM revision_log WHERE revision > ? AND operation = ? GROUP BY changed_table",
        (after, Operation.DELETE.value),
    )
    return Counter({ChangedTable(table): number for table, number in rows})


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
