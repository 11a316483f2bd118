"""Edges hold for a time: a search from another moment walks those that held then."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import InvalidInputError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def day(number):
    return NOW + timedelta(days=number)


@pytest.fixture
def pair(opened):
    """A memory of a cello and one of a harbour, long ago, and a clock."""
    clock = [NOW]
    memory = opened(clock=lambda: clock[0])
    memory.clock = clock
    memory.ids = [memory.add(text, event_time=day(-400)).ids[0] for text in ("a cello", "the harbour")]
    return memory


def reaches(memory, **given):
    """Whether a search for the cello also brings the harbour, which only an edge can do."""
    return "the harbour" in [hit.content for hit in memory.search("cello", **given)]


def test_an_edge_is_walked_from_the_moment_it_was_made(pair):
    pair.relate(*pair.ids, strength=1.0)
    assert reaches(pair)
    assert reaches(pair, as_of=day(0))
    assert not reaches(pair, as_of=day(-1))


def test_an_edge_may_have_held_before_it_was_recorded(pair):
    pair.relate(*pair.ids, strength=1.0, valid_from=day(-10))
    assert [reaches(pair, as_of=day(number)) for number in (-11, -10, 0)] == [False, True, True]


def test_an_edge_that_ended_is_walked_by_searches_from_before_alone(pair):
    pair.relate(*pair.ids, strength=1.0, valid_from=day(-10))
    pair.clock[0] = day(5)
    assert pair.unrelate(*pair.ids) == 1
    assert not reaches(pair)
    assert [reaches(pair, as_of=day(number)) for number in (-11, -10, 4, 5)] == [False, True, True, False]
    assert [reaches(pair, known_at=day(number)) for number in (4, 5)] == [True, False]


def test_an_edge_that_was_made_again_holds_from_then_and_the_old_one_before(pair):
    pair.relate(*pair.ids, strength=1.0)
    pair.clock[0] = day(1)
    pair.unrelate(*pair.ids)
    pair.clock[0] = day(3)
    pair.relate(*pair.ids, strength=1.0)
    assert reaches(pair)
    assert [reaches(pair, as_of=day(number)) for number in (0, 1, 2, 3)] == [True, False, False, True]


def test_setting_the_strength_of_an_edge_leaves_its_beginning(pair):
    pair.relate(*pair.ids, strength=0.9, valid_from=day(-10))
    pair.relate(*pair.ids, strength=1.0)
    assert reaches(pair, as_of=day(-5))


def test_an_edge_of_older_files_has_always_held(pair):
    pair.relate(*pair.ids, strength=1.0)
    with pair._database.write() as connection:
        connection.exec_driver_sql("UPDATE edge SET valid_from = NULL, recorded_at = NULL")
    assert reaches(pair, as_of=day(-400), known_at=day(1))


def test_what_was_used_together_is_joined_from_then(pair):
    for _ in range(8):
        pair.mark_used(pair.ids)
    assert reaches(pair)
    assert not reaches(pair, as_of=day(-1))


def test_an_edge_cannot_begin_later_than_now(pair):
    with pytest.raises(InvalidInputError, match="valid_from"):
        pair.relate(*pair.ids, valid_from=day(1))
    with pytest.raises(InvalidInputError, match="valid_from"):
        pair.relate(*pair.ids, valid_from="once")
    assert not reaches(pair)


def test_edges_leave_their_history_only_with_their_memories(pair):
    pair.relate(*pair.ids, strength=1.0)
    pair.unrelate(*pair.ids)
    assert pair.unrelate(*pair.ids) == 0
    pair.delete(pair.ids[1])
    with pair._database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM edge_history").scalar_one() == 0


def test_a_search_from_another_moment_walks_mentions_and_turns_as_always(opened):
    memory = opened()
    memory.add([{"role": "user", "content": text} for text in ("a violin?", "the garden")], session_id="s")
    assert "the garden" in [hit.content for hit in memory.search("violin", as_of=day(1))]
