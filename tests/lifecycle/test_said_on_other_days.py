"""What happened on another day is another event, as far as the words or the moment tell so."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memcore import Memory

START = datetime(2026, 3, 3, 9, tzinfo=UTC)


@pytest.fixture
def clock():
    return [START]


@pytest.fixture
def memory(clock):
    with Memory(":memory:", embedder="none", clock=lambda: clock[0]) as opened:
        yield opened


def said(memory, text, **given):
    [added] = memory.add(text, user_id="ana", **given)
    return added


@pytest.mark.parametrize("text", ["I took my pill this morning.", "安娜今天吃了降压药。", "She left two hours ago."])
@pytest.mark.parametrize("kind", ["event", "knowledge", "fact", "lesson"])
def test_words_that_mean_another_day_are_another_memory(memory, clock, text, kind):
    given = {"kind": kind, **({"details": {"pattern": "health"}} if kind == "lesson" else {})}
    first = said(memory, text, **given)
    assert said(memory, text, **given).id == first.id
    clock[0] += timedelta(days=7)
    second = said(memory, text, **given)
    assert (second.outcome, second.id) == ("accept", first.id + 1)
    assert said(memory, text, **given).id == second.id
    assert [memory.get(one.id).event_time for one in (first, second)] == [START, clock[0]]


@pytest.mark.parametrize("text", ["I love sushi.", "Ana took her pill.", "We met on 3 May 2026.", "安娜喜欢寿司。"])
def test_words_of_any_day_are_one_memory(memory, clock, text):
    first = said(memory, text)
    clock[0] += timedelta(days=7)
    assert said(memory, text).id == first.id


def test_days_are_those_of_whoever_speaks(memory):
    late = datetime(2026, 3, 4, 7, tzinfo=timezone(timedelta(hours=8)))
    first = said(memory, "I ran today.", event_time=late)
    assert said(memory, "I ran today.", event_time=late + timedelta(hours=12)).id == first.id
    assert said(memory, "I ran today.", event_time=late + timedelta(hours=20)).id != first.id


def test_what_was_called_wrong_of_one_day_may_be_so_on_another(memory, clock):
    wrong = said(memory, "Ana is ill today.", origin="import")
    memory.feedback(wrong.id, wrong=True)
    assert said(memory, "Ana is ill today.", origin="import").outcome == "drop"
    clock[0] += timedelta(days=1)
    assert said(memory, "Ana is ill today.", origin="import").outcome == "accept"


def test_what_waits_of_another_day_goes_on_waiting(memory, clock):
    waits = said(memory, "Ana is ill today.", kind="knowledge", origin="web", confidence=0.2)
    clock[0] += timedelta(days=1)
    said(memory, "Ana is ill today.", kind="knowledge")
    assert [one.id for one in memory.review.pending(user_id="ana")] == [waits.id]
    assert memory.review.approve(waits.id).id == waits.id


def test_a_slot_has_one_value_whatever_its_words(memory, clock):
    first = memory.facts.set("mood", "Ana is ill today.", user_id="ana")
    clock[0] += timedelta(days=1)
    assert memory.facts.set("mood", "Ana is ill today.", user_id="ana").id == first.id


def test_an_event_in_nearly_the_same_words_is_merged_on_its_day_only(memory, clock):
    first = said(memory, "I am meeting Bo at the station", embedding=[1.0, 0.1])
    clock[0] += timedelta(hours=2)
    assert said(memory, "I'm meeting Bo at the station.", embedding=[1.0, 0.1]).id == first.id
    clock[0] += timedelta(days=14)
    assert said(memory, "I'm meeting Bo at the station!", embedding=[1.0, 0.1]).id != first.id


def test_knowledge_in_nearly_the_same_words_is_merged_on_any_day(memory, clock):
    first = said(memory, "I prefer green tea over coffee", kind="knowledge", embedding=[1.0, 0.1])
    clock[0] += timedelta(days=14)
    assert said(memory, "I prefer green tea to coffee", kind="knowledge", embedding=[1.0, 0.1]).id == first.id
