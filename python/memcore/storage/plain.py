"""Rows as plain tuples, for reads on the path of every search or write: wrapping them costs more than reading them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["plain_rows"]


def plain_rows(conn: Connection, query: str, parameters: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
    """All rows of a query, read in the transaction of `conn`."""
    cursor = conn.connection.cursor()
    try:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
    finally:
        cursor.close()
