"""Everything between a path and a database that is ready: checks, a private file, the engine, WAL, the schema."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import NullPool

from memcore.errors import CorruptDatabaseError, InvalidInputError, NewerDatabaseError, StorageError, shortened, shown
from memcore.names import path_text
from memcore.storage.driver import sqlite_driver
from memcore.storage.encoding import text_key
from memcore.storage.failures import translated
from memcore.storage.left_log import APPLICATION_ID, BESIDE, RESTORE, new_mark
from memcore.storage.migrations import LATEST, apply_next, schema_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from memcore.storage.handles import Handles
    from memcore.storage.write_queue import WriteQueue

__all__ = [
    "IN_MEMORY",
    "READ",
    "WRITE",
    "checked_path",
    "create_private_file",
    "new_engine",
    "prepare",
    "real_path",
    "synchronous_level",
    "vacuum_into",
]

IN_MEMORY = ":memory:"
READ = "BEGIN"
WRITE = "BEGIN IMMEDIATE"
_SYNCHRONOUS = {"full": "FULL", "relaxed": "NORMAL"}
_BUSY_TIMEOUT_MS = 10_000
_SMALLEST_DATABASE = 512  # bytes: one page of the smallest size
_WITHOUT_TABLES = 4_096  # bytes: the first page alone
_CREATING = threading.Lock()
_CACHED_STATEMENTS = 1_000
"""More than all statements that memcore has: a driver whose cache is full may compile each new statement every time."""


def synchronous_level(durability: str) -> str:
    """SQLite's name for a durability.

    Raises:
        InvalidInputError: it is neither `full` nor `relaxed`.
    """
    if not isinstance(durability, str) or durability not in _SYNCHRONOUS:
        raise InvalidInputError(f"durability: {shown(durability)} is not accepted; give 'full' or 'relaxed'")
    return _SYNCHRONOUS[durability]


def checked_path(path: str | os.PathLike[str]) -> str:
    """`path` as text, absolute: it means the same file after the process has moved to another folder.

    Raises:
        InvalidInputError: it is not a path, is empty, or holds a NUL or what the file system's encoding has not.
    """
    given = path_text(path)
    if given is None:
        raise InvalidInputError(f"path: {shown(path)} is not accepted; give the path of a file, or ':memory:'")
    return given if given == IN_MEMORY else os.path.abspath(given)  # noqa: PTH100 - keeps links as they are


def real_path(path: str) -> str:
    """The path of the file itself: a link and its target are one database, with one lock, also while it is open.

    SQLite follows links by itself; two names of one file without a link between them cannot be told from two files.
    """
    return path if path == IN_MEMORY else os.path.realpath(path)


def create_private_file(path: Path) -> bool:
    """Create the file, readable by this user alone from its first byte; one that exists is only looked at, not opened.

    Opening and closing a database that SQLite has open in this process would drop SQLite's locks on it. False where
    the file existed.

    Raises:
        StorageError: it is a folder or a device, lies in no folder, or may not be written.
        CorruptDatabaseError: there is something in it, but less than a page.
    """
    if path.is_dir():
        raise StorageError(f"database {path}: this is a folder; give the path of a file in it")
    if not path.parent.is_dir():
        raise StorageError(f"database {shortened(path)}: there is no folder {shortened(path.parent)}; create it first")
    with _CREATING:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            if not path.is_file():
                raise StorageError(
                    f"database {path}: this is a device, a pipe or a socket, which keeps nothing; give the path of a"
                    " regular file"
                ) from None
            if 0 < path.stat().st_size < _SMALLEST_DATABASE:  # SQLite would take a file of few bytes for an empty one
                raise CorruptDatabaseError(
                    f"database {path}: the file is not a database; give another path, or {RESTORE}"
                ) from None
            effective = os.access in os.supports_effective_ids
            if not os.access(path, os.R_OK | os.W_OK, effective_ids=effective):
                raise StorageError(
                    f"database {path}: the file may not be read and written; give this user access to it for both,"
                    " which also a search needs, or open a copy"
                ) from None
            return False
    return True


def new_engine(path: str, synchronous: str, check: Callable[[], None], *, in_memory: bool) -> Engine:
    """An engine that opens a connection at each `connect`, after `check`; who wants to keep it does so himself.

    A store in memory has a name, and a connection that nobody uses keeps it alive.
    """
    driver = sqlite_driver()
    name = f"file:/memcore-{uuid4()}?vfs=memdb" if in_memory else path
    kept = driver.connect(name, uri=True, check_same_thread=False) if in_memory else None

    def connect() -> Any:
        with _CREATING:
            check()
            waiting = _BUSY_TIMEOUT_MS / 1000
            opened = driver.connect(
                name,
                uri=in_memory,
                isolation_level=None,
                check_same_thread=False,
                timeout=waiting,
                cached_statements=_CACHED_STATEMENTS,
            )
        check()
        return opened

    engine = create_engine(
        "sqlite://",
        module=driver,
        creator=connect,
        hide_parameters=True,
        poolclass=NullPool,
        pool_reset_on_return=None,
    )

    @event.listens_for(engine, "connect")
    def _settings(connection: Any, _record: object) -> None:
        for setting in (
            f"busy_timeout = {_BUSY_TIMEOUT_MS}",
            f"synchronous = {synchronous}",
            "foreign_keys = ON",
            "recursive_triggers = ON",  # what REPLACE removes is logged as removed
            "secure_delete = ON",
            "temp_store = MEMORY",
            "cell_size_check = ON",
        ):
            connection.execute(f"PRAGMA {setting}").close()
        connection.text_factory = _text
        connection.create_function("memcore_casefold", 1, _casefold, deterministic=True)
        connection.create_function("memcore_text_key", 1, text_key, deterministic=True)

    if kept is not None:
        event.listen(engine, "engine_disposed", lambda _engine: kept.close())
    return engine


def prepare(handles: Handles, queue: WriteQueue, path: str, *, created: bool) -> None:
    """Make the database ready: ours, in WAL mode, its schema the latest; any number of processes may do so at once.

    Where that fails, a file that was `created` for it is removed again.

    Raises:
        StorageError: it is another program's.
        NewerDatabaseError: a newer memcore wrote it.
    """
    with handles.lent() as conn:
        if _is_ready(conn, path):
            return
    with queue.turn():
        try:
            with translated(path):  # while the files are there, whose sizes say what an error means
                _migrate(handles, path)
        except Exception:
            if created:
                _remove_empty(handles, queue, path)
            raise


def _migrate(handles: Handles, path: str) -> None:
    with handles.lent() as conn:
        if conn.exec_driver_sql("PRAGMA journal_mode = WAL").scalar_one() not in ("wal", "memory"):
            raise StorageError(f"database {path}: this disk cannot keep a write-ahead log; use a local disk")
    more = True
    while more:
        with handles.lent(WRITE) as conn:
            more = apply_next(conn)


def _remove_empty(handles: Handles, queue: WriteQueue, path: str) -> None:
    """Remove a database without tables, and what lies beside it, in the turn that could not make them.

    Only in a turn does anybody make tables. Where there are some, or a log with something in it, all files stay. What
    the system does not let go of stays, too: the failure that led here is the one to tell.
    """
    handles.close()
    log, shared, journal = (Path(path + ending) for ending in ("-wal", "-shm", "-journal"))
    with suppress(OSError):
        if _size(Path(path)) <= _WITHOUT_TABLES and not any(_size(one) for one in (log, journal)):
            for one in (Path(path), log, shared, journal):
                one.unlink(missing_ok=True)
            queue.remove_side_file()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _is_ready(conn: Connection, path: str) -> bool:
    tables = conn.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
    owner = conn.exec_driver_sql("PRAGMA application_id").scalar_one()
    if owner != APPLICATION_ID and (owner != 0 or tables > 0):
        raise StorageError(f"database {path}: it belongs to another program; give another path")
    version = schema_version(conn)
    if version > LATEST:
        raise NewerDatabaseError(
            f"database {path}: its schema is version {version}, this memcore knows {LATEST}; install a newer memcore"
        )
    return version == LATEST and conn.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


def vacuum_into(handles: Handles, target: Path, *, in_memory: bool) -> None:
    """Copy the database into a new private file; it appears under its name only when it is whole and on the disk.

    The unfinished copy has a name that nobody else has, and never takes the place of a file that is there.

    Raises:
        FileExistsError: a file came to be at `target` meanwhile; it stays as it is.
        StorageError: `target` lies in no folder.
    """
    if not target.parent.is_dir():
        raise StorageError(f"backup {target}: there is no folder {target.parent}; create it first")
    partial = target.with_name(f".memcore-{uuid4().hex}.partial")
    create_private_file(partial)
    try:
        with translated(str(target), [str(partial)]), handles.lent() as conn:
            # Named by an address, since a store in memory would else copy itself to a file in memory.
            address = f"{partial.as_uri()}?vfs={'win32' if os.name == 'nt' else 'unix'}"
            # A name goes in as bytes: one that the locale's encoding has not cannot be given as text.
            name = address.encode() if in_memory else os.fsencode(partial)
            conn.exec_driver_sql("VACUUM INTO CAST(? AS TEXT)", (name,))
        with translated(str(target), [str(partial)]):
            _mark(partial)
        handle = os.open(partial, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        _appear(partial, target)
    finally:
        for suffix in ("", *BESIDE):
            partial.with_name(partial.name + suffix).unlink(missing_ok=True)


def _mark(partial: Path) -> None:
    """Gives a copy the mark by which a log of another file is told from its own."""
    marked = sqlite_driver().connect(partial.as_uri(), uri=True, isolation_level=None)
    try:
        marked.execute(f"PRAGMA user_version = {new_mark()}").close()
    finally:
        marked.close()


def _appear(finished: Path, target: Path) -> None:
    """Gives a file its name, in one step that fails where anything has it already."""
    if os.name == "nt":
        finished.rename(target)
        return
    try:
        os.link(finished, target)
    except FileExistsError:  # an OSError too, but this one means that the name is taken
        raise
    except OSError:  # a disk without hard links
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        finished.replace(target)


def _casefold(value: object) -> object:
    return value.casefold() if isinstance(value, str) else value


def _text(stored: bytes) -> str:
    """Text from the file; a damaged byte makes this row's checksum fail, and not the reading of all rows beside it."""
    return stored.decode("utf-8", "replace")
