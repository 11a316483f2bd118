"""Statements by the driver alone, on the path of every search or write: wrapping rows costs more than reading them."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection

__all__ = ["plain_array", "plain_insert", "plain_parts", "plain_rows", "plain_run"]

_TOGETHER = 25
"""Rows of one statement: most of what a statement costs, each of these pays a part of."""
_VALUES = re.compile(r"\bVALUES (\([^)]*\))")


def plain_rows(conn: Connection, query: str, parameters: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
    """All rows of a query, read in the transaction of `conn`."""
    cursor = conn.connection.cursor()
    try:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
    finally:
        cursor.close()


def plain_parts(
    conn: Connection, query: str, parameters: tuple[Any, ...], size: int
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a query, at most `size` at a time, so that many are never there at once."""
    cursor = conn.connection.cursor()
    try:
        cursor.execute(query, parameters)
        while rows := cursor.fetchmany(size):
            yield rows
    finally:
        cursor.close()


def plain_array(conn: Connection, query: str, parameters: tuple[Any, ...], dtype: Sequence[tuple[str, Any]]) -> Any:
    """The rows of a query as one structured array: no row is there as an object for longer than it takes to read."""
    cursor = conn.connection.cursor()
    try:
        cursor.execute(query, parameters)
        return np.fromiter(cast("Iterable[tuple[Any, ...]]", cursor), np.dtype([*dtype]))
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


def plain_insert(conn: Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
    """How many rows an INSERT with one list of VALUES made of these tuples of parameters, in their order.

    They are asked for one after the other, so that never all of them are there at once.
    """
    cursor = conn.connection.cursor()
    made = 0
    try:
        left = iter(rows)
        while len(together := list(islice(left, _TOGETHER))) == _TOGETHER:
            cursor.execute(_of_many(statement), tuple(chain.from_iterable(together)))
            made += cursor.rowcount
        for row in together:
            cursor.execute(statement, row)
            made += cursor.rowcount
    finally:
        cursor.close()
    return made


@cache
def _of_many(statement: str) -> str:
    """The statement for `_TOGETHER` rows."""
    found = _VALUES.search(statement)
    if found is None:
        raise ValueError("an INSERT without a list of VALUES")
    return f"{statement[: found.end()]}{f', {found[1]}' * (_TOGETHER - 1)}{statement[found.end() :]}"
