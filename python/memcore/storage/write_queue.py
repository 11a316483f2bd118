"""Whose turn it is to write: first come, first served among the threads of a process, then a lock among processes.

SQLite's own waiting is a lottery in which a writer may starve; a queue in front of it bounds the wait.
"""

from __future__ import annotations

import gc
import threading
import time
from collections import deque
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memcore.errors import StorageBusyError, StorageError
from memcore.settings import LOCK_TIMEOUT
from memcore.storage import forked
from memcore.storage.interrupts import surely
from memcore.storage.side_file import SideFile

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FairLock", "Turn", "WriteQueue"]

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

    def acquire(self, turn: Turn, seconds: float) -> bool:
        """Wait until it is `turn`, for at most so many seconds; False when it is not, and the place is given up."""
        end = time.monotonic() + seconds
        with self._guard:
            if self._holder is None:
                self._holder = turn
                return True
            gate = threading.Lock()
            gate.acquire()
            place = (gate, turn)
            self._waiting.append(place)
        try:
            while not gate.acquire(timeout=max(0.0, min(PATIENCE, end - time.monotonic()))):
                if self.held_by(turn):  # an interrupt came between the lock's being handed over and the gate
                    self._leave(place)
                    return True
                gc.collect()  # a turn that an interrupt left behind ends when its frames go
                if time.monotonic() >= end:
                    self._leave(place)
                    return self.held_by(turn)  # it may have come meanwhile
        except BaseException:
            self._leave(place)
            raise
        return True

    def release(self, turn: Turn) -> None:
        """Hand the lock to who has waited longest; may be called again after an interrupt, wherever that came."""
        with self._guard:
            if self._holder != turn:
                return
            if not self._waiting:
                self._holder = None
                return
            gate, following = self._waiting[0]
            self._holder = following  # before the gate: who passes it may give the lock back at once
            self._waiting.popleft()
            gate.release()

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
    """The queue in front of one database; `database` None (one in memory) has no other processes to wait for.

    `seconds` is the longest wait for a turn, behind threads and processes together.
    """

    _side: SideFile | None = None

    def __init__(self, database: str | None, seconds: float = LOCK_TIMEOUT) -> None:
        self._name = "in memory" if database is None else database
        self._threads = FairLock()
        self._seconds = seconds
        if database is not None:
            self._side = SideFile(database)
            forked.queues.add(self)

    @contextmanager
    def turn(self, seconds: float | None = None) -> Iterator[None]:
        """A block that no other thread and no other process runs at the same time.

        `seconds` is the longest wait, None for the queue's own.

        Raises:
            StorageError: this thread is inside such a block already.
            StorageBusyError: others were, for as long as one may wait.
        """
        turn = self._threads.ask()
        held = _Held(self, turn)
        try:
            start, longest = time.monotonic(), self._seconds if seconds is None else seconds
            if not self._threads.acquire(turn, longest):
                raise StorageBusyError(
                    f"database {self._name}: other threads of this process wrote, or waited to write, for the"
                    f" {longest:.3g} s of the wait; write less at a time, or raise lock_timeout in Settings"
                )
            if self._side is not None:
                self._side.lock(max(0.0, longest - (time.monotonic() - start)))
            yield
        finally:
            held.give_back()

    def give_back(self, turn: Turn) -> None:
        """Ends a turn, first for other processes, then for other threads; nothing happens when it is not `turn`."""
        if self._threads.held_by(turn):
            if self._side is not None:
                self._side.unlock()
            self._threads.release(turn)

    def remove_side_file(self) -> None:
        """Remove the side file, within a turn, when its database is gone; others that wait on it make it anew."""
        if self._side is not None:
            Path(self._side.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Give the side file back."""
        if self._side is not None:
            self._side.close()

    def let_go(self) -> None:
        """Give the side file back in a child of `fork`, which has none of the other threads."""
        if self._side is not None:
            self._side.let_go()

    def __del__(self) -> None:
        self.close()
