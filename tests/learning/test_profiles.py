"""Profiles go through the parameter file, in every process, and back; what a hand wrote is never lost."""

import json

import pytest
from learning_lives import ASKED, fill, flushed

from memcore import Memory, RetrievalParams
from memcore.errors import InvalidInputError, NotFoundError, ParamsError, StorageError
from memcore.learning import params_file
from memcore.learning.named import NAMED
from memcore.params import default_document


@pytest.fixture
def file(tmp_path):
    return tmp_path / "retrieval_params.json"


def present(memory):
    return memory._calls.store.params.current()


def names(memory):
    return [one.name for one in memory.tuning.profiles()]


def test_the_profiles_of_the_package_come_first(memory):
    memory.tuning.save("a", {"weight_graph": 0.5})
    assert names(memory) == [*NAMED, "a"]
    first, *_, last = memory.tuning.profiles()
    assert (first.named, first.active, first.changes) == (True, True, {})
    assert (last.named, last.active, last.changes) == (False, False, {"weight_graph": 0.5})


def test_one_that_is_activated_holds_at_the_next_search_in_every_process(memory, opened, file):
    other = opened()
    memory.tuning.save("mine", {"weight_graph": 0.25})
    done = memory.tuning.activate("mine")
    assert (done.profile, done.path, done.kept_as, done.changes) == ("mine", str(file), None, {"weight_graph": 0.25})
    for looking in (memory, other, opened()):
        assert looking.search("ferry", user_id="ana").trace.params.weight_graph == 0.25
    assert [one.name for one in memory.tuning.profiles() if one.active] == ["mine"]
    assert json.loads(file.read_text("utf-8"))["weight_graph"] == 0.25


def test_a_rollback_goes_back_step_by_step(memory, opened, file):
    other = opened()
    for name, weight in (("one", 0.1), ("two", 0.2)):
        memory.tuning.save(name, {"weight_graph": weight})
        memory.tuning.activate(name)
    for expected in (0.1, 0.9):
        assert memory.tuning.rollback().rolled_back
        assert (present(memory).weight_graph, present(other).weight_graph) == (expected, expected)
    assert file.read_bytes() == b"{}\n"
    with pytest.raises(NotFoundError, match="rollback"):
        memory.tuning.rollback()
    memory.tuning.activate("two")
    assert present(memory).weight_graph == 0.2
    memory.tuning.rollback()
    assert present(memory) == RetrievalParams()


def test_what_a_hand_wrote_is_kept_by_its_moment_before_another_takes_its_place(memory, file):
    file.write_text('{\n  "weight_graph": 0.75\n}', "utf-8")
    memory.tuning.save("mine", {"weight_date": 0.9})
    assert memory.tuning.profiles()[-1].changes == {"weight_graph": 0.75, "weight_date": 0.9}
    done = memory.tuning.activate("mine")
    assert done.kept_as == "file of 2026-06-01 12:00:00"
    file.write_text('{"weight_graph": 0.8}', "utf-8")
    back = memory.tuning.rollback()
    assert back.kept_as == "file of 2026-06-01 12:00:00 (2)"
    assert file.read_text("utf-8") == '{\n  "weight_graph": 0.75\n}'
    again = memory.tuning.activate(back.kept_as)
    assert (again.kept_as, present(memory).weight_graph) == (None, 0.8)


def test_a_file_that_cannot_be_used_is_kept_too_and_put_back_as_it_was(memory, file):
    file.write_bytes(b"\xff not a document")
    memory.tuning.save("mine", {"weight_date": 0.9})
    kept = memory.tuning.activate("mine").kept_as
    broken = next(one for one in memory.tuning.profiles() if one.name == kept)
    assert broken.problem
    with pytest.raises(ParamsError):
        memory.tuning.activate(kept)
    with pytest.raises(ParamsError):
        memory.tuning.replay(params=kept)
    assert memory.tuning.rollback().changes == {}
    assert file.read_bytes() == b"\xff not a document"


def test_a_shipped_file_is_kept_like_any(memory, file):
    file.write_text(default_document(), "utf-8")
    memory.tuning.activate("defaults")
    assert memory.tuning.rollback().kept_as is None
    assert file.read_text("utf-8") == default_document()


def test_where_the_file_cannot_be_written_nothing_is_changed(memory, file, monkeypatch):
    file.write_text('{"weight_graph": 0.75}', "utf-8")
    memory.tuning.save("mine", {"weight_date": 0.9})

    def full(*_given):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(params_file.os, "fsync", full)
        with pytest.raises(StorageError, match="No space left"):
            memory.tuning.activate("mine")
    assert file.read_text("utf-8") == '{"weight_graph": 0.75}'
    assert [one.name for one in file.parent.iterdir() if "retrieval_params" in one.name] == [file.name]
    assert names(memory) == [*NAMED, "mine"]
    with pytest.raises(NotFoundError, match="rollback"):
        memory.tuning.rollback()


def test_a_link_stays_a_link_and_the_mode_stays(memory, file, tmp_path):
    real = tmp_path / "elsewhere.json"
    real.write_text("{}", "utf-8")
    real.chmod(0o600)
    file.symlink_to(real)
    memory.tuning.save("mine", {"weight_graph": 0.3})
    memory.tuning.activate("mine")
    assert file.is_symlink()
    assert (json.loads(real.read_text("utf-8"))["weight_graph"], real.stat().st_mode & 0o777) == (0.3, 0o600)


def test_another_file_may_be_given(opened, tmp_path):
    memory = opened(params=tmp_path / "mine.json")
    memory.tuning.save("mine", {"weight_graph": 0.3})
    assert memory.tuning.activate("mine").path == str(tmp_path / "mine.json")
    assert present(memory).weight_graph == 0.3


def test_a_database_in_memory_has_no_file_to_write():
    with Memory(":memory:", embedder="none") as memory:
        memory.tuning.save("mine")
        with pytest.raises(InvalidInputError, match="params="):
            memory.tuning.activate("mine")
        with pytest.raises(InvalidInputError, match="params="):
            memory.tuning.rollback()


def test_saving_takes_changes_a_whole_set_a_name_or_what_is_present(memory):
    memory.tuning.save("a", {"weight_graph": 0.5})
    memory.tuning.save("b", RetrievalParams(weight_date=0.9))
    memory.tuning.save("c", "a")
    memory.tuning.save("d")
    memory.tuning.save("a", {"weight_graph": 0.6})
    found = {one.name: one.changes for one in memory.tuning.profiles() if not one.named}
    assert found == {
        "a": {"weight_graph": 0.6},
        "b": {"weight_date": 0.9},
        "c": {"weight_graph": 0.5},
        "d": {},
    }


@pytest.mark.parametrize("wrong", ["defaults", "", 5, "  "])
def test_names_that_are_none_or_taken_by_the_package_are_refused(memory, wrong):
    with pytest.raises(InvalidInputError, match=r"^name: "):
        memory.tuning.save(wrong)


def test_two_profiles_are_compared_by_their_values_and_over_what_was_recorded(memory):
    memory.tuning.save("mine", {"fusion_dense_weight": 1.0, "weight_graph": 0.0})
    report = memory.tuning.compare("defaults", "mine")
    assert report.differing == {"fusion_dense_weight": (0.4, 1.0), "weight_graph": (0.9, 0.0)}
    assert report.comparison is None
    fill(memory, "bo")
    memory.tuning.record()
    for query in ASKED:
        memory.context(query, user_id="bo", mark_used=False)
    flushed(memory)
    told = []
    report = memory.tuning.compare("defaults", "mine", k=4, progress=lambda *done: told.append(done))
    replayed = memory.tuning.replay(params="mine", k=4)
    assert report.comparison == replayed.comparison
    assert told[-1] == (len(ASKED), len(ASKED))
    with pytest.raises(NotFoundError, match=r"there are defaults, .*diary, mine"):
        memory.tuning.compare("defaults", "yours")
