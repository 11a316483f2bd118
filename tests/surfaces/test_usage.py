"""What is given wrongly on the command line is a usage error, code 2, and opens no database."""

import json
from datetime import UTC, datetime

import pytest

from memcore import Memory, NotFoundError


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_parameter_file_that_cannot_be_read_is_a_usage_error(run, tmp_path, command):
    ran = run("params", command, str(tmp_path / "none.json"))
    assert ran.code == 2
    assert "cannot be read (No such file" in " ".join(ran.err.split())


@pytest.mark.parametrize("arguments", [("stats", "--db", ""), ("--db", "", "stats"), ("params", "show", "--db", "")])
def test_an_empty_name_of_a_database_is_a_usage_error(run, arguments):
    ran = run(*arguments)
    assert ran.code == 2
    assert "--db" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "Tea."),
        ("get", "1"),
        ("delete", "1"),
        ("update", "1", "--content", "Tea."),
        ("fact", "get", "tea"),
        ("fact", "set", "tea", "At four."),
        ("review", "approve", "1"),
        ("review", "conflicts"),
        ("supersede", "1", "Tea."),
        ("feedback", "1", "--wrong"),
        ("history", "1"),
        ("undo", "1"),
        ("pin", "1"),
        ("verify", "tea"),
    ],
    ids=" ".join,
)
def test_a_command_on_one_memory_takes_one_user(run, memory, arguments):
    ran = run(*arguments, "--user", "ana", "--user", "bob")
    assert ran.code == 2
    assert "2 times" in ran.err
    assert not memory.calls


def test_filters_compare_moments_given_in_iso_8601(run, memory):
    given = {
        "OR": [{"event_time": {"gte": "2026-05-03T08:00:00+02:00"}}, {"recorded_at": ["2026-05-03T06:00:00Z"]}],
        "NOT": {"last_used_at": None},
        "note": "2026-05-03T06:00:00Z",
    }
    assert run("search", "tea", "--filters", json.dumps(given)).code == 0
    moment = datetime(2026, 5, 3, 6, tzinfo=UTC)
    assert memory.named("search")[0]["filters"] == {
        "OR": [{"event_time": {"gte": moment}}, {"recorded_at": [moment]}],
        "NOT": {"last_used_at": None},
        "note": "2026-05-03T06:00:00Z",
    }


@pytest.mark.parametrize("moment", ["yesterday", "2026-05-03", "2026-05-03T08:00:00"])
def test_a_moment_in_filters_that_is_none_is_a_usage_error_that_names_the_column(run, memory, moment):
    ran = run("search", "tea", "--filters", json.dumps({"event_time": {"lt": moment}}))
    assert ran.code == 2
    assert "event_time: " in ran.err
    assert not memory.opened


def test_why_not_without_a_user_says_that_only_shared_memories_were_asked_about():
    with Memory(":memory:", embedder="none") as memory:
        (one,) = memory.add("Tea.", user_id="ana").ids
        with pytest.raises(NotFoundError, match=r"no shared memory of this agent; name its user"):
            memory.why_not(one, "tea")
