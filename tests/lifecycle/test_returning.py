"""What an undo brings back stands beside what came since openly, and what has expired takes the place of nothing."""

from datetime import timedelta

import pytest
from play import Play
from words import CHINESE, ENGLISH

from memcore.settings import Settings

PAGE = "https://example.org/page"


@pytest.fixture(params=[ENGLISH, CHINESE], ids=lambda words: words.language)
def play(request, tmp_path):
    story = Play(tmp_path / "agent.db", request.param)
    yield story
    story.close()


def placed(play, content, **given):
    return play.memory.facts.set(play.words.slot, content, user_id="ana", **given)


def last(play, memory_id):
    return play.memory.history(memory_id)[-1].id


def conflicts(play):
    return [(one.older.id, one.newer.id) for one in play.memory.review.conflicts(user_id="ana")]


def value(play):
    fact = play.memory.facts.get(play.words.slot, user_id="ana")
    return None if fact is None else fact.content


@pytest.mark.parametrize("way_out", ["retire", "wrong"])
@pytest.mark.parametrize("origin", ["user", "web"])
def test_a_fact_that_comes_back_into_a_filled_slot_is_in_conflict_with_what_fills_it(play, way_out, origin):
    first = placed(play, play.words.old)
    if way_out == "retire":
        play.memory.retire(first.id)
    else:
        play.memory.feedback(first.id, wrong=True)
    out = last(play, first.id)
    second = play.fact(play.words.new, origin=origin)
    [undone] = play.memory.undo(out)
    assert conflicts(play) == [(first.id, second.id)]
    assert play.memory.context(play.words.where_query, user_id="ana").count(", in conflict)") == 2
    play.memory.undo(undone.id)
    assert conflicts(play) == []
    assert play.found(play.words.where_query) == [play.words.new]


def test_a_source_that_is_let_in_again_is_in_conflict_with_what_was_set_since(play):
    first = play.fact(play.words.old, source_ref=PAGE)
    [undone] = play.memory.undo(source_ref=PAGE)
    second = placed(play, play.words.new)
    play.memory.undo(undone.id)
    assert conflicts(play) == [(first.id, second.id)]


def test_the_same_value_is_no_conflict_and_what_was_decided_is_not_asked_again(play):
    first = placed(play, play.words.old)
    play.memory.retire(first.id)
    out = last(play, first.id)
    play.fact(play.words.old)
    other = play.fact(play.words.new)
    play.memory.undo(out)
    assert (first.id, other.id) in conflicts(play)
    play.memory.review.resolve(first.id, other.id, keep_both=True)
    play.memory.retire(first.id)
    play.memory.undo(last(play, first.id))
    assert (first.id, other.id) not in conflicts(play)


@pytest.mark.parametrize("gone", ["old", "new"])
def test_a_source_is_taken_back_also_where_a_part_of_what_it_did_was_deleted(play, gone):
    old = placed(play, play.words.old)
    new = placed(play, play.words.new, source_ref=PAGE)
    play.memory.add(play.words.offer, user_id="ana", origin="web", source_ref=PAGE)
    play.memory.delete((old if gone == "old" else new).id)
    play.memory.undo(source_ref=PAGE)
    assert play.found(play.words.offer_query) == []
    assert value(play) == (None if gone == "old" else play.words.old)


def test_what_has_expired_takes_the_place_of_nothing_and_is_in_conflict_with_nothing(play):
    first = placed(play, play.words.old)
    second = play.fact(play.words.new, expires_at=play.now + timedelta(days=5))
    assert conflicts(play) == [(first.id, second.id)]
    play.later(days=6)
    assert conflicts(play) == []
    placed(play, play.words.newest, expires_at=play.now - timedelta(days=1))
    assert value(play) == play.words.old
    assert play.found(play.words.where_query) == [play.words.old]


@pytest.mark.parametrize("way_out", ["retire", "wrong"])
def test_two_values_that_one_undo_brings_back_are_in_conflict(play, way_out):
    first = play.fact(play.words.old)
    if way_out == "retire":
        play.memory.retire(first.id)
    else:
        play.memory.feedback(first.id, wrong=True)
    out = last(play, first.id)
    second = play.fact(play.words.new)
    right = play.memory.feedback(first.id, corrected=play.words.newest)
    put = last(play, right.id)
    play.memory.undo(out)
    play.memory.undo(put)
    assert conflicts(play) == [(first.id, second.id)]


def test_what_happened_before_the_days_of_retention_takes_the_place_of_nothing(play):
    play.reopen(settings=Settings(retention_days={"fact": 30}))
    placed(play, play.words.old)
    long_ago = play.now - timedelta(days=60)
    assert placed(play, play.words.new, event_time=long_ago).supersedes is None
    play.fact(play.words.newest, event_time=long_ago)
    assert value(play) == play.words.old
    assert conflicts(play) == []
