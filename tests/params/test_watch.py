"""A parameter file is followed while it is edited; what cannot be used changes nothing."""

import json
import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memcore.errors import InvalidInputError
from memcore.params import ParamsFile, RetrievalParams, watch

DEFAULTS = RetrievalParams()
LONG_AGO_NS = 1_700_000_000_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "retrieval_params.json"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read and parsed, in order."""
    seen: list[str] = []
    read, parse = watch._read, watch.params_from_text

    def counted_read(path: Path) -> tuple[tuple[int, int, int], bytes]:
        seen.append("read")
        return read(path)

    def counted_parse(document: bytes) -> RetrievalParams:
        seen.append("parse")
        return parse(document)

    monkeypatch.setattr(watch, "_read", counted_read)
    monkeypatch.setattr(watch, "params_from_text", counted_parse)
    return seen


def write(path: Path, **values: object) -> None:
    path.write_text(json.dumps(values), encoding="utf-8")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "memcore.params"]


def test_until_the_file_exists_the_defaults_hold_and_nothing_is_wrong(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = ParamsFile(path)
    assert file.current() == DEFAULTS
    assert file.problem is None
    write(path, bm25_b=0.7)
    assert file.current().bm25_b == 0.7
    assert warnings(caplog) == []


def test_no_path_is_always_the_defaults() -> None:
    assert ParamsFile(None).current() == DEFAULTS
    assert ParamsFile(None).problem is None


def test_an_edit_between_two_searches_changes_the_second(path: Path) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(str(path))
    first = file.current()
    write(path, bm25_b=0.1)
    assert (first.bm25_b, file.current().bm25_b) == (0.7, 0.1)


def test_a_replaced_file_is_followed_like_an_edited_one(path: Path, tmp_path: Path) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    file.current()
    write(tmp_path / "new", bm25_b=0.1)
    (tmp_path / "new").replace(path)
    assert file.current().bm25_b == 0.1


def test_an_edit_within_one_tick_of_the_file_systems_clock_is_seen(path: Path) -> None:
    write(path, bm25_b=0.7)
    status = path.stat()
    file = ParamsFile(path)
    assert file.current().bm25_b == 0.7
    write(path, bm25_b=0.1)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same inode, same time
    assert file.current().bm25_b == 0.1


def test_a_file_that_has_rested_is_neither_read_nor_parsed_again(path: Path, reads: list[str]) -> None:
    write(path, bm25_b=0.7)
    os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))
    file = ParamsFile(path)
    first = file.current()
    assert reads == ["read", "parse"]
    assert all(file.current() is first for _ in range(5))
    assert reads == ["read", "parse"]


def test_a_file_just_written_is_read_again_but_parsed_once(path: Path, reads: list[str]) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    first = file.current()
    assert file.current() is first
    assert reads.count("parse") == 1


def test_touching_the_file_parses_nothing(path: Path, reads: list[str]) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    first = file.current()
    os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))
    assert file.current() is first
    assert reads.count("parse") == 1


UNUSABLE = {
    "half-written": ('{"bm25_b": 0.', "not valid JSON"),
    "empty": ("", "not valid JSON"),
    "a wrong type": ('{"bm25_b": "0.4"}', "bm25_b"),
    "an unknown key": ('{"bm25_bee": 0.4}', "the nearest one is 'bm25_b'"),
    "out of range": ('{"bm25_b": 40}', "from 0 to 1"),
    "not an object": ("[]", "give an object"),
}


@pytest.mark.parametrize("fault", UNUSABLE)
def test_an_unusable_file_keeps_the_last_good_values_warns_once_and_says_why(
    path: Path, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    content, complaint = UNUSABLE[fault]
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    good = file.current()
    path.write_text(content, encoding="utf-8")
    for _ in range(3):
        assert file.current() is good
    assert complaint in str(file.problem)
    assert str(path) in str(file.problem)
    (warning,) = warnings(caplog)
    assert warning == file.problem
    assert caplog.records[-1].levelno == logging.WARNING
    write(path, bm25_b=0.1)
    assert file.current().bm25_b == 0.1
    assert file.problem is None


def test_each_new_unusable_state_warns_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = ParamsFile(path)
    for content in ("{", "[", "{"):
        path.write_text(content, encoding="utf-8")
        assert file.current() == DEFAULTS
        assert file.current() == DEFAULTS
    assert len(warnings(caplog)) == 3


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the watcher goes by; a test moves them."""
    now = [1_000.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    return now


def test_a_file_that_is_gone_for_a_second_leaves_the_defaults_and_warns_once(
    path: Path, clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    good = file.current()
    path.unlink()
    for moment in (1_000.0, 1_000.5, 1_000.999):
        clock[0] = moment
        assert file.current() is good
        assert "gone" in str(file.problem)
    assert warnings(caplog) == []
    for moment in (1_001.0, 1_002.0, 2_000.0):
        clock[0] = moment
        assert file.current() == DEFAULTS
        assert file.problem is None
    assert warnings(caplog) == [f"{path}: the file is gone; the defaults hold"]
    write(path, bm25_b=0.7)
    assert file.current() == good
    assert len(warnings(caplog)) == 1


def test_who_looks_seldom_goes_once_more_by_what_the_file_said(path: Path, clock: list[float]) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    file.current()
    path.unlink()
    clock[0] += 3_600
    assert file.current().bm25_b == 0.7
    clock[0] += 3_600
    assert file.current() == DEFAULTS


@pytest.mark.parametrize("again", [0.7, 0.1])
def test_a_file_that_is_removed_to_be_written_anew_does_not_flap(
    path: Path, clock: list[float], caplog: pytest.LogCaptureFixture, again: float
) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    assert file.current().bm25_b == 0.7
    for _ in range(3):
        path.unlink()
        for _ in range(5):
            assert file.current().bm25_b in (0.7, again)
            clock[0] += 0.15
        write(path, bm25_b=again)
        clock[0] += 0.5
        assert file.current().bm25_b == again
        assert file.problem is None
    assert warnings(caplog) == []


def test_a_file_that_was_never_usable_and_is_gone_is_no_problem_for_long(path: Path, clock: list[float]) -> None:
    file = ParamsFile(path)
    path.write_text("{", encoding="utf-8")
    file.current()
    path.unlink()
    file.current()
    clock[0] += 1
    assert file.current() == DEFAULTS
    assert file.problem is None


def test_a_file_that_is_away_for_a_moment_and_cannot_be_read_then_is_missed_anew(
    path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    file.current()
    path.unlink()
    file.current()
    clock[0] += 5
    with monkeypatch.context() as patch:

        def refused(_: Path) -> None:
            raise PermissionError(13, "Permission denied")

        patch.setattr(watch, "_read", refused)
        assert file.current().bm25_b == 0.7
    assert file.current().bm25_b == 0.7
    clock[0] += 1
    assert file.current() == DEFAULTS


def test_an_unusable_file_that_disappears_and_returns_is_unusable_again(path: Path) -> None:
    file = ParamsFile(path)
    for _ in range(2):
        path.write_text("{", encoding="utf-8")
        file.current()
        assert "not valid JSON" in str(file.problem)
        path.unlink()
        file.current()
        assert "gone" in str(file.problem)


def test_a_folder_or_a_pipe_in_place_of_the_file_is_a_problem_not_a_wait(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = ParamsFile(path)
    path.mkdir()
    assert file.current() == file.current() == DEFAULTS
    assert "not a regular file" in str(file.problem)
    path.rmdir()
    os.mkfifo(path)
    assert file.current() == DEFAULTS
    assert len(warnings(caplog)) == 1
    path.unlink()
    write(path, bm25_b=0.7)
    assert file.current().bm25_b == 0.7
    assert file.problem is None


def test_a_file_that_becomes_readable_again_as_it_was_is_no_problem(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, bm25_b=0.7)
    file = ParamsFile(path)
    good = file.current()

    def refused(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(watch, "_read", refused)
        assert file.current() is good
        assert "Permission denied" in str(file.problem)
    assert file.current() == good
    assert file.problem is None


def test_threads_that_search_while_the_file_is_edited_get_whole_valid_sets(path: Path) -> None:
    write(path, bm25_b=0.5, bm25_k1=0.5)
    file = ParamsFile(path)
    assert file.current().bm25_b == 0.5  # before there are good values, a half-written file means the defaults
    done = threading.Event()

    def search(_: int) -> set[tuple[float, float]]:
        seen = set()
        while not done.is_set():
            params = file.current()
            seen.add((params.bm25_b, params.bm25_k1))
        return seen

    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(search, number) for number in range(4)]
        for step in range(100):
            write(path, bm25_b=step / 100, bm25_k1=step / 100)
            file.current()
        done.set()
        seen = set.union(*(one.result() for one in searches))
    assert all(b == k1 for b, k1 in seen)
    assert file.current().bm25_b == 0.99
    assert file.problem is None


@pytest.mark.parametrize("path", ["", "a\0b", 7, b"bytes", True])
def test_what_cannot_be_a_path_is_refused(path: object) -> None:
    with pytest.raises(InvalidInputError, match="params"):
        ParamsFile(path)  # type: ignore[arg-type]
