"""A transaction is kept whole or not at all, by whomever it is made and whatever goes wrong."""

import errno
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from storage_samples import ANA, a_memory

from memcore.errors import ForkedError, StorageError, StorageFullError
from memcore.scope import Scope
from memcore.storage import memories, opening
from memcore.storage.database import Database
from memcore.storage.driver import sqlite_driver
from memcore.storage.failures import named

SCOPE = Scope("agent", ("ana",))


def contents(database):
    with database.read() as conn:
        return [row.content for row in memories.page(conn, SCOPE, limit=100)]


def add(database, *texts):
    with database.write() as conn:
        return memories.insert(conn, [a_memory(text) for text in texts])


def add_and_fail(database):
    with database.write() as conn:
        memories.insert(conn, [a_memory("gone")])
        raise ZeroDivisionError


def test_a_full_disk_is_an_error_that_keeps_nothing_of_the_write_and_all_before_it(database):
    add(database, "kept")
    with database.write() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(StorageFullError, match="make room"):
        add(database, *(["x" * 2000] * 100))
    with database.write() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count = 1000000")
    add(database, "after")
    assert contents(database) == ["kept", "after"]


@contextmanager
def files_of_at_most(size):
    """No file may be made longer than `size` bytes while the block runs, as after `ulimit -f`."""
    resource = pytest.importorskip("resource", reason="this system has no such limit")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_may_not_grow_is_a_full_disk_and_the_next_write_with_room_works(database, path):
    add(database, "kept")
    with files_of_at_most(200_000), pytest.raises(StorageFullError, match="ulimit"):
        add(database, *(["x" * 2000] * 200))
    add(database, "after")
    with files_of_at_most(8_000):
        with pytest.raises(StorageFullError, match="ulimit"):
            database.backup(path.with_name("copy.db"))
        with pytest.raises(StorageFullError, match="ulimit"):
            Database(path.with_name("new.db"))
    assert contents(database) == ["kept", "after"]
    assert not [one for one in path.parent.iterdir() if "copy" in one.name or "partial" in one.name]


def test_a_failing_disk_whose_files_may_grow_is_no_full_disk(path):
    error = sqlite_driver().OperationalError("disk I/O error")
    error.sqlite_errorcode = 10
    path.write_bytes(b"x" * 5_000)
    assert type(named(error, str(path))) is StorageError
    with files_of_at_most(1_000_000):
        assert type(named(error, str(path))) is StorageError
    with files_of_at_most(5_000):
        assert type(named(error, str(path))) is StorageFullError
        assert type(named(error, str(path), [str(path.with_name("other"))])) is StorageError


def test_an_error_of_the_disk_while_it_has_no_room_is_a_full_disk(path, monkeypatch):
    error = sqlite_driver().OperationalError("disk I/O error")
    error.sqlite_errorcode = 10
    assert type(named(error, str(path / "in no folder"))) is StorageError
    free = {str(path.parent): 0, str(path): 10**9}
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free[folder]))
    assert type(named(error, str(path))) is StorageFullError
    assert type(named(error, str(path / "elsewhere"))) is StorageError


@pytest.mark.parametrize("full", [4_000, 8_000, 50_000])
def test_a_database_that_finds_no_room_at_its_making_leaves_nothing(path, full):
    with files_of_at_most(full), pytest.raises(StorageFullError, match="ulimit"):
        Database(path)
    assert list(path.parent.iterdir()) == []
    with Database(path) as database:
        add(database, "with room")


def test_an_empty_file_that_was_there_before_stays_when_no_database_can_be_made_in_it(path):
    path.touch()
    with files_of_at_most(8_000), pytest.raises(StorageFullError, match="ulimit"):
        Database(path)
    assert path.exists()


@pytest.mark.parametrize("in_the_log", [False, True])
def test_a_file_that_has_tables_by_now_is_not_removed_when_its_making_fails(path, monkeypatch, in_the_log):
    migrate, others = opening._migrate, []

    def made_meanwhile(handles, name):
        migrate(handles, name)
        if in_the_log:  # where they stay while another connection is open
            others.append(sqlite_driver().connect(path))
            others[0].execute("SELECT count(*) FROM sqlite_master").fetchall()
        raise sqlite_driver().OperationalError("no luck")

    monkeypatch.setattr(opening, "_migrate", made_meanwhile)
    with pytest.raises(StorageError, match="no luck"):
        Database(path)
    assert (path.stat().st_size <= 4_096) == in_the_log
    monkeypatch.undo()
    with Database(path) as database:
        assert contents(database) == []
    for other in others:
        other.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG])
def test_what_the_operating_system_calls_full_is_a_full_disk(number):
    assert type(named(OSError(number, os.strerror(number)), "agent.db")) is StorageFullError


def test_an_exception_takes_the_whole_transaction_back(database):
    with pytest.raises(ZeroDivisionError):
        add_and_fail(database)
    assert contents(database) == []


def test_a_read_is_a_snapshot_and_the_next_one_sees_what_was_written(database):
    add(database, "before")
    with database.read() as conn:
        assert len(memories.page(conn, SCOPE, limit=9)) == 1
        add(database, "meanwhile")
        assert len(memories.page(conn, SCOPE, limit=9)) == 1
    assert contents(database) == ["before", "meanwhile"]


def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_itself(database):
    with database.write(), pytest.raises(StorageError, match="open in this thread"), database.write():
        pass
    assert add(database, "the lock is free again") == [1]


def test_a_closed_database_says_so(path):
    database = Database(path)
    database.close()
    database.close()
    with pytest.raises(StorageError, match="closed"), database.read():
        pass
    with pytest.raises(StorageError, match="closed"):
        database.backup(path.with_name("copy.db"))


def test_a_database_in_memory_works_alike_and_a_read_may_lie_within_a_write(tmp_path):
    with Database(":memory:") as database:
        with database.write() as conn:
            memories.insert(conn, [a_memory("one")])
            assert contents(database) == ["one"]
        with pytest.raises(ZeroDivisionError):
            add_and_fail(database)
        assert contents(database) == ["one"]
        database.backup(tmp_path / "copy.db")
    with Database(tmp_path / "copy.db") as copy:
        assert contents(copy) == ["one"]


def interrupted(database):
    with database.write() as conn:
        memories.insert(conn, [a_memory("two")])
        conn.invalidate()
        raise KeyboardInterrupt


def test_a_store_in_memory_outlives_a_connection_that_an_interrupt_made_unusable():
    with Database(":memory:") as database:
        add(database, "one")
        with pytest.raises(KeyboardInterrupt):
            interrupted(database)
        assert contents(database) == ["one"]
        add(database, "three")
        assert contents(database) == ["one", "three"]


def test_a_backup_is_a_whole_database_with_the_same_rows_and_never_reused_ids(path, database):
    ids = add(database, "one", "two")
    with database.write() as conn:
        memories.remove(conn, ids[1:])
    database.backup(path.with_name("copy.db"))
    with Database(path.with_name("copy.db")) as copy:
        assert contents(copy) == ["one"]
        assert add(copy, "three") == [ids[1] + 1]


def test_a_backup_replaces_no_file(path, database):
    with pytest.raises(StorageError, match="exists"):
        database.backup(path)
    with pytest.raises(StorageError, match="no folder"):
        database.backup(path.parent / "nowhere" / "copy.db")


def test_after_fork_the_child_is_told_to_open_it_anew_and_the_parent_goes_on(database):
    add(database, "before")
    child = os.fork()
    if child == 0:
        try:
            with database.read():
                os._exit(1)
        except ForkedError:
            database.close()
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    add(database, "after")
    assert contents(database) == ["before", "after"]


def test_threads_share_a_database(database):
    def work(number):
        for turn in range(20):
            add(database, f"thread {number} turn {turn}")
            assert f"thread {number} turn {turn}" in contents_of_all(database)

    def contents_of_all(database):
        with database.read() as conn:
            return {row.content for row in memories.page(conn, SCOPE, limit=1000)}

    failures = []

    def guarded(number):
        try:
            work(number)
        except Exception as error:  # noqa: BLE001  (whatever goes wrong in a thread is shown by the test)
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(contents_of_all(database)) == 80


_WRITER = """
import sys
from datetime import UTC, datetime
from memcore.kinds import Kind, Origin
from memcore.scope import Partition
from memcore.storage import memories, opening
from memcore.storage.database import Database
from memcore.storage.rows import NewMemory
path, number, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
now = datetime(2026, 5, 8, tzinfo=UTC)
with Database(path) as database:
    for turn in range(turns):
        with database.write() as conn:
            memories.insert(conn, [NewMemory(
                partition=Partition("agent", "ana"), kind=Kind.TURN, content=f"{number}:{turn}", tokens=None,
                origin=Origin.USER, importance=5, event_time=now, recorded_at=now, session_id="s")])
"""


def test_eight_processes_open_a_new_file_at_once_and_none_loses_a_write(path):
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), str(number), "40"], stderr=subprocess.PIPE)
        for number in range(8)
    ]
    errors = [writer.communicate()[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8, errors
    with Database(path) as database, database.read() as conn:
        rows = memories.page(conn, SCOPE, limit=1000)
        assert conn.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
    assert {row.content for row in rows} == {f"{number}:{turn}" for number in range(8) for turn in range(40)}
    assert [row.position for row in rows] == list(range(320))
    assert rows[0].partition == ANA
