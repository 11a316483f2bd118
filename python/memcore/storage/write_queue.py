"""Whose turn it is to write: first come, first served among the threads of a process, then `flock` among processes.

SQLite's own waiting is a lottery in which a writer may starve; a queue in front of it bounds the wait. The lock lies
on a side file of its own, never on the database, since closing any handle on that would drop SQLite's locks.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from memcore.errors import StorageError
from memcore.storage import forked
from memcore.storage.failures import translated_files
from memcore.storage.interrupts import surely

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FairLock", "Turn", "WriteQueue"]

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


PATIENCE = 1.0
"""Seconds after which who waits looks whether a turn was left behind."""


class Turn(NamedTuple):
    """One request for the lock: by which thread, and the how manieth it is."""

    thread: int
    number: int


_numbers = count()


class FairLock:
    """A lock that is had in the order in which it was asked for; to release what is not had does nothing."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._holder: Turn | None = None
        self._waiting: deque[tuple[threading.Lock, Turn]] = deque()

    def ask(self) -> Turn:
        """A turn of this thread, to be waited for with `acquire`.

        Raises:
            StorageError: this thread holds the lock already and would wait for itself.
        """
        if self._is_mine():
            gc.collect()
        if self._is_mine():
            raise StorageError("a write is open in this thread already; finish it before the next one begins")
        return Turn(threading.get_ident(), next(_numbers))

    def _is_mine(self) -> bool:
        holder = self._holder
        return holder is not None and holder.thread == threading.get_ident()

    def acquire(self, turn: Turn) -> None:
        """Wait until it is `turn`."""
        with self._guard:
            if self._holder is None:
                self._holder = turn
                return
            gate = threading.Lock()
            gate.acquire()
            place = (gate, turn)
            self._waiting.append(place)
        try:
            while not gate.acquire(timeout=PATIENCE):
                gc.collect()  # a turn that an interrupt left behind ends when its frames go
        except BaseException:
            self._leave(place)
            raise

    def release(self, turn: Turn) -> None:
        """Hand the lock to who has waited longest; may be called again after an interrupt, wherever that came."""
        with self._guard:
            if self._holder != turn:
                return
            if not self._waiting:
                self._holder = None
                return
            gate, following = self._waiting[0]
            if gate.locked():
                gate.release()
            self._holder = following
            self._waiting.popleft()

    def held_by(self, turn: Turn) -> bool:
        """Whether it is `turn`."""
        return self._holder == turn

    def _leave(self, place: tuple[threading.Lock, Turn]) -> None:
        with self._guard:
            if place in self._waiting:
                self._waiting.remove(place)


class _Held:
    """A turn that is given back when it is let go of, also by an interrupt at a moment that no `finally` covers."""

    _queue: WriteQueue | None = None

    def __init__(self, queue: WriteQueue, turn: Turn) -> None:
        self._turn = turn
        self._queue = queue

    def give_back(self) -> None:
        if self._queue is not None:
            surely(partial(self._queue.give_back, self._turn))

    def __del__(self) -> None:
        self.give_back()


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
        turn = self._threads.ask()
        held = _Held(self, turn)
        try:
            self._threads.acquire(turn)
            if self._handle is not None:
                with translated_files(self._path):
                    _lock(self._handle)
            yield
        finally:
            held.give_back()

    def give_back(self, turn: Turn) -> None:
        """Ends a turn, first for other processes, then for other threads; nothing happens when it is not `turn`."""
        if self._threads.held_by(turn):
            if self._handle is not None:
                _let_others(self._handle)
            self._threads.release(turn)

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
