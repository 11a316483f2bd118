"""A write-ahead log that lies beside a database it was not written for: SQLite would replay it without a word.

That happens when a backup is put in the place of a database whose last process was killed, or is still running: the
log is left, and replaying it would undo the backup. The log holds pages of the database, and page 1 holds a mark, the
field `user_version`: 0 in a database that was begun, random in every backup. A log whose page 1 has another mark was
written for another file. Every write of memcore writes page 1, other programs may not; where the log has none, the
number of pages stayed as it was.

A database whose log is being copied into it, or was when its process was killed, is whole with its log alone: without
the log SQLite calls it damaged. It was not put there, for what is put there is whole.

Two copies that something else than `backup` made have one mark, and cannot be told apart.
"""

from __future__ import annotations

import secrets
import struct
from typing import TYPE_CHECKING, NamedTuple

from memcore.errors import StorageError
from memcore.storage.driver import sqlite_driver
from memcore.storage.plain import plain_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from sqlalchemy import Connection

__all__ = ["APPLICATION_ID", "BESIDE", "RESTORE", "beside", "new_mark", "refuse_foreign_log", "write_mark"]

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database while it is in use, or after a process that was killed."""

RESTORE = "restore a backup: move the file, and what ends in -wal and -shm beside it, away, and put the backup there"
"""What to do about a database that is damaged."""

APPLICATION_ID = 0x6D656D63
"""How SQLite's header says whose the file is: "memc"."""

_OURS = 0x6D  # the highest byte of a mark
_MOST_LOOKS = 20
_LOG_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">6I")
_MARK_AT = 60
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}


class _Seen(NamedTuple):
    """The mark of a database file and its number of pages, as they are without the log."""

    mark: int
    pages: int


class _Frame(NamedTuple):
    """The head of a page in the log; `committed` is the database's number of pages, 0 inside a transaction."""

    page: int
    committed: int
    first_sum: int
    second_sum: int


def beside(path: Path) -> list[Path]:
    """The files of SQLite that lie beside a database, or beside where one would be."""
    named = [path.with_name(path.name + suffix) for suffix in BESIDE]
    return [one for one in named if one.is_symlink() or one.exists()]


def new_mark() -> int:
    """A `user_version` that no other file has."""
    return _OURS << 24 | secrets.randbelow(1 << 24)


def write_mark(conn: Connection) -> None:
    """Has the transaction write page 1 with its mark, unchanged, so that the log can be told from another file's."""
    plain_run(conn, f"PRAGMA application_id = {APPLICATION_ID}")


def refuse_foreign_log(path: Path) -> None:
    """Lets a database pass without a log, or with its own; nothing is changed. Others may be writing meanwhile.

    Raises:
        StorageError: the log beside it was written for another file.
    """
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size or not path.stat().st_size:
        return
    last: object = None
    for _ in range(_MOST_LOOKS):  # where both are as before, they were so at one moment
        seen, header = _seen(path), _log_header(log)
        if seen is None or header is None or not _is_foreign(log, seen):
            return
        if last == (seen, header):
            raise StorageError(
                f"database {path}: {log.name} beside it was written for another file, and to replay it would undo what"
                f" was put here; remove {path.name}-wal and {path.name}-shm if this is a backup that you restored"
            )
        last = (seen, header)


def _seen(path: Path) -> _Seen | None:
    """Read by SQLite, which drops no locks of this process when it closes the file; None where it is not whole so."""
    driver = sqlite_driver()
    connection = driver.connect(f"{path.as_uri()}?immutable=1", uri=True)
    try:
        return _Seen(*(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "page_count")))
    except driver.OperationalError:
        raise
    except driver.DatabaseError:  # not whole, or no database: with the log, SQLite will tell
        return None
    finally:
        connection.close()


def _log_header(log: Path) -> bytes | None:
    """The header of a log; None where there is none any more."""
    try:
        with log.open("rb") as file:
            return file.read(_LOG_HEADER.size)
    except FileNotFoundError:
        return None


def _is_foreign(log: Path, seen: _Seen) -> bool:
    try:
        with log.open("rb") as file:
            return _tells_another(file, seen)
    except FileNotFoundError:
        return False


def _tells_another(file: BinaryIO, seen: _Seen) -> bool:
    """Whether the first page 1 of the log has another mark, and is one that SQLite would replay."""
    header = file.read(_LOG_HEADER.size)
    if len(header) < _LOG_HEADER.size:
        return False
    magic, _, page_size, _, *_ = _LOG_HEADER.unpack(header)
    if magic not in _MAGIC or page_size & (page_size - 1) or page_size < 512:
        return False
    last: _Frame | None = None
    for frame, at in _frames(file, header, page_size):
        last = frame
        if frame.page == 1:
            file.seek(at + _MARK_AT)
            mark = int.from_bytes(file.read(4), "big", signed=True)
            ours = _OURS in (mark >> 24, seen.mark >> 24)
            return ours and mark != seen.mark and _replayed(file, header, page_size, at)
    if last is None or seen.mark >> 24 != _OURS:
        return False
    sizes = [(frame.committed, at) for frame, at in _frames(file, header, page_size) if frame.committed]
    return bool(sizes) and sizes[0][0] != seen.pages and _replayed(file, header, page_size, sizes[0][1])


def _frames(file: BinaryIO, header: bytes, page_size: int) -> Iterator[tuple[_Frame, int]]:
    """The frames of this log, each with the place of its page; what an earlier log left behind them is none of it."""
    at = _LOG_HEADER.size
    while True:
        file.seek(at)
        head = file.read(_FRAME_HEADER.size)
        if len(head) < _FRAME_HEADER.size or head[8:16] != header[16:24]:
            return
        page, committed, _, _, first_sum, second_sum = _FRAME_HEADER.unpack(head)
        at += _FRAME_HEADER.size
        yield _Frame(page, committed, first_sum, second_sum), at
        at += page_size


def _replayed(file: BinaryIO, header: bytes, page_size: int, wanted: int) -> bool:
    """Whether the checksums hold up to the end of the transaction that has the page at `wanted`."""
    order = _MAGIC[_LOG_HEADER.unpack(header)[0]]
    sums = _summed(order, header[:24], (0, 0))
    if sums != _LOG_HEADER.unpack(header)[6:]:
        return False
    for frame, at in _frames(file, header, page_size):
        file.seek(at - _FRAME_HEADER.size)
        head = file.read(_FRAME_HEADER.size)
        page = file.read(page_size)
        if len(page) < page_size:
            return False
        sums = _summed(order, page, _summed(order, head[:8], sums))
        if sums != (frame.first_sum, frame.second_sum):
            return False
        if frame.committed and at >= wanted:
            return True
    return False


def _summed(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """The running checksum of the log's format (SQLite, "WAL-mode File Format")."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
