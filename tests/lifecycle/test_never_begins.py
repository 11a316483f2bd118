"""A plan of which something else has the place before it begins is called off by that, as if it were retired."""

import pytest
from play import Play
from test_called_off import WAYS, conflicts, end, fill, last, value
from test_next_plan import TEXTS
from words import CHINESE, ENGLISH

from memcore.errors import UndoRefusedError


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["English", "Chinese"])
def play(request, tmp_path):
    story = Play(tmp_path / "agent.db", request.param)
    yield story
    story.close()


@pytest.fixture
def texts(play):
    return TEXTS[play.words]


def overtaken(play, texts):
    """A value, a plan, and the plan said to hold already by equal evidence, beside the value."""
    return fill(play, texts[0]), fill(play, texts[1], day=12), play.fact(texts[1]).id


def test_what_it_was_to_follow_goes_on_and_the_reason_says_so(play, texts):
    lisbon, planned = fill(play, texts[0]), fill(play, texts[1], day=12)
    now = play.fact(texts[1])
    told = f"memory {lisbon} keeps the time that memory {planned} was to take"
    assert now.reason.endswith(f"fills its slot with something else; {told}")
    assert last(play, lisbon).reason == now.reason
    assert (end(play, lisbon), conflicts(play)) == ((None, None), [(lisbon, now.id)])


def test_what_goes_on_is_set_again(play, texts):
    lisbon, _, now = overtaken(play, texts)
    again = play.memory.facts.set(play.words.slot, texts[0], user_id="ana")
    assert (again.id, again.reason) == (lisbon, f"the same text is stored already; it supersedes {now}")
    assert conflicts(play) == []


@pytest.mark.parametrize("at", [0, 1])
def test_either_of_the_two_is_kept(play, texts, at):
    ids = overtaken(play, texts)
    play.memory.review.resolve(ids[2 * at], ids[2 - 2 * at])
    assert [value(play, day) for day in (0, 20)] == [texts[at]] * 2


@pytest.mark.parametrize("how", WAYS)
def test_nothing_is_empty_where_what_overtook_it_goes(play, texts, how):
    lisbon, _, now = overtaken(play, texts)
    WAYS[how](play, now)
    assert [value(play, day) for day in (0, 20)] == [texts[0]] * 2
    assert (end(play, lisbon), conflicts(play)) == ((None, None), [])


def test_a_correction_ends_both(play, texts):
    overtaken(play, texts)
    right = play.memory.feedback(1, corrected=texts[3])
    assert right.reason == "it supersedes 1, 3"
    assert ([value(play, day) for day in (0, 20)], conflicts(play)) == ([texts[3]] * 2, [])


def test_an_undo_plans_it_again_and_another_calls_it_off_again(play, texts):
    lisbon, planned, now = overtaken(play, texts)
    [undone] = play.memory.undo(last(play, now).id)
    assert [end(play, one) for one in (lisbon, planned)] == [(12, planned), (None, None)]
    assert [value(play, day) for day in (0, 20)] == texts[:2]
    play.memory.undo(undone.id)
    assert (end(play, lisbon), conflicts(play)) == ((None, None), [(lisbon, now)])


@pytest.mark.parametrize("how", WAYS)
def test_what_it_never_took_comes_back_beside_what_overtook_it(play, texts, how):
    first, second = fill(play, texts[0]), fill(play, texts[1], day=20, valid_until=play.at(25))
    third = fill(play, texts[2], day=10)
    fourth = play.memory.facts.set(
        play.words.slot, texts[3], user_id="ana", valid_from=play.at(10), valid_until=play.at(18)
    )
    assert fourth.reason == (
        f"it supersedes {third}; memory {second} keeps the time that memory {third} was to take;"
        f" memory {fourth.id} is to follow memory {first} instead of {third}"
    )
    ends = [(10, fourth.id), (25, None), (18, None)]
    assert [end(play, one) for one in (first, second, fourth.id)] == ends
    WAYS[how](play, third)
    assert [end(play, one) for one in (first, second, fourth.id)] == ends
    assert conflicts(play) == []


def test_a_passing_value_leaves_what_begins_after_it(play, texts):
    fill(play, texts[0])
    second = fill(play, texts[1], day=9)
    fill(play, texts[2], day=5)
    passing = fill(play, texts[3], valid_until=play.at(7))
    assert (end(play, second), end(play, passing)) == ((None, None), (7, None))
    assert [value(play, day) for day in (0, 6, 8, 10)] == [texts[3], texts[3], None, texts[1]]
    play.memory.undo(last(play, passing).id)
    assert [value(play, day) for day in (0, 6, 10)] == [texts[0], texts[2], texts[2]]


def test_a_plan_of_the_same_day_takes_its_place_and_what_it_was_to_follow(play, texts):
    lisbon, porto, braga = fill(play, texts[0]), fill(play, texts[1], day=4), fill(play, texts[2], day=4)
    assert (
        last(play, porto).reason == f"it supersedes {porto}; memory {braga} is to follow memory {lisbon} instead of 2"
    )
    assert end(play, lisbon) == (4, braga)


def test_a_corrected_plan_is_followed_by_what_is_right(play, texts):
    lisbon, porto = fill(play, texts[0]), fill(play, texts[1], day=4)
    right = play.memory.feedback(porto, corrected=texts[2])
    assert right.reason == f"it supersedes {porto}; memory {right.id} is to follow memory {lisbon} instead of {porto}"
    assert end(play, lisbon) == (4, right.id)
    play.memory.undo(last(play, right.id).id)
    assert end(play, lisbon) == (4, porto)


def test_an_approval_calls_a_plan_off(play):
    rule = play.memory.add("The shop opens at nine.", kind="knowledge", user_id="ana")[0].id
    plan = play.memory.supersede(rule, "The shop opens at ten.", valid_from=play.at(4)).id
    waits = play.memory.add(
        "The shop opens at two.", kind="knowledge", user_id="ana", origin="web", supersedes=plan, valid_from=play.at(2)
    )[0].id
    play.memory.review.approve(waits)
    assert last(play, rule).reason == f"approved; memory {waits} is to follow memory {rule} instead of {plan}"
    assert end(play, rule) == (2, waits)


def test_a_decision_calls_a_plan_off(play, texts):
    lisbon, porto = fill(play, texts[0]), fill(play, texts[1], day=9)
    braga = play.fact(texts[2], valid_from=play.at(5)).id
    play.memory.review.resolve(braga, porto)
    assert last(play, lisbon).reason == f"memory {lisbon} keeps the time that memory {porto} was to take"
    assert (end(play, lisbon), conflicts(play)) == ((None, None), [(lisbon, braga)])


@pytest.mark.parametrize("how", ["retired", "wrong"])
def test_no_undo_brings_back_an_end_by_what_was_called_off_since(play, texts, how):
    lisbon, porto, braga = fill(play, texts[0]), fill(play, texts[1], day=9), fill(play, texts[2], day=5)
    WAYS[how](play, porto)
    with pytest.raises(
        UndoRefusedError, match=f"memory {porto} is to follow memory {lisbon}, and would be out or never"
    ):
        play.memory.undo(last(play, lisbon).id)
    play.memory.undo(last(play, porto).id)
    play.memory.undo(last(play, lisbon).id)
    assert (end(play, lisbon), end(play, porto), value(play, 6)) == ((9, porto), (None, None), texts[0])
    assert play.memory.get(braga).ended_at is not None
