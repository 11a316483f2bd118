"""What happened to the candidates of a search is told from their use, in whatever order and by whatever clock."""

from datetime import timedelta

import pytest
from learning_lives import flushed

from memcore.embedding import HashingEmbedder
from memcore.kinds import Mismatch
from memcore.storage import revisions
from memcore.storage.rows import ChangedTable, Operation

TEA = "Ana drinks green tea at noon."


@pytest.fixture
def life(opened, clock):
    """A memory with a few candidates for `tea`, one search of them that was recorded, and the ids by name."""
    memory = opened()
    said = {"tea": TEA, "guests": "Black tea is for guests.", "bicycle": "The bicycle is red."}
    ids = {name: memory.add(text, user_id="ana", infer=False)[0].id for name, text in said.items()}
    ids["fact"] = memory.facts.set("profile.drink", "Ana prefers tea with milk", user_id="ana").id
    ids["late"] = memory.add("Mint tea comes later", user_id="ana", infer=False, embed="later")[0].id
    memory.tuning.record()
    clock.now += timedelta(hours=1)
    memory.context("green tea", user_id="ana", mark_used=False)
    flushed(memory)
    clock.now += timedelta(hours=1)
    return memory, ids


def slept(memory, ids, clock):
    clock.now += timedelta(days=400)
    memory.maintain(["sweep"])
    assert memory.get(ids["fact"]).dormant


def undone(memory, ids, **changes):
    memory.update(ids["tea"], **changes)
    memory.undo(memory.history(ids["tea"])[-1].id)


CHANGES = {
    "edited": ("tea", lambda memory, ids, _: memory.update(ids["tea"], content="Ana drinks white tea.")),
    "pinned": ("tea", lambda memory, ids, _: memory.pin(ids["tea"])),
    "retired": ("tea", lambda memory, ids, _: memory.retire(ids["tea"])),
    "called wrong": ("tea", lambda memory, ids, _: memory.feedback(ids["tea"], wrong=True)),
    "edited and undone": ("tea", lambda memory, ids, _: undone(memory, ids, importance=9)),
    "linked": ("tea", lambda memory, ids, _: memory.relate(ids["tea"], ids["guests"])),
    "linked from elsewhere": ("tea", lambda memory, ids, _: memory.relate(ids["bicycle"], ids["tea"])),
    "embedded": ("late", lambda memory, _ids, __: memory.maintain(["embed"])),
    "put to sleep": ("fact", slept),
}


def reason(memory):
    [one] = memory.tuning.replay().details
    return one.reason, one.detail


@pytest.mark.parametrize("name", list(CHANGES))
@pytest.mark.parametrize("first", [True, False], ids=["then used", "used before"])
def test_what_was_changed_and_used_was_changed(life, clock, name, first):
    memory, ids = life
    of, change = CHANGES[name]
    steps = [lambda: change(memory, ids, clock), lambda: memory.mark_used([ids[of]])]
    for step in steps if first else reversed(steps):
        step()
    found, words = reason(memory)
    assert found is Mismatch.CHANGED
    assert "used since" in words


@pytest.mark.parametrize("hours", [0, 1, -24])
def test_what_was_only_used_was_used_by_whatever_clock(life, clock, hours):
    memory, ids = life
    clock.now += timedelta(hours=hours)
    memory.mark_used([ids["tea"], ids["guests"], ids["fact"]])
    assert reason(memory) == (Mismatch.USED, "3 of its candidates used since")


def test_so_it_is_where_the_clock_was_set_back_before_the_search(opened, clock):
    memory = opened()
    tea = memory.add(TEA, user_id="ana", infer=False)[0].id
    memory.update(tea, content="Ana drinks white tea.")
    memory.mark_used([tea])
    clock.now -= timedelta(days=3)
    memory.tuning.record()
    memory.search("white tea", user_id="ana")
    flushed(memory)
    memory.mark_used([tea])
    assert reason(memory) == (Mismatch.USED, "1 of its candidates used since")


def test_what_a_prompt_used_was_used_and_joined_by_that_alone(life):
    memory, _ = life
    memory.context("green tea", user_id="ana")
    flushed(memory)
    assert {one.reason for one in memory.tuning.replay().details} == {Mismatch.USED}


def test_the_log_tells_a_use_from_all_else_and_both_ends_of_a_link(life):
    memory, ids = life
    with memory._database.read() as connection:
        before = revisions.latest(connection)
    memory.mark_used([ids["tea"], ids["guests"]])
    memory.relate(ids["bicycle"], ids["tea"])
    assert memory.unrelate(ids["bicycle"], ids["tea"])
    with memory._database.read() as connection:
        lines = [(one.table, one.id, one.operation) for one in revisions.changes(connection, before)]
    used = [(table, number) for table, number, operation in lines if operation is Operation.USE]
    assert {number for table, number in used if table is ChangedTable.MEMORY} == {ids["tea"], ids["guests"]}
    assert (ChangedTable.EDGE, ids["tea"]) in used
    ends = [(number, operation) for table, number, operation in lines if operation is not Operation.USE]
    assert [number for number, _ in ends] == [ids["bicycle"], ids["tea"]] * 2
    assert Operation.DELETE in [operation for _, operation in ends]


def test_who_follows_the_log_sees_what_a_use_and_a_link_changed(life, opened):
    memory, ids = life
    other = opened(embedder=HashingEmbedder(64))
    other.search("green tea", user_id="ana")
    memory.mark_used([ids["tea"]])
    memory.relate(ids["bicycle"], ids["tea"])
    memory.unrelate(ids["bicycle"], ids["tea"])
    memory.relate(ids["tea"], ids["guests"])
    fresh = opened(embedder=HashingEmbedder(64))
    scores = [[(hit.id, hit.score) for hit in one.search("green tea", user_id="ana")] for one in (other, fresh)]
    assert scores[0] == scores[1]
