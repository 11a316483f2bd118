"""Writing the engine snapshot of an open store, where nobody else is writing."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from memcore.errors import MemcoreError, without_values

if TYPE_CHECKING:
    from memcore.mirror.agent import AgentMirror
    from memcore.storage.database import Database

__all__ = ["LONGEST", "PATIENCE", "QUIET", "Keeper", "keep"]

PATIENCE = 0.25
"""Seconds to wait for others who write; who writes the snapshot too has done the same work by then."""
QUIET = 2.0
"""Seconds without a search after which it is written while the process runs."""
LONGEST = 60.0
"""Seconds after which it is written though there are searches."""
log = logging.getLogger("memcore.mirror")


def keep(database: Database, mirror: AgentMirror) -> int:
    """How many partitions were written; never raises an error of the store: the snapshot is worth none.

    Nobody writes the database meanwhile, so nothing of what is removed by then comes into the snapshot, and what is
    removed after has it erased. Searches go on.
    """
    if not mirror.loaded or not mirror.keeps:
        return 0
    try:
        with database.turn(PATIENCE):
            with mirror.lock, database.read() as connection:
                write = mirror.due(connection)
            return write()
    except MemcoreError as error:
        log.debug("the engine snapshot was not written: %s", without_values(error))
        return 0


class Keeper:
    """Has the snapshot written after many changes, by a thread of its own, once there is no search for a while."""

    def __init__(self, database: Database, mirror: AgentMirror, after: int) -> None:
        """`after`: how many changes are many."""
        self._database = database
        self._mirror = mirror
        self._after = after
        self._starting = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._searched = 0.0

    def note(self) -> None:
        """Says that there was a search; it does not wait for anything."""
        self._searched = time.monotonic()
        if self._mirror.changed < self._after or not self._mirror.keeps:
            return
        with self._starting:
            if not self._closed.is_set() and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._write, name="memcore-snapshot", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Ends the thread, if it is there; what it is writing it writes to the end."""
        with self._starting:
            self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _write(self) -> None:
        begun = time.monotonic()
        left = QUIET
        while left > 0 and time.monotonic() - begun < LONGEST:
            if self._closed.wait(left):
                return
            left = self._searched + QUIET - time.monotonic()
        keep(self._database, self._mirror)
