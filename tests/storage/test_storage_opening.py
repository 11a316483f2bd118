"""A database opens, or says why not and what would do; what it keeps it keeps whole."""

import os
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from storage_samples import a_memory

from memcore.errors import (
    CorruptDatabaseError,
    InvalidInputError,
    NewerDatabaseError,
    StorageError,
)
from memcore.scope import Scope
from memcore.storage import memories, migrations
from memcore.storage.database import Database
from memcore.storage.driver import sqlite_driver

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
    with pytest.raises(StorageError, match=r"there is no folder .*nowhere; create it"):
        Database(tmp_path / "nowhere" / "agent.db")


def test_a_folder_is_not_a_database(tmp_path):
    with pytest.raises(StorageError, match="folder"):
        Database(tmp_path)


def test_a_device_or_a_pipe_is_not_a_database_and_no_lock_lies_beside_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("/dev/null", tmp_path / "pipe", tmp_path / "link"):
        with pytest.raises(StorageError, match="keeps nothing; give the path of a regular file") as caught:
            Database(name)
        assert not isinstance(caught.value, CorruptDatabaseError)
    assert {entry.name for entry in tmp_path.iterdir()} == {"pipe", "link"}


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
    with an_ordinary_user(), pytest.raises(StorageError, match=r"Permission denied.*; (check|.* write access)"):
        Database(users_folder / name)


def test_a_folder_without_room_for_the_log_is_refused_too(users_folder):
    users_folder.chmod(0o555)
    with an_ordinary_user(), pytest.raises(StorageError, match=r"read-only|may be written"):
        Database(users_folder / "agent.db")


def test_a_file_that_may_not_be_written_is_refused(users_folder):
    (users_folder / "agent.db").chmod(0o444)
    with an_ordinary_user(), pytest.raises(StorageError, match=r"may not be read and written; .*also a search needs"):
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

    steps = (*migrations.MIGRATIONS, migrations.Migration(migrations.LATEST + 1, "breaks", breaks))
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr("memcore.storage.opening.LATEST", migrations.LATEST + 1)
    with pytest.raises(StorageError, match="already exists"):
        Database(path)
    monkeypatch.undo()
    with Database(path) as database, database.read() as conn:
        assert migrations.schema_version(conn) == migrations.LATEST
        assert conn.exec_driver_sql("SELECT count(*) FROM sqlite_master WHERE name = 'half'").scalar_one() == 0


def test_steps_are_taken_one_by_one_up_to_the_latest_and_recorded(path, monkeypatch):
    Database(path).close()
    later = [
        migrations.Migration(
            number, f"step {number}", lambda conn, n=number: conn.exec_driver_sql(f"CREATE TABLE t{n} (x)")
        )
        for number in (migrations.LATEST + 1, migrations.LATEST + 2)
    ]
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, *later))
    monkeypatch.setattr("memcore.storage.opening.LATEST", migrations.LATEST + 2)
    with Database(path) as database, database.read() as conn:
        steps = conn.exec_driver_sql("SELECT version, name FROM schema_migration ORDER BY version").fetchall()
    added = [(number, f"step {number}") for number in (migrations.LATEST + 1, migrations.LATEST + 2)]
    assert [tuple(step) for step in steps[migrations.LATEST :]] == added


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may be two users")
def test_a_second_user_who_may_write_the_database_may_take_its_lock(users_folder):
    users_folder.chmod(0o777)
    for entry in users_folder.iterdir():
        entry.unlink()
    (users_folder / "agent.db").touch()
    (users_folder / "agent.db").chmod(0o666)
    for user in (NOBODY, NOBODY - 1):
        os.seteuid(user)
        try:
            with Database(users_folder / "agent.db") as database:
                add(database, f"of {user}")
        finally:
            os.seteuid(0)
    with Database(users_folder / "agent.db") as database:
        assert contents(database) == [f"of {NOBODY}", f"of {NOBODY - 1}"]


def test_the_connection_that_made_a_file_compiles_no_statement_of_a_write_twice(path):
    driver = sqlite_driver()
    compiled = []

    def note(action, table, *_rest):
        if action == driver.SQLITE_INSERT:
            compiled.append(table)
        return driver.SQLITE_OK

    def store(text):
        with database.write() as conn:
            memories.insert(conn, [a_memory(text)])

    with Database(path, durability="relaxed") as database:
        with database.read() as conn:
            below = conn.connection.dbapi_connection
        below.set_authorizer(note)  # forgets what was compiled before
        store("the first")
        assert "memory" in compiled
        compiled.clear()
        store("the second")
        assert compiled == []
