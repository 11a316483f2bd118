"""What gets its time back from a plan that is called off holds at most until the next plan of its slot that stands."""

from itertools import permutations

import pytest
from play import Play
from test_called_off import WAYS, conflicts, end, fill, last, value
from words import CHINESE, ENGLISH

TEXTS = {
    ENGLISH: [f"Ana lives in {city}." for city in ("Lisbon", "Porto", "Braga", "Faro", "Evora")],
    CHINESE: [f"小安住在{city}。" for city in ("里斯本", "波尔图", "布拉加", "法鲁", "埃武拉")],
}


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["English", "Chinese"])
def play(request, tmp_path):
    story = Play(tmp_path / "agent.db", request.param)
    yield story
    story.close()


@pytest.fixture
def texts(play):
    return TEXTS[play.words]


@pytest.fixture(params=WAYS)
def call_off(request, play):
    return lambda one: WAYS[request.param](play, one)


def until(play, day):
    return {"valid_until": play.at(day)}


def undone_and_done_again(play, states, operation):
    """An undo brings back the first of two states, and an undo of that the second."""
    before, after, ids = states
    [undone] = play.memory.undo(operation)
    assert [end(play, one) for one in ids] == before
    play.memory.undo(undone.id)
    assert [end(play, one) for one in ids] == after


def test_it_holds_until_a_plan_that_the_one_called_off_left_alone(play, texts, call_off):
    lisbon = fill(play, texts[0])
    porto = fill(play, texts[1], day=6, **until(play, 8))
    evora = fill(play, texts[4], day=8)
    call_off(porto)
    assert (end(play, lisbon), conflicts(play)) == ((8, evora), [])
    assert [value(play, day) for day in (7, 9)] == [texts[0], texts[4]]
    call_off(evora)
    assert (end(play, lisbon), value(play, 9)) == ((None, None), texts[0])


@pytest.mark.parametrize("how", ["retired", "wrong"])
def test_so_it_is_after_an_undo_and_another(play, texts, how):
    ids = fill(play, texts[0]), fill(play, texts[1], day=6, **until(play, 8)), fill(play, texts[4], day=8)
    before = [end(play, one) for one in ids]
    WAYS[how](play, ids[1])
    states = before, [end(play, one) for one in ids], ids
    undone_and_done_again(play, states, last(play, ids[0]).id)


@pytest.mark.parametrize("order", [(1, 3), (3, 1)])
def test_it_holds_until_a_plan_that_comes_back_with_it(play, texts, call_off, order):
    ids = [fill(play, texts[0])] + [fill(play, texts[at], day=day) for at, day in ((1, 20), (2, 21), (3, 13))]
    assert last(play, ids[0]).reason == "it supersedes 1, 2, 3"
    for at in order:
        call_off(ids[at])
    assert [end(play, ids[at]) for at in (0, 2)] == [(21, ids[2]), (None, None)]
    assert conflicts(play) == []


def test_the_end_of_its_own_comes_back_where_the_next_plan_is_called_off_too(play, texts, call_off):
    lisbon = fill(play, texts[0], **until(play, 20))
    porto = fill(play, texts[1], day=6, **until(play, 8))
    evora = fill(play, texts[4], day=8)
    call_off(porto)
    assert end(play, lisbon) == (8, evora)
    call_off(evora)
    assert end(play, lisbon) == (20, None)


def test_what_was_taken_by_the_next_plan_is_given_back_by_an_undo(play, texts):
    lisbon = fill(play, texts[0], **until(play, 20))
    porto = fill(play, texts[1], day=6, **until(play, 8))
    fill(play, texts[4], day=8)
    play.memory.delete(porto)
    play.memory.undo(last(play, lisbon).id)
    assert (end(play, lisbon), len(conflicts(play))) == ((20, None), 1)


def test_of_two_plans_of_one_day_the_one_that_stands_is_told(play, texts, call_off):
    lisbon, porto, braga = fill(play, texts[0]), fill(play, texts[1], day=4), fill(play, texts[2], day=4)
    call_off(porto)
    assert end(play, lisbon) == (4, braga)
    call_off(braga)
    assert (end(play, lisbon), value(play, 5)) == ((None, None), texts[0])


def test_what_stands_beside_it_is_in_conflict_and_ends_nothing(play, texts, call_off):
    lisbon, porto = fill(play, texts[0]), fill(play, texts[1], day=2)
    braga = play.fact(texts[2], valid_from=play.at(4)).id
    call_off(porto)
    assert (end(play, lisbon), conflicts(play)) == ((None, None), [(lisbon, braga)])


def test_weaker_evidence_ends_nothing(play, texts, call_off):
    lisbon, porto = fill(play, texts[0]), fill(play, texts[1], day=2, **until(play, 4))
    braga = play.fact(texts[2], valid_from=play.at(4), origin="import").id
    call_off(porto)
    assert (end(play, lisbon), conflicts(play)) == ((None, None), [(lisbon, braga)])


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_all_of_them_called_off_leave_an_open_end_and_nothing_between(play, texts, call_off, order):
    ids = [fill(play, texts[0])] + [fill(play, texts[at], day=day) for at, day in ((1, 5), (2, 9), (3, 14))]
    for at in order:
        call_off(ids[at])
        assert conflicts(play) == []
    assert (end(play, ids[0]), value(play, 20)) == ((None, None), texts[0])
