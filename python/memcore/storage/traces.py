"""What memories that are about to go would leave in a file, were it not wiped: pieces of their texts and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.encoding import id_list
from memcore.storage.places import PLACES
from memcore.storage.plain import plain_rows
from memcore.storage.search_traces import going_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection

__all__ = ["LENGTH", "Traces", "left", "pieces", "traces_of"]

LENGTH = 24
"""Bytes of a piece: what is longer than two of them cannot be there without a whole one."""
_SHORTEST = 4
_NAMED = "id IN (SELECT value FROM json_each(?1))"
_JOINED = 1 << 24

Traces = dict[bytes, tuple[str, str]]
"""Pieces, and the table and column that each was in."""


def pieces(value: bytes) -> list[bytes]:
    """What `value` is recognised by: itself, or stretches of 24 bytes that cover it."""
    if len(value) <= LENGTH:
        return [value] if len(value) >= _SHORTEST else []
    starts = [*range(0, len(value) - LENGTH, LENGTH), len(value) - LENGTH]
    return [value[start : start + LENGTH] for start in starts]


def traces_of(conn: Connection, ids: Sequence[int], operations: Sequence[int]) -> Traces:
    """What these memories, and all that goes with them, would leave; and what is told of them by some operations."""
    found: Traces = {}
    searches = going_with(conn, ids)
    for place in PLACES:
        words = [word for word in place.words if (place.table, word) != ("memory", "user_id")]
        own = {"operation": operations, "search_trace": searches}.get(place.table)
        condition = place.of_memories.replace(":ids", "?1") if own is None else _NAMED
        if not words or not condition:
            continue
        given = id_list(ids if own is None else own)
        rows = plain_rows(conn, f"SELECT {', '.join(words)} FROM {place.table} WHERE {condition}", (given,))
        for row in rows:
            for column, value in zip(words, row, strict=True):
                if value not in (None, "", "[]", "{}"):
                    said = value.encode("utf-8", "replace") if isinstance(value, str) else bytes(value)
                    found |= dict.fromkeys(pieces(said), (place.table, column))
    return found


def left(conn: Connection, traces: Traces, stretches: Iterable[bytes]) -> bool:
    """Whether one of the traces is in the stretches, and is not what a row that stays says too."""
    for stale in _joined(stretches):
        for piece, (table, column) in traces.items():
            if piece in stale:
                query = f"SELECT 1 FROM {table} WHERE instr(CAST({column} AS BLOB), ?) > 0 LIMIT 1"
                if not plain_rows(conn, query, (piece,)):
                    return True
    return False


def _joined(stretches: Iterable[bytes]) -> Iterator[bytes]:
    """The stretches side by side, some megabytes at a time: one long search costs less than many short ones."""
    gathered: list[bytes] = []
    size = 0
    for stretch in stretches:
        gathered.append(stretch)
        size += len(stretch)
        if size >= _JOINED:
            yield b"\0".join(gathered)
            gathered, size = [], 0
    yield b"\0".join(gathered)
