"""Lives in an order that nobody plans, each found by comparing the store with the plain model."""

from datetime import timedelta

import pytest
from play import Play
from words import ENGLISH

from memcore import InvalidInputError, UndoRefusedError
from memcore.settings import Settings


@pytest.fixture
def play(tmp_path):
    story = Play(tmp_path / "agent.db", ENGLISH)
    yield story
    story.close()


def tired(play):
    """A fact that sleeps."""
    added = play.fact("Ana is tired.", slot="mood", category="state")
    play.later(hours=60)
    play.memory.maintain(["sweep"])
    assert play.memory.get(added.id).dormant is True
    return added.id


def last_operation(play, memory_id):
    return play.memory.history(memory_id)[-1].id


def test_what_fills_a_slot_fills_it_when_the_clock_steps_back(play):
    old, new = (
        play.fact("Ana lives in Lisbon."),
        play.memory.facts.set("home city", "Ana lives in Porto.", user_id="ana"),
    )
    play.later(hours=-5)
    facts = play.memory.facts
    assert new.supersedes == old.id
    assert facts.get("home city", user_id="ana").id == new.id
    assert [one.id for one in facts.list(user_id="ana")] == [new.id]
    assert [one.id for one in facts.list(user_id="ana", include_dormant=False)] == [new.id]


def test_what_was_superseded_is_compared_with_nothing_when_the_clock_steps_back(play):
    play.fact("Ana lives in Lisbon.", valid_until=play.now + timedelta(hours=1))
    play.later(hours=2)
    over = play.fact("Ana lives in Faro.", valid_until=play.now - timedelta(minutes=30))
    play.later(hours=-1)
    added = play.fact("Ana lives in Faro.")
    assert (added.outcome, added.id == over.id) == ("accept", False)


def test_a_fact_past_its_days_of_retention_fills_no_slot(play):
    play.reopen(settings=Settings(retention_days={"fact": 30}))
    play.fact("Ana lives in Lisbon.")
    play.later(days=29)
    assert play.memory.facts.get("home city", user_id="ana") is not None
    play.later(days=2)
    assert play.memory.facts.get("home city", user_id="ana") is None
    assert list(play.memory.facts.list(user_id="ana")) == []


def test_what_was_approved_after_a_sweep_fades_like_everything_else(play):
    play.fact("Ana is awake.", slot="mood", category="state")
    waits = play.fact("Ana is tired.", slot="mood", category="state", origin="web")
    play.later(hours=60)
    play.memory.maintain(["sweep"])
    play.memory.review.approve(waits.id)
    play.memory.maintain(["sweep"])
    assert play.memory.get(waits.id).dormant is True


@pytest.mark.parametrize("keep_both", [True, False])
def test_what_a_decided_conflict_let_in_after_a_sweep_fades_too(play, keep_both):
    old = play.fact("Ana is awake.", slot="mood", category="state")
    waits = play.fact("Ana is tired.", slot="mood", category="state", origin="web")
    play.later(hours=60)
    play.memory.maintain(["sweep"])
    play.memory.review.resolve(waits.id, old.id, keep_both=keep_both)
    play.memory.maintain(["sweep"])
    assert play.memory.get(waits.id).dormant is True


def test_a_claim_that_was_over_when_it_was_heard_of_can_be_corrected(play):
    over = play.fact("Ana lived in Faro.", valid_until=play.now - timedelta(days=3))
    added = play.memory.feedback(over.id, corrected="Ana lived in Porto.")
    new, old = play.memory.get(added.id), play.memory.get(over.id)
    assert (new.valid_from, new.valid_until) == (None, old.valid_until)
    assert (old.superseded_by, old.ending) == (new.id, "wrong")
    assert play.found("Faro Porto", as_of=play.now - timedelta(days=5)) == ["Ana lived in Porto."]
    play.memory.undo(last_operation(play, over.id))
    assert play.found("Faro Porto", as_of=play.now - timedelta(days=5)) == ["Ana lived in Faro."]


def test_a_correction_is_found_at_once_when_the_clock_stepped_back(play):
    old = play.fact("Ana lives in Lisbon.")
    play.later(hours=-5)
    play.memory.feedback(old.id, corrected="Ana lives in Porto.")
    assert play.found("Lisbon Porto") == ["Ana lives in Porto."]
    play.later(hours=6)
    assert play.found("Lisbon Porto") == ["Ana lives in Porto."]


def pairs(play):
    return [(one.older.id, one.newer.id) for one in play.memory.review.conflicts(user_id="ana")]


def shown_pairs(play):
    return [(one.older.id, one.newer.id) for one in play.memory.search("Where does Ana live?", user_id="ana").conflicts]


def planned_over(play):
    """Two values in conflict, of which another is to take the place of the first in thirty days."""
    old, other = play.fact("Ana lives in Lisbon."), play.fact("Ana lives in Faro.")
    plan = play.memory.supersede(old.id, "Ana lives in Porto.", valid_from=play.now + timedelta(days=30))
    return old.id, other.id, plan.id


def test_a_conflict_with_what_is_superseded_from_a_later_day_on_is_open_until_then(play):
    old, other, plan = planned_over(play)
    assert pairs(play) == [(old, other), (other, plan)]
    assert shown_pairs(play) == [(old, other)]
    play.later(days=31)
    assert pairs(play) == shown_pairs(play) == [(other, plan)]
    with pytest.raises(InvalidInputError, match="no open conflict"):
        play.memory.review.resolve(other, old)


def test_what_is_kept_takes_the_place_of_what_something_else_was_to_replace(play):
    old, other, plan = planned_over(play)
    play.memory.review.resolve(other, old)
    dropped = play.memory.get(old)
    assert (dropped.superseded_by, dropped.valid_until) == (other, play.now)
    assert play.found("Where does Ana live?") == ["Ana lives in Faro."]
    assert pairs(play) == [(other, plan)]
    play.memory.undo(last_operation(play, other))
    assert play.memory.get(old).superseded_by == plan
    assert pairs(play) == [(old, other), (other, plan)]


def test_what_is_kept_ends_when_it_was_to_be_replaced(play):
    old, other, plan = planned_over(play)
    play.memory.review.resolve(old, other)
    assert play.found("Where does Ana live?") == ["Ana lives in Lisbon."]
    assert pairs(play) == []
    play.later(days=31)
    assert play.found("Where does Ana live?") == ["Ana lives in Porto."]
    assert play.memory.get(other).superseded_by == old
    assert play.memory.get(old).superseded_by == plan


@pytest.mark.parametrize("kept", [0, 1])
def test_of_a_value_and_what_took_the_place_of_its_plan_either_is_kept(play, kept):
    old = play.fact("Ana lives in Lisbon.").id
    plan = play.memory.supersede(old, "Ana lives in Porto.", valid_from=play.now + timedelta(days=30)).id
    third = play.memory.supersede(plan, "Ana lives in Faro.").id
    assert pairs(play) == [(old, third)]
    assert play.memory.get(old).superseded_by is None
    play.memory.review.resolve((old, third)[kept], (third, old)[kept])
    assert play.found("Where does Ana live?") == [("Ana lives in Lisbon.", "Ana lives in Faro.")[kept]]
    play.later(days=31)
    assert play.found("Where does Ana live?") == [("Ana lives in Lisbon.", "Ana lives in Faro.")[kept]]


def test_an_approval_takes_the_place_of_what_something_else_was_to_replace(play):
    old = play.memory.add("Ice melts at 1 C.", user_id="ana", kind="knowledge").ids[0]
    waits = play.memory.add("Ice melts at 0 C.", user_id="ana", kind="knowledge", supersedes=old, origin="web").ids[0]
    plan = play.memory.supersede(old, "Ice melts at 2 C.", valid_from=play.now + timedelta(days=30)).id
    assert pairs(play) == [(old, waits)]
    play.memory.review.approve(waits)
    assert play.memory.get(old).superseded_by == waits
    assert play.found("melts ice") == ["Ice melts at 0 C."]
    play.memory.undo(last_operation(play, waits))
    assert play.memory.get(old).superseded_by == plan


def test_a_fact_that_was_used_since_stays_awake_when_its_pin_is_taken_back(play):
    fact = tired(play)
    play.memory.pin(fact)
    pinned = last_operation(play, fact)
    play.later(hours=1)
    play.memory.mark_used([fact])
    play.memory.undo(pinned)
    record = play.memory.get(fact)
    assert (record.pinned, record.dormant) == (False, False)
    assert record.strength > 0.9


def test_a_fact_that_was_not_used_since_sleeps_again_when_its_pin_is_taken_back(play):
    fact = tired(play)
    play.memory.pin(fact)
    [undone] = play.memory.undo(last_operation(play, fact))
    assert play.memory.get(fact).dormant is True
    play.memory.undo(undone.id)
    record = play.memory.get(fact)
    assert (record.pinned, record.dormant, record.strength) == (True, False, 1.0)


def test_a_freeze_is_not_done_again_over_a_use(play):
    fact = tired(play)
    [undone] = play.memory.undo(last_operation(play, fact))
    play.memory.mark_used([fact])
    with pytest.raises(UndoRefusedError, match="changed by use since"):
        play.memory.undo(undone.id)
    assert play.memory.get(fact).dormant is False


def test_a_fact_stays_awake_however_often_its_freeze_was_undone_and_done_again(play):
    fact = tired(play)
    for _ in range(3):
        [awake] = play.memory.undo(last_operation(play, fact))
        play.memory.maintain(["sweep"])
        assert play.memory.get(fact).dormant is False
        play.memory.undo(awake.id)
        assert play.memory.get(fact).dormant is True
        play.later(days=30)


def test_a_memory_that_was_retired_meanwhile_is_taken_back_with_what_brought_it(play):
    old = play.fact("Ana lives in Lisbon.")
    new = play.memory.facts.set("home city", "Ana lives in Porto.", user_id="ana")
    brought = last_operation(play, new.id)
    play.memory.retire(new.id)
    retired = last_operation(play, new.id)
    [undone] = play.memory.undo(brought)
    [again] = play.memory.undo(undone.id)
    play.memory.undo(retired)
    play.memory.undo(again.id)
    assert play.memory.get(new.id).ending == "retired"
    assert play.found("Lisbon Porto") == ["Ana lives in Lisbon."]
    assert play.memory.facts.get("home city", user_id="ana").id == old.id


def test_an_approval_is_taken_back_also_where_what_it_was_in_conflict_with_was_deleted(play):
    old = play.fact("Ana lives in Lisbon.", expires_at=play.now + timedelta(hours=1))
    waits = play.fact("Ana lives in Porto.", origin="web")
    play.later(hours=2)
    play.memory.review.approve(waits.id)
    approved = last_operation(play, waits.id)
    play.memory.delete(old.id)
    [undone] = play.memory.undo(approved)
    assert play.memory.get(waits.id).review_state == "pending"
    play.memory.undo(undone.id)
    assert play.memory.get(waits.id).review_state == "active"


def test_an_operation_shows_the_columns_that_it_changed_and_no_others(play):
    fact = tired(play)
    [freeze] = play.memory.history(fact)
    assert [(one.before, one.after) for one in freeze.changes] == [({"dormant": 0}, {"dormant": 1})]
