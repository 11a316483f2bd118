"""Whose turn it is to write: first come, first served among the threads of a process, then `flock` among processes.

SQLite's own waiting is a lottery in which a writer may starve; a queue in front of it bounds the wait. The lock lies
on a side file of its own, never on the database, since closing any handle on that would drop SQLite's locks.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from memcore.errors import StorageError
from memcore.storage import forked
from memcore.storage.failures import translated_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["FairLock", "WriteQueue"]

if sys.platform == "win32":
    import errno
    import msvcrt

    def _lock(handle: int) -> None:
        while True:
            try:
                os.lseek(handle, 0, os.SEEK_SET)
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
            except OSError as error:
                if error.errno != errno.EDEADLOCK:  # it gives up after ten seconds of waiting
                    raise
            else:
                return

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


class FairLock:
    """A lock that threads get in the order in which they asked for it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._holder: int | None = None
        self._waiting: deque[tuple[threading.Lock, int]] = deque()

    def refuse_holder(self) -> None:
        """Lets a thread pass that does not hold the lock.

        Raises:
            StorageError: this thread holds the lock already and would wait for itself.
        """
        if self._holder == threading.get_ident():
            raise StorageError("a write is open in this thread already; finish it before the next one begins")

    def acquire(self) -> None:
        """Wait for the turn of this thread.

        Raises:
            StorageError: this thread holds the lock already and would wait for itself.
        """
        self.refuse_holder()
        me = threading.get_ident()
        with self._guard:
            if self._holder is None:
                self._holder = me
                return
            gate = threading.Lock()
            gate.acquire()
            place = (gate, me)
            self._waiting.append(place)
        try:
            gate.acquire()
        except BaseException:
            self._leave(place)
            raise

    def release(self) -> None:
        """Hand the lock to the thread that has waited longest; nothing happens where this thread does not hold it.

        It may be called again after an interrupt, wherever that came.
        """
        with self._guard:
            if self._holder != threading.get_ident():
                return
            if not self._waiting:
                self._holder = None
                return
            gate, following = self._waiting[0]
            if gate.locked():
                gate.release()
            self._holder = following
            self._waiting.popleft()

    def _leave(self, place: tuple[threading.Lock, int]) -> None:
        with self._guard:
            if place in self._waiting:
                self._waiting.remove(place)


class WriteQueue:
    """The queue in front of one database; `path` None (a database in memory) has no other processes to wait for."""

    def __init__(self, path: str | None) -> None:
        self._threads = FairLock()
        self._path = str(path)
        self._handle: int | None = None
        if path is not None:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            forked.queues.add(self)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A block that no other thread and no other process runs at the same time.

        Raises:
            StorageError: this thread is inside such a block already.
        """
        self._threads.refuse_holder()
        try:
            self._threads.acquire()
            if self._handle is None:
                yield
                return
            try:
                with translated_files(self._path):
                    _lock(self._handle)
                yield
            finally:
                if self._handle is not None:
                    _surely(partial(_let_others, self._handle))
        finally:
            _surely(self._threads.release)

    def close(self) -> None:
        """Give the side file back; it stays, empty, for the others that wait on it."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def __del__(self) -> None:
        self.close()


def _let_others(handle: int) -> None:
    """Unlocks; on a handle that is closed, and so holds no lock, that fails and means nothing."""
    with suppress(OSError):
        _unlock(handle)


def _surely(act: Callable[[], None]) -> None:
    """Does `act` to its end whatever interrupts come, and raises the last of them after it."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            act()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
