"""The commands that remove for good, on a real memory: what they removed is nowhere, and what is left is said."""

import io
import json
from types import SimpleNamespace

import pytest


@pytest.fixture
def words(run, tmp_path):
    """What a command on the same database prints for people."""
    return lambda *arguments: run("--db", str(tmp_path / "agent.db"), *arguments)


@pytest.fixture
def heron(on):
    """The id, as a word, of a memory of Ana that names a code word."""
    on("add", "The ferry leaves at noon.", "--shared")
    return str(on("add", "The code word is heron.", "--user", "ana")["added"][0]["id"])


def test_verify_finds_a_text_and_an_id_until_they_are_deleted(on, words, heron):
    for wanted in ("heron", heron):
        ran = words("verify", wanted, "--json")
        assert ran.code == 1
        document = json.loads(ran.out)
        assert document["absent"] is False
        assert any(one["place"] == "memory" for one in document["remains"])
    lines = words("verify", "HERON").out.splitlines()
    assert lines[0].split() == ["place", "column", "row", "byte"]
    assert lines[1].split() == ["memory", "content", heron]
    assert words("delete", heron).out == f"memory {heron} deleted\n"
    assert on("verify", "heron") == {"absent": True, "remains": []}
    assert words("verify", heron).out == "nothing is left of it\n"


def test_a_number_can_be_looked_for_as_a_text(on, words):
    on("add", "The door opens with 4711.", "--user", "ana")
    assert words("verify", "4711").code == 0
    assert words("verify", "4711", "--text").code == 1
    assert words("verify", "4711", "--text", "--user", "bo").out == "nothing is left of it\n"


def test_what_standard_input_holds_is_a_text_also_where_it_is_a_number(on, words, monkeypatch):
    on("add", "The door opens with 4711.", "--user", "ana")
    for line, code in (("4711\n", 1), ("4712\n", 0)):
        monkeypatch.setattr("sys.stdin", io.StringIO(line))
        assert words("verify", "-", "--user", "ana").code == code


def test_purge_without_confirm_counts_and_says_how_to_confirm(on, words, heron):
    ran = words("purge", "ana")
    assert ran.code == 0
    assert ["memory", "1"] in [line.split() for line in ran.out.splitlines()]
    assert ran.err == "nothing was removed; memcore purge ana --confirm ana removes it\n"
    assert on("purge", "ana")["purge"]["confirmed"] is False
    assert on("get", heron)["memory"]["user_id"] == "ana"


@pytest.mark.usefixtures("heron")
def test_purge_with_confirm_removes_all_of_the_user_and_nothing_else(on, words):
    on("task", "add", "Watch the heron", "--user", "ana")
    ran = words("purge", "ana", "--confirm", "ana")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0].split() == ["what", "removed"]
    assert on("verify", "heron")["absent"] is True
    assert on("list")["memories"][0]["content"] == "The ferry leaves at noon."
    ran = words("purge", "ana", "--confirm", "ana")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing of this user is stored\n")


@pytest.mark.usefixtures("heron")
def test_tombstones_keep_an_old_text_from_coming_back(on):
    report = on("purge", "ana", "--confirm", "ana", "--tombstones")["purge"]
    assert (report["confirmed"], report["tombstones"]) == (True, True)
    again = ("The code word is heron.", "--user", "ana", "--event-time", "2020-01-01T00:00:00Z")
    assert on("add", *again)["added"][0]["outcome"] == "drop"


def test_a_name_that_is_not_repeated_exactly_removes_nothing(run, memory):
    ran = run("purge", "ana", "--confirm", "Ana")
    assert (ran.code, ran.out) == (2, "")
    assert "'--confirm'" in ran.err
    assert memory.opened == []


def test_bytes_that_may_be_left_are_said_beside_the_output(run, memory, monkeypatch):
    report = {"user_id": "an a", "counts": {"memory": 2}, "confirmed": True, "pending": True, "tombstones": False}
    monkeypatch.setattr(memory, "purge_user", lambda *_, **__: SimpleNamespace(**report), raising=False)
    monkeypatch.setattr(memory, "delete", lambda *_, **__: SimpleNamespace(pending=True))
    for arguments in (("purge", "an a", "--confirm", "an a"), ("delete", "4")):
        assert "memcore maintain wipe" in run(*arguments).err
    report["confirmed"] = False
    assert "memcore purge 'an a' --confirm 'an a'" in run("purge", "an a").err


def test_an_import_counts_apart_what_was_forgotten_for_good(on, tmp_path):
    lines = tmp_path / "turns.jsonl"
    lines.write_text('{"content": "I like dogs.", "user_id": "ana", "timestamp": "2020-01-01T00:00:00Z"}\n')
    assert on("import", str(lines))["imported"] == 1
    on("purge", "ana", "--confirm", "ana", "--tombstones")
    again = on("import", str(lines))
    assert (again["imported"], again["new"], again["already_there"], again["dropped"], again["ids"]) == (
        0,
        0,
        0,
        1,
        [None],
    )
