"""Statements by the driver alone, on the path of every search or write: wrapping rows costs more than reading them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

__all__ = ["plain_rows", "plain_run"]


def plain_rows(conn: Connection, query: str, parameters: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
    """All rows of a query, read in the transaction of `conn`."""
    cursor = conn.connection.cursor()
    try:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
    finally:
        cursor.close()


def plain_run(conn: Connection, statement: str, rows: Sequence[tuple[Any, ...]] = ((),)) -> None:
    """Runs a statement once for each tuple of parameters, in the transaction of `conn`."""
    cursor = conn.connection.cursor()
    try:
        if len(rows) == 1:
            cursor.execute(statement, rows[0])
        else:
            cursor.executemany(statement, rows)
    finally:
        cursor.close()
