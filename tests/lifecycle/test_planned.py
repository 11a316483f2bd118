"""What holds from a later day on: it does not hold yet, and what is said meanwhile does."""

from datetime import timedelta

from words import CHINESE, ENGLISH

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
