"""No word of another scope comes out of any method, trace, error or log, also by guessing ids."""

import pytest
from isolation_secrets import AGENTS, SCOPES, USERS, others, secret, secrets
from mirror_rooms import Crowded

from memcore import NotFoundError
from memcore.scope import Partition, Scope
from memcore.writing.reach import Reach

QUERIES = ("budget", "What is the budget?", "zq", "q", "zqcontent", "zqspeaker", "zqentity zqalias", "2026-11-30")
SWITCHES = (
    {},
    {"enable_pagerank": True, "fusion": "rrf"},
    {"fusion": "weighted", "rank_form": "perocore", "enable_nmf": True},
    {"fusion": "rrf", "rank_form": "postgres"},
    {"recall_dense_floor": -1.0, "enable_dpp": False},
)


def everyone(scopes):
    return [(agent, user) for agent, user in scopes if user is not None]


def asked_of(memory):
    """Fewer questions where each of them loads all that it needs."""
    return QUERIES[::3] if isinstance(memory, Crowded) else QUERIES


def search_everything(memory, heard, ids, **scope):
    """Every reading call, with everything that can be asked of a result."""
    for query in asked_of(memory):
        for params in SWITCHES:
            found = heard(lambda query=query, params=params: memory.search(query, limit=100, params=params, **scope))
            heard(lambda found=found: found.trace)
            heard(lambda found=found: found.context(3000))
            heard(lambda found=found: [*found])
            for hit in [*found][:3]:
                heard(lambda found=found, hit=hit: found.explain(hit))
            for one in ids:
                heard(lambda found=found, one=one: found.explain(one))
                heard(lambda found=found, one=one: found.why_not(one))
        heard(lambda query=query: memory.context(query, max_chars=3000, mark_used=False, **scope))


@pytest.mark.parametrize(("agent", "user"), SCOPES)
def test_a_search_shows_no_word_of_another_scope(stores, rooms, heard, agent, user):
    opened, ids = stores
    memory = opened[agent]
    rooms.left.clear()
    foreign = [one for scope, of in ids.items() if scope not in ((agent, user), (agent, None)) for one in of[::3]]
    search_everything(memory, heard, foreign, **({} if user is None else {"user_id": user}))
    for scope, of in ids.items():
        own = scope in ((agent, user), (agent, None))
        heard(lambda of=of: memory.get_all(user_id=user, cursor=of[0]))
        if not own:
            heard(lambda of=of: memory.why_not(of[0], "budget", user_id=user))
    words = others(agent, [user])
    assert not {word for word in words if word in heard.text()}
    assert {secret(agent, owner, "content") for owner in {user, None}} <= {
        word for word in secrets([agent], USERS) if word in heard.text()
    }
    if rooms.is_small and user is not None:
        assert len(rooms.left) > len(asked_of(memory)) * len(SWITCHES)


def by_id(memory, one, **whose):
    """Every call that names an id."""
    return [
        lambda: memory.get(one, **whose),
        lambda: memory.update(one, importance=1, **whose),
        lambda: memory.update(one, content="taken over", **whose),
        lambda: memory.graph(one, 6, **whose),
        lambda: memory.mark_used([one], **whose),
        lambda: memory.relate(one, one + 1, **whose),
        lambda: memory.unrelate(one, one + 1, **whose),
        lambda: memory.delete(one, **whose),
    ]


def dump(memory):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM memory, edge").fetchall()]


@pytest.mark.parametrize(("agent", "user"), everyone(SCOPES))
def test_a_guessed_id_of_another_scope_is_not_found_by_any_method(stores, heard, agent, user):
    opened, ids = stores
    memory = opened[agent]
    before = dump(memory)
    for scope, of in ids.items():
        if scope in ((agent, user), (agent, None)):
            continue
        for call in by_id(memory, of[0], user_id=user):
            with pytest.raises(NotFoundError):
                call()
            heard(call)
        with pytest.raises(NotFoundError):
            memory.relate(ids[agent, user][0], of[0], user_id=user)
    assert dump(memory) == before
    assert not {word for word in others(agent, [user]) if word in heard.text()}


@pytest.mark.parametrize("agent", AGENTS)
def test_without_a_user_no_id_of_another_agent_exists(stores, heard, agent):
    opened, ids = stores
    memory = opened[agent]
    before = dump(memory)
    for (owner, _), of in ids.items():
        if owner == agent:
            continue
        for call in by_id(memory, of[0]):
            with pytest.raises(NotFoundError):
                call()
            heard(call)
    for one in ids[agent, "john_doe"] + ids[agent, None]:
        heard(lambda one=one: memory.graph(one, 6))
    for call in (memory.stats, memory.doctor, memory.maintain):
        heard(call)
    assert dump(memory) == before
    assert not {word for word in others(agent, USERS) if word in heard.text()}


@pytest.mark.parametrize(("agent", "user"), everyone(SCOPES))
def test_a_user_changes_nothing_that_is_shared(stores, agent, user):
    opened, ids = stores
    memory, (one, *_) = opened[agent], ids[agent, None]
    before = dump(memory)
    for call in (
        lambda: memory.update(one, importance=1, user_id=user),
        lambda: memory.delete(one, user_id=user),
        lambda: memory.relate(*ids[agent, None][:2], user_id=user),
    ):
        with pytest.raises(NotFoundError):
            call()
    assert memory.get(one, user_id=user).user_id is None
    assert dump(memory) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_the_graph_around_a_shared_memory_shows_a_user_only_his_own(stores, heard, agent):
    opened, ids = stores
    memory = opened[agent]
    shared, (his, *_), (hers, *_) = ids[agent, None][2], ids[agent, "john_doe"], ids[agent, "john-doe"]
    memory.relate(his, shared)
    memory.relate(hers, shared)
    heard(lambda: memory.graph(shared, 6, user_id="john_doe"))
    search_everything(memory, heard, [hers], user_id="john_doe")
    assert secret(agent, "john_doe", "content") in heard.text()
    assert not {word for word in others(agent, ["john_doe"]) if word in heard.text()}


def test_shared_memories_are_seen_by_all_users_of_the_agent_and_by_nobody_else(stores):
    opened, ids = stores
    for agent, memory in opened.items():
        for user in ("john_doe", "john-doe", "somebody new", ["john_doe", "nobody"]):
            seen = {hit.id for hit in memory.search("budget", user_id=user, limit=100)}
            assert set(ids[agent, None]) <= seen
            assert not seen & {one for (owner, _), of in ids.items() if owner != agent for one in of}


def test_naming_nobody_reads_the_shared_memories_only(stores):
    opened, ids = stores
    for agent, memory in opened.items():
        assert {hit.user_id for hit in memory.search("budget", limit=100)} == {None}
        assert {record.user_id for record in memory.get_all(limit=1000)} == {None}
        assert {record.user_id for record in memory.get_all(user_id=[], limit=1000)} == {None}
        assert set(ids[agent, None]) == {hit.id for hit in memory.search("budget", limit=100)}


def test_two_named_users_are_both_seen(stores):
    opened, ids = stores
    found = {hit.id for hit in opened["north"].search("budget", user_id=["john_doe", "john-doe"], limit=100)}
    assert found == {one for user in USERS for one in ids["north", user]}


def test_another_users_idempotency_key_is_another_key(stores):
    opened, ids = stores
    memory, key = opened["south"], f"{secret('south', 'john_doe', 'key')} 0"
    (added,) = memory.add("mine", user_id="eve", idempotency_key=key)
    assert added.reason == ""
    assert added.id not in {one for of in ids.values() for one in of}
    assert memory.get(added.id).content == "mine"
    (again,) = memory.add("mine", user_id="eve", idempotency_key=key)
    assert (again.id, again.reason) == (added.id, "already stored under this idempotency key")


def test_the_checks_above_notice_a_scope_that_is_too_wide(stores, heard, monkeypatch):
    """The planted fault: a read that takes one partition more."""
    opened, ids = stores
    right = Scope.partitions.fget
    leak = Partition("south", "john-doe")
    monkeypatch.setattr(Scope, "partitions", property(lambda scope: (*right(scope), leak)))
    search_everything(opened["north"], heard, ids["south", "john-doe"][:1], user_id="john_doe")
    assert secret("south", "john-doe", "content") in heard.text()
    assert secret("south", "john-doe", "meta") in heard.text()


def test_the_checks_above_notice_an_id_that_is_let_through(stores, heard, monkeypatch):
    """The planted fault: the owner of an id is not looked at."""
    opened, ids = stores
    monkeypatch.setattr(Reach, "sees", lambda *_: True)
    heard(lambda: opened["north"].get(ids["south", "john-doe"][0], user_id="john_doe"))
    assert secret("south", "john-doe", "content") in heard.text()
