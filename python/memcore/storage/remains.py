"""Where a text or a memory still is: a walk through every place, also what a purge already hides."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcore.records import Remains
from memcore.storage.encoding import id_list, same_text
from memcore.storage.pages import unused
from memcore.storage.places import FILES, PLACES
from memcore.storage.plain import plain_rows
from memcore.storage.traces import LENGTH, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from memcore.storage.pages import Bytes
    from memcore.storage.places import Place

__all__ = ["id_in_tables", "text_in_files", "text_in_tables"]

_CHUNK = 1 << 22
_MOST = 1_000
"""Remains of one place that are named; there may be more."""
_OWNED = "agent_id = :agent AND (:everybody OR user_id IS :user)"
_UNREAD = ("-shm", ".lock")  # SQLite and writers hold locks on them, which closing a handle would drop
_BESIDE = "retrieval_params.json"
_BLOBS = ("sq8", "f32", "embedding")


def id_in_tables(conn: Connection, memory_id: int, agent_id: str, user_id: str | None) -> list[Remains]:
    """Every row and column that names a memory; none where it is another agent's (or, with `user_id`, user's)."""
    owner = plain_rows(conn, "SELECT agent_id, user_id FROM memory WHERE id = ?", (memory_id,))
    if owner and (owner[0][0] != agent_id or user_id not in (None, owner[0][1])):
        return []
    found = []
    for place in PLACES:
        for column in (*place.memories, *place.references):
            query = f"SELECT {', '.join(place.key)} FROM {place.table} WHERE {column} = ? LIMIT {_MOST}"
            found += [_row(place, column, row) for row in plain_rows(conn, query, (memory_id,))]
    return found


def text_in_tables(conn: Connection, text: str, agent_id: str, user_id: str | None) -> tuple[list[Remains], bool]:
    """The rows of an agent (and user) with a text, whatever its case; and whether others have it, who are not named."""
    given = _given(conn, text, agent_id, user_id)
    found: list[Remains] = []
    others = False
    for place in PLACES:
        for column in place.words:
            has = _contains(column, blob=column in _BLOBS)
            condition = f"({has}) AND ({_theirs(place)})"
            query = f"SELECT {', '.join(place.key)} FROM {place.table} WHERE {condition} LIMIT {_MOST}"
            found += [_row(place, column, tuple(row)) for row in conn.exec_driver_sql(query, given).fetchall()]
            beyond = f"SELECT 1 FROM {place.table} WHERE ({has}) AND NOT coalesce({_theirs(place)}, FALSE) LIMIT 1"
            others = others or conn.exec_driver_sql(beyond, given).first() is not None
    return found, others


def text_in_files(path: str, database: Bytes, text: str) -> list[Remains]:
    """Where in the store's files a text is, in UTF-8 and UTF-16, and where a piece of it is in bytes of no row."""
    forms = {
        form.encode(code, "replace").lower() for form in _forms(text) for code in ("utf-8", "utf-16-le", "utf-16-be")
    }
    found = [Remains(Path(path).name, offset=at) for at in _offsets(database, forms)]
    short = {piece.lower() for piece in pieces(text.encode("utf-8", "replace"))} if len(text) > LENGTH else set()
    for start, stretch in unused(database) if short else ():
        low = stretch.lower()
        found += [Remains(Path(path).name, offset=start + low.find(piece)) for piece in short if piece in low]
    for beside in [f"{path}{suffix}" for suffix in FILES if suffix and suffix not in _UNREAD] + [
        str(Path(path).with_name(_BESIDE))
    ]:
        if Path(beside).is_file():
            found += [Remains(Path(beside).name, offset=at) for at in _offsets(_Closed(beside), forms)]
    return found


class _Closed:
    """A file that nobody holds locks on."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    @property
    def size(self) -> int:
        return self._path.stat().st_size

    def read(self, offset: int, size: int) -> bytes:
        with self._path.open("rb") as file:
            file.seek(offset)
            return file.read(size)


def _row(place: Place, column: str, key: tuple[Any, ...]) -> Remains:
    return Remains(place.table, column, tuple(part for part in key if isinstance(part, int)))


def _forms(text: str) -> set[str]:
    """A text as it may be written: as it is, folded, in capitals, normalised, and inside JSON."""
    forms = {text, text.casefold(), text.upper(), text.lower(), same_text(text), _as_searched(text)}
    return {form for form in forms | {json.dumps(form, ensure_ascii=False)[1:-1] for form in forms} if form}


def _as_searched(text: str) -> str:
    """A text as the words that searches look for are spelled: m² as m2."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _given(conn: Connection, text: str, agent_id: str, user_id: str | None) -> dict[str, Any]:
    """What the queries are given: the text in its forms, and the partitions, those that are going too."""
    rows = conn.exec_driver_sql(
        "SELECT p.id FROM partition AS p LEFT JOIN purge_mark AS g ON g.doomed_id = p.id"
        " LEFT JOIN partition AS h ON h.id = g.partition_id WHERE coalesce(h.agent_id, p.agent_id) = ?"
        " AND (? OR coalesce(h.user_id, p.user_id) IS ?)",
        (agent_id, user_id is None, user_id),
    )
    return {
        "agent": agent_id,
        "user": user_id,
        "everybody": user_id is None,
        "partitions": id_list(row[0] for row in rows),
        "folded": text.casefold(),
        "quoted": json.dumps(text.casefold(), ensure_ascii=False)[1:-1],
        "same": same_text(text) or text,
        "searched": _as_searched(text) or text,
        **{name: text.encode(code, "replace") for name, code in _CODES.items()},
    }


_CODES = {"utf8": "utf-8", "utf16": "utf-16-le", "utf16be": "utf-16-be"}


def _contains(column: str, *, blob: bool) -> str:
    if blob:
        return " OR ".join(f"instr({column}, :{name}) > 0" for name in _CODES)
    return " OR ".join(
        f"instr(memcore_casefold({column}), :{name}) > 0" for name in ("folded", "quoted", "same", "searched")
    )


def _theirs(place: Place) -> str:
    """The condition that a row belongs to who asks."""
    if place.table == "memory":
        return _OWNED
    if place.of_partition is not None:
        return place.of_partition.replace("= :partition", "IN (SELECT value FROM json_each(:partitions))")
    owned = f"(SELECT id FROM memory WHERE {_OWNED})"
    return " OR ".join(f"{column} IN {owned}" for column in place.memories)


def _offsets(file: Bytes, forms: set[bytes]) -> Iterator[int]:
    """Where in a file one of the forms (ASCII letters small) begins; at most 1,000."""
    overlap = max(map(len, forms)) - 1
    counted, start = 0, 0
    while start < file.size and counted < _MOST:
        chunk = file.read(start, _CHUNK + overlap).lower()
        if not chunk:
            return
        for form in forms:
            at = chunk.find(form)
            while 0 <= at < _CHUNK and counted < _MOST:
                yield start + at
                counted += 1
                at = chunk.find(form, at + 1)
        start += _CHUNK
