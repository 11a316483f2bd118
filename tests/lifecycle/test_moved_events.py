"""A plan that begins with its event begins on another day when the event is moved there."""

from datetime import timedelta

import pytest
from play import Play
from words import ENGLISH

from memcore.errors import InvalidInputError, UndoRefusedError

OLD, NEW = "Ana lives in Rome.", "Ana lives in Lima."


@pytest.fixture
def play(tmp_path):
    story = Play(tmp_path / "agent.db", ENGLISH)
    yield story
    story.close()


def day(play, number):
    return play.now + timedelta(days=number)


def planned(play, **given):
    old = play.memory.facts.set(play.words.slot, OLD, user_id="ana", **given).id
    return old, play.memory.facts.set(play.words.slot, NEW, user_id="ana", event_time=day(play, 10)).id


def begins(play, one):
    return (play.memory.get(one).valid_from - play.now).days


def ends(play, one):
    return (play.memory.get(one).valid_until - play.now).days


@pytest.mark.parametrize("moved", [4, 20])
def test_the_beginning_moves_with_the_event(play, moved):
    old, plan = planned(play)
    play.memory.update(plan, event_time=day(play, moved))
    assert (begins(play, plan), ends(play, old)) == (moved, moved)
    assert play.memory.review.conflicts(user_id="ana") == []
    found = [
        play.memory.facts.get(play.words.slot, user_id="ana", as_of=day(play, at)).content for at in (3, 5, 19, 21)
    ]
    assert found == [OLD, *([NEW] * 3 if moved == 4 else [OLD, OLD, NEW])]
    play.memory.undo(play.memory.history(plan)[-1].id)
    assert (begins(play, plan), ends(play, old)) == (10, 10)
    play.memory.retire(plan)
    assert play.memory.get(old).valid_until is None


def test_what_ends_by_itself_before_keeps_its_end(play):
    old, plan = planned(play, valid_until=day(play, 15))
    play.memory.update(plan, event_time=day(play, 20))
    assert (begins(play, plan), ends(play, old)) == (20, 15)


def test_a_beginning_of_its_own_stays(play):
    plan = play.fact(NEW, valid_from=day(play, 3), event_time=day(play, 10)).id
    play.memory.update(plan, event_time=day(play, 20))
    assert begins(play, plan) == 3


@pytest.mark.parametrize(("moved", "remedy"), [(0, "give a moment after now"), (15, "give an earlier moment")])
def test_an_event_that_would_be_past_or_after_the_end_is_refused(play, moved, remedy):
    plan = play.fact(NEW, event_time=day(play, 10), valid_until=day(play, 15)).id
    with pytest.raises(InvalidInputError, match=f"event_time: .*{remedy}"):
        play.memory.update(plan, event_time=day(play, moved))
    assert begins(play, plan) == 10


def test_a_move_of_what_was_superseded_since_is_not_undone(play):
    plan = play.fact(NEW, event_time=day(play, 10)).id
    play.memory.update(plan, event_time=day(play, 5))
    moved = play.memory.history(plan)[-1].id
    play.memory.feedback(plan, corrected=OLD)
    corrected = play.memory.history(plan)[-1].id
    with pytest.raises(UndoRefusedError, match=f"later operations stand on it: {corrected};"):
        play.memory.undo(moved)
    play.memory.undo(play.memory.history(plan)[-1].id)
    play.memory.undo(moved)
    assert begins(play, plan) == 10


def test_what_is_superseded_is_not_moved(play):
    plan = play.memory.facts.set(play.words.slot, NEW, user_id="ana", event_time=day(play, 9)).id
    now = play.memory.facts.set(play.words.slot, OLD, user_id="ana").id
    with pytest.raises(InvalidInputError, match=f"event_time: .*memory {plan} is superseded by memory {now} before it"):
        play.memory.update(plan, event_time=day(play, 7))
    assert play.memory.facts.get(play.words.slot, user_id="ana", as_of=day(play, 8)).content == OLD


@pytest.mark.parametrize("moved", [5, 6])
def test_it_is_not_moved_past_another_plan_or_onto_its_day(play, moved):
    old, plan = fill(play, OLD), fill(play, NEW, 6)
    third = fill(play, "Ana lives in Oslo.", 12)
    with pytest.raises(InvalidInputError, match=f"event_time: .*memory {plan} of its slot begins on .*set it anew"):
        play.memory.update(third, event_time=day(play, moved))
    play.memory.update(third, event_time=day(play, 20))
    assert (begins(play, third), ends(play, plan), ends(play, old)) == (20, 20, 6)


def fill(play, content, at=None):
    event = None if at is None else day(play, at)
    return play.memory.facts.set(play.words.slot, content, user_id="ana", event_time=event).id


def test_a_plan_that_was_moved_and_is_deleted_leaves_no_move_in_the_history_of_another(play):
    old, plan = planned(play)
    play.memory.update(plan, event_time=day(play, 4))
    play.memory.delete(plan)
    assert (play.memory.history(old), play.memory.get(old).valid_until) == ([], None)


def test_so_the_operations_of_the_others_are_undone(play):
    old, plan = fill(play, OLD), fill(play, NEW, 6)
    third = fill(play, "Ana lives in Oslo.", 12)
    play.memory.update(plan, event_time=day(play, 4))
    play.memory.delete(plan)
    [taken] = play.memory.history(old)
    assert (ends(play, old), play.memory.get(old).superseded_by) == (12, third)
    play.memory.undo(taken.id)
    assert play.memory.get(old).valid_until is None


def test_an_end_behind_a_deleted_plan_that_was_taken_away_stays_away(play):
    old, plan = planned(play, valid_until=day(play, 20))
    said = play.fact(OLD)
    assert said.reason.endswith("is taken away")
    play.memory.delete(plan)
    assert play.memory.get(old).valid_until is None
    play.memory.undo(play.memory.history(old)[-1].id)
    assert ends(play, old) == 20


def test_it_is_not_moved_past_a_plan_that_it_called_off(play):
    """Or that would stay off though nothing has its place."""
    play.memory.facts.set(play.words.slot, OLD, user_id="ana")
    off = play.memory.facts.set(play.words.slot, "Ana lives in Bern.", user_id="ana", valid_from=day(play, 20)).id
    plan = play.memory.facts.set(play.words.slot, NEW, user_id="ana", event_time=day(play, 15)).id
    play.memory.update(plan, event_time=day(play, 18))
    with pytest.raises(InvalidInputError, match=f"memory {off} of its slot was to begin on 2026-03-21.*set it anew"):
        play.memory.update(plan, event_time=day(play, 28))
    play.memory.retire(off)
    play.memory.update(plan, event_time=day(play, 28))
    assert begins(play, plan) == 28
