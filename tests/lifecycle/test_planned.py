"""What holds from a later day on: it does not hold yet, and what is said meanwhile does."""

from datetime import timedelta

import pytest
from words import CHINESE, ENGLISH

from memcore.errors import InvalidInputError

SAID = {
    "en": (ENGLISH, "Ana lives in Lisbon.", "Ana lives in Porto.", "Ana lives in Faro.", "Ana lives"),
    "zh": (CHINESE, "安娜住在里斯本。", "安娜住在波尔图。", "安娜住在法鲁。", "安娜住在"),
}


def planned(play, content, days=30, **given):
    return play.memory.facts.set(
        play.words.slot, content, user_id="ana", valid_from=play.now + timedelta(days=days), **given
    )


def test_a_text_that_is_planned_is_stored_when_it_is_said_to_hold_now(told):
    play, (old, new, _, query) = told
    play.fact(old)
    plan = planned(play, new)
    said = play.fact(new)
    assert said.id != plan.id
    assert new in play.found(query)
    assert play.memory.get(plan.id).superseded_by == said.id
    play.later(days=60)
    assert play.found(query).count(new) == 1


def test_the_same_plan_said_again_is_one_fact(told):
    play, (old, new, *_) = told
    play.fact(old)
    first, again = planned(play, new), planned(play, new)
    assert (again.id, again.outcome) == (first.id, "merge")


def test_a_plan_that_is_set_again_ends_what_contradicts_it_when_it_begins(told):
    play, (old, new, _, query) = told
    first, begins = play.fact(old), play.now + timedelta(days=30)
    plan = play.fact(new, valid_from=begins)
    play.later(days=1)
    again = play.memory.facts.set(play.words.slot, new, user_id="ana", valid_from=begins)
    assert (again.id, again.outcome, again.supersedes) == (plan.id, "merge", first.id)
    assert play.memory.get(first.id).valid_until == begins
    assert play.found(query) == [old]
    play.later(days=30)
    assert play.found(query) == [new]


def test_what_is_set_meanwhile_takes_the_place_of_what_holds_and_of_what_was_planned(told):
    play, (old, new, third, query) = told
    first, plan = play.fact(old), planned(play, new)
    assert play.found(query) == [old]
    play.later(days=1)
    meanwhile = play.memory.facts.set(play.words.slot, third, user_id="ana")
    for _ in range(2):
        assert play.found(query) == [third]
        play.later(days=60)
    assert {play.memory.get(one.id).superseded_by for one in (first, plan)} == {meanwhile.id}
    play.later(days=-120)
    play.memory.undo(play.memory.history(meanwhile.id)[-1].id)
    assert play.found(query) == [old]
    play.later(days=60)
    assert play.found(query) == [new]


def test_what_is_over_before_another_begins_contradicts_nothing(told):
    play, (old, new, other, _) = told
    until = play.now + timedelta(days=10)
    first = play.fact(old, valid_until=until)
    second = play.fact(new, valid_from=until)
    assert (first.reason, second.reason, second.supersedes) == ("", "", None)
    assert play.memory.review.conflicts(user_id="ana") == []
    third = play.fact(other, valid_from=until - timedelta(days=5), valid_until=until - timedelta(days=1))
    assert "conflict" in third.reason


def test_what_is_set_of_an_event_ahead_is_a_plan_and_is_one_when_it_is_set_again(told):
    play, (old, new, third, query) = told
    first = play.fact(old)
    ahead = {"user_id": "ana", "event_time": play.now + timedelta(days=20)}
    plan = play.memory.facts.set(play.words.slot, new, **ahead)
    again = play.memory.facts.set(play.words.slot, new, **ahead)
    assert (again.id, again.outcome) == (plan.id, "merge")
    assert play.found(query) == [old]
    later = play.memory.facts.set(play.words.slot, third, user_id="ana", event_time=play.now + timedelta(days=30))
    assert [play.memory.get(one).superseded_by for one in (first.id, plan.id)] == [plan.id, later.id]
    play.later(days=25)
    assert play.found(query) == [new]
    play.later(days=25)
    assert play.found(query) == [third]


def test_what_is_said_of_an_event_ahead_is_in_no_conflict_with_what_is_over_by_then(told):
    play, (old, new, *_) = told
    play.fact(old, valid_until=play.now + timedelta(days=10))
    added = play.fact(new, event_time=play.now + timedelta(days=20))
    assert (added.outcome, added.reason) == ("accept", "")
    assert not play.memory.review.conflicts(user_id="ana")


WRITTEN = {
    "add": lambda memory, text, given: memory.add(text, user_id="ana", kind="fact", **given),
    "add_many": lambda memory, text, given: memory.add_many(
        [{"content": text, "user_id": "ana", "kind": "fact", **given}]
    ),
    "set": lambda memory, text, given: memory.facts.set("home", text, user_id="ana", **given),
    "supersede": lambda memory, text, given: memory.supersede(1, text, **given),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_what_is_to_end_before_its_event_is_refused(told, how):
    play, (old, new, *_) = told
    play.fact(old)
    given = {"event_time": play.now + timedelta(days=5), "valid_until": play.now + timedelta(days=3)}
    with pytest.raises(
        InvalidInputError, match=r"valid_until: 2026-03-04\S+ is not accepted; .*event_time \(2026-03-06"
    ):
        WRITTEN[how](play.memory, new, given)
    assert play.memory.get(1).valid_until is None
    WRITTEN[how](play.memory, new, given | {"valid_from": play.now})


@pytest.mark.parametrize("content", ["old", "new"])
def test_what_expires_before_it_begins_takes_the_place_of_nothing(told, content):
    play, (old, new, third, query) = told
    first = play.memory.add(old, user_id="ana", kind="fact", slot=play.words.slot)[0].id
    never = {"valid_from": play.now + timedelta(days=10), "expires_at": play.now + timedelta(days=5)}
    text = {"old": third, "new": new}[content]
    added = play.memory.facts.set(play.words.slot, text, user_id="ana", **never)
    assert added.supersedes is None
    assert added.reason == (
        "it takes the place of nothing, as no search would find it: its expires_at is not after its beginning,"
        " 2026-03-11T09:00:00+00:00"
    )
    with pytest.raises(InvalidInputError, match=r"expires_at: .* it is not after its beginning"):
        play.memory.supersede(first, text, **never)
    named = play.fact(text, supersedes=first, **never)
    assert f"supersedes: {first} stays, as its successor would not be found" in named.reason
    waits = play.fact(third, origin="web", confidence=0.1, **never)
    assert waits.outcome == "defer"
    play.memory.review.approve(waits.id)
    assert (play.memory.get(first).superseded_by, play.memory.get(first).valid_until) == (None, None)
    assert play.memory.review.conflicts(user_id="ana") == []
    play.later(days=11)
    assert play.found(query) == [old]
    assert play.memory.facts.set(play.words.slot, third, user_id="ana").supersedes == first
