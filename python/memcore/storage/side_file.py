"""The empty file beside a database that whoever writes holds locked, so that processes write one after another.

The lock lies never on the database itself, since closing any handle on that would drop SQLite's locks.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import suppress

from memcore.errors import StorageBusyError, StorageError
from memcore.storage.failures import translated_files
from memcore.storage.place import file_key

__all__ = ["SideFile"]

_FIRST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.001
"""Seconds between two tries, doubling: no system call waits for this lock for so long and no longer."""

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


class _Handle:
    """An open file, closed when nobody refers to this any longer: never between two calls of a thread that uses it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._open = True

    def close(self) -> None:
        if self._open:
            self._open = False
            os.close(self.number)

    def __del__(self) -> None:
        self.close()


class SideFile:
    """The side file of one database, open.

    Another thread may close it at any step. Who uses it refers to its handle meanwhile, since the number of a closed
    file may at once be that of any other.
    """

    def __init__(self, database: str) -> None:
        self._database = database
        self.path = f"{database}.lock"
        self._handle: _Handle | None = _opened(self.path, database)
        self._closed = False

    def lock(self, seconds: float) -> None:
        """Hold the lock, after waiting for it for at most so many seconds.

        Raises:
            StorageBusyError: another process held it for as long.
            StorageError: the file cannot be locked, or was deleted and cannot be made anew.
        """
        start, pause = time.monotonic(), _FIRST_PAUSE
        with translated_files(self.path):
            while not self._is_locked():
                waited = time.monotonic() - start
                if waited >= seconds:
                    raise StorageBusyError(
                        f"database {self._database}: another process held {self.path} for the {waited:.3g} s of the"
                        " wait; end that process or wait for it, or raise lock_timeout in Settings"
                    )
                time.sleep(min(pause, seconds - waited))
                pause = min(2 * pause, _LONGEST_PAUSE)

    def unlock(self) -> None:
        """Let others have it; a handle that is closed holds no lock, and that it cannot be unlocked means nothing."""
        handle = self._handle
        if handle is not None:
            with suppress(OSError):
                _unlock(handle.number)

    def close(self) -> None:
        """Give the file back, at the end of a step that another thread is in; it stays, empty, for the others."""
        self._closed = True
        self._handle = None

    def let_go(self) -> None:
        """Close it in a child of `fork`: whatever thread of the parent was using it did not come along."""
        handle = self._handle
        self.close()
        if handle is not None:
            handle.close()

    def _is_locked(self) -> bool:
        """Tries once; a lock on a file that somebody deleted keeps nobody out, so the one at the path is taken then."""
        while (handle := self._handle) is not None:
            if not _try_lock(handle.number):
                return False
            held = os.fstat(handle.number)
            if file_key(self.path) != (held.st_dev, held.st_ino):
                self._handle = _opened(self.path, self._database)
            elif handle is self._handle:
                return True
            if self._closed:
                self._handle = None
        raise StorageError(f"database {self._database}: it is closed; open it anew")


def _opened(path: str, database: str) -> _Handle:
    try:
        handle = _Handle(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    except PermissionError as error:
        raise StorageError(
            f"database {database}: Permission denied on {path}; give it the owner, group and mode of the database, or,"
            " where it is missing, give this user write access to the folder"
        ) from error
    if hasattr(os, "fchown"):
        _share(handle.number, os.stat(database))  # noqa: PTH116 - beside the other calls on numbers of files
    return handle


def _share(handle: int, database: os.stat_result) -> None:
    """Lets those lock the file who may write the database, and nobody else: who locks it keeps them from writing.

    As SQLite does with its own files, root gives it to the database's owner. What this user may not change stays.
    """
    found, user = os.fstat(handle), os.geteuid()
    if user not in (0, found.st_uid):
        return
    owner = database.st_uid if user == 0 else found.st_uid
    writers = database.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    mode = 0o600 | writers | writers << 1  # who writes reads, too
    with suppress(PermissionError):
        if (found.st_uid, found.st_gid) != (owner, database.st_gid):
            os.fchown(handle, owner, database.st_gid)
    with suppress(PermissionError):
        if stat.S_IMODE(found.st_mode) != mode:
            os.fchmod(handle, mode)
