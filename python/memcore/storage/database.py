"""One SQLite file: opening it, its read and write transactions, its backup."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memcore.errors import DatabaseMovedError, ForkedError, InvalidInputError, StorageError
from memcore.settings import LOCK_TIMEOUT
from memcore.storage import forked, left_log, opening, place
from memcore.storage.driver import sqlite_driver
from memcore.storage.engine_file import EngineFile
from memcore.storage.failures import translated, translated_files
from memcore.storage.handles import Handles
from memcore.storage.raw_file import RawFile, release
from memcore.storage.wiping import wipe
from memcore.storage.write_queue import WriteQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from memcore.storage.traces import Traces

__all__ = ["Database"]

_log = logging.getLogger(__name__)


class Database:
    """The truth in one file (or `":memory:"`), safe to share between threads; several processes may open the same file.

    `durability="full"`: what was acknowledged survives a power loss. `"relaxed"`: the last writes before one may be
    missing, the file stays whole. `lock_timeout` is the most seconds that a write waits for its turn.

    Raises:
        StorageError: the path is a folder or a device, lies in no folder, may not be read and written, or belongs to
            another program, or the log beside the file was written for another.
        CorruptDatabaseError: the file is not a database, or is damaged or truncated.
        NewerDatabaseError: a newer memcore wrote it.
        InvalidInputError: `durability` is neither name, or `path` is empty.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, durability: str = "full", lock_timeout: float = LOCK_TIMEOUT
    ) -> None:
        synchronous = opening.synchronous_level(durability)
        self.path = opening.real_path(opening.checked_path(path))
        self._pid = os.getpid()
        self._closed = False
        self._in_memory = self.path == opening.IN_MEMORY
        self.engine_file = None if self._in_memory else EngineFile(self.path)
        """What is kept of the engines beside it; None for a store in memory."""
        self._one = threading.RLock()
        self._current: Connection | None = None
        self._key: forked.FileKey | None = None
        with translated_files(self.path):
            created = False
            if not self._in_memory:
                forked.refuse_inherited(Path(self.path))
                created = opening.create_private_file(Path(self.path))
                left_log.refuse_foreign_log(Path(self.path))
                self._key = forked.note_open(Path(self.path))
            self._queue = WriteQueue(None if self._in_memory else self.path, lock_timeout)
            self._engine = opening.new_engine(self.path, synchronous, self._check_place, in_memory=self._in_memory)
            self._handles = Handles(self._engine)
            try:
                opening.prepare(self._handles, self._queue, self.path, created=created)
            except BaseException:
                self.close()
                raise

    @property
    def sqlite_version(self) -> str:
        """The version of the SQLite library that has the file open."""
        return str(sqlite_driver().sqlite_version)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a read transaction: it sees the database as it was at its first read, whatever others write.

        Raises:
            StorageError: the database is closed or cannot be read.
            ForkedError: it was opened in a parent process.
        """
        self.check_usable()
        with translated(self.path), self._lent(opening.READ) as conn:
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a write transaction, after waiting for its turn; all of it is kept at the end, or nothing.

        Raises:
            StorageError: the database is closed or cannot be written, or a write is open in this thread already.
            DatabaseMovedError: the file that is open lies at its path no longer; nothing was written.
            StorageBusyError: others were writing for `lock_timeout` seconds; nothing was written.
            StorageFullError: there is no room; nothing was kept.
            ForkedError: it was opened in a parent process.
        """
        self.check_usable()
        self._check_place()  # before waiting, and before a lock file is made beside nothing
        with translated(self.path), self._queue.turn():
            self._check_place()
            with self._lent(opening.WRITE) as conn:
                before = self._changes(conn)
                yield conn
                if self._changes(conn) != before:
                    left_log.write_mark(conn)

    def why_moved(self) -> str | None:
        """What became of the file, when the one that is open lies at its path no longer; None while it does."""
        try:
            self._check_place()
        except DatabaseMovedError as error:
            return str(error)
        return None

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a compact copy of the database, as it is at this moment, to a new file that only this user may read.

        Raises:
            InvalidInputError: `path` is none of a file.
            StorageError: there is a file of that name already, or one that SQLite would take for its log, or it cannot
                be written.
            StorageFullError: there is no room for the copy.
        """
        self.check_usable()
        name = opening.checked_path(path)
        if name == opening.IN_MEMORY:
            raise InvalidInputError("path: ':memory:' is not accepted; give the path of a new file")
        target = Path(name)
        with self._one, translated_files(str(target)):
            if os.path.lexists(target):
                raise StorageError(f"backup {target}: the file exists; give a name that is free")
            if left := left_log.beside(target):
                raise StorageError(
                    f"backup {target}: {left[0].name} lies there, and SQLite would take it for a part of the backup;"
                    " remove it, or give another name"
                )
            try:
                opening.vacuum_into(self._handles, target, in_memory=self._in_memory)
            except FileExistsError:
                raise StorageError(f"backup {target}: the file exists by now; give a name that is free") from None

    def raw_file(self) -> RawFile | None:
        """The bytes of the file itself; None for a store in memory.

        Raises:
            DatabaseMovedError: the file that is open lies at its path no longer.
        """
        self.check_usable()
        self._check_place()
        return None if self._key is None else RawFile(self.path, self._key)

    def wipe(self, traces: Traces | None = None, receipt_id: int | None = None, *, whole: bool = False) -> bool:
        """Whether no byte is left in any file of what a receipt is about; None stands for all that are pending.

        The engine snapshot is erased first, whoever wrote it. See `memcore.storage.wiping` for the rest. Nobody writes
        meanwhile; readers go on.

        Raises:
            StorageError: the database is closed or cannot be written.
            StorageFullError: there is no room to rewrite the file.
        """
        file = self.raw_file()
        with translated(self.path), self._queue.turn():
            self._check_place()
            if not self._erased():
                return False
            with self._handles.lent() if file is not None else self._lent(opening.WRITE) as conn:
                return wipe(conn, file, traces, receipt_id, whole=whole)

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """A block in which nobody else writes, nor does this one; for what lies beside the database.

        Raises:
            StorageError: the database is closed, or a write is open in this thread already.
            DatabaseMovedError: the file that is open lies at its path no longer.
            StorageBusyError: others were writing for so many seconds.
            ForkedError: it was opened in a parent process.
        """
        self.check_usable()
        self._check_place()
        with translated(self.path), self._queue.turn(seconds):
            self._check_place()
            yield

    def close(self) -> None:
        """Close the file. A child of `fork` only lets go of it: the file is still its parent's."""
        if self._closed:
            return
        self._closed = True
        if self._key is not None and os.getpid() == self._pid:
            forked.let_go(self._key)
        if os.getpid() == self._pid:
            self._handles.close()
        else:
            self._handles.let_go()
        self._engine.dispose(close=os.getpid() == self._pid)
        self._queue.close()
        if self._key is not None and os.getpid() == self._pid:
            release(self._key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def check_usable(self) -> None:
        """Lets a call pass while the database is open in the process that opened it; takes no lock.

        Raises:
            StorageError: it is closed.
            ForkedError: it was opened in a parent process.
        """
        if os.getpid() != self._pid:
            raise ForkedError(f"database {self.path}: it was opened before the fork; {forked.REMEDY}")
        if self._closed:
            raise StorageError(f"database {self.path}: it is closed; open it anew")

    def _erased(self) -> bool:
        """Whether there is no engine snapshot any more."""
        try:
            if self.engine_file is not None:
                self.engine_file.erase()
        except OSError as error:
            _log.warning("the engine snapshot cannot be removed: %s", error)
            return False
        return True

    def _changes(self, conn: Connection) -> int | None:
        """How many rows a connection has changed; None in memory, where there is no log."""
        below = conn.connection.dbapi_connection
        return None if self._in_memory or below is None else int(below.total_changes)

    def _check_place(self) -> None:
        if self._key is not None:
            place.check(self.path, self._key)

    @contextmanager
    def _lent(self, begin: str) -> Iterator[Connection]:
        """A store in memory has one connection: one thread at a time, and a block inside a block shares it."""
        if not self._in_memory:
            with self._handles.lent(begin) as conn:
                yield conn
            return
        with self._one:
            if self._current is not None and self._current.in_transaction():
                yield self._current
                return
            with self._handles.lent(opening.WRITE) as conn:
                try:
                    self._current = conn
                    yield conn
                finally:
                    self._current = None
