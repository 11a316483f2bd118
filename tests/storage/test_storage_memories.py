"""Memories are kept as they were given, in their place, and go without a trace."""

import pytest
from storage_samples import ANA, BOB, NOON, SHARED, a_memory, minutes, some_vectors

from memcore.errors import InvalidInputError, NotFoundError, StorageError
from memcore.kinds import EdgeType, Kind, Origin
from memcore.scope import Partition, Scope
from memcore.storage import edges, entities, jobs, memories, spaces, strength, vectors
from memcore.storage.rows import NewEdge, Removed

EVERYBODY = Scope("agent", ("ana", "bob"))


def test_what_is_fetched_is_what_was_inserted(database):
    given = a_memory(
        "上海 is 2 h away",
        kind=Kind.TURN,
        origin=Origin.ASSISTANT,
        speaker="Ana",
        session_id="s",
        importance=7.5,
        event_time=minutes(-5),
        tags=("travel", "計画"),
        metadata={"a": [1, None, True], "b": {"c": 1.5}},
        source_ref="file:1",
        idempotency_key="k",
    )
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [given])
    with database.read() as conn:
        [row] = memories.fetch(conn, [memory_id])
    for name in set(given.__slots__) - {"claim", "detail", "identity_key", "text_key"}:
        assert getattr(row, name) == getattr(given, name), name
    assert (row.position, row.prev_id, row.next_id, row.access_count, row.last_used_at) == (0, None, None, 0, None)
    assert (row.base_importance, row.updated_at, row.intact) == (7.5, NOON, True)


def test_fetch_keeps_the_order_asked_and_leaves_out_what_is_not_there(database):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory(f"number {n}") for n in range(4)])
        rows = memories.fetch(conn, [ids[2], 999, ids[0], ids[2]])
    assert [row.id for row in rows] == [ids[2], ids[0], ids[2]]


def test_an_id_is_never_given_twice_even_after_the_last_memory_went(database):
    with database.write() as conn:
        first, last = memories.insert(conn, [a_memory("one"), a_memory("two")])
        memories.remove(conn, [last])
    with database.write() as conn:
        [new] = memories.insert(conn, [a_memory("three")])
    assert new > last > first


def test_turns_of_a_session_follow_each_other_within_and_across_batches(database):
    with database.write() as conn:
        first = memories.insert(conn, [a_memory(f"turn {n}", session_id="s") for n in range(2)])
        memories.insert(
            conn, [a_memory("another session", session_id="t"), a_memory("another user", BOB, session_id="s")]
        )
        second = memories.insert(conn, [a_memory(f"turn {n}", session_id="s") for n in range(2, 4)])
        rows = memories.fetch(conn, first + second)
    ids = [row.id for row in rows]
    assert [row.position for row in rows] == [0, 1, 2, 3]
    assert [row.prev_id for row in rows] == [None, *ids[:-1]]
    assert [row.next_id for row in rows] == [*ids[1:], None]


def test_a_memory_without_a_session_has_no_neighbours(database):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory("one"), a_memory("two")])
        rows = memories.fetch(conn, ids)
    assert {(row.position, row.prev_id, row.next_id) for row in rows} == {(None, None, None)}


@pytest.mark.parametrize("holes", [[0], [1], [2], [4], [1, 2, 3], [3, 2], [0, 4], [0, 1, 2, 3, 4]])
def test_the_chain_closes_around_what_is_removed(database, holes):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory(f"turn {n}", session_id="s") for n in range(5)])
        memories.remove(conn, [ids[hole] for hole in holes])
        rows = memories.fetch(conn, ids)
    left = [row.id for row in rows]
    assert left == [memory_id for at, memory_id in enumerate(ids) if at not in holes]
    assert [row.prev_id for row in rows] == [None, *left[:-1]][: len(left)]
    assert [row.next_id for row in rows] == [*left[1:], None][: len(left)]


def test_the_chain_also_closes_when_neighbours_are_deleted_by_hand_in_one_statement(database, by_hand):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory(f"turn {n}", session_id="s") for n in range(6)])
    by_hand.execute("DELETE FROM memory WHERE position IN (1, 2, 4)")
    with database.read() as conn:
        rows = memories.fetch(conn, ids)
    assert [(row.prev_id, row.next_id) for row in rows] == [(None, ids[3]), (ids[0], ids[5]), (ids[3], None)]


def test_names_that_look_alike_are_different_users(database):
    names = ["john_doe", "john-doe", "johnXdoe", "%", "_", "", "a", "a.b", "NULL", None]
    with database.write() as conn:
        memories.insert(conn, [a_memory(f"of {name!r}", Partition("agent", name)) for name in names])
    with database.read() as conn:
        for name in names[:-1]:
            seen = [row.content for row in memories.page(conn, Scope("agent", (name,)), limit=10)]
            assert sorted(seen) == sorted([f"of {name!r}", "of None"])
        assert [row.content for row in memories.page(conn, Scope("agent"), limit=10)] == ["of None"]
        assert memories.page(conn, Scope("%"), limit=10) == []


def test_pages_follow_each_other_without_gap_or_repeat_across_partitions(database):
    with database.write() as conn:
        owners = [ANA, SHARED, BOB, ANA, BOB, BOB, SHARED, Partition("other", "ana")] * 3
        ids = memories.insert(conn, [a_memory(f"row {at}", owner) for at, owner in enumerate(owners)])
    with database.read() as conn:
        seen, cursor = [], 0
        while rows := memories.page(conn, EVERYBODY, after_id=cursor, limit=4):
            seen += [row.id for row in rows]
            cursor = seen[-1]
        assert memories.matching_ids(conn, EVERYBODY).tolist() == seen
    assert seen == [memory_id for memory_id, owner in zip(ids, owners, strict=True) if owner.agent_id == "agent"]


def test_a_page_shows_only_the_kinds_and_the_session_asked_for(database):
    with database.write() as conn:
        ids = memories.insert(
            conn,
            [
                a_memory("a", kind=Kind.FACT, session_id="s"),
                a_memory("b", session_id="s"),
                a_memory("c", kind=Kind.FACT),
            ],
        )
        facts = memories.page(conn, Scope("agent", ("ana",)), kinds=[Kind.FACT], limit=9)
        session = memories.page(conn, Scope("agent", ("ana",), "s"), limit=9)
        nothing = memories.page(conn, Scope("agent", ("ana",)), kinds=[], limit=9)
    assert [row.id for row in facts] == [ids[0], ids[2]]
    assert [row.id for row in session] == ids[:2]
    assert nothing == []


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_of_nothing_is_refused(database, limit):
    with database.read() as conn, pytest.raises(InvalidInputError, match="limit"):
        memories.page(conn, EVERYBODY, limit=limit)


@pytest.mark.parametrize("owner", [ANA, SHARED])
def test_an_idempotency_key_is_taken_once_by_a_user_and_free_for_others(database, owner):
    others = [one for one in (ANA, BOB, SHARED, Partition("other", "ana")) if one != owner]
    with database.write() as conn:
        [first, *_] = memories.insert(conn, [a_memory(partition=one, idempotency_key="k") for one in (owner, *others)])
        assert memories.by_idempotency(conn, owner, ["k", "free"]) == {
            "k": (first, "event", False, "Ana moved to Lisbon.")
        }
    with pytest.raises(StorageError, match="idempotency_key"), database.write() as conn:
        memories.insert(conn, [a_memory("x"), a_memory("again", owner, idempotency_key="k")])
    with database.read() as conn:
        assert len(memories.page(conn, EVERYBODY, limit=9)) == 3


@pytest.mark.parametrize(
    "bad", [{"importance": 10.5}, {"importance": -1}, {"importance": float("nan")}, {"content": " \t\n\u3000"}]
)
def test_the_database_refuses_what_no_memory_can_be_and_keeps_nothing_of_the_batch(database, bad):
    with pytest.raises(StorageError, match=r"memory_|NOT NULL"), database.write() as conn:
        memories.insert(conn, [a_memory("good"), a_memory(**bad)])
    with database.read() as conn:
        assert memories.page(conn, EVERYBODY, limit=9) == []


def test_an_error_never_quotes_what_was_to_be_stored(database):
    with pytest.raises(StorageError) as caught, database.write() as conn:
        memories.insert(conn, [a_memory("the secret word", importance=99)])
    shown = "".join(str(error) for error in (caught.value, caught.value.__cause__, caught.value.__context__))
    assert "secret" not in shown


def test_metadata_that_json_has_no_form_for_is_refused(database):
    with database.write() as conn, pytest.raises(InvalidInputError, match="metadata"):
        memories.insert(conn, [a_memory(metadata={"x": float("inf")})])


def test_a_new_text_takes_the_old_vector_away_and_queues_a_new_one(database):
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [a_memory("old")])
        space = spaces.ensure(conn, "m", 16, "f")
        vectors.put(conn, space, [memory_id], some_vectors(1), ["old"])
        memories.update(conn, memory_id, updated_at=minutes(1), content="new", tokens="new", metadata={"a": 1})
        [row] = memories.fetch(conn, [memory_id])
        assert vectors.count_pending(conn, "agent", space) == 1
        assert [job.memory_id for job in jobs.of_agent(conn, "agent")] == [memory_id]
        vectors.put(conn, space, [memory_id], some_vectors(1), ["new"])
        assert jobs.of_agent(conn, "agent") == []
    assert (row.content, row.tokens, row.metadata, row.updated_at, row.intact) == (
        "new",
        "new",
        {"a": 1},
        minutes(1),
        True,
    )


def test_a_change_of_importance_leaves_the_vector(database):
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [a_memory("text")])
        space = spaces.ensure(conn, "m", 16, "f")
        vectors.put(conn, space, [memory_id], some_vectors(1), ["text"])
        memories.update(conn, memory_id, updated_at=NOON, importance=9.0, event_time=minutes(3), tags=("t",))
        [row] = memories.fetch(conn, [memory_id])
        assert vectors.count_pending(conn, "agent", space) == 0
    assert (row.importance, row.event_time, row.tags) == (9.0, minutes(3), ("t",))


def test_an_update_names_what_can_be_changed_and_what_is_not_there(database):
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [a_memory()])
        with pytest.raises(InvalidInputError, match="agent_id"):
            memories.update(conn, memory_id, updated_at=NOON, agent_id="other")
        with pytest.raises(NotFoundError, match="999"):
            memories.update(conn, 999, updated_at=NOON, importance=1)


def test_use_counts_and_raises_base_importance_up_to_ten(database):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory("a"), a_memory("b", importance=9.95), a_memory("c")])
        strength.use(conn, ids[:2], minutes(9))
        used, capped, unused = memories.fetch(conn, ids)
    assert (used.access_count, used.base_importance, used.importance, used.last_used_at) == (1, 5.1, 5.0, minutes(9))
    assert capped.base_importance == 10
    assert (unused.access_count, unused.last_used_at) == (0, None)


def test_a_removal_counts_all_that_went_with_the_memory(database):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory("one"), a_memory("two")])
        a, b = entities.resolve(conn, ANA, [("Ana", ()), ("Lisbon", ("Lisboa",))], NOON)
        entities.mention(conn, [(ids[0], a), (ids[0], b), (ids[1], a)])
        entities.count_together(conn, ANA, [[a, b]])
        space = spaces.ensure(conn, "m", 16, "f")
        vectors.put(conn, space, [ids[0], a], some_vectors(2), ["one", "Ana"])
        edges.put(conn, [NewEdge(ids[0], ids[1], EdgeType.CAUSAL, 0.5), NewEdge(ids[1], ids[0], EdgeType.CAUSAL, 0.5)])
        jobs.queue(conn, ids)
        removed = memories.remove(conn, [ids[0], 999, ids[0]])
        assert removed == Removed(memories=1, vectors=1, edges=2, mentions=2, cooccurrences=1, jobs=1)
        removed = memories.remove(conn, [a])
        assert removed == Removed(memories=1, vectors=1, edges=0, mentions=1, cooccurrences=0, jobs=0)
        assert memories.remove(conn, []).memories == 0
