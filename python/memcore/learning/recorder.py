"""Recording searches: each is noted in a buffer as it returns, and written by a thread, some at a time.

No search waits for a write, and none fails because its trace cannot be written: that is logged and counted.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import threading
import time
import weakref
from collections import Counter
from typing import TYPE_CHECKING

from memcore.errors import MemcoreError, without_values
from memcore.learning.observed import observed
from memcore.records.learning import Recording
from memcore.storage import recording, search_traces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from memcore.learning.observed import Observed
    from memcore.pipeline.reconstruct import Block
    from memcore.searching.request import SearchRequest
    from memcore.searching.result import SearchResult
    from memcore.settings import Settings
    from memcore.storage.database import Database

__all__ = ["MOST", "Recorder"]

MOST = 10_000
"""Traces of an agent that are kept, unless it is said otherwise."""
BATCH = 64
"""Traces that wait before they are written at once."""
PAUSE = 1.0
"""Seconds that a trace waits at most, and that what the store says about recording is believed."""
ROOM = 2_000
"""Traces that may wait; more are lost, and counted."""
_log = logging.getLogger("memcore.tuning")


class Recorder:
    """Records the searches of one agent through one `Memory`; safe to share between threads."""

    def __init__(self, database: Database, agent_id: str, settings: Settings) -> None:
        self._database = database
        self._agent_id = agent_id
        self._settings = settings
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: list[Observed] = []
        self._underway: list[Observed] = []
        self._counts: Counter[str] = Counter()
        self._thread: threading.Thread | None = None
        self._full = threading.Event()
        self._closed = False
        self._troubled = False
        self._sampling: recording.Sampling | None = None
        self._believed_until = -1.0
        self._at_exit = _flush_at_exit(self)

    @property
    def sampling(self) -> recording.Sampling | None:
        """How searches are recorded at the moment; None where they are not. The store is asked once a second.

        Raises:
            StorageError: the store cannot be read.
        """
        if time.monotonic() >= self._believed_until:
            with self._database.read() as connection:
                found = recording.find(connection, self._agent_id)
            always = recording.Sampling(1.0, MOST) if self._settings.record_traces else None
            self._sampling = always if found is None else found
            self._believed_until = time.monotonic() + PAUSE
        return self._sampling

    def look_again(self) -> None:
        """Ask the store at the next search."""
        self._believed_until = -1.0

    def note(self, request: SearchRequest, result: SearchResult, recorded_at: datetime) -> None:
        """Note a search that has just answered, if it is to be; never raises."""
        try:
            sampling = self.sampling
            if sampling is None or not _chosen(request, sampling.sample):
                return
            seen = observed(request, result, recorded_at)
            if self._wait(seen):
                result.tell(lambda block: self._in_prompt(seen, block))
            self._troubled = False
        except MemcoreError as error:
            self._counts["lost"] += 1
            if not self._troubled:  # the next ones fail as this one did
                _log.warning("a search was not recorded: %s", without_values(error))
            self._troubled = True

    def flush(self) -> bool:
        """Write what waits, and say whether that went well; else it is logged, and tried again with the next search."""
        if os.getpid() != self._pid:
            self._waiting.clear()  # they are the parent's, who writes them
            return True
        with self._writing:
            with self._lock:
                taken, self._waiting = self._waiting, []
                self._underway = taken
                batch = [(seen, sorted(seen.entered), sorted(seen.fill_ups)) for seen in taken]
                for seen in taken:
                    seen.waits = False
            try:
                self._write(batch)
            except MemcoreError as error:
                self._put_back(taken, error)
                return False
            finally:
                self._underway = []
        return True

    def close(self) -> None:
        """Write what waits, and no more after it; what cannot be written is lost, and logged."""
        atexit.unregister(self._at_exit)
        if os.getpid() != self._pid:
            return  # the lock may have been held as the process forked
        self.flush()
        with self._lock:
            self._closed = True
            left, self._waiting = self._lose(self._waiting), []
        self._full.set()
        if left:
            _log.warning("%d traces of searches are lost: they could not be written", left)

    def status(self) -> Recording:
        """Whether searches are recorded, and what became of those of this process.

        Raises:
            StorageError: the store cannot be read.
        """
        self.look_again()
        sampling = self.sampling
        with self._database.read() as connection:
            stored = search_traces.count(connection, self._agent_id)
        with self._lock:
            there = {id(seen): seen for seen in (*self._underway, *self._waiting)}.values()
            waiting = sum(seen.trace_id is None and not (seen.skipped or seen.lost) for seen in there)
            counts = Counter(self._counts)
        sample, most = (1.0, MOST) if sampling is None else sampling
        numbers = {name: counts[name] for name in ("recorded", "skipped", "lost")}
        return Recording(sampling is not None, sample, most, stored, waiting=waiting, **numbers)

    def _wait(self, seen: Observed) -> bool:
        """Whether there was room to wait for the thread, which is started where none is there."""
        with self._lock:
            if self._closed or len(self._waiting) >= ROOM:
                self._lose([seen])
                return False
            self._waiting.append(seen)
            seen.waits = True
            if len(self._waiting) >= BATCH:
                self._full.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memcore-traces", daemon=True)
                self._thread.start()
        return True

    def _run(self) -> None:
        """Writes until nothing waits, or writing fails; the next search starts a new thread then."""
        while True:
            self._full.wait(PAUSE)
            self._full.clear()
            went_well = self.flush()
            with self._lock:
                if not self._waiting or not went_well:
                    self._thread = None
                    return

    def _in_prompt(self, seen: Observed, block: Block) -> None:
        """Note which memories of a search stood in a block, also where its trace is written already."""
        with self._lock:
            seen.entered.update(block.ids)
            seen.fill_ups.update(block.beside)
            nothing_to_do = seen.waits or seen.skipped or seen.lost
        if not nothing_to_do:
            self._wait(seen)

    def _write(self, batch: list[tuple[Observed, list[int], list[int]]]) -> None:
        """Write a batch in one transaction, made ready before it; only then is it known which trace has which id."""
        if not batch:
            return
        written: list[int | None] = []
        new = [None if seen.trace_id is not None else seen.new_trace(self._settings) for seen, _, _ in batch]
        with self._database.write() as connection:
            for trace, (seen, entered, fill_ups) in zip(new, batch, strict=True):
                number = seen.trace_id if trace is None else search_traces.insert(connection, trace)
                written.append(number)
                if number is not None:
                    search_traces.note_prompt(connection, number, entered, fill_ups)
            sampling = recording.find(connection, self._agent_id)
            search_traces.trim(connection, self._agent_id, MOST if sampling is None else sampling.most)
        with self._lock:
            for (seen, _, _), number in zip(batch, written, strict=True):
                if seen.trace_id is None:
                    self._counts["skipped" if number is None else "recorded"] += 1
                seen.trace_id, seen.skipped = number, number is None
            self._waiting = [seen for seen in self._waiting if not seen.skipped]  # a block may have been made of one

    def _put_back(self, taken: list[Observed], error: MemcoreError) -> None:
        with self._lock:
            left = [seen for seen in taken if not seen.waits]  # a block may have been made of one since
            room = ROOM - len(self._waiting)
            kept = left[-room:] if room > 0 else []
            lost = self._lose(left[: len(left) - len(kept)])
            for seen in kept:
                seen.waits = True
            self._waiting = kept + self._waiting
        _log.warning("%d traces of searches wait, %d are lost: %s", len(kept), lost, without_values(error))

    def _lose(self, gone: Sequence[Observed]) -> int:
        """Count searches as lost, each once; how many. One whose trace is written is not: only what a block adds is."""
        lost = [seen for seen in gone if seen.trace_id is None and not seen.lost]
        for seen in lost:
            seen.lost = True
        self._counts["lost"] += len(lost)
        return len(lost)


def _flush_at_exit(recorder: Recorder) -> Callable[[], None]:
    """Has what waits written when the process ends without a `close`; what was registered for it."""
    held = weakref.ref(recorder)

    def flush() -> None:
        left = held()
        if left is not None:
            left.flush()

    atexit.register(flush)
    weakref.finalize(recorder, atexit.unregister, flush).atexit = False
    return flush


def _chosen(request: SearchRequest, sample: float) -> bool:
    """Whether a search is in the sample: by its words and its moment, so that nothing is drawn."""
    if sample >= 1:
        return True
    said = f"{request.asked_at.timestamp()}\0{request.scope.user_ids}\0{request.query}"
    drawn = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < sample * 2**64
