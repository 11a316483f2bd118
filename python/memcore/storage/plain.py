"""Statements by the driver alone, on the path of every search or write: wrapping rows costs more than reading them."""

from __future__ import annotations

import json
import re
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from sqlalchemy import Connection

__all__ = ["among", "plain_array", "plain_insert", "plain_parts", "plain_rows", "plain_run"]

_FEW = 8
_TOGETHER = 25
"""Rows of one statement: most of what a statement costs, each of these pays a part of."""
_MOST_FORMS = 32
"""Sets of empty columns with a statement of their own; SQLite keeps what it prepared, and a caller may bring any."""
_VALUES = re.compile(r"\bVALUES (\([^)]*\))")
_forms: dict[tuple[str, int], dict[tuple[int, ...], tuple[str, tuple[bool, ...] | None]]] = {}


def _cursor(conn: Connection) -> Any:
    """A cursor of the driver's."""
    below: Any = conn.connection.dbapi_connection
    return below.cursor()


def plain_rows(conn: Connection, query: str, parameters: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
    """All rows of a query, read in the transaction of `conn`."""
    cursor = _cursor(conn)
    try:
        found: list[tuple[Any, ...]] = cursor.execute(query, parameters).fetchall()
        return found
    finally:
        cursor.close()


def among(values: Collection[int] | Collection[str]) -> tuple[str, tuple[Any, ...]]:
    """The condition that a column holds one of these values, and its parameters; few are quicker without JSON."""
    if len(values) <= _FEW:
        return f"IN ({', '.join('?' * len(values))})", tuple(values)
    return "IN (SELECT value FROM json_each(?))", (json.dumps(list(values), ensure_ascii=False),)


def plain_parts(
    conn: Connection, query: str, parameters: tuple[Any, ...], size: int
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a query, at most `size` at a time, so that many are never there at once."""
    cursor = _cursor(conn)
    try:
        cursor.execute(query, parameters)
        while rows := cursor.fetchmany(size):
            yield rows
    finally:
        cursor.close()


def plain_array(conn: Connection, query: str, parameters: tuple[Any, ...], dtype: Sequence[tuple[str, Any]]) -> Any:
    """The rows of a query as one structured array: no row is there as an object for longer than it takes to read."""
    cursor = _cursor(conn)
    try:
        cursor.execute(query, parameters)
        return np.fromiter(cast("Iterable[tuple[Any, ...]]", cursor), np.dtype([*dtype]))
    finally:
        cursor.close()


def plain_run(conn: Connection, statement: str, rows: Sequence[tuple[Any, ...]] = ((),)) -> None:
    """Runs a statement once for each tuple of parameters, in the transaction of `conn`."""
    cursor = _cursor(conn)
    try:
        if len(rows) == 1:
            cursor.execute(statement, rows[0])
        else:
            cursor.executemany(statement, rows)
    finally:
        cursor.close()


def plain_insert(conn: Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
    """How many rows an INSERT with one list of VALUES made of these tuples of parameters, in their order.

    They are asked for one after the other, so that never all of them are there at once. A blob is bound quickest as a
    `bytearray`: the driver asks every `bytes`, as every None, whether it would rather be something else.
    """
    cursor = _cursor(conn)
    made = 0
    try:
        left = iter(rows)
        while len(together := list(islice(left, _TOGETHER))) == _TOGETHER:
            made += _inserted(cursor, statement, together)
        for row in together:
            made += _inserted(cursor, statement, [row])
    finally:
        cursor.close()
    return made


def _inserted(cursor: Any, statement: str, rows: Sequence[tuple[Any, ...]]) -> int:
    nulls = [at for at, value in enumerate(rows[0]) if value is None]
    if len(rows) > 1 and nulls:
        nulls = [at for at in nulls if all(row[at] is None for row in rows)]
    text, bound = _form(statement, len(rows), tuple(nulls))
    values = chain.from_iterable(rows)
    cursor.execute(text, tuple(values if bound is None else compress(values, bound)))
    return int(cursor.rowcount)


def _form(statement: str, count: int, nulls: tuple[int, ...]) -> tuple[str, tuple[bool, ...] | None]:
    """The statement for so many rows with NULL for the columns that no row has, and which values are bound then.

    To bind None takes ten times as long as to bind a number.
    """
    forms = _forms.setdefault((statement, count), {})
    found = forms.get(nulls)
    if found is None:
        if nulls and len(forms) >= _MOST_FORMS:
            return _form(statement, count, ())
        found = forms[nulls] = _made(statement, count, nulls)
    return found


def _made(statement: str, count: int, nulls: tuple[int, ...]) -> tuple[str, tuple[bool, ...] | None]:
    found = _VALUES.search(statement)
    if found is None:
        raise ValueError("an INSERT without a list of VALUES")
    first, *pieces = found[1].split("?")
    marks = ["NULL" if at in nulls else "?" for at in range(len(pieces))]
    row = first + "".join(chain.from_iterable(zip(marks, pieces, strict=True)))
    text = f"{statement[: found.start(1)]}{', '.join([row] * count)}{statement[found.end() :]}"
    return text, tuple(mark == "?" for mark in marks) * count if nulls else None
