"""The parameter file and the store say the same, whenever a process ends or a write fails in between."""

import errno
import os
import stat
import sys
from contextlib import contextmanager

import pytest
from killed_lives import HAND, IN_FILE, POINTS, beside, killed, marks, standing, texts, weight

from memcore.errors import NotFoundError, StorageError
from memcore.learning import activating
from memcore.storage import profiles
from memcore.storage.database import Database


@pytest.fixture
def file(tmp_path):
    return tmp_path / "retrieval_params.json"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
@pytest.mark.parametrize("at", POINTS)
def test_an_activation_that_is_killed_is_finished_or_called_off_by_the_next_call(memory, opened, file, tmp_path, at):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    memory.tuning.save("other", {"weight_graph": 0.5})
    file.write_bytes(HAND)
    killed(tmp_path, "activate", at)
    assert weight(file) == (0.25 if at in IN_FILE else 0.75)
    assert file.read_bytes() == HAND or HAND in texts(memory)
    again = opened()
    again.tuning.activate("other")
    assert HAND in texts(again)
    assert beside(file) == []
    found = []
    while True:
        try:
            again.tuning.rollback()
        except NotFoundError:
            break
        found.append(weight(file))
    assert found == ([0.25, 0.75] if at in IN_FILE else [0.75])
    assert file.read_bytes() == HAND


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
@pytest.mark.parametrize("at", POINTS)
def test_a_rollback_that_is_killed_is_finished_or_called_off_by_the_next_call(memory, opened, file, tmp_path, at):
    for name, value in (("first", 0.25), ("mine", 0.5)):
        memory.tuning.save(name, {"weight_graph": value})
        memory.tuning.activate(name)
    edited = b'{"weight_graph": 0.125}'
    file.write_bytes(edited)
    killed(tmp_path, "rollback", at)
    assert weight(file) == (0.25 if at in IN_FILE else 0.125)
    assert file.read_bytes() == edited or edited in texts(memory)
    assert opened().tuning.rollback().profile == ("first" if at in IN_FILE else "mine")
    assert file.read_bytes() == b"{}\n" if at in IN_FILE else weight(file) == 0.25
    assert beside(file) == []
    assert edited in texts(memory)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("how", ["opened anew", "looked after"])
def test_what_was_killed_is_finished_or_called_off_as_the_store_is_opened_or_looked_after(
    memory, opened, tmp_path, at, how
):
    for name, value in (("first", 0.5), ("mine", 0.25)):
        memory.tuning.save(name, {"weight_graph": value})
    memory.tuning.activate("first")
    for call, before, after in (("activate", "first", "mine"), ("rollback", "mine", "first")):
        killed(tmp_path, call, at)
        if how == "opened anew":
            opened()
        else:
            memory.doctor()
        assert marks(memory) == []
        assert standing(memory) == (after if at in IN_FILE else before)
        if standing(memory) != after:
            memory.tuning.activate("mine")


def test_a_file_that_tells_nothing_leaves_the_mark_to_the_next_call(memory, opened, file, tmp_path):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    killed(tmp_path, "activate", "written")
    elsewhere = tmp_path / "other.json"
    for given in ({"params": elsewhere}, {"params": file}):
        text = b'{"weight_graph": 0.125}'
        (elsewhere if given["params"] == elsewhere else file).write_bytes(text)
        opened(**given)
        assert len(marks(memory)) == 1
    assert memory.tuning.rollback().profile == "mine"
    assert (file.read_bytes(), marks(memory)) == (HAND, [])


def test_a_mark_that_cannot_be_settled_lets_the_store_be_opened(memory, opened, tmp_path, monkeypatch, caplog):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    killed(tmp_path, "activate", "written")

    def full(*_):
        raise StorageError("disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(profiles, "finish", full)
        opened()
    assert "seen to at the next call" in caplog.text
    assert len(marks(memory)) == 1
    assert opened().tuning.rollback().profile == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not opened there")
def test_the_folder_survives_a_power_loss_before_the_store_is_told(memory, file, monkeypatch):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    told, real = [], os.fsync

    def synced(handle):
        told.append((stat.S_ISDIR(os.fstat(handle).st_mode), file.exists() and weight(file)))
        real(handle)

    with monkeypatch.context() as watched:
        watched.setattr(os, "fsync", synced)
        memory.tuning.activate("mine")
    assert told == [(False, False), (True, 0.25)]


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not opened there")
@pytest.mark.parametrize(("number", "refused"), [(errno.EIO, True), (errno.EINVAL, False)])
def test_a_folder_that_fails_is_told_and_all_is_as_it_was(memory, file, monkeypatch, number, refused):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    real, failed = os.fsync, []

    def failing(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode) and (not failed or not refused):
            failed.append(number)
            raise OSError(number, "the disk does not answer")
        real(handle)

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", failing)
        if refused:
            with pytest.raises(StorageError, match="does not answer"):
                memory.tuning.activate("mine")
        else:
            memory.tuning.activate("mine")
    assert (file.read_bytes() == HAND, standing(memory)) == ((True, None) if refused else (False, "mine"))
    assert (failed != [], marks(memory)) == (True, [])


@contextmanager
def failing_at(monkeypatch, number):
    """Has the transaction of that number fail as it is committed."""
    begin, counted = Database.write, []

    @contextmanager
    def write(self, *given, **named):
        counted.append(1)
        with begin(self, *given, **named) as connection:
            yield connection
            if len(counted) == number:
                raise StorageError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(Database, "write", write)
        yield


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("before", [None, HAND])
def test_a_commit_that_fails_leaves_the_file_and_the_store_as_they_were(memory, file, monkeypatch, number, before):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    if before is not None:
        file.write_bytes(before)
    with failing_at(monkeypatch, number), pytest.raises(StorageError, match="disk I/O"):
        memory.tuning.activate("mine")
    assert (file.read_bytes() if file.exists() else None) == before
    assert len(texts(memory)) == 1
    with pytest.raises(NotFoundError, match="rollback"):
        memory.tuning.rollback()
    memory.tuning.activate("mine")
    with failing_at(monkeypatch, number), pytest.raises(StorageError, match="disk I/O"):
        memory.tuning.rollback()
    assert weight(file) == 0.25
    assert memory.tuning.rollback().profile == "mine"
    assert file.read_bytes() == (before or b"{}\n")


def test_where_nothing_can_be_put_back_the_next_call_sees_to_it(memory, file, monkeypatch, caplog):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    real = activating.write_document

    def once(path, document):
        if document == HAND:
            raise StorageError(f"{path}: no room; nothing was changed")
        real(path, document)

    with monkeypatch.context() as broken:
        broken.setattr(activating, "write_document", once)
        with failing_at(broken, 2), pytest.raises(StorageError, match="disk I/O"):
            memory.tuning.activate("mine")
    assert "seen to at the next call" in caplog.text
    assert weight(file) == 0.25
    assert memory.tuning.rollback().profile == "mine"
    assert file.read_bytes() == HAND


def test_a_file_that_is_edited_in_between_is_kept_too(memory, file, monkeypatch):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    real, edited = activating.profiles.begin, b'{"weight_graph": 0.125}'

    def edit(*given):
        if file.read_bytes() == HAND:
            file.write_bytes(edited)
        return real(*given)

    monkeypatch.setattr(activating.profiles, "begin", edit)
    memory.tuning.activate("mine")
    assert {HAND, edited} <= texts(memory)
    memory.tuning.rollback()
    assert file.read_bytes() == edited


def test_who_never_comes_to_an_end_with_others_gives_up(memory, file, monkeypatch):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    monkeypatch.setattr(activating.profiles, "finish", lambda *_, **__: False)
    with pytest.raises(StorageError, match="others change it"):
        memory.tuning.activate("mine")
    assert (file.read_bytes(), len(texts(memory))) == (HAND, 1)


def test_only_what_was_begun_by_ours_is_removed(memory, file):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    kept = [".retrieval_params.json.swp", ".retrieval_params.json.ABCDEFGH", ".other.json.abcdefgh"]
    for name in [*kept, ".retrieval_params.json.ab_def12"]:
        (file.parent / name).write_text("x", "utf-8")
    (file.parent / ".retrieval_params.json.fold_er1").mkdir()
    memory.tuning.activate("mine")
    assert sorted(beside(file)) == sorted([*kept, ".retrieval_params.json.fold_er1"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_path_that_is_a_pipe_a_folder_a_device_or_too_long_is_refused(memory, file):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    os.mkfifo(file)
    with pytest.raises(StorageError, match="not a regular file"):
        memory.tuning.activate("mine")
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(StorageError, match="not a regular file"):
        memory.tuning.activate("mine")
    file.unlink()
    file.mkdir()
    with pytest.raises(StorageError, match="not a regular file"):
        memory.tuning.activate("mine")
    file.rmdir()
    with file.open("wb") as huge:
        huge.truncate(1 << 40)
    with pytest.raises(StorageError, match="more than 1048576 bytes"):
        memory.tuning.activate("mine")
    with pytest.raises(StorageError, match="more than 1048576 bytes"):
        memory.tuning.rollback()
