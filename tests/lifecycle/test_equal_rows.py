"""What an undo brings back and what says the same by then become one, as a part of the undo."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
TEA, COFFEE = "Ana drinks tea.", "Ana drinks coffee."


@pytest.fixture
def clock():
    return [NOON]


@pytest.fixture
def memory(clock):
    with Memory(":memory:", embedder="none", durability="relaxed", clock=lambda: clock[0]) as opened:
        yield opened


def said(memory, text=TEA, **given):
    return memory.add(text, user_id="ana", **({"kind": "fact", "slot": "drink"} | given))[0].id


def shown(memory):
    return [one.id for one in memory.get_all(user_id="ana")]


def last(memory, memory_id):
    return memory.history(memory_id)[-1].id


@pytest.mark.parametrize(
    "given", [{}, {"slot": None}, {"kind": "event", "slot": None}, {"kind": "knowledge", "slot": None}]
)
@pytest.mark.parametrize("ending", ["retire", "wrong"])
def test_the_younger_goes_into_the_older_that_comes_back_and_returns_with_it(memory, given, ending):
    given = {name: value for name, value in ({"kind": "fact", "slot": "drink"} | given).items() if value is not None}
    one = memory.add(TEA, user_id="ana", **given)[0].id
    if ending == "retire":
        memory.retire(one)
    else:
        memory.feedback(one, wrong=True)
    away = last(memory, one)
    other = memory.add(TEA, user_id="ana", **given, tags=["morning"])[0].id
    assert other != one
    [undo] = memory.undo(away)
    assert set(undo.memory_ids) == {one, other}
    assert shown(memory) == [one]
    assert (memory.get(one).tags, memory.get(other).ending) == (("morning",), "retired")
    [again] = memory.undo(undo.id)
    assert shown(memory) == [other]
    assert memory.get(one).tags == ()
    memory.undo(again.id)
    assert shown(memory) == [one]
    memory.delete(one)
    assert list(memory.get_all(user_id="ana", filters={"ending": "retired"})) == []


def test_a_younger_one_that_comes_back_goes_into_the_older(memory):
    older = said(memory)
    memory.retire(older)
    younger = said(memory)
    memory.retire(younger)
    memory.undo(last(memory, older))
    [undo] = memory.undo(last(memory, younger))
    assert (shown(memory), memory.get(older).access_count) == ([older], 1)
    memory.undo(undo.id)
    assert (shown(memory), memory.get(older).access_count) == ([older], 0)
    assert memory.get(younger).ending == "retired"


def test_what_was_taken_back_with_its_source_and_is_done_again(memory):
    letter = said(memory, source_ref="letter")
    [undo] = memory.undo(source_ref="letter")
    other = said(memory)
    memory.undo(undo.id)
    assert shown(memory) == [letter]
    assert memory.get(other).ending == "retired"


def test_a_text_that_an_undo_of_a_change_brings_back(memory):
    one = said(memory, slot=None)
    memory.update(one, content=COFFEE)
    change = last(memory, one)
    other = said(memory, slot=None)
    assert shown(memory) == [one, other]
    memory.undo(change)
    assert shown(memory) == [one]
    assert memory.get(one).content == TEA


def test_a_rejected_one_need_not_wait_again_where_it_is_stored_by_then(memory):
    waits = said(memory, origin="web", confidence=0.4)
    memory.review.reject(waits)
    rejection = last(memory, waits)
    own = said(memory)
    [undo] = memory.undo(rejection)
    assert (shown(memory), list(memory.review.pending(user_id="ana"))) == ([own], [])
    assert memory.get(waits).ending == "retired"
    memory.undo(undo.id)
    assert memory.get(waits).review_state == "rejected"
    assert memory.get(waits).ending is None


def test_of_two_that_wait_the_younger_goes(memory):
    older = said(memory, origin="web", confidence=0.4)
    memory.retire(older)
    younger = said(memory, origin="web", confidence=0.4)
    memory.undo(last(memory, older))
    assert [one.id for one in memory.review.pending(user_id="ana")] == [older]
    assert memory.get(younger).ending == "retired"


def test_what_waits_goes_where_the_users_own_word_comes_back(memory):
    own = said(memory)
    memory.retire(own)
    waits = said(memory, origin="web", confidence=0.4)
    assert [one.id for one in memory.review.pending(user_id="ana")] == [waits]
    memory.undo(last(memory, own))
    assert (shown(memory), list(memory.review.pending(user_id="ana"))) == ([own], [])


def test_the_pin_stays_and_weaker_evidence_strengthens_nothing(memory):
    one = said(memory, origin="user")
    memory.retire(one)
    away, other = last(memory, one), said(memory, origin="import", tags=["page"])
    memory.pin(other)
    memory.undo(away)
    record = memory.get(one)
    assert (shown(memory), record.pinned, record.tags, record.access_count) == ([one], True, (), 0)


@pytest.mark.parametrize("given", [{"slot": "breakfast"}, {"valid_from": NOON - timedelta(days=30)}, {"user_id": "bo"}])
def test_what_says_it_of_something_else_stays_beside_it(memory, given):
    one = said(memory)
    memory.retire(one)
    away = last(memory, one)
    other = memory.add(TEA, **({"user_id": "ana", "kind": "fact", "slot": "drink"} | given))[0].id
    memory.undo(away)
    assert memory.get(one).ending is memory.get(other).ending is None


def test_turns_are_never_one(memory):
    one = memory.add(TEA, user_id="ana", kind="turn")[0].id
    memory.retire(one)
    away, other = last(memory, one), memory.add(TEA, user_id="ana", kind="turn")[0].id
    memory.undo(away)
    assert shown(memory) == [one, other]


def test_a_key_of_idempotency_names_the_one_that_stays(memory):
    one = said(memory)
    memory.retire(one)
    away = last(memory, one)
    said(memory, idempotency_key="k")
    memory.undo(away)
    assert said(memory, idempotency_key="k") == one


def test_what_stood_beside_it_before_stands_beside_it_again():
    clock = [NOON]
    with Memory(":memory:", embedder="none", durability="relaxed", clock=lambda: clock[0]) as memory:
        ids = [said(memory, infer=False, metadata={"n": number}) for number in range(2)]
        for one in ids:
            clock[0] += timedelta(minutes=1)
            memory.retire(one)
            memory.undo(last(memory, one))
            assert shown(memory) == ids
            memory.feedback(one, wrong=True)
            memory.undo(last(memory, one))
            assert shown(memory) == ids
        waiting = said(memory, origin="web", valid_from=NOON - timedelta(days=2))
        memory.facts.set("drink", COFFEE, user_id="ana")
        memory.undo(last(memory, ids[0]))
        assert [one.id for one in memory.review.pending(user_id="ana")] == [waiting]
        assert shown(memory) == ids


def test_an_event_that_was_said_again_on_a_later_day_joins_the_one_that_comes_back(memory, clock):
    [first] = memory.add("Ana swam.", user_id="ana").ids
    memory.retire(first)
    clock[0] += timedelta(days=2)
    [second] = memory.add("Ana swam.", user_id="ana").ids
    memory.undo(memory.history(first)[-1].id)
    assert (shown(memory), memory.get(second).ending) == ([first], "retired")


def test_an_event_of_a_day_that_was_given_stays_beside_the_one_that_comes_back(memory, clock):
    [first] = memory.add("Ana swam.", user_id="ana", event_time=clock[0] - timedelta(days=3)).ids
    memory.retire(first)
    clock[0] += timedelta(days=2)
    [second] = memory.add("Ana swam.", user_id="ana", event_time=clock[0] - timedelta(days=1)).ids
    memory.undo(memory.history(first)[-1].id)
    assert shown(memory) == [first, second]
