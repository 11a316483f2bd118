"""Memories that contradict each other come side by side, whichever of them a search recalled."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory
from memcore.embedding import HashingEmbedder


def disputed(memory, first, second, slot="drink", **fields):
    one, other = (
        memory.add(text, user_id="ana", kind="fact", slot=slot, confidence=0.9, **fields)[0].id
        for text in (first, second)
    )
    return one, other


def sides(result):
    return [(conflict.older.id, conflict.newer.id) for conflict in result.conflicts]


def kinds_in(text):
    return [line.split("(", 1)[1].split(")", 1)[0] for line in text.splitlines()[1:-1]]


@pytest.mark.parametrize(
    ("first", "second", "query"),
    [("Ana drinks green tea", "Espresso it is for her", "green tea"), ("她爱喝绿茶", "每天早上都是咖啡", "绿茶")],
)
def test_a_side_that_was_not_recalled_stands_beside_the_one_that_was(memory, first, second, query):
    one, other = disputed(memory, first, second)
    result = memory.search(query, user_id="ana", limit=1)
    assert [hit.id for hit in result] == [one]
    assert sides(result) == [(one, other)]
    block = result.block(max_chars=600)
    assert block.ids == (one,)
    assert block.text.index(first) < block.text.index(second)
    assert kinds_in(block.text) == ["fact, in conflict"] * 2
    json.dumps([conflict.to_dict() for conflict in result.conflicts])


def test_three_values_of_a_slot_are_three_pairs_and_stand_together(memory):
    one, other = disputed(memory, "Ana drinks tea", "Ana drinks coffee")
    memory.add("Ana drinks slowly, she says", user_id="ana", kind="fact")
    third = memory.add("Ana drinks water", user_id="ana", kind="fact", slot="drink", confidence=0.9)[0].id
    result = memory.search("What does Ana drink?", user_id="ana")
    assert sorted(sides(result)) == [(one, other), (one, third), (other, third)]
    written = kinds_in(result.context(2_000))
    assert sorted(written) == ["fact"] + ["fact, in conflict"] * 3
    assert written.index("fact") in (0, 3)


def test_a_conflict_that_is_decided_is_none_but_was_one_before(tmp_path):
    start, ticks = datetime(2026, 1, 1, tzinfo=UTC), iter(range(1, 10_000))

    def clock():
        return start + timedelta(minutes=next(ticks))

    with Memory(tmp_path / "m.db", embedder=HashingEmbedder(64), clock=clock) as memory:
        one, other = disputed(memory, "Ana drinks tea", "Ana drinks coffee")
        then = clock()
        memory.review.resolve(one, other, keep_both=True, user_id="ana")
        assert sides(memory.search("Ana drinks", user_id="ana")) == []
        assert sides(memory.search("Ana drinks", user_id="ana", known_at=then)) == [(one, other)]
        assert sides(memory.search("Ana drinks", user_id="ana", known_at=start)) == []


def test_a_side_that_waits_for_review_is_not_shown_to_a_search(memory):
    memory.add("Ana drinks tea", user_id="ana", kind="fact", slot="drink", confidence=0.9)
    memory.add("Ana drinks coffee", user_id="ana", kind="fact", slot="drink", confidence=0.9, origin="web")
    assert len(memory.review.conflicts(user_id="ana")) == 1
    result = memory.search("Ana drinks", user_id="ana")
    assert sides(result) == []
    assert "conflict" not in result.context()


def test_what_filters_leave_out_and_what_is_deleted_is_no_side(memory):
    one, other = disputed(memory, "Ana drinks tea", "Ana drinks coffee")
    assert sides(memory.search("tea", user_id="ana", filters={"id": one})) == []
    memory.delete(other, user_id="ana")
    assert sides(memory.search("tea", user_id="ana")) == []


def test_a_marked_block_that_a_model_gives_back_is_told_from_what_somebody_said(memory):
    disputed(memory, "Ana drinks tea", "Ana drinks coffee")
    text = memory.context("What does Ana drink?", user_id="ana")
    assert text.count(", in conflict)") == 2
    line = text.splitlines()[1]
    for said in (text, line, f"I found this: {line}"):
        [added] = memory.add(said, user_id="ana", speaker="assistant", origin="assistant")
        assert added.outcome == "drop", added


def test_a_conflict_with_what_is_dormant_is_shown_where_dormant_facts_are_asked_for():
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    with Memory(":memory:", embedder="none", clock=lambda: now) as memory:
        said = {"user_id": "ana", "kind": "fact", "slot": "mood"}
        [tired] = memory.add("Ana is tired.", **said, category="state").ids
        now += timedelta(days=3)
        [merry] = memory.add("Ana is merry.", **said, category="preference").ids
        memory.maintain(["sweep"])
        assert [memory.get(one).dormant for one in (tired, merry)] == [True, False]
        [pair] = memory.review.conflicts(user_id="ana")
        assert (pair.older.id, pair.newer.id) == (tired, merry)
        for query in ("merry", "tired"):
            result = memory.search(query, user_id="ana")
            assert sides(result) == []
            assert "in conflict" not in result.context()
            result = memory.search(query, user_id="ana", limit=1, include_dormant=True)
            assert sides(result) == [(tired, merry)]
            assert kinds_in(result.context()) == ["fact, in conflict"] * 2
