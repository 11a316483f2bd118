"""A claim whose end is known, said again: without an end it holds from now on, and what was planned stays planned."""

from datetime import timedelta

import pytest
from words import CHINESE, ENGLISH

SAID = {
    "en": (ENGLISH, "Ana lives in Lisbon.", "Ana lives in Porto.", "Ana lives"),
    "zh": (CHINESE, "安娜住在里斯本。", "安娜住在波尔图。", "安娜住在"),
}
LATER = "Home: Oslo."
TAKEN_AWAY = "the same text is stored already; its end on 2026-03-11 is taken away"


def by_set(play, old, _):
    return play.memory.facts.set(play.words.slot, old, user_id="ana").reason


def by_add(play, old, _):
    return play.fact(old).reason


def by_correction(play, old, new):
    other = play.fact(new)
    return play.memory.feedback(other.id, corrected=old).reason.replace(f"; it supersedes {other.id}", "")


def by_approval(play, old, new):
    waits = play.fact(new, origin="web")
    play.memory.update(waits.id, content=old)
    first = play.memory.review.approve(waits.id)
    reason = play.memory.history(first.id)[-1].reason
    return reason.replace(f"approved into memory {first.id}", "the same text is stored already")


ROADS = [by_set, by_add, by_correction, by_approval]


@pytest.mark.parametrize("road", ROADS)
def test_what_is_said_again_without_an_end_holds_from_now_on(told, road):
    play, (old, new, query) = told
    end = play.now + timedelta(days=10)
    first = play.fact(old, valid_until=end)
    play.later(days=5)
    assert road(play, old, new) == TAKEN_AWAY
    assert play.memory.get(first.id).valid_until is None
    play.later(days=6)
    assert play.found(query) == [old]
    assert play.memory.facts.get(play.words.slot, user_id="ana").id == first.id
    play.memory.undo(play.memory.history(first.id)[-1].id)
    assert play.memory.get(first.id).valid_until == end
    assert old not in play.found(query)


@pytest.mark.parametrize("kind", ["knowledge", "lesson", "fact"])
def test_what_has_no_slot_loses_its_end_too(told, kind):
    play, (old, _, query) = told
    details = {"details": {"pattern": "home"}} if kind == "lesson" else {}
    given = {"user_id": "ana", "kind": kind, **details}
    [first] = play.memory.add(old, valid_until=play.now + timedelta(days=10), **given)
    play.later(days=5)
    [again] = play.memory.add(old, **given)
    assert (again.id, again.reason) == (first.id, TAKEN_AWAY)
    play.later(days=6)
    assert play.found(query) == [old]


def test_the_same_end_said_again_stays(told):
    play, (old, *_) = told
    end = play.now + timedelta(days=10)
    first = play.fact(old, valid_until=end)
    again = play.fact(old, valid_until=end)
    assert (again.id, again.reason) == (first.id, "the same text is stored already")
    assert play.memory.get(first.id).valid_until == end


def test_weaker_evidence_takes_no_end_away(told):
    play, (old, *_) = told
    end = play.now + timedelta(days=10)
    first = play.fact(old, valid_until=end)
    assert "strengthens nothing" in play.fact(old, origin="web").reason
    assert play.memory.get(first.id).valid_until == end


def test_what_was_to_follow_without_taking_its_place_is_in_conflict_with_what_goes_on(told):
    play, (old, new, query) = told
    end = play.now + timedelta(days=10)
    first, second = play.fact(old, valid_until=end), play.fact(new, valid_from=end)
    again = play.fact(old)
    assert again.reason == f"{TAKEN_AWAY}; memory {second.id} fills its slot with something else by then"
    [pair] = play.memory.review.conflicts(user_id="ana")
    assert (pair.older.id, pair.newer.id) == (first.id, second.id)
    play.memory.undo(play.memory.history(first.id)[-1].id)
    assert play.memory.review.conflicts(user_id="ana") == []
    play.memory.facts.set(play.words.slot, old, user_id="ana")
    play.later(days=11)
    assert play.found(query) == [old]


@pytest.mark.parametrize("road", ROADS)
def test_a_plan_stays_when_what_holds_until_then_is_said_again(told, road):
    play, (old, new, query) = told
    first, day = play.fact(old), play.now + timedelta(days=10)
    plan = play.memory.facts.set(play.words.slot, LATER, user_id="ana", valid_from=day)
    play.later(days=5)
    reason = road(play, old, new)
    assert reason == f"the same text is stored already; memory {plan.id} is to take its place on 2026-03-11"
    record = play.memory.get(first.id)
    assert (record.superseded_by, record.valid_until, record.access_count) == (plan.id, day, 1)
    assert play.found(query) == [old]
    assert play.memory.review.conflicts(user_id="ana") == []
    play.later(days=6)
    assert play.found("Oslo") == [LATER]


def test_a_correction_of_the_plan_by_what_holds_calls_the_plan_off(told):
    play, (old, new, query) = told
    play.fact(old)
    plan = play.memory.facts.set(play.words.slot, new, user_id="ana", event_time=play.now + timedelta(days=10))
    right = play.memory.feedback(plan.id, corrected=old)
    assert play.memory.get(plan.id).superseded_by == right.id
    for _ in range(2):
        assert set(play.found(query)) == {old}
        play.later(days=11)


def test_what_names_the_plan_takes_its_place(told):
    play, (old, new, query) = told
    play.fact(old)
    plan = play.memory.facts.set(play.words.slot, new, user_id="ana", valid_from=play.now + timedelta(days=10))
    again = play.fact(old, supersedes=plan.id)
    assert again.supersedes == plan.id
    play.later(days=11)
    assert play.found(query) == [old]


@pytest.mark.parametrize("road", ROADS)
def test_a_plan_that_is_not_there_any_more_ends_nothing_that_is_said_again(told, road):
    play, (old, new, query) = told
    first, day = play.fact(old), play.now + timedelta(days=10)
    plan = play.memory.facts.set(play.words.slot, LATER, user_id="ana", valid_from=day)
    gone = {"valid_from": day, "expires_at": play.now + timedelta(days=3)}
    play.memory.facts.set(play.words.slot, LATER, user_id="ana", **gone)
    play.later(days=5)
    assert road(play, old, new) == TAKEN_AWAY
    assert (play.memory.get(first.id).superseded_by, play.memory.get(first.id).valid_until) == (None, None)
    play.memory.undo(play.memory.history(first.id)[-1].id)
    assert (play.memory.get(first.id).superseded_by, play.memory.get(first.id).valid_until) == (plan.id, day)
    road(play, old, new)
    play.later(days=6)
    assert play.found(query) == [old]


def test_an_expiry_that_is_not_given_again_is_taken_away_and_the_reason_says_so(told):
    play, (old, *_) = told
    play.fact(old, expires_at=play.now + timedelta(days=3))
    added = play.fact(old)
    assert added.reason == "the same text is stored already; it was to expire on 2026-03-04, and does not any more"
    play.later(days=5)
    later = play.fact(old, expires_at=play.now + timedelta(days=1))
    assert (later.id, play.memory.get(added.id).expires_at) == (added.id, None)


def test_a_later_expiry_is_told_with_both_days(told):
    play, (old, *_) = told
    play.fact(old, expires_at=play.now + timedelta(days=3))
    added = play.fact(old, expires_at=play.now + timedelta(days=9))
    assert added.reason == "the same text is stored already; it expires on 2026-03-10 instead of 2026-03-04"


def cut(play, old, until=25, begins=10):
    """What has an end of its own behind the day on which something is to take its place."""
    first = play.fact(old, valid_until=play.now + timedelta(days=until)).id
    day = play.now + timedelta(days=begins)
    plan = play.memory.facts.set(play.words.slot, LATER, user_id="ana", valid_from=day).id
    return first, plan


@pytest.mark.parametrize("way", [by_set, by_add])
def test_what_is_said_again_before_a_plan_without_an_end_has_none_behind_the_plan(told, way):
    play, (old, new, _) = told
    first, plan = cut(play, old)
    assert way(play, old, new) == (
        f"the same text is stored already; memory {plan} is to take its place on 2026-03-11, and its end on 2026-03-26"
        " is taken away"
    )
    assert way(play, old, new).endswith("is to take its place on 2026-03-11")
    record = play.memory.get(first)
    assert (record.superseded_by, (record.valid_until - play.now).days) == (plan, 10)
    play.memory.retire(plan)
    assert (play.memory.get(first).superseded_by, play.memory.get(first).valid_until) == (None, None)
    play.memory.undo(play.memory.history(plan)[-1].id)
    assert play.memory.get(first).superseded_by == plan
    play.memory.delete(plan)
    assert play.memory.get(first).valid_until is None


def test_an_undo_of_that_gives_the_end_behind_the_plan_back(told):
    play, (old, new, _) = told
    first, plan = cut(play, old)
    by_add(play, old, new)
    play.memory.undo(play.memory.history(first)[-1].id)
    play.memory.retire(plan)
    assert (play.memory.get(first).valid_until - play.now).days == 25


@pytest.mark.parametrize("days", [25, 10])
def test_what_is_said_again_with_an_end_of_its_own_is_one_memory_before_a_plan_too(told, days):
    play, (old, *_) = told
    first, plan = cut(play, old)
    again = play.fact(old, valid_until=play.now + timedelta(days=days))
    assert (again.id, again.outcome) == (first, "merge")
    play.memory.retire(plan)
    assert (play.memory.get(first).valid_until - play.now).days == 25
    assert play.fact(old, valid_until=play.now + timedelta(days=days + 1)).id != first
