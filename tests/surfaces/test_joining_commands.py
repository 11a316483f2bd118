"""The commands about use and edges, on a real memory."""

import pytest


def stored(on, *texts, whose=("--user", "ana")):
    return [str(on("add", text, *whose)["added"][0]["id"]) for text in texts]


def test_what_is_marked_as_used_gains_importance_and_is_joined(on):
    ids = stored(on, "The ferry leaves at noon.", "Two seats are booked.")
    before = on("get", ids[0])["memory"]
    assert on("mark-used", *ids, "--user", "ana") == {"marked": 2}
    after = on("get", ids[0])["memory"]
    assert after["base_importance"] == pytest.approx(before["base_importance"] + 0.1)
    assert [edge["type"] for edge in on("graph", ids[0])["graph"]["edges"]] == ["associative"]


def test_memories_are_joined_shown_and_parted(on):
    one, two, three = stored(on, "The ferry leaves at noon.", "Two seats are booked.", "Bo is coming.")
    edge = on("relate", one, two, "--type", "causal", "--strength", "0.8")["edge"]
    assert edge == {"source_id": int(one), "target_id": int(two), "type": "causal", "strength": 0.8}
    assert on("relate", two, three)["edge"]["strength"] == 0.35
    nodes = lambda *hops: [node["id"] for node in on("graph", one, *hops)["graph"]["nodes"]]
    assert nodes() == [int(number) for number in (one, two, three)]
    assert nodes("--hops", "1") == [int(one), int(two)]
    assert on("unrelate", two, one) == {"ended": 1}
    assert on("unrelate", two, one) == {"ended": 0}
    assert nodes() == [int(one)]


def test_an_edge_can_hold_since_an_earlier_moment_and_not_from_a_later_one(run, on, tmp_path):
    one, two = stored(on, "The ferry leaves at noon.", "Two seats are booked.")
    assert on("relate", one, two, "--valid-from", "2020-01-01T00:00:00Z")["edge"]["type"] == "associative"
    ran = run("--db", str(tmp_path / "agent.db"), "relate", one, two, "--valid-from", "2999-01-01T00:00:00Z")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memcore: valid_from: ")


def test_what_is_of_another_user_is_not_there(run, on, tmp_path):
    one, two = stored(on, "The password of the boat.", "Two seats are booked.")
    db = ("--db", str(tmp_path / "agent.db"))
    for arguments in (("mark-used", one, two), ("relate", one, two), ("unrelate", one, two), ("graph", one)):
        ran = run(*db, *arguments, "--user", "bo")
        assert (ran.code, ran.out) == (1, "")
        assert f"{one} is no memory of the named user" in ran.err
        assert "password" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mark-used",), "ID"),
        (("mark-used", "0"), "ID"),
        (("relate", "1", "1"), "one memory"),
        (("unrelate", "1", "1"), "one memory"),
        (("relate", "1", "2", "--type", "mention"), "--type"),
        (("relate", "1", "2", "--type", "cause"), "--type"),
        (("relate", "1", "2", "--strength", "2"), "--strength"),
        (("graph", "1", "--hops", "7"), "--hops"),
        (("graph", "1", "--user", "ana", "--user", "bo"), "2 times"),
        (("mark-used", "1", "--db", ":memory:"), "--db FILE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_given_wrongly_is_a_usage_error_and_opens_no_database(run, memory, arguments, said):
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert memory.opened == []


def test_people_see_tables(run, on, tmp_path):
    one, two = stored(on, "The ferry leaves at noon.", "Two\x1b[2J seats.")
    db = ("--db", str(tmp_path / "agent.db"))
    assert run(*db, "mark-used", one).out == "1 memory marked as used\n"
    assert run(*db, "mark-used", one, two).out == "2 memories marked as used\n"
    assert run(*db, "relate", one, two, "--type", "inhibitory").out == f"{one} → {two}  inhibitory  0.350\n"
    shown = run(*db, "graph", one).out
    nodes, _, edges = shown.partition("\n\n")
    assert nodes.splitlines()[0].split() == ["id", "kind", "date", "user", "memory"]
    assert "\\x1b[2J seats." in nodes
    assert edges.splitlines()[0].split() == ["source", "target", "type", "strength"]
    assert "inhibitory" in edges
    assert run(*db, "unrelate", one, two).out == "2 edges ended\n"
    assert "source" not in run(*db, "graph", one).out
