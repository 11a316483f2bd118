"""What writing joins: mentions, entities named together, memories written together, turns in their order."""

from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore.errors import InvalidInputError
from memcore.kinds import Embed
from memcore.storage import memories


def entity(store, name):
    return store.one("SELECT memory_id FROM entity WHERE name_key = ?", name)


def test_a_declared_entity_becomes_a_memory_that_the_text_mentions(store):
    [added] = store.add("Ana likes fado.", user_id="u", entities=[{"name": "Ana", "aliases": ["Anita"]}])
    assert store.rows("SELECT memory_id, entity_id FROM mention") == [(added.id, entity(store, "ana"))]
    assert store.rows("SELECT kind, user_id, content FROM memory WHERE id = ?", entity(store, "ana")) == [
        ("entity", "u", "Ana")
    ]


def test_an_alias_leads_to_the_entity_that_is_there(store):
    store.add("Ana likes fado.", entities=[{"name": "Ana", "aliases": ["Anita"]}])
    store.add("ANITA left.", entities=["ＡＮＩＴＡ"])
    assert store.one("SELECT count(*) FROM entity") == 1
    assert store.one("SELECT count(*) FROM mention WHERE entity_id = ?", entity(store, "ana")) == 2


def test_a_named_speaker_is_an_entity_and_a_role_is_none(store):
    store.add([{"role": "user", "name": "Ana", "content": "Hello there."}, {"role": "assistant", "content": "Hello."}])
    assert store.rows("SELECT name_key FROM entity") == [("ana",)]
    assert store.one("SELECT count(*) FROM mention") == 1
    assert store.rows("SELECT speaker FROM memory WHERE kind = 'turn' ORDER BY id") == [("Ana",), ("assistant",)]


def test_a_role_is_no_word_of_the_index(store):
    store.add([{"role": "assistant", "content": "Hello."}])
    assert "assist" not in store.one("SELECT tokens FROM memory")


def test_new_entities_are_embedded_with_the_text_that_names_them(store):
    store.add("Ana met Ben.", entities=["Ana", "Ben"])
    store.add("Ana met Cem.", entities=["Ana", "Cem"])
    assert [sorted(asked) for asked in store.embedder.asked if any("met" in text for text in asked)] == [
        ["Ana", "Ana met Ben.", "Ben"],
        ["Ana met Cem.", "Cem"],
    ]
    assert store.one("SELECT count(*) FROM memory_vector") == 5


def test_entities_of_one_text_are_counted_together(store):
    store.add("x", entities=["Ana", "Ben", "Cem"])
    store.add("y", entities=["Ben", "Ana"], speaker="Ana")
    ana, ben, cem = (entity(store, name) for name in ("ana", "ben", "cem"))
    counts = {frozenset((ana, ben)): 2, frozenset((ana, cem)): 1, frozenset((ben, cem)): 1}
    stored = store.rows("SELECT entity_a_id, entity_b_id, count FROM cooccurrence")
    assert {frozenset((a, b)): count for a, b, count in stored} == counts
    assert all(a < b for a, b, _ in stored)


def test_speakers_of_one_list_of_messages_are_counted_together_once(store):
    said = [{"role": "user", "name": name, "content": f"{name} speaks"} for name in ("Ana", "Ben", "Ana", "Ben")]
    store.add(said)
    assert store.rows("SELECT count FROM cooccurrence") == [(1,)]


def test_items_of_many_are_batches_of_their_own(store):
    store.add_many([{"content": "x", "entities": ["Ana"]}, {"content": "y", "entities": ["Ben"]}])
    assert store.rows("SELECT * FROM cooccurrence") == []
    assert store.rows("SELECT * FROM edge") == []


def test_only_the_first_ten_entities_of_a_batch_count_together(store):
    store.add("x", entities=[f"person {number}" for number in range(12)])
    assert store.one("SELECT count(*) FROM cooccurrence") == 45
    assert store.one("SELECT count(*) FROM mention") == 12


def test_the_same_name_is_an_entity_of_each_user_alone(store):
    store.add("x", user_id="u", entities=["Ana"])
    store.add("x", user_id="v", entities=["Ana"])
    assert store.one("SELECT count(*) FROM entity") == 2


def test_turns_of_one_call_get_no_edges_and_other_memories_do(store):
    store.add([{"role": "user", "content": f"turn {number}"} for number in range(3)], session_id="s")
    assert store.rows("SELECT * FROM edge") == []
    result = store.add([{"role": "user", "content": f"event {number}"} for number in range(3)], kind="event")
    edges = store.rows("SELECT source_id, target_id, strength FROM edge")
    assert [(source, target) for source, target, _ in edges] == list(combinations(result.ids, 2))
    assert {strength for _, _, strength in edges} == {0.35}


def test_at_most_ten_pairs_of_a_batch_are_joined(store):
    store.add([{"role": "user", "content": f"event {number}"} for number in range(9)], kind="event")
    assert store.one("SELECT count(*) FROM edge") == 10


def test_a_memory_of_kind_entity_is_the_entity_and_adding_it_again_completes_it(store):
    [first] = store.add("Ana", kind="entity", entities=[{"name": "Ana", "aliases": ["Anita"]}], user_id="u")
    [again] = store.add("anita", kind="entity", tags=["friend"], metadata={"born": 1990}, importance=9, user_id="u")
    assert again.id == first.id
    assert store.rows("SELECT content, tags, importance FROM memory") == [("Ana", '["friend"]', 9.0)]
    assert store.rows("SELECT * FROM mention") == []
    assert store.one("SELECT count(*) FROM memory_vector") == 1


def test_an_entity_belongs_to_no_conversation(store):
    with pytest.raises(InvalidInputError, match="session_id"):
        store.add("Ana", kind="entity", session_id="s")


NAMES = st.lists(st.sampled_from(["Ana", "ana ", "Ben", "Cem", "DANA", "dana", "Eve"]), max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NAMES, min_size=1, max_size=4))
def test_counts_equal_a_plain_recount_of_all_pairs(store, calls):
    store.agent_id = f"agent {len(store.embedder.asked)} {calls}"
    expected = {}
    for names in calls:
        store.add("text", entities=names, embed=Embed.LATER, infer=False)
        for pair in combinations(sorted({name.strip().lower() for name in names}), 2):
            expected[pair] = expected.get(pair, 0) + 1
    stored = store.rows(
        "SELECT a.name_key, b.name_key, c.count FROM cooccurrence AS c JOIN entity AS a ON a.memory_id = c.entity_a_id"
        " JOIN entity AS b ON b.memory_id = c.entity_b_id JOIN memory AS m ON m.id = a.memory_id WHERE m.agent_id = ?",
        store.agent_id,
    )
    assert {tuple(sorted((a, b))): count for a, b, count in stored} == expected
    with store.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM memory WHERE agent_id = ?", (store.agent_id,))


def remove(store, *ids):
    with store.database.write() as connection:
        memories.remove(connection, ids)


def test_a_pair_that_a_memory_still_mentions_stays_counted(store):
    [x] = store.add("x", entities=[f"e{n}" for n in range(12)])
    store.add("y", entities=["e10", "e11"])
    remove(store, x.id)
    pair = (entity(store, "e10"), entity(store, "e11"))
    assert store.rows("SELECT entity_a_id, entity_b_id, count FROM cooccurrence") == [(*pair, 1)]


def test_a_pair_of_two_messages_stays_until_the_last_one_goes(store):
    said = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    first, second = store.add(said, entities=["K1", "K2"])
    remove(store, first.id)
    assert store.rows("SELECT count FROM cooccurrence") == [(1,)]
    remove(store, second.id)
    assert store.rows("SELECT count FROM cooccurrence") == []


def test_speakers_that_nobody_mentions_any_more_are_no_companions(store):
    said = [{"role": "user", "name": name, "content": "hello"} for name in ("Al", "Bo")]
    remove(store, *(one.id for one in store.add(said)))
    assert store.rows("SELECT * FROM cooccurrence") == []


def test_a_memory_with_too_many_entities_is_refused(store):
    with pytest.raises(InvalidInputError, match=r"entities: a list of 1001 .*at most 1000"):
        store.add("x", entities=[f"e{n}" for n in range(1001)])
