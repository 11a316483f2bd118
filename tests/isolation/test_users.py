"""Names that look alike are different users, and a few rows among many are all found."""

import pytest

from memcore import Memory, NotFoundError

ALIKE = [
    "john_doe",
    "john-doe",
    "a",
    "a.b",
    "a%",
    "%",
    "_",
    "",
    " ",
    "A",
    "ａ",
    "\u00e9",
    "e\u0301",
    "*",
    "'",
    '"',
    "NULL",
    "None",
]


@pytest.fixture(scope="module")
def stored(rooms):
    with rooms.memory(":memory:", embedder="none") as memory:
        ids = {}
        for at, user in enumerate([*ALIKE, None]):
            (ids[user],) = memory.add(
                f"The parcel has the number {at}", user_id=user, session_id="s", speaker="Ana"
            ).ids
        yield memory, ids
        assert rooms.holds()


@pytest.mark.parametrize("user", ALIKE, ids=ascii)
def test_users_whose_names_look_alike_are_different_everywhere(stored, user):
    memory, ids = stored
    mine = {ids[user], ids[None]}
    shown = lambda hits: {hit.id for hit in hits}
    assert shown(memory.search("parcel", user_id=user, limit=100)) == mine
    assert shown(memory.search("parcel", user_id=user, session_id="s", limit=100)) == mine
    assert shown(memory.search("parcel", user_id=user, filters={"speaker": "Ana"}, limit=100)) == mine
    assert {one.id for one in memory.get_all(user_id=user, kinds=["event"])} == mine
    assert memory.get(ids[user], user_id=user).user_id == user
    block = memory.context("parcel", user_id=user, mark_used=False)
    assert block.count("parcel") == 2
    view = memory.graph(ids[user], 6, user_id=user)
    assert {node.user_id for node in view.nodes} <= {user, None}
    for other in ALIKE:
        if other != user:
            assert memory.why_not(ids[user], "parcel", user_id=[user, other]).reason == "returned"
            with pytest.raises(NotFoundError):
                memory.get(ids[other], user_id=user)


def test_agents_whose_names_look_alike_are_different(tmp_path):
    for at, agent in enumerate(ALIKE):
        with Memory(tmp_path / "all.db", agent_id=agent, embedder="none", durability="relaxed") as memory:
            memory.add(f"The parcel of number{at}")
    for at, agent in enumerate(ALIKE):
        with Memory(tmp_path / "all.db", agent_id=agent, embedder="none", durability="relaxed") as memory:
            assert [hit.content for hit in memory.search("parcel")] == [f"The parcel of number{at}"]
            assert memory.stats().memories == {"event": 1}


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_a_user_with_five_rows_among_three_thousand_gets_five_hits(embedder):
    with Memory(":memory:", embedder=embedder) as memory:
        crowd = [{"content": f"The parcel number {n} came today", "user_id": f"user {n % 30}"} for n in range(3_000)]
        memory.add_many(crowd[:1_500], embed="later")
        mine = memory.add_many({"content": f"The parcel of mine, number {n}", "user_id": "me"} for n in range(5))
        memory.add_many(crowd[1_500:], embed="later")
        hits = memory.search("Where is the parcel?", user_id="me", limit=8)
        assert {hit.id for hit in hits} == set(mine.ids)
        assert hits.trace.scope_size == 5
