"""A plan that is called off before it begins gives back the time that it was to take from what holds."""

from datetime import timedelta

import pytest
from play import Play
from words import CHINESE, ENGLISH

from memcore.errors import NotFoundError, UndoRefusedError

ROME, LIMA, OSLO, BERN = (f"Ana lives in {city}." for city in ("Rome", "Lima", "Oslo", "Bern"))
WAYS = {
    "retired": lambda play, one: play.memory.retire(one),
    "wrong": lambda play, one: play.memory.feedback(one, wrong=True),
    "deleted": lambda play, one: play.memory.delete(one),
}


@pytest.fixture
def play(tmp_path):
    story = Play(tmp_path / "agent.db", ENGLISH)
    yield story
    story.close()


@pytest.fixture(params=WAYS)
def call_off(request, play):
    return lambda one: WAYS[request.param](play, one)


def fill(play, content, day=None, **given):
    """Sets the slot from a day on; the id."""
    begins = None if day is None else play.now + timedelta(days=day)
    return play.memory.facts.set(play.words.slot, content, user_id="ana", valid_from=begins, **given).id


def value(play, day):
    found = play.memory.facts.get(play.words.slot, user_id="ana", as_of=play.now + timedelta(days=day))
    return found and found.content


def end(play, one):
    row = play.memory.get(one)
    return row.valid_until and (row.valid_until - play.now).days, row.superseded_by


def conflicts(play):
    return [(one.older.id, one.newer.id) for one in play.memory.review.conflicts(user_id="ana")]


def last(play, one):
    return play.memory.history(one)[-1]


def test_what_holds_goes_on_where_what_was_planned_is_called_off(play, call_off):
    rome = fill(play, ROME)
    lima = fill(play, LIMA, day=2)
    assert (end(play, rome), value(play, 3)) == ((2, lima), LIMA)
    call_off(lima)
    assert (end(play, rome), value(play, 1), value(play, 3)) == ((None, None), ROME, ROME)
    again = play.fact(ROME)
    assert (again.id, again.outcome) == (rome, "merge")
    play.later(days=3)
    assert play.found("Where does Ana live?") == [ROME]


def test_so_does_what_was_superseded_by_name(play, call_off):
    rule = play.memory.add("The shop opens at nine.", kind="knowledge", user_id="ana")[0].id
    plan = play.memory.supersede(rule, "The shop opens at ten.", valid_from=play.now + timedelta(days=2)).id
    call_off(plan)
    assert end(play, rule) == (None, None)


def test_what_has_begun_gives_nothing_back(play, call_off):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    play.later(days=2)
    call_off(lima)
    assert end(play, rome)[0] == 0
    assert value(play, 0) is None


def test_what_had_begun_has_also_where_the_clock_steps_back(play, call_off):
    rome = fill(play, ROME)
    play.later(days=5)
    lima = fill(play, LIMA)
    play.later(days=-5)
    call_off(lima)
    assert end(play, rome)[0] == 5


@pytest.mark.parametrize(("how", "reason"), [("retired", "she stays"), ("wrong", "wrong")])
def test_the_operation_says_so_and_an_undo_plans_it_again(play, how, reason):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    if how == "retired":
        play.memory.retire(lima, reason=reason)
    else:
        WAYS[how](play, lima)
    done = last(play, lima)
    assert done.reason == f"{reason}; memory {rome} keeps the time that memory {lima} was to take"
    assert last(play, rome) == done
    with pytest.raises(UndoRefusedError, match=f"later operations stand on it: {done.id};"):
        play.memory.undo(play.memory.history(rome)[0].id)
    [undone] = play.memory.undo(done.id)
    assert (end(play, rome), value(play, 1), value(play, 3)) == ((2, lima), ROME, LIMA)
    play.memory.undo(undone.id)
    assert (end(play, rome), value(play, 3)) == ((None, None), ROME)


def test_a_reason_of_its_own_stays_where_nothing_was_planned(play):
    rome = fill(play, ROME)
    play.memory.retire(rome, reason="she left")
    assert last(play, rome).reason == "she left"


def test_a_deleted_plan_leaves_nothing_in_the_history_of_what_it_was_to_follow(play):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    planned = last(play, rome).id
    play.memory.delete(lima)
    assert play.memory.history(rome) == []
    with pytest.raises(NotFoundError):
        play.memory.undo(planned)


def test_the_end_that_an_earlier_plan_gave_comes_back(play, call_off):
    rome = fill(play, ROME)
    oslo = fill(play, OSLO, day=9)
    lima = fill(play, LIMA, day=2)
    assert [end(play, one) for one in (rome, oslo)] == [(2, lima), (9, lima)]
    call_off(lima)
    assert [end(play, one) for one in (rome, oslo)] == [(9, oslo), (None, None)]
    assert [value(play, day) for day in (3, 10)] == [ROME, OSLO]


def test_an_end_of_its_own_comes_back(play, call_off):
    until = play.now + timedelta(days=6)
    rome = fill(play, ROME, valid_until=until)
    call_off(fill(play, LIMA, day=2))
    assert end(play, rome) == (6, None)


def test_an_earlier_plan_that_was_called_off_meanwhile_does_not_come_back(play, call_off):
    rome, oslo = fill(play, ROME), fill(play, OSLO, day=9)
    lima = fill(play, LIMA, day=2)
    call_off(oslo)
    assert end(play, rome) == (2, lima)
    call_off(lima)
    assert end(play, rome) == (None, None)


def test_nothing_changes_where_something_else_has_the_place_by_now(play, call_off):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    play.later(days=1)
    bern = fill(play, BERN)
    before = end(play, rome)
    call_off(lima)
    assert end(play, rome) == before == (0, bern)
    assert value(play, 4) == BERN


def test_a_later_plan_bounds_the_time_that_is_given_back(play, call_off):
    rome, lima, oslo = fill(play, ROME), fill(play, LIMA, day=2), fill(play, OSLO, day=5)
    call_off(lima)
    assert end(play, rome) == (5, oslo)
    assert [value(play, day) for day in (3, 6)] == [ROME, OSLO]
    call_off(oslo)
    assert end(play, rome) == (None, None)
    assert value(play, 6) == ROME


def test_a_plan_that_was_corrected_is_called_off_with_its_correction(play, call_off):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    right = play.memory.feedback(lima, corrected=OSLO).id
    assert [value(play, day) for day in (1, 3)] == [ROME, OSLO]
    call_off(right)
    assert end(play, rome) == (None, None)
    assert value(play, 3) == ROME


def test_a_plan_in_the_place_of_a_plan_gives_the_first_back(play, call_off):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    oslo = play.memory.supersede(lima, OSLO, valid_from=play.now + timedelta(days=4)).id
    call_off(oslo)
    assert [end(play, one) for one in (rome, lima)] == [(2, lima), (None, None)]
    assert value(play, 5) == LIMA


def test_all_that_a_plan_was_to_end_goes_on_and_is_in_conflict_again(play, call_off):
    rome, oslo = fill(play, ROME), play.fact(OSLO).id
    lima = fill(play, LIMA, day=2)
    call_off(lima)
    assert [end(play, one) for one in (rome, oslo)] == [(None, None)] * 2
    assert conflicts(play) == [(rome, oslo)]


def test_what_was_to_begin_after_it_is_in_conflict_with_what_goes_on(play, call_off):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    oslo = play.fact(OSLO, valid_from=play.now + timedelta(days=4)).id
    assert conflicts(play) == [(lima, oslo)]
    call_off(lima)
    assert conflicts(play) == [(rome, oslo)]


def test_what_was_retired_meanwhile_stays_out_and_comes_back_open(play, call_off):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    play.memory.retire(rome)
    out = last(play, rome).id
    call_off(lima)
    assert value(play, 3) is None
    play.memory.undo(out)
    assert (end(play, rome), value(play, 3)) == ((None, None), ROME)


def test_a_plan_that_a_person_approved_gives_back_what_the_approval_took(play, call_off):
    rome = fill(play, ROME)
    waits = play.fact(LIMA, origin="web", valid_from=play.now + timedelta(days=2)).id
    play.memory.review.approve(waits)
    assert end(play, rome) == (2, waits)
    call_off(waits)
    assert end(play, rome) == (None, None)


def test_a_plan_that_waits_and_is_rejected_has_taken_nothing(play):
    rome = fill(play, ROME)
    waits = play.fact(LIMA, origin="web", valid_from=play.now + timedelta(days=2)).id
    play.memory.review.reject(waits)
    assert (end(play, rome), value(play, 3)) == ((None, None), ROME)


def test_a_plan_whose_operation_is_unknown_leaves_an_open_end(play):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=2)
    with play.memory._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM operation_change")
    play.memory.retire(lima)
    assert end(play, rome) == (None, None)


NESTED = {
    "a plan between": ([(None, None), (24, None), (12, None), (6, None)], 4, {1: 1, 13: 3, 25: 3}),
    "two plans of one day": ([(None, None), (24, None), (12, None), (24, None), (6, None)], 5, {1: 1, 13: 3, 25: 4}),
    "the same day twice": ([(None, None), (20, None), (8, None), (8, None)], 4, {1: 1, 9: 3, 21: 3}),
    "plans with ends": ([(None, None), (8, 17), (5, 9), (5, 14)], 4, {1: 1, 6: 3, 10: None}),
    "the next in turn": (
        [(None, None), (24, None), (12, None), (13, None), (21, None)],
        3,
        {1: 1, 14: 4, 22: 5, 25: 5},
    ),
    "called off by what ends": ([(None, None), (20, None), (12, None), (10, 14)], 4, {1: 1, 13: 3, 21: 3}),
    "an end before the next": ([(None, None), (6, 8), (8, None)], 2, {1: 1, 9: 3, 20: 3}),
    "what ended before it": ([(None, None), (24, None), (2, 6), (3, 12), (10, None)], 5, {1: 1, 4: 4, 11: 4, 25: 2}),
}


@pytest.mark.parametrize("way", ["retire", "wrong", "delete"])
@pytest.mark.parametrize("story", NESTED)
@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
def test_what_was_called_off_before_stays_so_when_a_later_plan_is(tmp_path, words, story, way):
    sets, gone, holds = NESTED[story]
    play = Play(tmp_path / "nested.db", words)
    start, ids = play.now, []
    for number, (begins, ends) in enumerate(sets):
        given = {
            name: start + timedelta(days=day) for name, day in (("valid_from", begins), ("valid_until", ends)) if day
        }
        ids.append(play.memory.facts.set(words.slot, f"{words.slot} {number}", user_id="ana", **given).id)
        play.later(minutes=1)
    {
        "retire": play.memory.retire,
        "wrong": lambda one: play.memory.feedback(one, wrong=True),
        "delete": play.memory.delete,
    }[way](ids[gone - 1])
    found = {
        day: [one.id for one in play.memory.facts.list(user_id="ana", as_of=start + timedelta(days=day))]
        for day in holds
    }
    play.close()
    assert found == {day: [] if place is None else [ids[place - 1]] for day, place in holds.items()}


@pytest.mark.parametrize("way", ["retire", "wrong", "delete"])
def test_a_corrected_value_is_followed_by_what_the_value_was_when_a_nearer_plan_is_called_off(play, way):
    rome, lima = fill(play, ROME), fill(play, LIMA, day=24)
    right = play.memory.feedback(rome, corrected="Ana lives in Oslo.").id
    near = play.memory.facts.set(
        ENGLISH.slot, "Ana lives in Bern.", user_id="ana", valid_from=play.now + timedelta(days=3)
    ).id
    {
        "retire": play.memory.retire,
        "wrong": lambda one: play.memory.feedback(one, wrong=True),
        "delete": play.memory.delete,
    }[way](near)
    assert (end(play, right), end(play, lima)) == ((24, lima), (None, None))


@pytest.mark.parametrize("way", ["retire", "wrong", "delete"])
@pytest.mark.parametrize("day", [3, 15, 25])
@pytest.mark.parametrize("corrected", [0, 1])
def test_so_is_each_of_what_was_planned_to_follow_one_another(tmp_path, corrected, day, way):
    play = Play(tmp_path / "chain.db", CHINESE)
    places = ("北京", "上海", "广州", "深圳", "杭州")
    ids = [
        play.memory.facts.set(
            play.words.slot, f"小安住在{place}。", user_id="ana", valid_from=play.at(at) if at else None
        ).id
        for place, at in zip(places, (0, 10, 20, 30), strict=False)
    ]
    ids[corrected] = play.memory.feedback(ids[corrected], corrected="小安住在成都。").id
    play.later(minutes=1)
    near = play.memory.facts.set(play.words.slot, f"小安住在{places[4]}。", user_id="ana", valid_from=play.at(day)).id
    play.later(minutes=1)
    {
        "retire": play.memory.retire,
        "wrong": lambda one: play.memory.feedback(one, wrong=True),
        "delete": play.memory.delete,
    }[way](near)
    found = [play.memory.facts.list(user_id="ana", as_of=play.at(at)).items for at in (1, 11, 21, 31)]
    play.close()
    assert [[one.id for one in items] for items in found] == [[one] for one in ids]


@pytest.mark.parametrize("way", ["retire", "wrong", "delete"])
@pytest.mark.parametrize("gone", ["set after it", "of it"])
def test_what_corrects_a_value_was_not_set_after_the_plans_that_stood_by_then(tmp_path, gone, way):
    play = Play(tmp_path / "corrected.db", ENGLISH)
    start, rome = play.now, fill(play, ROME)
    lima = fill(play, LIMA, day=10, valid_until=play.at(14))
    oslo = fill(play, OSLO, day=24)
    right = play.memory.feedback(rome, corrected=BERN).id
    play.later(minutes=1)
    off = fill(play, "Ana lives in Faro.", day=8) if gone == "set after it" else lima
    play.later(minutes=1)
    WAYS[{"retire": "retired", "wrong": "wrong", "delete": "deleted"}[way]](play, off)
    found = [
        play.memory.facts.list(user_id="ana", as_of=start + timedelta(days=day)).items for day in (1, 9, 11, 16, 30)
    ]
    play.close()
    between = [[lima], []] if gone == "set after it" else [[right], [right]]
    assert [[one.id for one in items] for items in found] == [[right], [right], *between, [oslo]]
