"""Driver errors as memcore's own, each with what would help. No message quotes a statement or a value of a row."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from memcore.errors import CorruptDatabaseError, StorageBusyError, StorageError, StorageFullError
from memcore.storage.driver import sqlite_driver

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["named", "translated", "translated_files"]

_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _CONSTRAINT, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 19, 26

_HINTS: dict[int, tuple[type[StorageError], str]] = {
    _BUSY: (StorageBusyError, "another program keeps the database locked; close it, or try again"),
    _LOCKED: (StorageError, "the database is locked by this process; finish the other transaction first"),
    _READONLY: (StorageError, "the file or its folder is read-only; give this user write access to both"),
    _IOERR: (
        StorageError,
        "the disk failed to read or write; look at the disk, then restore a backup if rows are missing",
    ),
    _CORRUPT: (CorruptDatabaseError, "the file is damaged or truncated; restore a backup"),
    _FULL: (
        StorageFullError,
        "the disk or the page limit is full, nothing of this write was kept; make room and try again",
    ),
    _CANTOPEN: (StorageError, "the file cannot be opened; check that its folder exists and may be written"),
    _CONSTRAINT: (StorageError, "the database refused the row; nothing was kept"),
    _NOTADB: (CorruptDatabaseError, "the file is not a database; give another path, or restore a backup"),
}
_FULL_DISK = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}


def named(error: Exception, path: str) -> StorageError:
    """The error to raise in the place of a driver's or the operating system's error on the file `path`."""
    if isinstance(error, OSError):
        kind = StorageFullError if error.errno in _FULL_DISK else StorageError
        hint = (
            "make room and try again" if kind is StorageFullError else "check that its folder exists and may be written"
        )
        return kind(f"database {path}: {error.strerror or type(error).__name__}; {hint}")
    code = getattr(error, "sqlite_errorcode", None)
    kind, hint = _HINTS.get(-1 if code is None else code & 0xFF, (StorageError, "the database could not do this"))
    return kind(f"database {path}: {hint} ({error})")


@contextmanager
def translated(path: str) -> Iterator[None]:
    """A block whose driver errors come out as `StorageError` and its kinds.

    SQLAlchemy's wrapper is left behind on purpose: it carries the parameters, which are people's memories.
    """
    driver_error: type[Exception] = sqlite_driver().Error
    try:
        yield
    except DBAPIError as error:
        cause = error.orig if isinstance(error.orig, Exception) else error
        raise named(cause, path) from cause
    except driver_error as error:
        raise named(error, path) from error
    except UnicodeDecodeError as error:  # SQLite's own message quotes damaged bytes
        raise CorruptDatabaseError(f"database {path}: it is damaged; restore a backup") from error


@contextmanager
def translated_files(path: str) -> Iterator[None]:
    """A block that opens, makes or moves files: the operating system's errors come out as `StorageError` too."""
    try:
        with translated(path):
            yield
    except OSError as error:
        raise named(error, path) from error
