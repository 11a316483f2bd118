"""The commands about working memory, on a real memory: what they print is what is stored."""

import io
import json
from datetime import UTC, datetime, timedelta

import pytest

ANA = ("--user", "ana", "--session", "s")


def put(on, content, *whose, name="plan"):
    return on("working", "put", name, content, *whose)["item"]


def contents(on, *options, name="plan"):
    return [item["content"] for item in on("working", "items", name, *options)["items"]]


def test_an_item_is_put_listed_and_dropped(on):
    one = put(on, "先买票", *ANA, "--metadata", '{"step": 1}')
    two = put(on, "book two seats", *ANA)
    assert (one["set"], one["user_id"], one["session_id"], one["expires_at"]) == ("plan", "ana", "s", None)
    assert one["metadata"] == {"step": 1}
    assert on("working", "items", "plan", *ANA)["items"] == [one, two]
    assert contents(on, *ANA, "--limit", "1") == ["book two seats"]
    assert on("working", "drop", str(one["id"])) == {"dropped": 1}
    assert on("working", "drop", "plan", *ANA) == {"dropped": 1}
    assert on("working", "drop", "plan", *ANA) == {"dropped": 0}
    assert on("working", "sets", "--user", "ana") == {"sets": []}


def test_a_watermark_shows_what_was_there_then(on):
    put(on, "one", "--shared")
    mark = on("working", "watermark")["watermark"]
    two = put(on, "two", "--shared")
    assert contents(on, "--before", str(mark)) == ["one"]
    assert contents(on, "--before", str(two["id"])) == ["one"]
    assert contents(on) == ["one", "two"]


def test_sets_are_of_the_users_named_and_of_what_is_shared(on):
    put(on, "for all", "--shared")
    put(on, "of ana", "--user", "ana")
    put(on, "of bo", *ANA[2:], "--user", "bo")
    assert contents(on) == ["for all"]
    assert contents(on, "--user", "ana") == ["for all", "of ana"]
    named = lambda *options: [(one["user_id"], one["session_id"]) for one in on("working", "sets", *options)["sets"]]
    assert named("--user", "ana", "--user", "bo") == [(None, None), ("ana", None), ("bo", "s")]
    assert named("--user", "bo", "--session", "s") == [("bo", "s")]


def test_an_end_is_given_to_an_item_or_a_set_and_taken_back(on):
    before = datetime.now(UTC)
    item = put(on, "soon over", "--shared", "--ttl", "3600")
    ends = datetime.fromisoformat(item["expires_at"])
    assert timedelta(hours=1) <= ends - before < timedelta(hours=2)
    assert put(on, "over then", "--shared", "--expires-at", "2999-01-01T01:00:00+01:00")["expires_at"] == (
        "2999-01-01T00:00:00+00:00"
    )
    ended = on("working", "expire", "plan", "--shared", "--ttl", "0.5")["set"]
    assert (ended["name"], ended["items"]) == ("plan", 2)
    assert ended["expires_at"] is not None
    put(on, "stays", "--shared", name="other")
    on("working", "expire", "other", "--shared", "--expires-at", "2999-01-01T00:00:00Z")
    assert on("working", "expire", "other", "--shared")["set"]["expires_at"] is None


def test_a_session_is_cleared_of_one_user_at_a_time(on):
    put(on, "one", *ANA)
    put(on, "two", *ANA, name="notes")
    put(on, "three", "--shared", "--session", "s")
    assert on("working", "clear", "s", "--user", "ana") == {"dropped": 2}
    assert on("working", "clear", "s", "--shared") == {"dropped": 1}


def test_a_set_whose_name_is_a_number_is_dropped_by_its_name(run, on, tmp_path):
    put(on, "one", "--user", "ana", name="7")
    db = ("--db", str(tmp_path / "agent.db"))
    ran = run(*db, "working", "drop", "7")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memcore: what: 7 is no item of working memory of this agent")
    assert on("working", "drop", "7", "--set", "--user", "ana") == {"dropped": 1}


def test_the_shared_sets_are_reached_also_where_a_user_is_named_before(on, monkeypatch):
    put(on, "for all", "--shared", "--session", "s")
    monkeypatch.setenv("MEMCORE_USER_ID", "ana")
    assert on("working", "drop", "plan", "--session", "s") == {"dropped": 0}
    on("working", "expire", "plan", "--session", "s", "--shared", "--ttl", "60")
    assert on("working", "clear", "s", "--shared") == {"dropped": 1}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("put", "plan", "x"), "--shared"),
        (("drop", "plan"), "--shared"),
        (("expire", "plan"), "--shared"),
        (("clear", "s"), "--shared"),
        (("put", " ", "x", "--shared"), "SET"),
        (("put", "plan", " ", "--shared"), "CONTENT"),
        (("put", "plan", "x", "--shared", "--ttl", "0"), "--ttl"),
        (("put", "plan", "x", "--shared", "--ttl", "soon"), "--ttl"),
        (("put", "plan", "x", "--shared", "--ttl", "nan"), "--ttl"),
        (("put", "plan", "x", "--shared", "--ttl", "1", "--expires-at", "2999-01-01T00:00:00Z"), "exclude each other"),
        (("expire", "plan", "--shared", "--expires-at", "tomorrow"), "--expires-at"),
        (("items", "plan", "--before", "0"), "--before"),
        (("items", "plan", "--limit", "0"), "--limit"),
        (("drop", ""), "SET_OR_ID"),
        (("drop", "0"), "SET_OR_ID"),
        (("drop", "3", "--session", "s"), "named by its number"),
        (("drop", "3", "--shared"), "named by its number"),
        (("drop", "plan", "--user", "ana", "--user", "bo"), "2 times"),
        (("put", "plan", "x", "--shared", "--db", ":memory:"), "--db FILE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_given_wrongly_is_a_usage_error_and_opens_no_database(run, memory, arguments, said):
    ran = run("working", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert memory.opened == []


def test_what_is_not_there_ends_with_one_line(run, on, tmp_path):
    put(on, "the password", "--user", "ana")
    db = ("--db", str(tmp_path / "agent.db"))
    for arguments, said in (
        (("expire", "plan", "--user", "bo"), "memcore: set: there is no set 'plan' of that user and session"),
        (("drop", "1", "--user", "bo"), "memcore: what: 1 is no item of working memory of the named user"),
        (("put", "plan", "x", "--shared", "--expires-at", "2020-01-01T00:00:00Z"), "memcore: expires_at: "),
    ):
        ran = run(*db, "working", *arguments)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith(said)
        assert "password" not in ran.err


@pytest.mark.usefixtures("on")
def test_people_see_tables(run, tmp_path):
    db = ("--db", str(tmp_path / "agent.db"))
    assert run(*db, "working", "put", "plan", "two\x1b[2Jlines", "--shared").out == "1  plan  two\\x1b[2Jlines\n"
    run(*db, "working", "put", "plan", "later", "--shared", "--expires-at", "2999-01-01T00:00:00Z")
    lines = run(*db, "working", "items", "plan").out.splitlines()
    assert lines[0].split() == ["id", "put", "ends", "user", "item"]
    assert "two\\x1b[2Jlines" in lines[1]
    assert "2999-01-01 00:00Z" in lines[2]
    lines = run(*db, "working", "sets").out.splitlines()
    assert lines[0].split() == ["set", "session", "user", "items", "made", "ends"]
    assert lines[1].split()[:2] == ["plan", "2"]
    assert run(*db, "working", "watermark").out == "3\n"
    ended = run(*db, "working", "expire", "plan", "--shared", "--expires-at", "2998-01-01T00:00:00Z").out
    assert ended == "set plan ends 2998-01-01 00:00Z; 2 items\n"
    assert run(*db, "working", "expire", "plan", "--shared").out == "set plan ends no more; 2 items\n"
    assert run(*db, "working", "drop", "1").out == "1 item dropped\n"
    assert run(*db, "working", "drop", "nothing", "--shared").out == "0 items dropped\n"
    for command in (("items", "nothing"), ("sets", "--session", "t")):
        ran = run(*db, "working", *command)
        assert (ran.code, ran.out, ran.err) == (0, "", "nothing in mind\n")


def test_a_content_can_come_from_standard_input(run, on, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("look up the ferry\n"))
    assert put(on, "-", "--shared")["content"] == "look up the ferry"
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    assert run("working", "put", "plan", "-", "--shared").code == 2


def test_put_makes_the_database_and_nothing_else_does(run, on, tmp_path):
    db = ("--db", str(tmp_path / "agent.db"))
    for arguments in (("items", "plan"), ("sets",), ("watermark",), ("drop", "1"), ("clear", "s", "--shared")):
        assert run(*db, "working", *arguments).code == 1
    assert not (tmp_path / "agent.db").exists()
    put(on, "one", "--shared")
    assert json.loads(run(*db, "working", "sets", "--json").out)["sets"]
