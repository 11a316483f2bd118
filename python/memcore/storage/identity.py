"""Which store a file is: what tells something derived from it from what was derived of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.plain import plain_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["identity"]


def identity(conn: Connection) -> str | None:
    """A name that no other store has: random since it was made, and another one in each backup of it.

    Copies that something else than `backup` made share it. None where somebody took it away.
    """
    rows = plain_rows(conn, "SELECT lower(hex(identity)) FROM store_identity")
    if not rows:
        return None
    [(mark,)] = plain_rows(conn, "PRAGMA user_version")
    return f"{rows[0][0]}-{mark & 0xFFFFFFFF:08x}"
