"""What was removed is in no snapshot, whoever wrote it and whoever removed it."""

import shutil
import time

import pytest
from snapshot_samples import WORD, answers, engine, filled, from_rows, opened, run, started

from memcore import Memory
from memcore.storage.engine_file import EngineFile

HIDDEN = WORD.lower().encode()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.db"
    filled(path)
    assert HIDDEN in engine(path).read_bytes().lower()
    return path


def secret_id(path):
    with opened(path) as memory:
        return next(hit.id for hit in memory.search(WORD, user_id="ana") if WORD in hit.content)


def nowhere(path):
    with opened(path) as memory:
        return memory.verify_absent(WORD) == [] and all(WORD not in str(found) for found in answers(memory))


@pytest.mark.parametrize("what", ["delete", "purge"])
def test_a_removal_takes_the_file_before_it_returns_and_the_next_one_has_nothing_of_it(path, what):
    with opened(path) as memory:
        answers(memory)
        if what == "delete":
            assert not memory.delete(secret_id(path)).pending
        else:
            assert not memory.purge_user("ana", confirm="ana").pending
        assert not engine(path).exists()
        assert all(WORD not in str(found) for found in answers(memory))
        assert memory.maintain(["snapshot"])[0].done
        assert HIDDEN not in engine(path).read_bytes().lower()
    assert HIDDEN not in engine(path).read_bytes().lower()
    assert nowhere(path)


def test_the_bytes_of_the_file_are_zeros_where_another_name_leads_to_them(path, tmp_path):
    (tmp_path / "same").hardlink_to(engine(path))
    with opened(path) as memory:
        memory.delete(1)
    same = (tmp_path / "same").read_bytes()
    assert len(same) > 65_536
    assert set(same) == {0}


@pytest.mark.parametrize("what", ["delete", "purge"])
def test_a_process_that_only_removes_takes_the_file_and_others_write_nothing_of_it(path, what):
    holding = started("hold", path)
    run(what, path, secret_id(path) if what == "delete" else "ana")
    assert not engine(path).exists()
    holding.communicate("\n", timeout=60)
    assert holding.returncode == 0
    assert not engine(path).exists() or HIDDEN not in engine(path).read_bytes().lower()
    assert nowhere(path)


def test_a_killed_removal_leaves_it_to_the_next_opening(path):
    killed = started("delete_and_be_killed", path, secret_id(path))
    assert engine(path).exists()
    killed.kill()
    killed.communicate()
    with opened(path) as memory:
        assert not engine(path).exists()
        assert all(WORD not in str(found) for found in answers(memory))
    assert nowhere(path)


def test_where_the_file_cannot_be_removed_the_removal_is_pending_and_a_job_goes_on(path, monkeypatch):
    def refused(_):
        raise PermissionError("no")

    with opened(path) as memory:
        with monkeypatch.context() as patched:
            patched.setattr(EngineFile, "erase", refused)
            assert memory.delete(secret_id(path)).pending
        assert engine(path).exists()
        assert all(WORD not in str(found) for found in answers(memory))
        assert memory.maintain(["wipe"])[0].remaining == 0
        assert not engine(path).exists()


def test_an_old_file_that_somebody_puts_back_brings_nothing_back(path, tmp_path):
    shutil.copy(engine(path), tmp_path / "old")
    with opened(path) as memory:
        memory.delete(secret_id(path))
    wanted = from_rows(path)
    shutil.copy(tmp_path / "old", engine(path))
    with opened(path) as memory:
        assert answers(memory) == wanted
        assert all(WORD not in hit.content for hit in memory.search(WORD, user_id="ana"))
    shutil.copy(tmp_path / "old", engine(path))
    with opened(path) as memory:
        assert any(remains.place == "a.db.engine" for remains in memory.verify_absent(WORD))
        memory.delete(2)
    assert nowhere(path)


def test_two_processes_use_and_write_one_file(path):
    wanted = from_rows(path)
    first, second = started("hold", path), started("hold", path)
    with opened(path) as memory:
        assert answers(memory) == wanted
        memory.add_many({"content": f"the ferry again {row}", "user_id": "ana"} for row in range(60))
    for process in (first, second):
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    wanted = from_rows(path)
    with opened(path) as memory:
        assert answers(memory) == wanted


def test_it_is_left_to_who_writes_already(path):
    with opened(path) as memory:
        memory.add_many({"content": f"the ferry again {row}", "user_id": "ana"} for row in range(60))
        answers(memory)
        before = engine(path).stat().st_mtime_ns
        with opened(path) as other, other._database.write():
            assert memory.maintain(["snapshot"])[0].done == 0
        assert engine(path).stat().st_mtime_ns == before
        assert memory.maintain(["snapshot"])[0].done == 2 - 1


@pytest.mark.parametrize("kill", range(20))
def test_a_kill_while_it_is_written_leaves_what_is_used_or_refused(tmp_path, kill):
    path = tmp_path / "a.db"
    filled(path, rows=20)
    writing = started("write_for_ever", path)
    time.sleep(0.02 + 0.013 * kill)
    writing.kill()
    writing.communicate()
    wanted = from_rows(path)
    with opened(path) as memory:
        assert answers(memory) == wanted
        memory.delete(secret_id(path))
        assert not engine(path).exists()
    assert {file.name for file in tmp_path.iterdir()} <= {"a.db", "a.db.engine", "a.db.lock"}
    assert HIDDEN not in engine(path).read_bytes().lower()


def test_a_closed_store_and_one_of_a_parent_write_nothing(path):
    with Memory(path, embedder="none") as memory:
        memory.search("tea", user_id="ana")
    before = engine(path).stat().st_mtime_ns
    memory.close()
    assert engine(path).stat().st_mtime_ns == before
