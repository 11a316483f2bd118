"""What holds until a plan begins can be corrected and superseded by its id, as `facts.set` ends it."""

from datetime import timedelta

import pytest
from play import Play
from words import ENGLISH

from memcore.errors import InvalidInputError

OLD, PLANNED, NEW = (f"Water boils at {degrees} degrees." for degrees in (90, 100, 95))


@pytest.fixture
def play(tmp_path):
    story = Play(tmp_path / "agent.db", ENGLISH)
    yield story
    story.close()


@pytest.fixture(params=["knowledge", "fact"])
def planned(request, play):
    given = {"slot": "boiling point"} if request.param == "fact" else {}
    [old] = play.memory.add(OLD, user_id="ana", kind=request.param, **given)
    plan = play.memory.supersede(old.id, PLANNED, valid_from=day(play, 30))
    return play, old.id, plan.id


def day(play, number):
    return play.now + timedelta(days=number)


def span(play, one):
    row = play.memory.get(one)
    days = [None if moment is None else (moment - play.now).days for moment in (row.valid_from, row.valid_until)]
    return *days, row.superseded_by


def held(play, number):
    found = play.memory.search("water", user_id="ana", as_of=day(play, number))
    return [hit.content for hit in found]


def test_a_correction_holds_until_the_plan_begins(planned):
    play, old, plan = planned
    right = play.memory.feedback(old, corrected=NEW)
    assert right.reason == f"it supersedes {old}; memory {plan} is to take its place on 2026-03-31"
    assert [span(play, one) for one in (old, right.id, plan)] == [(0, 0, right.id), (0, 30, plan), (30, None, None)]
    assert (held(play, 1), held(play, 31)) == ([NEW], [PLANNED])
    assert play.memory.review.conflicts(user_id="ana") == []
    play.memory.retire(plan)
    assert span(play, right.id) == (0, None, None)


def test_an_undo_of_the_correction_lets_the_plan_follow_the_first_again(planned):
    play, old, plan = planned
    right = play.memory.feedback(old, corrected=NEW).id
    [undone] = play.memory.undo(play.memory.history(right)[-1].id)
    assert (span(play, old), held(play, 1), held(play, 31)) == ((0, 30, plan), [OLD], [PLANNED])
    play.memory.undo(undone.id)
    assert (span(play, right), held(play, 1), held(play, 31)) == ((0, 30, plan), [NEW], [PLANNED])


def test_a_correction_keeps_the_end_behind_the_plan(play):
    old = play.memory.facts.set("work", OLD, user_id="ana", valid_until=day(play, 20)).id
    plan = play.memory.facts.set("work", PLANNED, user_id="ana", valid_from=day(play, 10)).id
    right = play.memory.feedback(old, corrected=NEW).id
    assert span(play, right) == (0, 10, plan)
    play.memory.retire(plan)
    assert span(play, right) == (0, 20, None)


def test_what_is_called_wrong_first_is_corrected_until_the_plan_begins_too(planned):
    play, old, plan = planned
    play.memory.feedback(old, wrong=True)
    assert span(play, play.memory.feedback(old, corrected=NEW).id) == (0, 30, plan)


def test_what_has_another_in_its_place_by_now_is_not_corrected(planned):
    play, old, plan = planned
    play.later(days=30)
    with pytest.raises(InvalidInputError, match=f"superseded by memory {plan}; correct that one"):
        play.memory.feedback(old, corrected=NEW)


def by_supersede(play, old, **given):
    return play.memory.supersede(old, NEW, **given)


def by_add(play, old, **given):
    row = play.memory.get(old)
    return play.memory.add(NEW, user_id="ana", kind=row.kind, slot=row.slot, supersedes=old, **given)[0]


@pytest.mark.parametrize("way", [by_supersede, by_add])
@pytest.mark.parametrize("begins", [0, 20])
def test_what_takes_its_place_without_an_end_takes_that_of_the_plan_too(planned, way, begins):
    play, old, plan = planned
    new = way(play, old, valid_from=day(play, begins))
    assert (new.reason, new.supersedes) == (f"it supersedes {old}, {plan}", old)
    assert (span(play, old), span(play, plan)) == ((0, begins, new.id), (30, 30, new.id))
    assert (held(play, 25), held(play, 31)) == ([NEW], [NEW])
    assert play.memory.review.conflicts(user_id="ana") == []
    play.memory.undo(play.memory.history(new.id)[-1].id)
    assert (held(play, 1), held(play, 31)) == ([OLD], [PLANNED])


@pytest.mark.parametrize("way", [by_supersede, by_add])
def test_what_ends_before_the_plan_begins_leaves_it_as_it_is(planned, way):
    play, old, plan = planned
    new = way(play, old, valid_until=day(play, 30))
    assert new.reason == f"it supersedes {old}"
    assert (held(play, 1), held(play, 31), span(play, plan)) == ([NEW], [PLANNED], (30, None, None))


def test_what_would_come_after_the_plan_is_told_what_would_do(planned):
    play, old, plan = planned
    what = (
        f"is superseded by {plan} from 2026-03-31T09:00:00+00:00 on; supersede that one, or give an earlier valid_from"
    )
    with pytest.raises(InvalidInputError, match=f"id: {old} is not accepted; it "):
        by_supersede(play, old, valid_from=day(play, 30))
    assert what in by_add(play, old, valid_from=day(play, 40), infer=False).reason


def test_the_same_text_stays_until_the_plan(planned):
    play, old, plan = planned
    again = play.memory.supersede(old, OLD)
    assert (again.id, again.outcome, span(play, old)) == (old, "merge", (0, 30, plan))


def test_weaker_evidence_than_that_of_the_plan_waits_and_an_approval_ends_both(play):
    [old] = play.memory.add(OLD, user_id="ana", kind="knowledge", origin="web")
    plan = play.memory.supersede(old.id, PLANNED, valid_from=day(play, 30))
    given = {"user_id": "ana", "kind": "knowledge", "origin": "web", "supersedes": old.id}
    [as_it_is] = play.memory.add("Water never boils.", infer=False, **given)
    assert as_it_is.reason == f"memory {plan.id} has stronger evidence, and stays as what follows memory {old.id}"
    [new] = play.memory.add(NEW, **given)
    assert (new.outcome, new.reason) == ("defer", f"it contradicts memory {plan.id}, which has stronger evidence")
    play.memory.review.approve(new.id)
    assert {span(play, one)[2] for one in (old.id, plan.id)} == {new.id}
