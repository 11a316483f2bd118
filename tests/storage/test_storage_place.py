"""A file that is moved, deleted or replaced while it is open takes no more writes."""

import os
import re

import pytest
from storage_samples import a_memory

from memcore import Memory, Settings
from memcore.errors import DatabaseMovedError, StorageBusyError, StorageError
from memcore.scope import Scope
from memcore.storage import memories
from memcore.storage.database import Database

SCOPE = Scope("agent", ("ana",))


def contents(database):
    with database.read() as conn:
        return [row.content for row in memories.page(conn, SCOPE, limit=100)]


def add(database, text):
    with database.write() as conn:
        memories.insert(conn, [a_memory(text)])


def delete(path):
    for name in ("", "-wal", "-shm", ".lock"):
        os.unlink(f"{path}{name}")  # noqa: PTH108


def replace(path):
    other = path.with_name("other.db")
    with Database(other) as database:
        add(database, "of the other")
    for name in ("-wal", "-shm"):  # or SQLite would take them for the other's
        os.unlink(f"{path}{name}")  # noqa: PTH108
    other.replace(path)


def move_the_folder(path):
    path.parent.rename(path.parent.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("happens", "said"),
    [(delete, "deleted or moved"), (replace, "replaced by another"), (move_the_folder, "deleted or moved")],
)
def test_a_write_to_a_file_that_lies_at_its_path_no_longer_is_refused_and_makes_no_file(tmp_path, happens, said):
    path = tmp_path / "store" / "agent.db"
    path.parent.mkdir()
    with Database(path) as database:
        add(database, "before")
        happens(path)
        there = sorted(tmp_path.rglob("*"))
        with pytest.raises(DatabaseMovedError, match=f"{said}.*open the path anew"):
            add(database, "lost")
        assert sorted(tmp_path.rglob("*")) == there
        assert database.why_moved() is not None
        assert contents(database) == ["before"]


def test_no_connection_is_opened_to_another_file_than_the_first(path):
    with Database(path) as database:
        add(database, "before")
        replace(path)
        with database.read(), pytest.raises(DatabaseMovedError), database.read():
            pass


def test_who_opens_the_path_anew_writes_to_the_file_that_lies_there(path):
    with Database(path) as before, Database(path) as beside:
        replace(path)
        for database in (before, beside):
            with pytest.raises(DatabaseMovedError):
                add(database, "lost")
    with Database(path) as database:
        add(database, "after")
        assert contents(database) == ["of the other", "after"]


def test_a_file_that_lies_where_it_was_is_not_taken_for_moved(path):
    with Database(path) as database:
        add(database, "one")
        path.chmod(0o640)
        os.utime(path)
        add(database, "two")
        assert database.why_moved() is None
    with Database(":memory:") as database:
        assert database.why_moved() is None


def test_doctor_says_that_the_file_is_gone(path):
    with Memory(path, embedder="none") as memory:
        memory.add("one")
        assert memory.doctor().ok
        delete(path)
        (check,) = [check for check in memory.doctor().checks if check.name == "file"]
        assert not check.ok
        assert "deleted or moved" in check.detail
        with pytest.raises(StorageError):
            memory.add("lost")


def test_a_link_and_its_target_are_one_database_with_one_lock(path, tmp_path):
    link = tmp_path / "links" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with Database(link) as database:
        add(database, "by the link")
        assert database.path == os.path.realpath(path)
    with Database(path) as database:
        add(database, "by the path")
        assert contents(database) == ["by the link", "by the path"]
    assert [entry.name for entry in link.parent.iterdir()] == ["link.db"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["agent.db", "agent.db.lock", "links"]


def test_a_write_through_a_memory_waits_no_longer_than_its_settings_say(path):
    with Memory(path, embedder="none", settings=Settings(lock_timeout=0)) as memory, Database(path) as other:
        with other.write(), pytest.raises(StorageBusyError, match=re.escape(str(path))):
            memory.add("too early")
        memory.add("in time")


def test_parameters_lie_beside_the_link_by_which_a_memory_was_opened(path, tmp_path):
    link = tmp_path / "links" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    (link.parent / "retrieval_params.json").write_text('{"context_max_chars": 70}')
    with Memory(link, embedder="none") as memory:
        checks = {check.name: check.detail for check in memory.doctor().checks}
    assert checks["parameters"] == f"{link.parent / 'retrieval_params.json'} is in use"
