"""After a removal: no byte of it is left in any file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage import receipts
from memcore.storage.pages import unused
from memcore.storage.traces import left

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.storage.pages import Bytes
    from memcore.storage.traces import Traces

__all__ = ["LARGEST", "PATIENCE_MS", "wipe"]

LARGEST = 512 * 2**20
"""Bytes of rows up to which a file is rewritten while others wait; a larger one is left to the job `wipe`."""
PATIENCE_MS = 250
"""How long to wait for readers of an older state, while other writers wait."""


def wipe(conn: Connection, file: Bytes | None, traces: Traces | None, receipt_id: int | None, *, whole: bool) -> bool:
    """Whether nothing is left of what a receipt is about; None stands for all receipts that are pending.

    The write-ahead log is truncated, which a reader of an older state prevents. Then the bytes that belong to no row
    are looked through: where one of `traces` (None: anything) is among them, the file is rewritten by VACUUM, unless
    it is too large and not to be done as a `whole`. `conn` must be outside a transaction; `file` None is in memory.
    """
    waiting = receipts.pending(conn)
    asked = waiting if receipt_id is None else [receipt_id]
    if file is not None and asked:
        if not _truncated(conn):
            return False
        own = _any_stale(file) if traces is None else left(conn, traces, (found for _, found in unused(file)))
        older = waiting != asked and _any_stale(file)
        if (own or older) and (whole or _size(conn) <= LARGEST):
            conn.exec_driver_sql("VACUUM")
            if not _truncated(conn):
                return False
            own = older = False
        if own:
            return False
        asked = asked if older else waiting
    if asked:
        receipts.settle(conn, asked)
    if file is not None and asked:
        _truncated(conn)
    return True


def _truncated(conn: Connection) -> bool:
    """Whether all of the log is in the database and the log is empty."""
    before = conn.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
    conn.exec_driver_sql(f"PRAGMA busy_timeout = {PATIENCE_MS}")
    try:
        busy, _, _ = conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    finally:
        conn.exec_driver_sql(f"PRAGMA busy_timeout = {int(before)}")
    return not busy


def _any_stale(file: Bytes) -> bool:
    return next(unused(file), None) is not None


def _size(conn: Connection) -> int:
    """Bytes of the pages that are in use."""
    pages, free, size = (
        int(conn.exec_driver_sql(f"PRAGMA {name}").scalar_one())
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
