"""A parameter file that may be edited while memcore runs: what it says is used at the next search.

There is no watcher thread. Each call looks at the file's (mtime_ns, size, inode), which costs microseconds, and reads
it only when they changed. A file that cannot be used changes nothing: the last good values stay.

A file that is gone says nothing any more, so that the defaults hold, as for a process that starts now. Only once it has
been gone for a second of looks, though: many editors and copying tools remove a file to write it anew, and searches in
between must not be ranked by other parameters than those before and after. So the look that first misses the file goes
by the last good values, and the first one a second later or more by the defaults, whatever was asked in between.
"""

import logging
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from memcore.errors import InvalidInputError, ParamsError, shortened, shown
from memcore.names import is_path
from memcore.params.document import LONGEST_DOCUMENT, params_from_text
from memcore.params.model import RetrievalParams
from memcore.params.regular import read_regular

__all__ = ["ParamsFile"]

_logger = logging.getLogger("memcore.params")
MISSED = 1.0
"""Seconds from the look that first misses a file to the one that takes it as gone."""
_SETTLED_NS = 2_000_000_000  # no file system in use keeps coarser times


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was last found at the path: its key (None: no file), its bytes, and what came of it."""

    key: tuple[int, int, int] | None
    document: bytes | None
    settled: bool  # a later write would have another key
    params: RetrievalParams
    problem: str | None
    missed_at: float | None = None  # on the monotonic clock: when a file that was there was first missed


class ParamsFile:
    """The parameters of one file, or the defaults while there is none; `current()` is the set for one search."""

    def __init__(self, path: Path | str | None) -> None:
        """Watch `path`; None is no file, always the defaults.

        Raises:
            InvalidInputError: `path` cannot be a path.
        """
        if path is not None and (not isinstance(path, str | Path) or not is_path(str(path))):
            raise InvalidInputError(f"params: {shown(path)} is not accepted; give the path of a JSON file, or None")
        self.path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._seen = _Seen(None, None, settled=True, params=RetrievalParams(), problem=None)

    @property
    def problem(self) -> str | None:
        """Why the file, as `current()` last found it, is not in use; None when all is well."""
        return self._seen.problem

    def current(self) -> RetrievalParams:
        """The parameters as the file says now; the last good ones while it is unusable. Never raises.

        Of a file that is gone the last good ones stay for a second, and the defaults hold from then on. A problem, and
        that the file is gone, is logged once for each state of the file, as a warning of "memcore.params".
        """
        seen = self._seen
        if self.path is None or (seen.settled and _key(self.path) == seen.key):
            return seen.params
        with self._lock:
            self._seen = self._looked_again(self.path, self._seen)
            return self._seen.params

    def _looked_again(self, path: Path, seen: _Seen) -> _Seen:
        try:
            key, document = _read(path)
        except FileNotFoundError:
            return _missed(path, seen)
        except OSError as error:
            problem = f"{shortened(path)}: cannot be read ({error.strerror}); the last good values stay"
            return self._kept(seen, None, seen.document, problem, settled=False)
        settled = time.time_ns() - key[0] > _SETTLED_NS
        if seen.key is not None and document == seen.document:
            return _Seen(key, document, settled, seen.params, seen.problem)
        try:
            return _Seen(key, document, settled, params_from_text(document), None)
        except ParamsError as error:
            return self._kept(seen, key, document, f"{path}: {error}; the last good values stay", settled=settled)

    @staticmethod
    def _kept(
        seen: _Seen, key: tuple[int, int, int] | None, document: bytes | None, problem: str | None, *, settled: bool
    ) -> _Seen:
        """The last good values with the new problem, which is logged unless it was the problem before."""
        if problem is not None and (problem, key) != (seen.problem, seen.key):
            _logger.warning("%s", problem)
        return _Seen(key, document, settled, seen.params, problem)


def _missed(path: Path, seen: _Seen) -> _Seen:
    """What holds where there is no file: for a moment what held before, then the defaults."""
    if seen.document is None and seen.problem is None:
        return _Seen(None, None, settled=True, params=RetrievalParams(), problem=None)
    now = time.monotonic()
    since = now if seen.missed_at is None else seen.missed_at
    if now - since < MISSED:
        problem = f"{path}: the file is gone; the last good values stay for a second, then the defaults hold"
        return _Seen(None, seen.document, settled=False, params=seen.params, problem=problem, missed_at=since)
    _logger.warning("%s: the file is gone; the defaults hold", path)
    return _Seen(None, None, settled=True, params=RetrievalParams(), problem=None)


def _read(path: Path) -> tuple[tuple[int, int, int], bytes]:
    """The key of a file and its bytes, up to what is a document."""
    status, document = read_regular(path, LONGEST_DOCUMENT + 1)
    return (status.st_mtime_ns, status.st_size, status.st_ino), document


def _key(path: Path) -> tuple[int, int, int] | None:
    """What changes when the file does, or None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
