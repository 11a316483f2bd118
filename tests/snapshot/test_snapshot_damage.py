"""Whatever happens to the engine snapshot, searches answer as if there were none."""

import os
import random
import shutil
import sqlite3
import stat
import sys

import pytest
from snapshot_samples import answers, engine, filled, from_rows, opened, started

from memcore import Memory, Settings
from memcore.storage.engine_file import EngineFile


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store with its snapshot, and what it answers; tests work on copies."""
    path = tmp_path_factory.mktemp("original") / "a.db"
    filled(path)
    return path, from_rows(path)


@pytest.fixture
def copied(original, tmp_path):
    source, wanted = original
    path = tmp_path / "a.db"
    shutil.copy(source, path)
    shutil.copy(engine(source), engine(path))
    return path, wanted


def answered(path):
    """What it answers, and how many partitions were made of rows."""
    with opened(path) as memory:
        mirror = memory._calls.store.mirror
        made, real = [], mirror._load
        mirror._load = lambda *given: made.append(given) or real(*given)
        return answers(memory), len(made)


def test_it_answers_the_same_with_and_without_and_a_copy_of_both_files_is_fine(copied):
    path, wanted = copied
    assert answered(path) == (wanted, 0)
    engine(path).unlink()
    assert answered(path) == (wanted, 2)
    assert answered(path) == (wanted, 0), "it was written anew"


def test_a_file_that_was_cut_off_is_made_anew(copied):
    path, wanted = copied
    whole = engine(path).read_bytes()
    for size in (0, 1, 100, 4_096, 65_536, len(whole) // 2, len(whole) - 1):
        engine(path).write_bytes(whole[:size])
        assert answered(path)[0] == wanted, size
        assert answered(path) == (wanted, 0), size


def test_a_bit_that_flipped_changes_no_answer(copied):
    path, wanted = copied
    whole, rng, refused = engine(path).read_bytes(), random.Random(7), 0
    content = [at for at, byte in enumerate(whole) if byte]
    for _ in range(40):
        at = rng.choice(content)
        changed = bytearray(whole)
        changed[at] ^= 1 << rng.randrange(8)
        engine(path).write_bytes(changed)
        found, made = answered(path)
        assert found == wanted, at
        refused += made > 0
        if made:
            assert answered(path) == (wanted, 0), "a damaged one is written anew"
    assert refused > 20


@pytest.mark.parametrize("content", [b"not a database" * 9_000, bytes(200_000), b"SQLite format 3\0" + bytes(80_000)])
def test_a_file_of_something_else_is_written_over(copied, content):
    path, wanted = copied
    engine(path).write_bytes(content)
    assert answered(path) == (wanted, 2)
    assert answered(path) == (wanted, 0)


def test_a_database_of_another_program_is_no_snapshot(copied):
    path, wanted = copied
    engine(path).unlink()
    with sqlite3.connect(engine(path)) as other:
        other.execute("CREATE TABLE section (id INTEGER PRIMARY KEY, content BLOB)")
    other.close()
    assert answered(path) == (wanted, 2)


def test_the_snapshot_of_another_store_is_refused(copied, tmp_path):
    path, wanted = copied
    other = tmp_path / "other.db"
    filled(other)
    shutil.copy(engine(other), engine(path))
    assert answered(path) == (wanted, 2)
    assert answered(path) == (wanted, 0)


def test_a_header_that_was_changed_is_refused(copied):
    path, wanted = copied
    connection = sqlite3.connect(engine(path))
    newer = "CAST(replace(CAST(substr(content, 9) AS TEXT), '0.1', '9.9') AS BLOB)"
    connection.execute(f"UPDATE header SET content = CAST(substr(content, 1, 8) || {newer} AS BLOB)")
    connection.commit()
    connection.close()
    assert answered(path) == (wanted, 2)
    assert answered(path) == (wanted, 0)


def test_a_backup_has_none_and_one_that_is_restored_does_not_use_what_lies_there(copied, tmp_path):
    path, wanted = copied
    with opened(path) as memory:
        memory.backup(tmp_path / "backup.db")
    assert not engine(tmp_path / "backup.db").exists()
    shutil.move(tmp_path / "backup.db", path)
    assert answered(path) == (wanted, 2)
    assert answered(path) == (wanted, 0)


def test_a_locked_one_is_passed_over(copied):
    path, wanted = copied
    before = engine(path).read_bytes()
    locking = started("lock", engine(path))
    assert answered(path) == (wanted, 2)
    locking.communicate("\n", timeout=60)
    assert engine(path).read_bytes() == before
    assert answered(path) == (wanted, 0)


def test_a_folder_or_a_link_of_its_name_stays(copied, tmp_path):
    path, wanted = copied
    engine(path).unlink()
    engine(path).mkdir()
    assert answered(path) == (wanted, 2)
    with opened(path) as memory:
        assert not memory.delete(1).pending
    engine(path).rmdir()
    (tmp_path / "elsewhere").write_bytes(b"mine")
    engine(path).symlink_to(tmp_path / "elsewhere")
    answered(path)
    assert (tmp_path / "elsewhere").read_bytes() == b"mine"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o660])
def test_it_may_be_read_by_those_who_may_read_the_database(copied, mode):
    path, _ = copied
    path.chmod(mode)
    engine(path).unlink()
    answered(path)
    assert stat.S_IMODE(engine(path).stat().st_mode) == mode


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_no_error(copied):
    path, wanted = copied
    engine(path).unlink()
    path.parent.chmod(0o500)
    try:
        with opened(path) as memory:
            assert answers(memory) == wanted
    finally:
        path.parent.chmod(0o700)


def test_what_the_system_refuses_is_no_error(copied, monkeypatch):
    path, wanted = copied
    engine(path).unlink()

    def refused(*_):
        raise PermissionError("no")

    monkeypatch.setattr("memcore.storage.engine_file._create", refused)
    assert answered(path) == (wanted, 2)
    assert not engine(path).exists()


def test_without_the_setting_nothing_is_read_or_written(copied):
    path, wanted = copied
    before = engine(path).read_bytes()
    with opened(path, settings=Settings(snapshot=False)) as memory:
        assert answers(memory) == wanted
        memory.add("something new", user_id="ana")
        answers(memory)
        assert memory.maintain(["snapshot"])[0].done == 0
    assert engine(path).read_bytes() == before


def test_the_environment_switches_it_off_and_a_store_in_memory_has_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Memory(":memory:", embedder="none") as memory:
        memory.add("Ana drinks tea.", user_id="ana")
        memory.search("tea", user_id="ana")
        assert memory.maintain(["snapshot"])[0].done == 0
    monkeypatch.setenv("MEMCORE_SNAPSHOT", "0")
    filled(tmp_path / "a.db")
    assert not [file for file in tmp_path.iterdir() if file.name.endswith(".engine")]


def test_few_changes_leave_it_as_it_is_and_many_write_it_anew(tmp_path):
    path = tmp_path / "a.db"
    filled(path, rows=300)
    before = engine(path).stat().st_mtime_ns
    with opened(path) as memory:
        memory.mark_used([5])
        memory.search("tea", user_id="ana")
    assert engine(path).stat().st_mtime_ns == before
    with opened(path) as memory:
        memory.add_many({"content": f"many more {number}", "user_id": "ana"} for number in range(40))
        memory.search("tea", user_id="ana")
    assert engine(path).stat().st_mtime_ns > before
    assert answered(path) == (from_rows(path), 0)


def test_what_it_refuses_is_told_in_the_debug_log(copied, caplog):
    path, _ = copied
    engine(path).write_bytes(b"x" * 70_000)
    with caplog.at_level("DEBUG"):
        answered(path)
    told = [record for record in caplog.records if "engine snapshot is not used" in record.message]
    assert told
    assert {record.levelname for record in told} == {"DEBUG"}
    assert EngineFile(str(path)).path == str(engine(path))
