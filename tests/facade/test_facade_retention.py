"""How much of a memory is left, by the curve of its kind, and what that does to its rank."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore.curves import exponential, gaussian, half_life, hyperbolic

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def day(number):
    return NOW + timedelta(days=number)


@pytest.fixture
def aged(opened):
    """Stores one memory, and says how much of it is left so many days later."""
    clock = [NOW]
    memory = opened(clock=lambda: clock[0])

    def retained(days, kind="event", edits=(), **given):
        memory_id = memory.add("tea in the garden", kind=kind, **given).ids[0]
        with memory._database.write() as connection:
            for statement in edits:
                connection.exec_driver_sql(statement, (memory_id,))
        [hit] = memory.search("tea", now=day(days), kinds=[kind], include_dormant=True)
        memory.delete(memory_id)
        return hit.signals["retention"]

    return retained


def test_an_event_fades_by_its_stability_from_when_it_was_recorded(aged):
    assert aged(0) == 1.0
    assert aged(45, importance=5) == pytest.approx(exponential(45, 45.0))
    assert aged(45, importance=5, event_time=day(-300)) == pytest.approx(exponential(45, 45.0))
    assert aged(45, importance=5, edits=["UPDATE event_detail SET stability_days = 90 WHERE memory_id = ?"]) == (
        pytest.approx(exponential(45, 90.0))
    )


def test_an_event_that_was_used_ages_from_then_and_one_that_is_to_come_not_before_it_comes(aged):
    used = f"UPDATE memory SET last_used_at = {int(day(30).timestamp() * 1e6)} WHERE id = ?"
    assert aged(45, importance=5, edits=[used]) == pytest.approx(exponential(15, 45.0))
    assert aged(20, event_time=day(25)) == 1.0
    assert aged(45, importance=5, event_time=day(25)) == pytest.approx(exponential(20, 45.0))


@pytest.mark.parametrize(("category", "hours"), [("event", 504.0), ("state", 12.0), ("identity", 8_760.0)])
def test_a_fact_fades_by_the_half_life_of_its_category(aged, category, hours):
    edit = f"UPDATE fact_detail SET category = '{category}', strength = 0.8 WHERE memory_id = ?"
    assert aged(2, kind="fact", edits=[edit]) == pytest.approx(half_life(0.8, 48.0, hours), abs=1e-6)


def test_turns_fade_by_the_age_of_what_happened(aged):
    assert aged(0, kind="turn", event_time=day(-100)) == 1.0
    assert aged(0, kind="turn", event_time=day(-2005)) == pytest.approx(gaussian(2005.0))
    assert gaussian(2005.0) == pytest.approx(0.5)


def test_knowledge_does_not_fade_and_what_is_pinned_barely(aged):
    assert aged(9_000, kind="knowledge") == 1.0
    assert aged(9_000, edits=["UPDATE memory SET pinned = 1 WHERE id = ?"]) == 1.0
    assert aged(9_000, kind="turn", edits=["UPDATE memory SET pinned = 1 WHERE id = ?"]) == 1.0
    pinned = aged(365, kind="fact", edits=["UPDATE memory SET pinned = 1 WHERE id = ?"])
    assert pinned == pytest.approx(half_life(1.0, 8_760.0, 876_000.0))


def test_a_case_keeps_at_least_four_fifths(opened):
    memory = opened()
    memory_id = memory.add("tea or coffee", event_time=day(-30)).ids[0]
    with memory._database.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET kind = 'case' WHERE id = ?", (memory_id,))
    [hit] = memory.search("tea")
    assert hit.signals["retention"] == pytest.approx(0.8 + 0.2 * hyperbolic(30.0)) == pytest.approx(0.9)


def test_retention_counts_from_the_moment_that_is_looked_at(opened):
    memory = opened()
    memory.add("tea", importance=5)
    [hit] = memory.search("tea", as_of=day(45))
    assert hit.signals["retention"] == pytest.approx(exponential(45, 45.0))


def test_of_memories_that_say_the_same_one_that_has_lost_more_than_half_comes_last(opened):
    memory = opened()
    ids = [memory.add("tea in the garden", kind="turn", event_time=day(-days)).ids[0] for days in (4_000, 300, 1)]
    hits = memory.search("tea garden", params={"enable_dpp": False, "enable_spread": False})
    assert [hit.id for hit in hits] == [ids[1], ids[2], ids[0]]
    assert hits[0].score == hits[1].score > hits[2].score


def test_explain_shows_what_makes_the_multiplier(opened):
    memory = opened()
    memory.add("tea in the garden", importance=8, kind="turn", event_time=day(-4_000))
    result = memory.search("tea")
    explained = result.explain(result[0])
    named = {factor.name: factor for factor in explained.factors}
    assert named["retention"].value == pytest.approx(gaussian(4_000.0))
    assert (named["importance"].value, named["use"].value) == (8.0, 0.0)
    assert explained.multiplier == pytest.approx(1.0 + sum(factor.contribution for factor in explained.factors))
    total = sum(term.contribution for term in explained.terms)
    assert explained.score == pytest.approx(total * explained.multiplier)
    assert [factor["name"] for factor in explained.to_dict()["factors"]] == ["importance", "use", "retention"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memory SET recorded_at = 9223372036854775807 WHERE id = 1",
        "UPDATE memory SET last_used_at = -9223372036854775808 WHERE id = 1",
        "UPDATE fact_detail SET strength_at = -9223372036854775808 WHERE memory_id = 1",
        "UPDATE fact_detail SET strength_at = 9223372036854775807, strength = 0 WHERE memory_id = 1",
        "UPDATE claim SET valid_from = -9223372036854775808 WHERE memory_id = 1",
        "UPDATE claim SET valid_until = 9223372036854775807, closed_at = -9223372036854775808 WHERE memory_id = 1",
        "UPDATE memory SET expires_at = 9223372036854775807 WHERE id = 1",
        "DELETE FROM fact_detail",
        "DELETE FROM claim",
    ],
)
def test_extreme_values_of_one_row_leave_the_others_to_be_found(opened, statement):
    with opened() as memory:
        memory.add("tea in the garden", kind="fact")
        memory.add("tea on the roof", kind="fact")
        with memory._database.write() as connection:
            connection.exec_driver_sql(statement)
        followed = [hit.id for hit in memory.search("tea")]
    for given in ({}, {"as_of": NOW}, {"known_at": NOW}):
        hits = opened().search("tea", **given)
        assert 2 in [hit.id for hit in hits]
        assert all(0.0 <= hit.signals.get("retention", 0.0) <= 1.0 for hit in hits)
    assert 2 in followed
