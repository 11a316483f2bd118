"""A log that was left beside a database by another one is not replayed over it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from storage_samples import a_memory

from memcore.errors import StorageError
from memcore.scope import Scope
from memcore.storage import left_log, memories
from memcore.storage.database import Database
from memcore.storage.driver import sqlite_driver

SCOPE = Scope("agent", ("ana",))
KILLED = """
import os, sys
from memcore import Memory
memory = Memory(sys.argv[1], embedder="none", agent_id="agent")
memory.add("a red boat", user_id="ana", infer=False)
if sys.argv[2]:
    memory.backup(sys.argv[2])
for index in range(int(sys.argv[3])):
    memory.add(f"bad {index}", user_id="ana", infer=False)
os._exit(0)
"""


def killed_after(path, backup="", bad=5):
    """A process that makes a backup, goes on writing, and is killed."""
    subprocess.run([sys.executable, "-c", KILLED, str(path), str(backup), str(bad)], check=True)


def contents(path):
    with Database(path) as database, database.read() as conn:
        return [row.content for row in memories.page(conn, SCOPE, limit=100)]


def locks_on(path):
    lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    return {tuple(line.split()[1:]) for line in lines if f":{path.stat().st_ino} " in line}


def files(path):
    return {one.name: one.read_bytes() for one in path.parent.iterdir() if one.name.startswith(path.name)}


@pytest.mark.parametrize("bad", [0, 1, 40])
def test_the_log_of_a_killed_process_is_replayed_over_its_own_database(path, bad):
    killed_after(path, bad=bad)
    assert contents(path) == ["a red boat", *(f"bad {index}" for index in range(bad))]


def pages_of(log):
    """The newest page of each number in a log that was written from its start."""
    data = log.read_bytes()
    size = int.from_bytes(data[8:12], "big")
    frames = range(32, len(data) - size - 23, 24 + size)
    own = [at for at in frames if data[at + 8 : at + 16] == data[16:24]]
    return {int.from_bytes(data[at : at + 4], "big"): data[at + 24 : at + 24 + size] for at in own}


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 1.0])
def test_a_database_whose_log_was_partly_copied_into_it_is_opened_whole(path, share):
    """What a kill, a full disk or a power loss in a checkpoint leaves, and what others see while one is under way."""
    killed_after(path, bad=20)
    pages = sorted(pages_of(path.with_name(f"{path.name}-wal")).items())
    with path.open("r+b") as file:
        for number, page in pages[: max(1, int(len(pages) * share))]:
            file.seek((number - 1) * len(page))
            file.write(page)
    assert contents(path) == ["a red boat", *(f"bad {index}" for index in range(20))]


@pytest.mark.parametrize("bad", [1, 40])
def test_a_backup_that_was_put_beside_an_old_log_is_not_opened_and_stays_as_it_is(path, tmp_path, bad):
    copy = tmp_path / "copy.db"
    killed_after(path, copy, bad)
    shutil.copyfile(copy, path)
    before = files(path)
    with pytest.raises(
        StorageError, match=r"agent.db-wal beside it was written for another file.*remove .*agent.db-shm"
    ):
        Database(path)
    assert files(path) == before
    (tmp_path / "agent.db-wal").unlink()
    (tmp_path / "agent.db-shm").unlink(missing_ok=True)
    assert contents(path) == ["a red boat"]


def test_an_older_backup_beside_the_log_of_a_newer_one_is_not_opened(path, tmp_path):
    killed_after(path, tmp_path / "one.db")
    (tmp_path / "agent.db-wal").unlink()
    shutil.copyfile(tmp_path / "one.db", path)
    with Database(path) as database:
        database.backup(tmp_path / "two.db")
    killed_after(path, bad=3)
    assert contents(path).count("a red boat") == 2
    killed_after(path, bad=3)
    shutil.copyfile(tmp_path / "two.db", path)
    with pytest.raises(StorageError, match="written for another file"):
        Database(path)


def test_a_database_without_a_mark_beside_the_log_of_a_backup_is_not_opened(path, tmp_path):
    with Database(path) as database:
        database.backup(tmp_path / "copy.db")
    shutil.copyfile(path, tmp_path / "plain.db")
    shutil.copyfile(tmp_path / "copy.db", path)
    killed_after(path)
    shutil.copyfile(tmp_path / "plain.db", path)
    with pytest.raises(StorageError, match="written for another file"):
        Database(path)


def test_a_backup_that_took_the_place_of_an_open_database_is_opened_after_its_log_is_gone(path, tmp_path):
    copy = tmp_path / "copy.db"
    with Database(path) as database:
        database.backup(copy)
        with database.write() as conn:
            memories.insert(conn, [a_memory("later")])
        copy.replace(path)
        said = r"remove agent\.db-wal and agent\.db-shm if a backup was put there"
        with pytest.raises(StorageError, match=said), database.write():
            pass
        with pytest.raises(StorageError, match="written for another file"):
            Database(path)
    for suffix in ("-wal", "-shm"):
        (tmp_path / f"agent.db{suffix}").unlink(missing_ok=True)
    assert contents(path) == []


def test_a_restored_backup_goes_through_kills_of_its_own(path, tmp_path):
    killed_after(path, tmp_path / "copy.db", 0)
    restored = tmp_path / "restored.db"
    shutil.copyfile(tmp_path / "copy.db", restored)
    for times in range(1, 4):
        killed_after(restored, bad=0)
        assert contents(restored) == ["a red boat"] * (times + 1)


def test_a_log_of_which_nothing_would_be_replayed_refuses_nobody(path, tmp_path):
    """What a power loss leaves: a page of another mark whose checksum does not hold."""
    copy = tmp_path / "copy.db"
    killed_after(path, copy)
    log = tmp_path / "agent.db-wal"
    torn = bytearray(log.read_bytes())
    torn[32 + 24 + 200] ^= 1
    log.write_bytes(torn)
    shutil.copyfile(copy, path)
    assert contents(path) == ["a red boat"]


@pytest.mark.parametrize("left", [b"", b"short", b"\0" * 4096])
def test_what_is_no_log_refuses_nobody(path, tmp_path, left):
    Database(path).close()
    with Database(path) as database:
        database.backup(tmp_path / "copy.db")
    (tmp_path / "copy.db-wal").write_bytes(left)
    assert contents(tmp_path / "copy.db") == []


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells which locks there are")
def test_to_look_at_the_log_drops_no_lock_of_this_process(path):
    killed_after(path)
    with Database(path) as database, database.read() as conn:
        memories.page(conn, SCOPE, limit=1)
        before = locks_on(path)
        left_log.refuse_foreign_log(path)
        assert locks_on(path) == before != set()


def test_databases_that_are_begun_have_no_mark_and_two_backups_have_two(path, tmp_path, database):
    database.backup(tmp_path / "one.db")
    database.backup(tmp_path / "two.db")
    marks = []
    for name in (path.name, "one.db", "two.db"):
        connection = sqlite_driver().connect(str(tmp_path / name))
        marks.append(connection.execute("PRAGMA user_version").fetchone()[0])
        connection.close()
    assert marks[0] == 0
    assert len(set(marks)) == 3


@pytest.mark.parametrize("suffix", left_log.BESIDE)
def test_a_backup_is_refused_a_name_beside_which_files_of_sqlite_lie(database, tmp_path, suffix):
    left = tmp_path / f"copy.db{suffix}"
    left.write_bytes(b"old")
    with pytest.raises(StorageError, match=rf"copy\.db{suffix} lies there.*remove it"):
        database.backup(tmp_path / "copy.db")
    assert left.read_bytes() == b"old"
    assert not (tmp_path / "copy.db").exists()
    left.unlink()
    database.backup(tmp_path / "copy.db")


def test_a_backup_into_no_folder_names_the_folder(database, tmp_path):
    with pytest.raises(
        StorageError, match=r"backup .*nowhere/copy\.db: there is no folder .*nowhere; create it first$"
    ):
        database.backup(tmp_path / "nowhere" / "copy.db")
