"""The commands about facts, on a real memory: a slot says one thing at a time, and what it said before stays."""

import io
import json

import pytest

SINCE = ("--valid-from", "2024-05-01T00:00:00Z")
LATER = ("--valid-from", "2026-02-01T00:00:00Z")
BETWEEN = ("--as-of", "2025-01-01T00:00:00Z")


@pytest.fixture
def moved(on):
    """Ana lived in Lisbon from 2024, and in Porto from 2026."""
    first = on("fact", "set", "home city", "Ana lives in Lisbon.", "--user", "ana", *SINCE, "--category", "state")
    second = on("fact", "set", "Home  City", "Ana lives in Porto.", "--user", "ana", *LATER)
    return first["added"][0]["id"], second["added"][0]


def test_a_slot_says_what_was_set_last_and_what_held_at_another_moment(on, moved):
    first, second = moved
    assert second["supersedes"] == first
    assert on("fact", "get", "HOME CITY", "--user", "ana")["fact"]["content"] == "Ana lives in Porto."
    before = on("fact", "get", "home city", "--user", "ana", *BETWEEN)["fact"]
    assert (before["content"], before["superseded_by"]) == ("Ana lives in Lisbon.", second["id"])
    assert on("fact", "get", "home city", "--user", "ana", "--known-at", "2024-06-01T00:00:00Z")["fact"] is None
    assert on("fact", "get", "home city", "--user", "bo")["fact"] is None


def test_a_list_has_the_facts_that_hold_then_of_a_slot_or_a_category(on, moved):
    first, second = moved
    birthday = on("fact", "set", "birthday", "3 May.", "--user", "ana", "--category", "date")["added"][0]["id"]
    listed = lambda *options: [fact["id"] for fact in on("fact", "list", "--user", "ana", *options)["facts"]]
    assert listed() == [second["id"], birthday]
    assert listed(*BETWEEN) == [first]
    assert listed("--slot", "home city") == [second["id"]]
    assert listed("--category", "date") == [birthday]
    assert listed("--no-include-dormant") == [second["id"], birthday]
    page = on("fact", "list", "--user", "ana", "--limit", "1")
    assert page["next_cursor"] == second["id"]
    assert listed("--cursor", str(page["next_cursor"])) == [birthday]


def test_people_see_the_words_of_a_slot_and_a_table(run, moved, tmp_path):
    database = ("--db", str(tmp_path / "agent.db"))
    assert run(*database, "fact", "get", "home city", "--user", "ana").out == "Ana lives in Porto.\n"
    ran = run(*database, "fact", "get", "shoe size", "--user", "ana")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing fills the slot\n")
    lines = run(*database, "fact", "list", "--user", "ana").out.splitlines()
    assert lines[0].split() == ["id", "slot", "category", "since", "until", "dormant", "user", "fact"]
    words = "Home  City state 2026-02-01 ana Ana lives in Porto."
    assert lines[1].split() == [str(moved[1]["id"]), *words.split()]
    assert run(*database, "fact", "list").err == "no facts\n"


def test_every_field_of_a_fact_is_stored(on):
    options = {
        "--session": "s", "--speaker": "Bo", "--origin": "user", "--entity": "Bo", "--tag": "sea", "--importance": "7",
        "--event-time": "2026-05-03T08:00:00Z", "--channel": "direct", "--expires-at": "2099-01-01T00:00:00Z",
        "--metadata": '{"a": 1}', "--source-ref": "mail", "--idempotency-key": "k", "--category": "habit",
        "--confidence": "0.9", "--valid-from": "2026-05-01T00:00:00Z", "--valid-until": "2098-01-01T00:00:00Z",
    }  # fmt: skip
    given = [word for pair in options.items() for word in pair]
    (added,) = on("fact", "set", "夏天的爱好", "小波每天游泳。", "--user", "bo", *given, "--embed", "later")["added"]
    stored = on("get", str(added["id"]))["memory"]
    assert (stored["slot"], stored["content"], stored["kind"]) == ("夏天的爱好", "小波每天游泳。", "fact")
    assert (stored["session_id"], stored["speaker"], stored["tags"], stored["importance"]) == ("s", "Bo", ["sea"], 7.0)
    assert (stored["channel"], stored["expires_at"]) == ("direct", "2099-01-01T00:00:00+00:00")
    assert (stored["metadata"], stored["source_ref"]) == ({"a": 1}, "mail")
    assert (stored["category"], stored["confidence"]) == ("habit", 0.9)
    assert (stored["valid_from"], stored["valid_until"]) == ("2026-05-01T00:00:00+00:00", "2098-01-01T00:00:00+00:00")
    again = on("fact", "set", "夏天的爱好", "x", "--user", "bo", "--idempotency-key", "k")["added"]
    assert again[0]["id"] == added["id"]


def test_a_fact_needs_a_user_or_shared_and_makes_the_database(run, on, tmp_path):
    ran = run("fact", "set", "tea", "At four.")
    assert ran.code == 2
    assert "--shared" in ran.err
    assert not (tmp_path / "agent.db").exists()
    on("fact", "set", "tea", "At four.", "--shared")
    assert on("fact", "get", "tea", "--user", "ana")["fact"]["user_id"] is None


def test_the_words_can_come_from_standard_input(run, on, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.StringIO("At four.\n"))
    on("fact", "set", "tea", "-", "--shared")
    ran = run("--db", str(tmp_path / "agent.db"), "fact", "get", "tea", "--json")
    assert json.loads(ran.out)["fact"]["content"] == "At four."
