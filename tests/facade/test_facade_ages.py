"""How old a memory is by each clock, as the rank forms `postgres` and `diary` take it, and why one scores nothing."""

import math
from datetime import UTC, datetime, timedelta

import pytest

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DETAILS = {"case": {"question": "Where is the tea?", "answer": "In the garden."}, "lesson": {"pattern": "tea"}}


def day(number):
    return NOW + timedelta(days=number)


@pytest.fixture
def found(opened):
    """Stores one memory, and gives it as a search finds it so many days later."""
    clock = [NOW]
    memory = opened(clock=lambda: clock[0])

    def search(days, rank_form, *, kind="event", pinned=False, used=None, **given):
        clock[0] = NOW
        details = DETAILS.get(kind)
        memory_id = memory.add("tea in the garden", kind=kind, details=details, **given).ids[0]
        if pinned:
            memory.pin(memory_id)
        if used is not None:
            clock[0] = day(used)
            memory.mark_used([memory_id])
        [hit] = memory.search("tea", now=day(days), kinds=[kind], include_dormant=True, params={"rank_form": rank_form})
        memory.delete(memory_id)
        return hit

    return search


@pytest.mark.parametrize("kind", ["event", "turn", "episode", "summary", "case"])
def test_in_postgres_what_happened_ages_from_the_event_whatever_its_use(found, kind):
    assert found(0, "postgres", kind=kind, event_time=day(-2005)).signals["age"] == pytest.approx(2005)
    assert found(0, "postgres", kind=kind, event_time=day(-2005), used=-1).signals["age"] == pytest.approx(2005)


@pytest.mark.parametrize("kind", ["fact", "knowledge", "lesson"])
def test_in_postgres_a_claim_ages_from_its_last_use(found, kind):
    assert found(300, "postgres", kind=kind, event_time=day(-2005)).signals["age"] == pytest.approx(300)
    assert found(300, "postgres", kind=kind, event_time=day(-2005), used=250).signals["age"] == pytest.approx(50)


@pytest.mark.parametrize(("importance", "first"), [(1.0, 33.0), (5.0, 45.0), (10.0, 60.0)])
@pytest.mark.parametrize("kind", ["event", "fact", "turn"])
def test_the_stability_of_diary_is_an_events_own_or_that_of_a_new_one(found, kind, importance, first):
    assert found(0, "diary", kind=kind, importance=importance).signals["stability"] == pytest.approx(first)


def test_a_use_renews_an_event_in_diary_and_makes_it_more_stable(found):
    unused, used = found(60, "diary", importance=5), found(60, "diary", importance=5, used=30)
    assert (unused.signals["age"], unused.signals["stability"]) == pytest.approx((60, 45))
    assert (used.signals["age"], used.signals["stability"]) == pytest.approx((30, 67.5))
    assert unused.score == pytest.approx(unused.signals["relevance"] * 0.5 * math.exp(-60 / 45), rel=1e-6)
    assert used.score == pytest.approx(used.signals["relevance"] * 0.51 * math.exp(-30 / 67.5), rel=1e-6)


@pytest.mark.parametrize("kind", ["turn", "episode", "summary", "case", "knowledge", "fact"])
def test_in_diary_every_kind_ages_from_its_last_use_or_from_when_it_was_recorded(found, kind):
    assert found(60, "diary", kind=kind, event_time=day(-900)).signals["age"] == pytest.approx(60)
    assert found(60, "diary", kind=kind, event_time=day(-900), used=50).signals["age"] == pytest.approx(10)
    if kind not in ("knowledge", "fact"):
        assert found(60, "diary", kind=kind, event_time=day(20)).signals["age"] == pytest.approx(40)


def test_what_is_pinned_does_not_age_in_diary(found):
    assert "age" not in found(400, "diary", pinned=True).signals


def test_of_a_candidate_that_a_form_gives_no_score_why_not_says_so(opened):
    memory = opened()
    [plain] = memory.add("tea in the garden", importance=0, kind="knowledge").ids
    result = memory.search("tea", params={"rank_form": "diary"})
    assert list(result) == []
    answer = result.why_not(plain)
    assert answer.reason == "no relevance"
    assert answer.detail == "it was a candidate, and the rank form diary gives it a score of 0"
