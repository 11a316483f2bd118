"""A chain of a hundred thousand corrections is walked link by link, never by calls inside calls."""

from datetime import timedelta

import pytest
from storage_samples import ANA, NOON, a_memory

from memcore.errors import UndoRefusedError
from memcore.kinds import Kind, OperationAction
from memcore.storage import dormancy, memories, operation_rows, operations, partitions
from memcore.storage.encoding import to_micros
from memcore.storage.operations import RowChange
from memcore.storage.undo import undo

LENGTH = 100_000
MIDDLE = LENGTH // 2
LATER = NOON + timedelta(days=1)
_EACH = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
_COPIED = "agent_id, user_id, kind, content, tokens, importance, event_time, recorded_at, updated_at, crc"


@pytest.fixture
def conn(database):
    """Facts 1 to LENGTH, each superseded by the next, the last link first: fact i by operation LENGTH - i."""
    moment = to_micros(NOON)
    with database.write() as conn:
        memories.insert(conn, [a_memory("fact", kind=Kind.FACT)])
        partition = partitions.ensure(conn, ANA)
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO memory (id, {_COPIED}) SELECT i, {_COPIED.replace('crc', 'NULL')}"
            " FROM n JOIN memory ON memory.id = 1 WHERE i > 1",
            (LENGTH,),
        )
        conn.exec_driver_sql("DELETE FROM claim")
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO claim (memory_id, valid_from, valid_until, closed_at, superseded_by)"
            " SELECT i, ?2, iif(i < ?1, ?2, NULL), iif(i < ?1, ?2, NULL), iif(i < ?1, i + 1, NULL) FROM n",
            (LENGTH, moment),
        )
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO fact_detail (memory_id, partition_id, category, strength_at, due_at)"
            " SELECT i, ?2, 'event', ?3, ?3 + 6027306335364 FROM n WHERE i > 1",
            (LENGTH, partition, moment),
        )
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO operation (partition_id, action, recorded_at, size)"
            " SELECT ?2, 'supersede', ?3, 1 FROM n WHERE i < ?1",
            (LENGTH, partition, moment),
        )
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO operation_change"
            " (operation_id, number, memory_id, changed_table, row_key, before, after)"
            " SELECT ?1 - i, 0, i, 'claim', json_array(i),"
            " json_object('valid_until', NULL, 'closed_at', NULL, 'superseded_by', NULL),"
            " json_object('valid_until', ?2, 'closed_at', ?2, 'superseded_by', i + 1) FROM n WHERE i < ?1",
            (LENGTH, moment),
        )
        yield conn


def back(conn, operation_id):
    [operation] = operation_rows.fetch(conn, [operation_id])
    return undo(conn, operation, now=LATER).operation_id


def superseded_by(conn, memory_id):
    return conn.exec_driver_sql("SELECT superseded_by FROM claim WHERE memory_id = ?", (memory_id,)).scalar()


def test_a_chain_of_a_hundred_thousand_is_cut_mended_and_kept_from_closing(conn):
    assert operation_rows.ids_of_memory(conn, MIDDLE) == [MIDDLE]
    undone = back(conn, MIDDLE)
    assert superseded_by(conn, MIDDLE) is None
    circle = {"valid_until": to_micros(NOON), "closed_at": to_micros(NOON), "superseded_by": 1}
    change = RowChange("claim", (LENGTH,), LENGTH, circle)
    partition = partitions.ensure(conn, ANA)
    last = operations.record(conn, partition, OperationAction.SUPERSEDE, [change], now=NOON)
    with pytest.raises(UndoRefusedError, match=f"memory {MIDDLE + 1} is superseded by memory {MIDDLE} now"):
        back(conn, undone)
    back(conn, last)
    back(conn, undone)
    assert superseded_by(conn, MIDDLE) == MIDDLE + 1

    memories.remove(conn, [MIDDLE])
    assert superseded_by(conn, MIDDLE - 1) == MIDDLE + 1
    assert operation_rows.fetch(conn, [MIDDLE]) == []
    with pytest.raises(UndoRefusedError, match="by no operation"):
        back(conn, MIDDLE + 1)

    far = NOON + timedelta(days=1000)
    looked, frozen = 1_000, 0
    while looked == 1_000:
        looked, became = dormancy.freeze(conn, partition, now=far, limit=1_000, job_run="sweep-1")
        frozen += became
    assert frozen == 1
    assert dormancy.count_due(conn, partition, far) == 0
    assert conn.exec_driver_sql("SELECT memory_id FROM fact_detail WHERE dormant = 1").scalars().all() == [LENGTH]
