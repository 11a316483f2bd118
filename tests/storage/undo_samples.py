"""Facts, operations on them, and their undoing, for the tests of undo."""

from datetime import timedelta

import pytest
from storage_samples import ANA, NOON, a_memory

from memcore.errors import UndoRefusedError
from memcore.kinds import Kind, OperationAction
from memcore.storage import memories, operation_rows, operations, partitions
from memcore.storage.operations import RowChange
from memcore.storage.undo import undo

__all__ = ["HAND", "LATER", "back", "column", "done", "fact", "of_fact", "of_memory", "refused", "state"]

LATER = NOON + timedelta(days=1)
HAND = "by no operation"


def fact(conn, content="fact"):
    [one] = memories.insert(conn, [a_memory(content, kind=Kind.FACT)])
    return one


def done(conn, *changes, action=OperationAction.RETIRE):
    return operations.record(conn, partitions.ensure(conn, ANA), action, changes, now=NOON)


def of_memory(one, **values):
    return RowChange("memory", (one,), one, values)


def of_fact(one, **values):
    return RowChange("fact_detail", (one,), one, values)


def back(conn, operation_id, now=LATER):
    [operation] = operation_rows.fetch(conn, [operation_id])
    undone = undo(conn, operation, now=now)
    return None if undone is None else undone.operation_id


def column(conn, table, name, key="memory_id", value=1):
    return conn.exec_driver_sql(f"SELECT {name} FROM {table} WHERE {key} = ?", (value,)).scalar()


def state(conn, operation_id):
    [operation] = operation_rows.fetch(conn, [operation_id])
    return operation.undoes, operation.undone_by


def refused(conn, operation_id, match):
    with pytest.raises(UndoRefusedError, match=match) as error:
        back(conn, operation_id)
    return error.value.operations
