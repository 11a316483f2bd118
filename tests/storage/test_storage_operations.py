"""An operation applies changes and keeps what was there before."""

import json

import pytest
from storage_samples import ANA, NOON, a_memory

from memcore.kinds import Kind, OperationAction
from memcore.storage import memories, operations, partitions
from memcore.storage.operations import RowChange


@pytest.fixture
def conn(database):
    with database.write() as conn:
        yield conn


def changes_of(conn, operation_id):
    rows = conn.exec_driver_sql(
        "SELECT changed_table, memory_id, before, after FROM operation_change WHERE operation_id = ? ORDER BY number",
        (operation_id,),
    )
    return [(row[0], row[1], row[2] and json.loads(row[2]), row[3] and json.loads(row[3])) for row in rows]


def recorded(conn, *changes):
    partition = partitions.ensure(conn, ANA)
    return operations.record(conn, partition, OperationAction.RETIRE, changes, now=NOON, reason="test")


def test_a_change_is_applied_and_its_values_from_before_are_kept(conn):
    [one] = memories.insert(conn, [a_memory(kind=Kind.FACT)])
    done = recorded(conn, RowChange("fact_detail", (one,), one, {"dormant": 1, "due_at": None}))
    [(table, memory_id, before, after)] = changes_of(conn, done)
    assert (table, memory_id, after) == ("fact_detail", one, {"dormant": 1, "due_at": None})
    assert before["dormant"] == 0
    assert before["due_at"] > 0
    assert conn.exec_driver_sql("SELECT dormant FROM fact_detail").scalar() == 1


def test_rows_that_come_and_go_are_kept_whole(conn):
    low, high = memories.insert(conn, [a_memory(text, kind=Kind.FACT) for text in "ab"])
    made = recorded(conn, RowChange("conflict_pair", (low, high), high, {"recorded_at": 5, "resolved_at": None}))
    assert changes_of(conn, made) == [("conflict_pair", high, None, {"recorded_at": 5, "resolved_at": None})]
    gone = recorded(conn, RowChange("conflict_pair", (low, high), high, None))
    assert changes_of(conn, gone) == [("conflict_pair", high, {"recorded_at": 5, "resolved_at": None}, None)]


def test_what_changes_nothing_is_no_operation(conn):
    [one] = memories.insert(conn, [a_memory()])
    assert recorded(conn, RowChange("memory", (one,), one, {"pinned": 0})) is None
    assert conn.exec_driver_sql("SELECT count(*) FROM operation").scalar() == 0


def test_the_birth_of_a_memory_is_written_down_without_changing_it(conn):
    [one] = memories.insert(conn, [a_memory()])
    done = recorded(conn, operations.born(one, NOON))
    [(_, _, before, after)] = changes_of(conn, done)
    assert before["ending"] == "retired"
    assert after == {"ended_at": None, "ending": None}
    assert memories.fetch(conn, [one])[0].ended_at is None


def test_an_operation_goes_with_the_last_memory_that_it_changed(conn):
    low, high = memories.insert(conn, [a_memory(text) for text in "ab"])
    recorded(conn, *(RowChange("memory", (one,), one, {"pinned": 1}) for one in (low, high)))
    memories.remove(conn, [low])
    assert conn.exec_driver_sql("SELECT size FROM operation").scalars().all() == [2]
    memories.remove(conn, [high])
    assert conn.exec_driver_sql("SELECT count(*) FROM operation").scalar() == 0
