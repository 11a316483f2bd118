"""One slot under a clock that steps back: its values take each other's place, or are in conflict."""

import random
from datetime import timedelta
from itertools import combinations

import pytest
from facade_answers import NOW

TEA, COFFEE = "Ana drinks tea.", "Coffee is all she takes."


@pytest.fixture
def timed(opened):
    """A memory with a clock that is set by hours from noon."""
    hours = [0]
    memory = opened(":memory:", clock=lambda: hour(hours[0]))
    memory.hours = hours
    return memory


def hour(number):
    return NOW + timedelta(hours=number)


def unmarked(memory):
    """The pairs of different values that are current and not in conflict."""
    shown = list(memory.facts.list(user_id="ana", slot="drink", include_dormant=True))
    known = {(pair.older.id, pair.newer.id) for pair in memory.review.conflicts(user_id="ana")}
    pairs = combinations(shown, 2)
    return [(a.id, b.id) for a, b in pairs if a.content != b.content and (a.id, b.id) not in known]


def test_what_had_begun_is_superseded_by_what_ends_before_it_began(timed):
    timed.facts.set("drink", TEA, user_id="ana", valid_until=hour(8))
    timed.hours[0] = -5
    coffee = timed.facts.set("drink", COFFEE, user_id="ana", valid_until=hour(-1))
    assert unmarked(timed) == []
    assert coffee.supersedes == 1
    assert [one.id for one in timed.facts.list(user_id="ana")] == [coffee.id]


def test_what_had_not_begun_is_left_alone(timed):
    timed.facts.set("drink", TEA, user_id="ana", valid_from=hour(8))
    timed.hours[0] = -5
    coffee = timed.facts.set("drink", COFFEE, user_id="ana", valid_until=hour(-1))
    assert coffee.supersedes is None


def test_what_is_said_beside_it_is_in_conflict(timed):
    timed.add(TEA, user_id="ana", kind="fact", slot="drink")
    timed.hours[0] = -5
    timed.add(COFFEE, user_id="ana", kind="fact", slot="drink", valid_until=hour(-1))
    assert [(pair.older.content, pair.newer.content) for pair in timed.review.conflicts(user_id="ana")] == [
        (TEA, COFFEE)
    ]


def test_what_is_approved_takes_the_place_of_what_ends_before_it_was_recorded(timed):
    waits = timed.add(TEA, user_id="ana", kind="fact", slot="drink", origin="web", confidence=0.4)[0].id
    timed.hours[0] = -5
    timed.facts.set("drink", COFFEE, user_id="ana", valid_until=hour(-1))
    timed.review.approve(waits)
    assert unmarked(timed) == []
    assert timed.facts.get("drink", user_id="ana").id == waits


def test_what_comes_back_is_in_conflict_with_what_ends_before_it_began(timed):
    tea = timed.facts.set("drink", TEA, user_id="ana").id
    timed.retire(tea)
    timed.hours[0] = -5
    timed.facts.set("drink", COFFEE, user_id="ana", valid_until=hour(-1))
    timed.undo(timed.history(tea)[-1].id)
    assert unmarked(timed) == []
    assert len(timed.review.conflicts(user_id="ana")) == 1


@pytest.mark.parametrize("seed", range(150))
def test_after_each_set_of_a_slot_one_value_is_current_or_they_are_in_conflict(timed, seed):
    chance = random.Random(seed)
    for _ in range(4):
        now = timed.hours[0] = timed.hours[0] + chance.choice((0, 1, 5, -1, -5, -8, 10))
        given = {}
        if chance.random() < 0.3:
            given["valid_from"] = hour(now + chance.choice((-6, -2, 0, 2, 6)))
        if chance.random() < 0.4:
            given["valid_until"] = hour(now + chance.choice((1, 3, 8)))
        if given.get("valid_until", hour(10**4)) >= given.get("valid_from", NOW):
            timed.facts.set("drink", chance.choice((TEA, COFFEE)), user_id="ana", **given)
            assert unmarked(timed) == []
