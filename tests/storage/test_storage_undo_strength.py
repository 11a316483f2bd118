"""Undo beside use: what a memory has earned since stays, and what a freeze took comes back."""

from datetime import timedelta

import pytest
from storage_samples import NOON, a_memory
from undo_samples import LATER, back, column, done, fact, of_fact, of_memory, state

from memcore.curves import REVIVE
from memcore.kinds import OperationAction
from memcore.storage import memories, strength
from memcore.storage.encoding import from_micros, to_micros


@pytest.fixture
def conn(database):
    with database.write() as conn:
        yield conn


def test_use_since_stands_in_no_way_and_is_not_lost(conn):
    one = fact(conn)
    [event] = memories.insert(conn, [a_memory("event")])
    merged = done(conn, *strength.strengthened(conn, [one, event], NOON), action=OperationAction.MERGE)
    strength.use(conn, [one, event], LATER)
    before = column(conn, "fact_detail", "strength", value=one)
    back(conn, merged)
    for row in memories.fetch(conn, [one, event]):
        assert (row.access_count, row.last_used_at) == (1, LATER)
        assert row.base_importance == pytest.approx(5.1)
    assert column(conn, "fact_detail", "strength", value=one) == before
    assert column(conn, "event_detail", "stability_days", value=event) == pytest.approx(45 * 1.5 * 1.5)


def test_without_use_since_every_strength_is_as_it_was(conn):
    one = fact(conn)
    [event] = memories.insert(conn, [a_memory("event")])
    query = "SELECT * FROM fact_detail"
    before = conn.exec_driver_sql(query).fetchall()
    conn.exec_driver_sql("UPDATE fact_detail SET dormant = 1")
    merged = done(conn, *strength.strengthened(conn, [one, event], LATER), action=OperationAction.MERGE)
    assert column(conn, "fact_detail", "dormant") == 0
    back(conn, merged)
    assert column(conn, "fact_detail", "dormant") == 1
    conn.exec_driver_sql("UPDATE fact_detail SET dormant = 0")
    strength.reschedule(conn, [one])
    assert conn.exec_driver_sql(query).fetchall() == before
    assert column(conn, "event_detail", "stability_days", value=event) == 45
    assert {
        (row.access_count, row.base_importance, row.last_used_at) for row in memories.fetch(conn, [one, event])
    } == {(0, 5.0, None)}


def test_a_freeze_undone_wakes_the_fact_so_that_it_stays_awake(conn):
    one = fact(conn)
    far = NOON + timedelta(days=400)
    frozen = done(conn, of_fact(one, dormant=1), action=OperationAction.FREEZE)
    undone = back(conn, frozen, far)
    value, strength_at, due_at, dormant = conn.exec_driver_sql(
        "SELECT strength, strength_at, due_at, dormant FROM fact_detail"
    ).one()
    assert (value, from_micros(strength_at), dormant) == (REVIVE, far, 0)
    assert from_micros(due_at) > far
    back(conn, undone, far)
    assert column(conn, "fact_detail", "dormant") == 1


def test_a_freeze_undone_leaves_a_strength_that_suffices(conn):
    one = fact(conn)
    back(conn, done(conn, of_fact(one, dormant=1), action=OperationAction.FREEZE))
    assert column(conn, "fact_detail", "strength") == 1.0
    assert column(conn, "fact_detail", "strength_at") == to_micros(NOON)


def test_a_freeze_that_use_has_ended_already_leaves_nothing_to_undo(conn):
    one = fact(conn)
    frozen = done(conn, of_fact(one, dormant=1), action=OperationAction.FREEZE)
    strength.use(conn, [one], LATER)
    assert back(conn, frozen) is None
    assert state(conn, frozen) == (None, None)


def test_a_fact_that_is_shown_again_is_scheduled_again(conn):
    one = fact(conn)
    retired = done(conn, of_memory(one, ended_at=to_micros(NOON), ending="retired"))
    due_at = column(conn, "fact_detail", "due_at")
    conn.exec_driver_sql("UPDATE fact_detail SET due_at = NULL")
    back(conn, retired)
    assert column(conn, "fact_detail", "due_at") == due_at
