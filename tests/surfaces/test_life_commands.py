"""The commands about the life of a memory, on a real one: every change is shown, and can be taken back."""

import io

import pytest


@pytest.fixture
def tea(on):
    """The id, as a word, of a fact about tea."""
    return str(on("fact", "set", "tea", "Tea is at four.", "--user", "ana", "--source-ref", "mail")["added"][0]["id"])


@pytest.fixture
def words(run, tmp_path):
    """What a command on the same database prints for people."""
    return lambda *arguments: run("--db", str(tmp_path / "agent.db"), *arguments)


def found(on):
    return [hit["content"] for hit in on("search", "tea", "--user", "ana")["hits"]]


def test_pin_and_unpin_are_seen_in_the_memory(on, words, tea):
    assert on("pin", tea)["pinned"]["pinned"] is True
    assert on("get", tea)["memory"]["pinned"] is True
    assert words("unpin", tea, "--user", "ana").out == f"memory {tea} unpinned\n"
    assert on("get", tea)["memory"]["pinned"] is False


def test_what_was_called_wrong_cannot_be_retired_and_the_words_say_so(on, words, tea):
    assert words("feedback", tea, "--wrong").code == 0
    assert words("retire", tea).out == f"memory {tea} is wrong already; nothing was done\n"
    assert on("retire", tea)["retired"]["ending"] == "wrong"


def test_what_is_retired_is_not_found_until_it_is_undone(on, words, tea):
    assert on("retire", tea, "--reason", "an old habit")["retired"]["ending"] == "retired"
    assert found(on) == []
    operation = on("history", tea)["operations"][-1]
    assert (operation["action"], operation["reason"]) == ("retire", "an old habit")
    (undone,) = on("undo", str(operation["id"]), "--user", "ana")["undone"]
    assert undone["undoes"] == operation["id"]
    assert found(on) == ["Tea is at four."]
    ran = words("undo", str(operation["id"]))
    assert (ran.code, ran.out) == (1, "")
    assert "undone by operation" in ran.err


def test_history_tells_people_what_changed_and_what_was_undone(on, words, tea):
    on("update", tea, "--importance", "7.5")
    on("undo", str(on("history", tea)["operations"][-1]["id"]))
    heading, born, updated, undone = words("history", tea).out.splitlines()
    assert heading.split() == ["id", "when", "action", "memories", "what", "changed", "reason", "undo"]
    assert f"{tea}: added" in born
    assert "importance 5 → 7.5" in updated
    assert "undone by 3" in updated
    assert "importance 7.5 → 5" in undone
    assert "undoes 2" in undone


def test_a_memory_that_was_only_stored_has_no_history(on, words):
    number = str(on("add", "The ferry leaves at noon.", "--shared")["added"][0]["id"])
    ran = words("history", number)
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing was done to it\n")
    assert on("history", number) == {"operations": []}


def test_a_long_value_is_cut_for_people_and_whole_for_programs(on, words, tea):
    on("update", tea, "--content", "Tea " + "and cake " * 40)
    line = words("history", tea).out.splitlines()[-1]
    assert "Tea is at four. → Tea and cake" in line
    assert "…" in line
    change = on("history", tea)["operations"][-1]["changes"][0]
    assert change["after"]["content"].count("cake") == 40


@pytest.mark.usefixtures("tea")
def test_all_of_a_source_is_undone_or_what_came_since_a_moment(on, words):
    on("add", "Coffee is at ten.", "--user", "ana", "--source-ref", "mail")
    ran = words("undo", "--source-ref", "mail", "--since", "2099-01-01T00:00:00Z")
    assert (ran.code, ran.out) == (1, "")
    undone = on("undo", "--source-ref", "mail", "--since", "2020-01-01T00:00:00Z")["undone"]
    assert len(undone) == 2
    assert on("list", "--user", "ana")["memories"] == []
    assert words("undo", "--source-ref", "mail") == (0, "", "nothing left to undo\n")


@pytest.mark.usefixtures("tea")
def test_a_run_of_a_job_that_did_nothing_has_nothing_to_undo(words):
    ran = words("undo", "--job-run", "sweep-1")
    assert (ran.code, ran.out) == (1, "")
    assert "sweep-1" in ran.err


def test_supersede_keeps_the_slot_and_the_old_fact(on, words, tea):
    options = ("--valid-from", "2099-01-01T00:00:00Z", "--source-ref", "letter")
    (added,) = on("supersede", tea, "Tea is at five.", *options)["added"]
    assert str(added["supersedes"]) == tea
    new = on("get", str(added["id"]))["memory"]
    assert (new["slot"], new["user_id"], new["source_ref"]) == ("tea", "ana", "letter")
    assert on("get", tea)["memory"]["valid_until"] == "2099-01-01T00:00:00+00:00"
    assert found(on) == ["Tea is at four."]
    ran = words("supersede", tea, "Tea is at six.", "--valid-from", "2099-02-01T00:00:00Z")
    assert (ran.code, ran.out) == (1, "")
    assert "give an earlier valid_from" in ran.err


def test_feedback_is_a_label_unless_it_says_that_a_memory_is_wrong(on, words, tea):
    assert on("feedback", tea, "--helpful") == {"feedback": int(tea), "added": []}
    assert words("feedback", tea, "--not-helpful").out == f"memory {tea} noted\n"
    assert found(on) == ["Tea is at four."]
    on("feedback", tea, "--wrong")
    assert found(on) == []
    assert on("get", tea)["memory"]["ending"] == "wrong"


def test_what_is_corrected_takes_the_place_of_the_memory(on, words, tea, monkeypatch):
    (added,) = on("feedback", tea, "--corrected", "Tea is at five.")["added"]
    assert found(on) == ["Tea is at five."]
    monkeypatch.setattr("sys.stdin", io.StringIO("Tea is at six.\n"))
    assert words("feedback", str(added["id"]), "--corrected", "-").out.split()[1:3] == ["fact", "accept"]
    assert found(on) == ["Tea is at six."]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("undo",), "give one of OPERATION, --source-ref and --job-run"),
        (("undo", "1", "--job-run", "x"), "give one of OPERATION"),
        (("undo", "1", "--since", "2026-05-03T00:00:00Z"), "--since goes with --source-ref"),
        (("feedback", "4"), "nothing was said"),
        (("feedback", "4", "--helpful", "--wrong"), "--helpful and --wrong exclude each other"),
        (("feedback", "4", "--helpful", "--not-helpful"), "--helpful and --not-helpful exclude each other"),
        (("feedback", "4", "--not-helpful", "--helpful"), "--helpful and --not-helpful exclude each other"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_go_together_is_a_usage_error(run, memory, arguments, said):
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert memory.opened == []


def test_a_memory_of_another_user_is_not_reached(on, words, tea):
    for command in (("pin",), ("unpin",), ("retire",), ("history",), ("feedback", "--wrong"), ("supersede", "x")):
        name, *rest = command
        ran = words(name, tea, *rest, "--user", "bo")
        assert (ran.code, ran.out) == (1, "")
        assert "four" not in ran.err
    assert found(on) == ["Tea is at four."]
