"""The commands about tasks, on a real memory: what they print is what is stored."""

import io
import json

import pytest


def test_a_task_goes_from_open_to_done_with_what_was_noted(on):
    task = on(
        "task", "add", "订渡轮票", "--user", "ana", "--due", "2026-12-24T18:00:00+01:00", "--metadata", '{"a": 1}'
    )
    number = str(task["task"]["id"])
    assert (task["task"]["state"], task["task"]["due_at"]) == ("open", "2026-12-24T17:00:00+00:00")
    assert on("task", "start", number, "--note", "asking two lines")["task"]["state"] == "doing"
    assert on("task", "note", number, "The second is cheaper.")["event"]["note"] == "The second is cheaper."
    assert on("task", "finish", number, "--user", "ana")["task"]["state"] == "done"
    shown = on("task", "show", number)
    assert (shown["task"]["title"], shown["task"]["metadata"]) == ("订渡轮票", {"a": 1})
    assert [(event["from_state"], event["to_state"], event["note"]) for event in shown["events"]] == [
        (None, "open", ""),
        ("open", "doing", "asking two lines"),
        ("doing", "doing", "The second is cheaper."),
        ("doing", "done", ""),
    ]
    assert on("stats")["tasks"] == {"done": 1}


@pytest.mark.parametrize(("steps", "state"), [(["start", "fail"], "failed"), (["cancel"], "cancelled")])
def test_a_task_can_fail_and_be_cancelled(on, steps, state):
    number = str(on("task", "add", "Book the ferry", "--shared")["task"]["id"])
    for step in steps:
        task = on("task", step, number)["task"]
    assert task["state"] == state


def test_a_step_that_cannot_be_ends_with_one_line_that_says_what_can(run, on, tmp_path):
    number = str(on("task", "add", "Book the ferry", "--shared")["task"]["id"])
    ran = run("--db", str(tmp_path / "agent.db"), "task", "finish", number)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"memcore: state: 'done' is not accepted; task {number} is open, and can become doing or cancelled\n"
    )
    assert on("task", "show", number)["task"]["state"] == "open"


def test_a_list_is_of_the_users_named_and_of_what_is_shared(on):
    ids = [on("task", "add", "A task", *whose)["task"]["id"] for whose in (["--shared"], ["--user", "ana"])]
    on("task", "cancel", str(ids[1]))
    listed = lambda *options: [task["id"] for task in on("task", "list", *options)["tasks"]]
    assert listed() == ids[:1]
    assert listed("--user", "ana") == ids
    assert listed("--user", "ana", "--state", "cancelled", "--state", "done") == ids[1:]
    assert listed("--user", "ana", "--session", "s") == []
    assert on("task", "list", "--user", "ana", "--limit", "1")["next_cursor"] == ids[0]
    assert listed("--user", "ana", "--cursor", str(ids[0])) == ids[1:]


def test_a_task_of_another_user_is_not_there(run, on, tmp_path):
    number = str(on("task", "add", "The password of the boat", "--user", "ana")["task"]["id"])
    for arguments in (("show", number), ("start", number), ("note", number, "x")):
        ran = run("--db", str(tmp_path / "agent.db"), "task", *arguments, "--user", "bo")
        assert (ran.code, ran.out) == (1, "")
        assert f"{number} is no task of the named user" in ran.err
        assert "password" not in ran.err


def test_a_task_needs_a_user_or_shared(run, memory):
    ran = run("task", "add", "Book the ferry")
    assert ran.code == 2
    assert "--shared" in ran.err
    assert memory.opened == []


def test_people_see_a_table_and_what_happened(run, on, tmp_path):
    number = on("task", "add", "Book the ferry", "--shared", "--due", "2026-12-24T18:00:00Z")["task"]["id"]
    db = ("--db", str(tmp_path / "agent.db"))
    assert (
        run(*db, "task", "start", str(number), "--note", "two\x1b[2Jlines").out == f"{number}  doing  Book the ferry\n"
    )
    assert run(*db, "task", "note", str(number), "cheaper").out == f"task {number} noted\n"
    lines = run(*db, "task", "list").out.splitlines()
    assert lines[0].split() == ["id", "state", "due", "user", "task"]
    assert lines[1].split() == [str(number), "doing", "2026-12-24", "18:00Z", "Book", "the", "ferry"]
    shown = run(*db, "task", "show", str(number)).out
    assert "title: Book the ferry" in shown
    assert "two\\x1b[2Jlines" in shown
    assert "cheaper" in shown


def test_where_there_are_no_tasks_that_is_said_beside_the_output(run, on, tmp_path):
    on("add", "Tea at four.", "--shared")
    ran = run("--db", str(tmp_path / "agent.db"), "task", "list")
    assert (ran.code, ran.out, ran.err) == (0, "", "no tasks\n")


def test_title_text_and_note_can_come_from_standard_input(run, on, monkeypatch):
    def given(text, *arguments):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return on("task", *arguments)

    number = str(given("Book the ferry\n", "add", "-", "--shared")["task"]["id"])
    given("asking\n", "start", number, "--note", "-")
    given("cheaper\n", "note", number, "-")
    shown = on("task", "show", number)
    assert shown["task"]["title"] == "Book the ferry"
    assert [event["note"] for event in shown["events"]] == ["", "asking", "cheaper"]
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    assert run("task", "note", number, "-").code == 2


def test_task_add_makes_the_database(run, on, tmp_path):
    assert not (tmp_path / "agent.db").exists()
    on("task", "add", "Book the ferry", "--shared")
    assert json.loads(run("--db", str(tmp_path / "agent.db"), "task", "list", "--json").out)["tasks"]
