"""What takes the place of a pinned memory is pinned too, and an undo takes that back with the text."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore.errors import UndoRefusedError

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


def approved(memory, old, text):
    """Another value of the slot of a pinned one, let in by a person."""
    del old
    waits = told(memory, text, confidence=0.2)
    return memory.review.approve(waits).id


def approved_into(memory, old, text):
    """Another value that waited, and that a memory says already."""
    memory.retire(old)
    out = memory.history(old)[-1].id
    waits, there = told(memory, text, confidence=0.2), told(memory, text, origin="import")
    memory.undo(out)
    assert memory.review.approve(waits).id == there
    return there


def resolved(memory, old, text):
    """Another value that stands beside a pinned one, and is kept."""
    other = told(memory, text)
    return memory.review.resolve(other, old).id


def resolved_waiting(memory, old, text):
    """Another value that waits beside a pinned one, and is kept."""
    other = told(memory, text, confidence=0.2)
    return memory.review.resolve(other, old).id


REVIEW = [approved, approved_into, resolved, resolved_waiting]


@pytest.mark.parametrize(("old_text", "new_text"), TEXTS)
@pytest.mark.parametrize("decide", REVIEW)
def test_what_a_person_decides_for_keeps_the_pin_of_what_it_replaces(memory, clock, decide, old_text, new_text):
    old = told(memory, old_text)
    memory.pin(old)
    new = decide(memory, old, new_text)
    assert (memory.get(old).superseded_by, memory.get(new).pinned) == (new, True)
    [undone] = memory.undo(memory.history(new)[-1].id)
    assert (memory.get(old).pinned, memory.get(new).pinned) == (True, False)
    assert memory.get(old).superseded_by is None
    memory.undo(undone.id)
    assert memory.get(new).pinned
    clock.now += timedelta(days=400)
    memory.maintain(["sweep"])
    assert not memory.get(new).dormant
    memory.unpin(new)
    memory.maintain(["sweep"])
    assert memory.get(new).dormant


@pytest.mark.parametrize("decide", REVIEW)
def test_what_a_person_decides_for_over_one_without_a_pin_has_none(memory, decide):
    old = told(memory, "Ana lives in Lisbon.")
    assert not memory.get(decide(memory, old, "Ana lives in Porto.")).pinned


@pytest.mark.parametrize("origin", ["tool", "web", "job"])
@pytest.mark.parametrize("call", ["approve", "resolve"])
def test_what_nobody_said_is_not_pinned_by_a_decision(memory, origin, call):
    old = told(memory, "Ana lives in Lisbon.")
    memory.pin(old)
    new = told(memory, "Ana lives in Porto.", origin=origin)
    memory.review.approve(new) if call == "approve" else memory.review.resolve(new, old)
    assert (memory.get(old).superseded_by, memory.get(new).pinned) == (new, False)


def test_what_waited_and_was_pinned_hands_its_pin_on_to_what_says_the_same(memory):
    waits = told(memory, "Ana lives in Lisbon.", confidence=0.2)
    memory.pin(waits)
    there = told(memory, "Ana lives in Lisbon.", origin="import")
    assert memory.review.approve(waits).id == there
    assert memory.get(there).pinned


def test_both_sides_of_a_conflict_keep_their_own_pins(memory):
    old, new = told(memory, "Ana lives in Lisbon."), told(memory, "Ana lives in Porto.")
    memory.pin(old)
    memory.review.resolve(new, old, keep_both=True)
    assert (memory.get(old).pinned, memory.get(new).pinned) == (True, False)


def asleep(memory, clock, *ids):
    clock.now += timedelta(days=3)
    memory.maintain(["sweep"])
    assert all(memory.get(one).dormant for one in ids)


def found(memory):
    return sorted(hit.id for hit in memory.search("Where does Ana live?", user_id="ana"))


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("pinned", [True, False])
def test_what_is_kept_in_a_conflict_wakes_and_an_undo_lets_it_sleep_again(memory, clock, both, pinned):
    old, new = told(memory, "Ana lives in Lisbon."), told(memory, "Ana lives in Porto.")
    asleep(memory, clock, old, new)
    if pinned and not both:
        memory.pin(old)
    assert new not in found(memory)
    memory.review.resolve(new, old, keep_both=both)
    assert found(memory) == ([old, new] if both else [new])
    memory.maintain(["sweep"])
    assert found(memory) == ([old, new] if both else [new])
    assert memory.get(new).pinned == (pinned and not both)
    memory.undo(memory.history(new)[-1].id)
    assert memory.get(new).dormant
    assert memory.get(new).access_count == 0


def test_what_waited_and_slept_wakes_when_it_is_approved(memory, clock):
    waits = told(memory, "Ana lives in Lisbon.", confidence=0.2)
    memory.review.approve(waits)
    let_in = memory.history(waits)[-1].id
    asleep(memory, clock, waits)
    memory.undo(let_in)
    assert [one.id for one in memory.review.pending(user_id="ana")] == [waits]
    memory.review.approve(waits)
    memory.maintain(["sweep"])
    assert found(memory) == [waits]


def test_what_sleeps_and_says_what_is_approved_wakes(memory, clock):
    waits, there = (
        told(memory, "Ana lives in Lisbon.", **given) for given in ({"confidence": 0.2}, {"origin": "import"})
    )
    asleep(memory, clock, there)
    assert memory.review.approve(waits).id == there
    memory.maintain(["sweep"])
    assert found(memory) == [there]


@pytest.mark.parametrize("way", REPLACE)
def test_unpinning_what_got_a_pin_stops_no_undo_and_is_kept_when_it_is_done_again(memory, way):
    old = told(memory, "Ana lives in Lisbon.")
    memory.pin(old)
    new = REPLACE[way](memory, old, "Ana lives in Porto.").id
    memory.unpin(new)
    [undone] = memory.undo(memory.history(new)[0].id)
    assert memory.facts.get("home", user_id="ana").id == old
    memory.undo(undone.id)
    assert memory.facts.get("home", user_id="ana").id == new
    assert not memory.get(new).pinned


def test_unpinning_stops_no_undo_of_the_approval_that_handed_the_pin_on(memory):
    old = told(memory, "Ana lives in Lisbon.")
    memory.pin(old)
    waits = told(memory, "Ana lives in Porto.", origin="assistant", confidence=0.4)
    memory.review.approve(waits)
    approval = memory.history(waits)[-1].id
    assert memory.get(waits).pinned
    memory.unpin(waits)
    memory.undo(approval)
    assert memory.facts.get("home", user_id="ana").id == old


def test_a_pin_that_was_taken_off_by_hand_since_is_nothing_to_undo(memory):
    one = told(memory, "Ana lives in Lisbon.")
    memory.pin(one)
    pinned = memory.history(one)[-1].id
    memory.unpin(one)
    with pytest.raises(UndoRefusedError, match="nothing"):
        memory.undo(pinned)
    assert not memory.get(one).pinned
