"""Driver errors as memcore's own, each with what would help. No message quotes a statement or a value of a row."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from memcore.errors import CorruptDatabaseError, StorageBusyError, StorageError, StorageFullError, shortened
from memcore.storage.driver import sqlite_driver
from memcore.storage.left_log import RESTORE

try:
    import resource
except ImportError:  # there is none on Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["named", "translated", "translated_files"]

_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _CONSTRAINT, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 19, 26

_HINTS: dict[int, tuple[type[StorageError], str]] = {
    _BUSY: (StorageBusyError, "another program keeps the database locked; close it, or try again"),
    _LOCKED: (StorageError, "the database is locked by this process; finish the other transaction first"),
    _READONLY: (StorageError, "the file or its folder is read-only; give this user write access to both"),
    _IOERR: (
        StorageError,
        f"the disk failed to read or write; look at the disk; if rows are missing, {RESTORE}",
    ),
    _CORRUPT: (CorruptDatabaseError, f"the file is damaged or truncated; {RESTORE}"),
    _FULL: (
        StorageFullError,
        "the disk or the page limit is full, nothing of this write was kept; make room and try again",
    ),
    _CANTOPEN: (StorageError, "the file cannot be opened; check that its folder exists and may be written"),
    _CONSTRAINT: (StorageError, "the database refused the row; nothing was kept"),
    _NOTADB: (CorruptDatabaseError, f"the file is not a database; give another path, or {RESTORE}"),
}
_FULL_DISK = {getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name)}
_TOO_LARGE = (
    StorageFullError,
    "a file has the largest size that this process may write (ulimit -f), nothing of this was kept; raise the limit",
)
_MISSING = ("no such table: ", "no such column: ")
_LARGEST_WRITE = 65_536
"""Bytes of a page at most: the write that fails begins no further from the limit."""


def named(error: Exception, path: str, files: Sequence[str] | None = None) -> StorageError:
    """The error to raise in the place of a driver's or the operating system's error on the file `path`.

    `files` are those that were written; by default the database and what SQLite keeps beside it.
    """
    if isinstance(error, OSError):
        full = error.errno in _FULL_DISK
        kind = StorageFullError if full else StorageError
        hint = "make room, or raise the limit" if full else "check that its folder exists and may be written"
        return kind(f"database {shortened(path)}: {error.strerror or type(error).__name__}; {hint}")
    code = getattr(error, "sqlite_errorcode", None)
    if str(error).startswith(_MISSING):
        return CorruptDatabaseError(f"database {shortened(path)}: a table or a column was removed; {RESTORE} ({error})")
    kind, hint = _HINTS.get(-1 if code is None else code & 0xFF, (StorageError, "the database could not do this"))
    if (
        code is not None and code & 0xFF == _IOERR
    ):  # all that SQLite says when a file, or the index of its log, may not grow
        written = [path + suffix for suffix in ("", "-wal", "-shm", "-journal")] if files is None else files
        if any(map(_at_size_limit, written)):
            kind, hint = _TOO_LARGE
        elif _disk_is_full(path):
            kind, hint = _HINTS[_FULL]
    return kind(f"database {shortened(path)}: {hint} ({error})")


def _at_size_limit(path: str) -> bool:
    """Whether a file may not grow by another page."""
    if resource is None:
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        return limit != resource.RLIM_INFINITY and os.stat(path).st_size + _LARGEST_WRITE >= limit  # noqa: PTH116
    except OSError:
        return False  # there is none


def _disk_is_full(path: str) -> bool:
    """Whether the disk of a file has no room for another page."""
    try:
        return shutil.disk_usage(os.path.dirname(path)).free < _LARGEST_WRITE  # noqa: PTH120 - as text, here
    except OSError:
        return False  # there is no folder


@contextmanager
def translated(path: str, files: Sequence[str] | None = None) -> Iterator[None]:
    """A block whose driver errors on `files` (see `named`) come out as `StorageError` and its kinds.

    SQLAlchemy's wrapper is left behind on purpose: it carries the parameters, which are people's memories.
    """
    driver_error: type[Exception] = sqlite_driver().Error
    try:
        yield
    except DBAPIError as error:
        cause = error.orig if isinstance(error.orig, Exception) else error
        raise named(cause, path, files) from cause
    except driver_error as error:
        raise named(error, path, files) from error
    except UnicodeDecodeError as error:  # SQLite's own message quotes damaged bytes
        raise CorruptDatabaseError(f"database {shortened(path)}: it is damaged; {RESTORE}") from error


@contextmanager
def translated_files(path: str) -> Iterator[None]:
    """A block that opens, makes or moves files: the operating system's errors come out as `StorageError` too."""
    try:
        with translated(path):
            yield
    except OSError as error:
        raise named(error, path) from error
