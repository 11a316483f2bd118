"""Two values of one slot that say the same are in no conflict, whatever time they are of and whoever says them."""

from datetime import timedelta

import pytest
from play import START
from words import CHINESE, ENGLISH

SAID = {
    "en": (ENGLISH, "Ana lives in Lisbon.", "Ana lives in Porto."),
    "zh": (CHINESE, "安娜住在里斯本。", "安娜住在波尔图。"),
}
LATER = START + timedelta(days=30)
OF_ANOTHER_TIME = "memory 1 says the same of another time"


def conflicts(play):
    assert play.memory.search("Ana 安娜", user_id="ana").conflicts == ()
    assert "in conflict" not in play.memory.context("Ana 安娜", user_id="ana", mark_used=False)
    with play.memory._database.read() as connection:
        recorded = connection.exec_driver_sql("SELECT count(*) FROM conflict_pair").scalar_one()
    return recorded, play.memory.review.conflicts(user_id="ana")


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ({}, {"valid_until": LATER}, OF_ANOTHER_TIME),
        ({"valid_until": LATER}, {"valid_until": LATER + timedelta(days=1)}, OF_ANOTHER_TIME),
        ({}, {"valid_from": START - timedelta(days=300)}, OF_ANOTHER_TIME),
        ({"speaker": "Ana"}, {"speaker": "Bo"}, "memory 1 says the same by another speaker"),
    ],
)
def test_the_same_value_of_another_time_or_speaker_stands_beside_it(told, first, second, reason):
    play, (old, _) = told
    play.fact(old, **first)
    play.later(days=1)
    added = play.fact(old, **second)
    assert (added.outcome, added.reason) == ("accept", reason)
    assert conflicts(play) == (0, [])
    play.memory.retire(added.id)
    play.memory.undo(play.memory.history(added.id)[-1].id)
    assert conflicts(play) == (0, [])


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"origin": "web"}, f"{OF_ANOTHER_TIME}, and has stronger evidence"),
        ({"confidence": 0.4}, "its confidence of 0.4 is below 0.7, so it waits for review"),
    ],
)
def test_weaker_evidence_of_another_time_waits_in_no_conflict(told, given, reason):
    play, (old, _) = told
    play.fact(old)
    added = play.fact(old, valid_until=LATER, **given)
    assert (added.outcome, added.reason) == ("defer", reason)
    assert conflicts(play) == (0, [])
    assert play.memory.review.approve(added.id).id == added.id
    assert conflicts(play) == (0, [])


def test_what_comes_from_the_web_again_waits_beside_what_came_from_it(told):
    play, (old, _) = told
    play.fact(old, origin="web")
    added = play.fact(old, origin="web", valid_until=LATER)
    assert (added.outcome, added.reason) == ("defer", f"{OF_ANOTHER_TIME}, and what comes from origin web waits")
    assert conflicts(play) == (0, [])


def test_a_set_of_weaker_evidence_waits_in_no_conflict(told):
    play, (old, _) = told
    play.fact(old)
    added = play.memory.facts.set(play.words.slot, old, user_id="ana", origin="web", valid_until=LATER)
    assert (added.outcome, added.reason) == ("defer", f"{OF_ANOTHER_TIME}, and has stronger evidence")
    assert conflicts(play) == (0, [])


def test_what_is_planned_is_in_no_conflict_with_what_says_so_already(told):
    play, (old, _) = told
    play.memory.facts.set(play.words.slot, old, user_id="ana", valid_from=LATER)
    added = play.fact(old, confidence=0.9)
    assert (added.outcome, added.reason) == ("defer", f"{OF_ANOTHER_TIME}, and has stronger evidence")
    assert conflicts(play) == (0, [])


def test_the_reason_names_what_says_something_else_before_what_says_the_same(told):
    play, (old, new) = told
    play.fact(old, valid_until=LATER)
    other = play.fact(new)
    added = play.fact(old, valid_until=LATER + timedelta(days=1))
    assert added.reason == (
        f"it is in conflict with memory {other.id}, which fills its slot with something else; {OF_ANOTHER_TIME}"
    )
    pairs = [(pair.older.id, pair.newer.id) for pair in play.memory.review.conflicts(user_id="ana")]
    assert pairs == [(1, other.id), (other.id, added.id)]


def test_what_a_decision_lets_in_is_in_no_conflict_with_what_says_the_same(told):
    play, (old, new) = told
    play.fact(old, valid_until=LATER)
    other = play.fact(new)
    waits = play.fact(old, origin="web", valid_until=LATER + timedelta(days=1))
    assert waits.reason == f"it contradicts memory {other.id}, which has stronger evidence"
    play.memory.review.resolve(waits.id, other.id, keep_both=True)
    pairs = [(pair.older.id, pair.newer.id) for pair in play.memory.review.conflicts(user_id="ana")]
    assert pairs == [(1, other.id)]


def test_new_words_that_say_the_same_are_in_no_conflict(told):
    play, (old, new) = told
    play.fact(old, valid_until=LATER)
    other = play.fact(new, valid_from=LATER)
    play.memory.update(other.id, content=old)
    again = play.fact(old, valid_until=LATER + timedelta(days=1))
    assert again.reason == OF_ANOTHER_TIME
    assert conflicts(play) == (0, [])


def test_what_holds_for_a_while_does_not_take_the_place_of_the_same_that_is_planned_for_longer(told):
    play, (old, _) = told
    plan = play.memory.facts.set(play.words.slot, old, user_id="ana", valid_from=LATER)
    assert play.fact(old, valid_until=LATER + timedelta(days=1)).supersedes is None
    assert play.memory.get(plan.id).superseded_by is None
    play.later(days=60)
    assert play.memory.facts.get(play.words.slot, user_id="ana").id == plan.id
