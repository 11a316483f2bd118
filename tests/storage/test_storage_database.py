"""A database opens, or says why not and what would do; what it keeps it keeps whole."""

import os
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from memcore.errors import (
    CorruptDatabaseError,
    ForkedError,
    InvalidInputError,
    NewerDatabaseError,
    StorageError,
    StorageFullError,
)
from memcore.scope import Scope
from memcore.storage import memories, migrations
from memcore.storage.database import Database
from memcore.storage.driver import sqlite_driver
from storage_samples import ANA, a_memory

SCOPE = Scope("agent", ("ana",))
NOBODY = 65534


@contextmanager
def an_ordinary_user():
    """Root may write everywhere; the permissions of a file bind only others."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def contents(database):
    with database.read() as conn:
        return [row.content for row in memories.page(conn, SCOPE, limit=100)]


def add(database, *texts):
    with database.write() as conn:
        return memories.insert(conn, [a_memory(text) for text in texts])


def test_what_was_written_is_there_after_reopening(path):
    with Database(path) as database:
        add(database, "kept")
    with Database(path, durability="relaxed") as database:
        assert contents(database) == ["kept"]
        assert database.sqlite_version == sqlite_driver().sqlite_version
        assert database.path == str(path)


def test_every_file_is_readable_by_its_owner_alone(path, tmp_path):
    old = os.umask(0)
    try:
        with Database(path) as database:
            add(database, "private")
            database.backup(tmp_path / "copy.db")
            found = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}
    finally:
        os.umask(old)
    assert found == dict.fromkeys(["agent.db", "agent.db-wal", "agent.db-shm", "agent.db.lock", "copy.db"], 0o600)


def test_the_connection_has_the_settings_that_keep_what_was_acknowledged(database):
    with database.read() as conn:
        ask = lambda name: conn.exec_driver_sql(f"PRAGMA {name}").scalar_one()
        assert (ask("journal_mode"), ask("synchronous"), ask("foreign_keys"), ask("secure_delete")) == ("wal", 2, 1, 1)


def test_relaxed_durability_syncs_less(path):
    with Database(path, durability="relaxed") as database, database.read() as conn:
        assert conn.exec_driver_sql("PRAGMA synchronous").scalar_one() == 1


@pytest.mark.parametrize("durability", ["off", "", None])
def test_an_unknown_durability_is_refused(path, durability):
    with pytest.raises(InvalidInputError, match="durability"):
        Database(path, durability=durability)
    assert not path.exists()


@pytest.mark.parametrize("bad", ["", "a\0b", 7, None])
def test_what_is_no_path_is_refused(bad):
    with pytest.raises(InvalidInputError, match="path"):
        Database(bad)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StorageError, match="there is no folder .*nowhere; create it"):
        Database(tmp_path / "nowhere" / "agent.db")


def test_a_folder_is_not_a_database(tmp_path):
    with pytest.raises(StorageError, match="folder"):
        Database(tmp_path)


@pytest.fixture
def users_folder():
    """A folder of the ordinary user with a database of his."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Database(folder / "agent.db").close()
        if os.geteuid() == 0:
            for entry in (folder, *folder.iterdir()):
                os.chown(entry, NOBODY, NOBODY)
        yield folder
        folder.chmod(0o755)


def test_an_ordinary_user_opens_his_own_database(users_folder):
    with an_ordinary_user(), Database(users_folder / "agent.db") as database:
        assert add(database, "his") == [1]


@pytest.mark.parametrize("name", ["agent.db", "new.db"])
def test_a_folder_that_may_not_be_written_is_refused(users_folder, name):
    (users_folder / "agent.db.lock").unlink()
    users_folder.chmod(0o555)
    with an_ordinary_user(), pytest.raises(StorageError, match="Permission denied; check .* may be written"):
        Database(users_folder / name)


def test_a_folder_without_room_for_the_log_is_refused_too(users_folder):
    users_folder.chmod(0o555)
    with an_ordinary_user(), pytest.raises(StorageError, match=r"read-only|may be written"):
        Database(users_folder / "agent.db")


def test_a_file_that_may_not_be_written_is_refused(users_folder):
    (users_folder / "agent.db").chmod(0o444)
    with an_ordinary_user(), pytest.raises(StorageError, match="may not be read and written; give this user access"):
        Database(users_folder / "agent.db")


@pytest.mark.parametrize("length", [1, 20, 100, 5000])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path, length):
    path.write_bytes(b"just some text, " * length)
    before = path.read_bytes()
    with pytest.raises(CorruptDatabaseError, match="not a database"):
        Database(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_truncated_database_is_refused(path, kept):
    with Database(path) as database:
        add(database, *(f"text {number} " * 50 for number in range(50)))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(CorruptDatabaseError, match="restore a backup"):
        Database(path)


def test_a_database_with_garbage_inside_is_refused_or_reported(path):
    Database(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + os.urandom(4000) + whole[4100:])
    with pytest.raises(CorruptDatabaseError):
        Database(path)


def test_a_database_of_another_program_is_refused(path, by_hand):
    by_hand.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StorageError, match="another program"):
        Database(path)


def test_a_newer_database_is_refused(path, by_hand):
    Database(path).close()
    by_hand.execute("INSERT INTO schema_migration (version, name) VALUES (999, 'from the future')")
    with pytest.raises(NewerDatabaseError, match="version 999"):
        Database(path)


def test_a_step_that_fails_leaves_the_schema_as_it_was(path, monkeypatch):
    Database(path).close()

    def breaks(conn):
        conn.exec_driver_sql("CREATE TABLE half (x)")
        conn.exec_driver_sql("CREATE TABLE memory (x)")

    steps = (*migrations.MIGRATIONS, migrations.Migration(2, "breaks", breaks))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr("memcore.storage.opening.LATEST", 2)
    with pytest.raises(StorageError, match="already exists"):
        Database(path)
    monkeypatch.undo()
    with Database(path) as database, database.read() as conn:
        assert migrations.schema_version(conn) == 1
        assert conn.exec_driver_sql("SELECT count(*) FROM sqlite_master WHERE name = 'half'").scalar_one() == 0


def test_steps_are_taken_one_by_one_up_to_the_latest_and_recorded(path, monkeypatch):
    Database(path).close()
    later = [
        migrations.Migration(
            number, f"step {number}", lambda conn, n=number: conn.exec_driver_sql(f"CREATE TABLE t{n} (x)")
        )
        for number in (2, 3)
    ]
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, *later))
    monkeypatch.setattr("memcore.storage.opening.LATEST", 3)
    with Database(path) as database, database.read() as conn:
        steps = conn.exec_driver_sql("SELECT version, name FROM schema_migration ORDER BY version").fetchall()
    assert [tuple(step) for step in steps[1:]] == [(2, "step 2"), (3, "step 3")]


def test_a_full_disk_is_an_error_that_keeps_nothing_of_the_write_and_all_before_it(database):
    add(database, "kept")
    with pytest.raises(StorageFullError, match="make room"), database.write() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5}")
        memories.insert(conn, [a_memory("x" * 2000) for _ in range(100)])
    with database.write() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count = 1000000")
    add(database, "after")
    assert contents(database) == ["kept", "after"]


def test_an_exception_takes_the_whole_transaction_back(database):
    with pytest.raises(ZeroDivisionError), database.write() as conn:
        memories.insert(conn, [a_memory("gone")])
        raise ZeroDivisionError
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
        with pytest.raises(ZeroDivisionError), database.write() as conn:
            memories.insert(conn, [a_memory("gone")])
            raise ZeroDivisionError
        assert contents(database) == ["one"]
        database.backup(tmp_path / "copy.db")
    with Database(tmp_path / "copy.db") as copy:
        assert contents(copy) == ["one"]


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
        except BaseException as error:
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
from memcore.storage import memories
from memcore.storage.database import Database
from memcore.storage.rows import NewMemory
path, number, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
now = datetime(2026, 5, 8, tzinfo=UTC)
with Database(path) as database:
    for turn in range(turns):
        with database.write() as conn:
            memories.insert(conn, [NewMemory(partition=Partition("agent", "ana"), kind=Kind.TURN, content=f"{number}:{turn}",
                tokens=None, origin=Origin.USER, importance=5, event_time=now, recorded_at=now, session_id="s")])
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
