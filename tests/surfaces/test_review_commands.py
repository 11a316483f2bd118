"""The commands of review, on a real memory: what waits is decided, and what contradicts each other too."""

import pytest

FACT = ("--user", "ana", "--kind", "fact", "--slot", "diet")


@pytest.fixture
def waiting(on):
    """A fact of the user, and one of a tool that contradicts it and waits: their ids as words."""
    first = on("add", "Ana eats everything.", *FACT)["added"][0]
    second = on("add", "Ana eats no nuts.", *FACT, "--origin", "tool")["added"][0]
    assert (first["outcome"], second["outcome"]) == ("accept", "defer")
    return str(first["id"]), str(second["id"])


def test_what_waits_is_listed_and_not_found_until_it_is_approved(on, waiting):
    first, second = waiting
    found = lambda: [str(hit["id"]) for hit in on("search", "What does Ana eat?", "--user", "ana")["hits"]]
    assert [str(one["id"]) for one in on("review", "list", "--user", "ana")["pending"]] == [second]
    assert on("review", "list")["pending"] == []
    assert found() == [first]
    assert on("review", "approve", second)["approved"]["review_state"] == "active"
    assert found() == [second]
    assert on("review", "list", "--user", "ana")["pending"] == []


def test_what_is_rejected_is_never_found_and_the_reason_is_kept(on, waiting):
    _, second = waiting
    assert on("review", "reject", second, "--reason", "a guess")["rejected"]["review_state"] == "rejected"
    assert on("history", second)["operations"][-1]["reason"] == "rejected: a guess"
    assert on("why-not", second, "nuts", "--user", "ana")["why_not"]["reason"] == "review"


def test_a_conflict_is_listed_and_resolved(on):
    numbers = [str(on("add", text, *FACT)["added"][0]["id"]) for text in ("She eats fish.", "She eats no fish.")]
    (pair,) = on("review", "conflicts", "--user", "ana")["conflicts"]
    assert [str(pair["older"]["id"]), str(pair["newer"]["id"])] == numbers
    kept = on("review", "resolve", numbers[1], numbers[0], "--reason", "she said so")["kept"]
    assert str(kept["id"]) == numbers[1]
    assert on("review", "conflicts", "--user", "ana")["conflicts"] == []
    assert str(on("get", numbers[0])["memory"]["superseded_by"]) == numbers[1]


def test_a_search_says_what_is_in_conflict_with_what_it_found(on, run, tmp_path):
    numbers = [str(on("add", text, *FACT)["added"][0]["id"]) for text in ("She eats fish.", "她不吃鱼。")]
    (pair,) = on("search", "fish", "--user", "ana")["conflicts"]
    assert [str(pair["older"]["id"]), str(pair["newer"]["id"])] == numbers
    told = run("--db", str(tmp_path / "agent.db"), "search", "fish", "--user", "ana").out
    assert f"in conflict: {numbers[0]} She eats fish. / {numbers[1]} 她不吃鱼。" in told


def test_both_of_a_conflict_can_be_right(on):
    numbers = [str(on("add", text, *FACT)["added"][0]["id"]) for text in ("She eats fish.", "She eats no fish.")]
    on("review", "resolve", *numbers, "--keep-both")
    assert on("review", "conflicts", "--user", "ana")["conflicts"] == []
    assert [str(fact["id"]) for fact in on("fact", "list", "--user", "ana")["facts"]] == numbers


def test_people_see_tables_and_what_was_done(run, waiting, tmp_path):
    first, second = waiting
    database = ("--db", str(tmp_path / "agent.db"))
    lines = run(*database, "review", "list", "--user", "ana").out.splitlines()
    assert lines[0].split() == ["id", "kind", "origin", "confidence", "slot", "user", "memory"]
    assert lines[1].split()[:3] == [second, "fact", "tool"]
    lines = run(*database, "review", "conflicts", "--user", "ana").out.splitlines()
    assert lines[0].split() == ["since", "slot", "older", "says", "newer", "says", "waiting"]
    assert lines[1].split()[1:3] == ["diet", first]
    assert lines[1].split()[-1] == second
    assert run(*database, "review", "reject", second).out == f"memory {second} rejected\n"
    assert run(*database, "review", "list", "--user", "ana").err == "nothing waits for review\n"
    assert run(*database, "review", "conflicts", "--user", "ana").err == "no conflicts\n"


def test_what_does_not_wait_and_what_is_no_conflict_is_refused(run, waiting, tmp_path):
    first, second = waiting
    database = ("--db", str(tmp_path / "agent.db"))
    for arguments in (("approve", first), ("reject", first), ("approve", second, "--user", "bo")):
        ran = run(*database, "review", *arguments)
        assert (ran.code, ran.out) == (1, "")
        assert len(ran.err.splitlines()) == 1
    ran = run(*database, "review", "resolve", first, first)
    assert ran.code == 2
    assert "KEEP and DROP" in ran.err
