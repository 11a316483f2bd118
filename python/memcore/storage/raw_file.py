"""The bytes of a database file that SQLite has open in this process.

To close any handle on such a file drops SQLite's locks on it (POSIX). So the handle stays open, one for each file,
until the last `Database` on the file is closed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memcore.storage import forked

if TYPE_CHECKING:
    from memcore.storage.forked import FileKey

__all__ = ["RawFile", "release"]

_handles: dict[FileKey, int] = {}


class RawFile:
    """Reads the file that lies at a path; it must be open in a `Database` of this process."""

    def __init__(self, path: str, key: FileKey) -> None:
        if key not in _handles:
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
            _handles.setdefault(key, handle)  # of two threads at once one keeps its handle open for nothing
        self._path = path
        self._handle = _handles[key]

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return os.fstat(self._handle).st_size

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from `offset` on, at most `size`."""
        if hasattr(os, "pread"):
            return os.pread(self._handle, size, offset)
        with Path(self._path).open("rb") as file:  # where there is no pread, closing a handle drops no locks
            file.seek(offset)
            return file.read(size)


def release(key: FileKey) -> None:
    """Close the handle on a file, unless a `Database` of this process still has the file open."""

    def close() -> None:
        handle = _handles.pop(key, None)
        if handle is not None:
            os.close(handle)

    forked.if_unused(key, close)
