"""What a use adds to a memory, and when a fact would freeze."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storage_samples import ANA, NOON, a_memory, minutes

from memcore.curves import FREEZE, REVIVE, half_life
from memcore.kinds import Category, Kind, OperationAction
from memcore.storage import memories, operations, partitions, strength
from memcore.storage.detail_rows import FactDetail
from memcore.storage.encoding import from_micros, to_micros


@pytest.fixture
def conn(database):
    with database.write() as conn:
        yield conn


def facts(conn, *categories, recorded_at=NOON):
    new = [
        a_memory(f"fact {at}", kind=Kind.FACT, detail=FactDetail(category=category), recorded_at=recorded_at)
        for at, category in enumerate(categories)
    ]
    return memories.insert(conn, new)


def fact(conn, memory_id):
    query = "SELECT strength, strength_at, due_at, dormant FROM fact_detail WHERE memory_id = ?"
    value, strength_at, due_at, dormant = conn.exec_driver_sql(query, (memory_id,)).one()
    return value, from_micros(strength_at), from_micros(due_at), dormant


def days(count):
    return NOON + timedelta(days=count)


def test_a_fact_is_due_when_what_is_left_of_it_falls_to_the_threshold(conn):
    slow, fast = facts(conn, Category.PREFERENCE, Category.STATE)
    assert (fact(conn, slow)[2] - NOON) / timedelta(days=1) == pytest.approx(298.97, abs=0.005)
    assert (fact(conn, fast)[2] - NOON) / timedelta(hours=1) == pytest.approx(39.86, abs=0.005)


def test_a_use_reinforces_what_is_left_and_counts_from_then(conn):
    [one] = facts(conn, Category.PREFERENCE)
    strength.use(conn, [one], days(90))
    value, strength_at, due_at, dormant = fact(conn, one)
    assert value == pytest.approx(0.5 + 0.35 * 0.5)
    assert strength_at == days(90)
    left = half_life(value, (due_at - strength_at) / timedelta(hours=1), 90 * 24)
    assert left == pytest.approx(FREEZE, abs=1e-9)
    assert dormant == 0


def test_a_use_by_a_clock_that_stepped_back_strengthens_and_moves_no_moment_back(conn):
    [one] = facts(conn, Category.STATE)
    [event] = memories.insert(conn, [a_memory("event")])
    strength.use(conn, [one, event], days(10))
    before = fact(conn, one)
    strength.use(conn, [one, event], days(-300))
    value, strength_at, due_at, _ = fact(conn, one)
    assert value == pytest.approx(before[0] + 0.35 * (1 - before[0]))
    assert strength_at == days(10)
    assert due_at > before[2]
    assert [row.last_used_at for row in memories.fetch(conn, [one, event])] == [days(10), days(10)]
    assert [row.access_count for row in memories.fetch(conn, [one, event])] == [2, 2]


def test_a_strength_of_the_future_is_whole(conn):
    [one] = facts(conn, Category.STATE, recorded_at=days(4000))
    strength.use(conn, [one], NOON)
    assert fact(conn, one)[:2] == (1.0, days(4000))


def test_a_day_of_23_hours_is_23_hours(conn):
    zone = ZoneInfo("Europe/Lisbon")
    midnight, next_midnight = (datetime(2026, 3, day, tzinfo=zone) for day in (29, 30))
    [one] = facts(conn, Category.STATE, recorded_at=midnight)
    strength.use(conn, [one], next_midnight)
    left = 2 ** (-23 / 12)
    assert fact(conn, one)[0] == pytest.approx(left + 0.35 * (1 - left))
    assert fact(conn, one)[1] == next_midnight.astimezone(UTC)


def test_a_dormant_fact_wakes_by_use_and_its_history_says_so(conn):
    [one, other] = facts(conn, Category.STATE, Category.STATE)
    conn.exec_driver_sql("UPDATE fact_detail SET dormant = 1 WHERE memory_id = ?", (one,))
    strength.use(conn, [one, other], days(30))
    value, _, _, dormant = fact(conn, one)
    assert dormant == 0
    assert value >= REVIVE
    written = conn.exec_driver_sql("SELECT o.action, c.memory_id FROM operation o JOIN operation_change c").fetchall()
    assert written == [("revive", one)]


def test_an_events_stability_grows_by_half_and_stops_at_ten_years(conn):
    short, long = memories.insert(conn, [a_memory("short"), a_memory("long")])
    conn.exec_driver_sql("UPDATE event_detail SET stability_days = 3000 WHERE memory_id = ?", (long,))
    strength.use(conn, [short, long], NOON)
    rows = conn.exec_driver_sql("SELECT stability_days FROM event_detail ORDER BY memory_id").scalars().all()
    assert rows == [67.5, 3650]


def test_an_id_that_is_named_twice_is_used_once(conn):
    [one] = facts(conn, Category.HABIT)
    strength.use(conn, [one, one], days(60))
    assert fact(conn, one)[0] == pytest.approx(0.675)
    assert memories.fetch(conn, [one])[0].access_count == 1


def test_a_thousand_memories_are_used_by_a_handful_of_statements(conn):
    ids = facts(conn, *[Category.HABIT] * 500) + memories.insert(conn, [a_memory(f"event {at}") for at in range(500)])
    executed = []
    conn.connection.dbapi_connection.set_trace_callback(executed.append)
    strength.use(conn, ids, days(1))
    conn.connection.dbapi_connection.set_trace_callback(None)
    statements = {line.partition(" WHERE")[0][:40] for line in executed if not line.startswith("--")}
    assert len(statements) < 12
    assert conn.exec_driver_sql("SELECT sum(access_count) FROM memory").scalar() == 1000


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(-200_000, 600_000), min_size=1, max_size=6))
def test_the_undoable_changes_are_what_a_use_does(conn, moments):
    plain = [*facts(conn, Category.STATE, Category.HABIT), *memories.insert(conn, [a_memory("event")])]
    twin = [*facts(conn, Category.STATE, Category.HABIT), *memories.insert(conn, [a_memory("event")])]
    partition = partitions.ensure(conn, ANA)
    for moment in moments:
        strength.use(conn, plain, minutes(moment))
        changes = strength.strengthened(conn, twin, minutes(moment))
        operations.record(conn, partition, OperationAction.MERGE, changes, now=NOON)

    def state(ids):
        return [
            conn.exec_driver_sql(
                "SELECT access_count, base_importance, last_used_at, strength, strength_at, due_at, dormant,"
                " stability_days FROM memory LEFT JOIN fact_detail f ON f.memory_id = id"
                " LEFT JOIN event_detail e ON e.memory_id = id WHERE id = ?",
                (one,),
            ).one()
            for one in ids
        ]

    assert state(plain) == state(twin)
    conn.exec_driver_sql("DELETE FROM memory")


def test_the_changes_of_a_use_change_nothing_by_themselves(conn):
    [one] = facts(conn, Category.HABIT)
    before = fact(conn, one)
    changes = strength.strengthened(conn, [one, 999], days(3))
    assert [(change.table, change.memory_id) for change in changes] == [("memory", one), ("fact_detail", one)]
    assert fact(conn, one) == before


def test_a_fact_is_scheduled_anew_by_its_category_and_pin(conn):
    [one, asleep] = facts(conn, Category.STATE, Category.STATE)
    conn.exec_driver_sql("UPDATE fact_detail SET category = 'identity', due_at = NULL")
    conn.exec_driver_sql("UPDATE fact_detail SET dormant = 1 WHERE memory_id = ?", (asleep,))
    strength.reschedule(conn, [one, asleep])
    assert (fact(conn, one)[2] - NOON) / timedelta(days=365) == pytest.approx(3.3219, abs=1e-4)
    conn.exec_driver_sql("UPDATE memory SET pinned = 1")
    strength.reschedule(conn, [one, asleep])
    assert fact(conn, one)[2].year == 2026 + 332
    assert conn.exec_driver_sql("SELECT due_at FROM fact_detail WHERE memory_id = ?", (asleep,)).scalar() is None


@pytest.mark.parametrize("strength_at", [2**62, -(2**62), to_micros(NOON)])
def test_a_moment_that_a_hand_wrote_beyond_the_calendar_stops_nothing(conn, strength_at):
    [one, other] = facts(conn, Category.STATE, Category.STATE)
    conn.exec_driver_sql("UPDATE fact_detail SET strength_at = ? WHERE memory_id = ?", (strength_at, one))
    strength.use(conn, [one, other], days(1))
    assert 0.35 <= fact(conn, one)[0] <= 1
    assert fact(conn, other)[1] == days(1)
