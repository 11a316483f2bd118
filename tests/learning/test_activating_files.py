"""Each parameter file has its own past, and what was copied for a change that never came to be goes with it."""

import sys

import pytest
from killed_lives import HAND, IN_FILE, POINTS, killed, marks, names, texts, weight

from memcore.errors import NotFoundError


@pytest.fixture
def file(tmp_path):
    return tmp_path / "retrieval_params.json"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
@pytest.mark.parametrize("at", POINTS)
def test_a_copy_of_what_is_in_the_file_still_goes_with_the_change_that_never_came_to_be(
    memory, opened, file, tmp_path, at
):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    killed(tmp_path, "activate", at)
    again = opened()
    copy = [one for one in names(again) if one != "mine"]
    assert (copy != []) is (at in IN_FILE)
    if copy == []:
        assert file.read_bytes() == HAND
        again.tuning.activate("mine")
    edited = b'{"weight_graph": 0.125}'
    file.write_bytes(edited)
    before = names(again)
    killed(tmp_path, "rollback", at)
    made = [one for one in names(opened()) if one not in before]
    assert len(made) == (at in IN_FILE)
    assert file.read_bytes() == (HAND if at in IN_FILE else edited)
    assert marks(memory) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
def test_a_copy_stays_where_the_file_was_edited_since_or_the_name_has_another_text(memory, opened, file, tmp_path):
    memory.tuning.save("mine", {"weight_graph": 0.25})
    file.write_bytes(HAND)
    killed(tmp_path, "activate", "unwritten")
    [copy] = [one for one in names(memory) if one != "mine"]
    memory.tuning.save(copy, {"weight_graph": 0.9})
    again = opened()
    assert (copy in names(again), marks(memory)) == (True, [])
    file.write_bytes(b'{"weight_graph": 0.75, "weight_date": 0.5}')
    killed(tmp_path, "activate", "unwritten")
    file.write_bytes(b'{"weight_graph": 0.5}')
    opened().tuning.activate("mine")
    assert b'{"weight_graph": 0.75, "weight_date": 0.5}' in texts(memory)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL here")
@pytest.mark.parametrize("at", POINTS)
@pytest.mark.parametrize("call", ["activate", "rollback"])
def test_what_was_begun_on_one_file_is_not_judged_by_another(memory, opened, tmp_path, call, at):
    """Its text is what the other file would have to have: none, the one before, and the one after."""
    memory.tuning.save("first", {"weight_graph": 0.5})
    memory.tuning.save("mine", {"weight_graph": 0.25})
    memory.tuning.activate("first")
    file = tmp_path / "retrieval_params.json"
    before = file.read_bytes()
    if call == "rollback":
        memory.tuning.activate("mine")
    killed(tmp_path, call, at)
    begun, other = len(marks(memory)), tmp_path / "other.json"
    assert begun == (at not in ("uncommitted", "committed"))
    now = file.read_bytes()
    for text in (None, before, now, b"{}\n", HAND):
        if text is not None:
            other.write_bytes(text)
        elsewhere = opened(params=other)
        with pytest.raises(NotFoundError):
            elsewhere.tuning.rollback()
        assert (len(marks(memory)), file.read_bytes()) == (begun, now)
        assert (other.read_bytes() if text is not None else None) == text
    assert opened().doctor() is not None
    assert marks(memory) == []


def test_each_file_has_its_own_past(memory, opened, file, tmp_path):
    other = tmp_path / "other.json"
    elsewhere = opened(params=other)
    other.write_bytes(b'{"weight_date": 0.9}')
    file.write_bytes(HAND)
    elsewhere.tuning.save("mine", {"weight_graph": 0.25})
    elsewhere.tuning.activate("mine")
    with pytest.raises(NotFoundError, match=r"'mine' was activated on .*other\.json; open with params="):
        memory.tuning.rollback()
    assert (file.read_bytes(), weight(other)) == (HAND, 0.25)
    memory.tuning.activate("mine")
    assert elsewhere.tuning.rollback().path == str(other)
    assert (weight(file), other.read_bytes()) == (0.25, b'{"weight_date": 0.9}')
    assert memory.tuning.rollback().path == str(file)
    assert file.read_bytes() == HAND
    for one in (memory, elsewhere):
        with pytest.raises(NotFoundError, match="no profile was activated that was not rolled back since"):
            one.tuning.rollback()


def test_a_file_is_the_same_by_whatever_way_one_comes_to_it(memory, opened, file, tmp_path, monkeypatch):
    link = tmp_path / "link.json"
    link.symlink_to(file)
    monkeypatch.chdir(tmp_path)
    ways = (link, file.name, tmp_path / "x" / ".." / file.name)
    (tmp_path / "x").mkdir()
    for way in ways:
        memory.tuning.activate("perocore")
        assert opened(params=way).tuning.rollback().profile == "perocore"
