"""Texts that say nearly the same are one memory where nothing tells them apart; else each is its own."""

from datetime import UTC, datetime

import numpy as np
import pytest

from memcore import Memory
from memcore.errors import UndoRefusedError
from memcore.kinds import Kind, Outcome

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rows(memory, query, *parameters):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query, parameters)]


def operations(memory):
    return [row[0] for row in rows(memory, "SELECT action FROM operation ORDER BY id")]


def test_what_is_nearly_the_same_is_merged_by_its_vector_and_its_text_is_kept_for_an_undo(memory):
    [old] = memory.add("I prefer green tea over coffee", user_id="ana", embedding=[1.0, 0.1], session_id="s")
    [new] = memory.add("I prefer green tea to coffee", user_id="ana", embedding=[1.0, 0.0], idempotency_key="k")
    assert (new.id, new.outcome) == (old.id, Outcome.MERGE)
    [record] = memory.get_all(user_id="ana")
    [ended] = memory.get_all(user_id="ana", filters={"ending": "retired"})
    assert record.base_importance > record.importance
    assert (ended.ending, ended.content) == ("retired", "I prefer green tea to coffee")
    assert operations(memory) == ["merge"]
    assert memory.add("I prefer green tea to coffee", user_id="ana", idempotency_key="k")[0].id == old.id


def test_what_another_source_says_nearly_is_not_taken_away_with_the_first(memory):
    for text, source in (("I prefer green tea over coffee", "a"), ("I prefer green tea to coffee", "b")):
        memory.add(text, user_id="ana", embedding=[1.0, 0.1], origin="web", source_ref=source)
    [record] = memory.get_all(user_id="ana")
    [merge] = [one for one in memory.history(record.id) if one.action == "merge"]
    with pytest.raises(UndoRefusedError) as refused:
        memory.undo(source_ref="a")
    assert refused.value.operations == (merge.id,)
    memory.undo(merge.id)
    memory.undo(source_ref="a")
    assert [one.content for one in memory.get_all(user_id="ana")] == ["I prefer green tea to coffee"]


def test_a_near_text_does_not_come_back_beside_what_replaced_the_one_it_was_merged_into(memory):
    given = {"user_id": "ana", "kind": "knowledge", "embedding": [1.0, 0.1]}
    [old] = memory.add("I prefer green tea over coffee", **given)
    memory.add("I prefer green tea to coffee", **given)
    [merge] = memory.history(old.id)
    new = memory.supersede(old.id, "I prefer coffee")
    with pytest.raises(UndoRefusedError) as refused:
        memory.undo(merge.id)
    assert refused.value.operations == (memory.history(new.id)[0].id,)


@pytest.mark.parametrize(
    ("one", "other", "given"),
    [
        ("Ana runs 5 km each day", "Ana runs 3 km each day", {}),
        ("I like tea", "I do not like tea", {}),
        ("小明喜欢爬山", "小红喜欢爬山", {}),
        ("They met in the park", "They met in a park", {"entities": ["Ana"]}),
        ("They met in the park", "They met in a park", {"infer": False}),
        ("They met in the park", "They met in a park", {"kind": "turn"}),
        ("They met in the park", "They met in a park", {"kind": "fact"}),
        ("They met in the park", "They met in a park", {"origin": "assistant"}),
        ("They met in the park", "They met in a park", {"origin": "web"}),
        ("They met in the park", "They met in a park", {"channel": "direct"}),
        ("They met in the park", "They met in a park", {"speaker": "Bo"}),
        ("I owe her fifty euros.", "She owes me fifty euros.", {}),
        ("李真喜欢喝茶。", "李喜欢喝茶。", {}),
    ],
)
def test_equal_vectors_do_not_make_two_texts_one(memory, one, other, given):
    first, second = (
        memory.add(one, user_id="ana", embedding=[1.0, 0.0]).ids[0],
        memory.add(other, user_id="ana", embedding=[1.0, 0.0], **given).ids[0],
    )
    assert first != second
    assert [record.ending for record in memory.get_all(user_id="ana") if record.kind is not Kind.ENTITY] == [None] * 2


def test_with_the_bundled_embedder_another_wording_is_merged_and_another_order_is_not():
    with Memory(":memory:") as memory:
        first = memory.add("I prefer green tea over coffee.", user_id="ana").ids
        assert memory.add("I prefer green tea to coffee", user_id="ana").ids == first
        assert memory.add("I prefer coffee over green tea.", user_id="ana").ids != first
        memory.add("my wife hates my boss", user_id="ana", channel="direct")
        memory.add("my boss hates my wife", user_id="ana", channel="group")
        heard = memory.search("boss wife", user_id="ana", channel="group")
    assert "my boss hates my wife" in [hit.content for hit in heard]
    assert "my wife hates my boss" not in [hit.content for hit in heard]


@pytest.mark.parametrize(("one", "other"), [("direct", "group"), ("group", "direct"), (None, "group")])
def test_another_wording_in_another_channel_shows_nobody_what_was_not_said_there(memory, one, other):
    there = memory.add("They met in the park", user_id="ana", embedding=[1.0, 0.0], channel=one).ids
    here = memory.add("They met in a park", user_id="ana", embedding=[1.0, 0.0], channel=other).ids
    assert [memory.get(number).channel for number in there + here] == [one, other]
    heard = memory.search("park", user_id="ana", channel="group", embedding=[1.0, 0.0])
    assert {hit.id for hit in heard} == {number for number in there + here if memory.get(number).channel != "direct"}


def test_near_texts_of_one_call_are_merged_after_they_were_embedded(opened):
    memory = opened(embedder="hashing")
    added = memory.add_many(
        {"content": text, "user_id": "ana"} for text in ("green tea is what we drink", "green tea is what we do drink")
    )
    assert added.ids[1] == added.ids[0]
    assert added[1].outcome is Outcome.MERGE


def test_the_nearest_of_many_is_found_beside_what_is_not_loaded(opened, path):
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((300, 16)).astype(np.float32)
    memory = opened()
    ids = memory.add_many(
        {"content": f"plain {'very ' * number}text", "user_id": "ana", "embedding": vector}
        for number, vector in enumerate(vectors)
    ).ids
    again = opened(path)
    [added] = again.add("plain text, indeed", user_id="ana", embedding=vectors[200] + 0.01)
    assert added.id == ids[200]
