"""What takes the place of a pinned memory is pinned too, and an undo takes that back with the text."""

from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
TEXTS = [("Ana lives in Lisbon.", "Ana lives in Porto."), ("安娜住在里斯本。", "安娜住在波尔图。")]
REPLACE = {
    "feedback": lambda memory, old, text: memory.feedback(old, corrected=text),
    "supersede": lambda memory, old, text: memory.supersede(old, text),
    "facts.set": lambda memory, _old, text: memory.facts.set("home", text, user_id="ana"),
}


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(opened, clock):
    return opened(clock=clock)


def told(memory, text, **given):
    return memory.add(text, user_id="ana", kind="fact", category="state", **{"slot": "home"} | given)[0].id


@pytest.mark.parametrize(("old_text", "new_text"), TEXTS)
@pytest.mark.parametrize("way", REPLACE)
def test_a_new_value_keeps_the_pin_of_the_old_one_and_an_undo_brings_back_what_was(memory, way, old_text, new_text):
    old = told(memory, old_text)
    memory.pin(old)
    new = REPLACE[way](memory, old, new_text).id
    assert memory.get(new).pinned
    [done] = memory.history(new)
    undone = memory.undo(done.id)
    assert memory.get(new).ending == "retired"
    assert memory.get(old).pinned
    assert memory.facts.get("home", user_id="ana").id == old
    memory.undo(undone[0].id)
    assert memory.facts.get("home", user_id="ana").id == new
    assert memory.get(new).pinned


@pytest.mark.parametrize("way", REPLACE)
def test_a_new_value_of_a_pinned_one_does_not_fade(memory, clock, way):
    old = told(memory, "Ana lives in Lisbon.")
    memory.pin(old)
    new = REPLACE[way](memory, old, "Ana lives in Porto.").id
    clock.now += timedelta(days=400)
    memory.maintain(["sweep"])
    assert not memory.get(new).dormant
    assert [hit.id for hit in memory.search("Where does Ana live?", user_id="ana")] == [new]
    memory.unpin(new)
    memory.maintain(["sweep"])
    assert memory.get(new).dormant


@pytest.mark.parametrize("way", REPLACE)
def test_a_new_value_of_one_that_is_not_pinned_is_not_pinned(memory, way):
    old = told(memory, "Ana lives in Lisbon.")
    assert not memory.get(REPLACE[way](memory, old, "Ana lives in Porto.").id).pinned


@pytest.mark.parametrize("way", REPLACE)
def test_a_text_that_is_stored_already_gets_the_pin_and_loses_it_by_the_undo(memory, way):
    old, beside = told(memory, "Ana lives in Lisbon."), told(memory, "Ana lives in Porto.")
    memory.pin(old)
    replaced = REPLACE[way](memory, old, "Ana lives in Porto.")
    assert (replaced.id, replaced.outcome) == (beside, "merge")
    assert memory.get(beside).pinned
    memory.undo(memory.history(beside)[-1].id)
    assert (memory.get(beside).pinned, memory.get(old).pinned) == (False, True)


def test_a_correction_of_one_of_two_values_keeps_the_pin_of_the_other(memory):
    old, beside = told(memory, "Ana lives in Lisbon."), told(memory, "Ana lives in Porto.")
    memory.pin(beside)
    new = memory.feedback(old, corrected="Ana lives in Faro.").id
    assert memory.get(beside).superseded_by == new
    assert memory.get(new).pinned


def test_a_corrected_event_keeps_the_pin(memory):
    [event] = memory.add("Ana moved in May.", user_id="ana").ids
    memory.pin(event)
    assert memory.get(memory.feedback(event, corrected="Ana moved in June.").id).pinned


def test_a_value_by_the_pinned_one_of_weaker_origin_waits_without_a_pin(memory):
    old = told(memory, "Ana lives in Lisbon.")
    memory.pin(old)
    new = memory.supersede(old, "Ana lives in Porto.", origin="web")
    assert (new.outcome, memory.get(new.id).pinned) == ("defer", False)
