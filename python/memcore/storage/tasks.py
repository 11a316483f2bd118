"""Tasks and their events. A trigger refuses what cannot follow a state, so that two cannot both start one task."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import IntegrityError

from memcore.errors import CorruptDatabaseError, InvalidInputError
from memcore.kinds import TaskState
from memcore.records import TaskEvent, TaskRecord
from memcore.storage import partitions
from memcore.storage.encoding import from_micros, json_text, moment_or_none, read_json, to_micros

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from memcore.scope import Partition, Scope

__all__ = ["add", "events", "fetch", "move", "note", "page", "state_counts"]

_TASK = (
    "SELECT t.id, t.title, t.state, p.user_id, t.session_id, t.recorded_at, t.updated_at, t.due_at, t.metadata"
    " FROM task AS t JOIN partition AS p ON p.id = t.partition_id"
)
_EVENT = "id, task_id, from_state, to_state, note, recorded_at"
_INSERT_EVENT = (
    "INSERT INTO task_event (task_id, from_state, to_state, note, recorded_at) VALUES (?, ?, ?, ?, ?)"
    f" RETURNING {_EVENT}"
)


def add(
    conn: Connection,
    partition: Partition,
    title: str,
    *,
    session_id: str | None,
    due_at: datetime | None,
    metadata: Mapping[str, Any],
    now: datetime,
) -> int:
    """The id of a new task, which is open; that it was added is its first event."""
    moment = to_micros(now)
    values = (
        partitions.ensure(conn, partition),
        session_id,
        moment,
        moment,
        None if due_at is None else to_micros(due_at),
        json_text("metadata", dict(metadata)),
        title,
    )
    made = conn.exec_driver_sql(
        "INSERT INTO task (partition_id, session_id, recorded_at, updated_at, due_at, metadata, title)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        values,
    )
    task_id = int(made.scalar_one())
    _happened(conn, (task_id, None, TaskState.OPEN.value, "", moment))
    return task_id


def fetch(conn: Connection, agent_id: str, task_id: int) -> TaskRecord | None:
    """The task of an agent with this id, or None.

    Raises:
        CorruptDatabaseError: its metadata are damaged.
    """
    row = conn.exec_driver_sql(f"{_TASK} WHERE t.id = ? AND p.agent_id = ?", (task_id, agent_id)).first()
    return None if row is None else _record(row)


def page(
    conn: Connection, scope: Scope, *, states: Sequence[TaskState] | None, after_id: int, limit: int
) -> list[TaskRecord]:
    """The first `limit` tasks of a scope after `after_id`, ascending by id.

    Raises:
        CorruptDatabaseError: the metadata of one of them are damaged.
    """
    wanted = json_text("state", [str(state) for state in (TaskState if states is None else states)])
    query = f"{_TASK} WHERE t.partition_id = ? AND t.id > ? AND t.state IN (SELECT value FROM json_each(?))"
    given: tuple[Any, ...] = (wanted,)
    if scope.session_id is not None:
        query, given = f"{query} AND t.session_id = ?", (wanted, scope.session_id)
    parts = []
    for partition in scope.partitions:
        number = partitions.find(conn, partition)
        if number is not None:
            rows = conn.exec_driver_sql(f"{query} ORDER BY t.id LIMIT ?", (number, after_id, *given, limit))
            parts.append([_record(row) for row in rows])
    return list(heapq.merge(*parts, key=lambda task: task.id))[:limit]


def move(conn: Connection, task: TaskRecord, state: TaskState, note: str, now: datetime) -> None:
    """Bring a task, read in this transaction, into another state, and keep that as an event.

    Raises:
        InvalidInputError: the database refuses that state after the one it is in; nothing was changed.
    """
    moment = to_micros(now)
    try:
        conn.exec_driver_sql("UPDATE task SET state = ?, updated_at = ? WHERE id = ?", (state.value, moment, task.id))
    except IntegrityError:
        after = " or ".join(task.state.following)
        remedy = f"and can become {after}" if after else "which is final; add a new task"
        raise InvalidInputError(
            f"state: {state.value!r} is not accepted; task {task.id} is {task.state.value}, {remedy}"
        ) from None
    _happened(conn, (task.id, task.state.value, state.value, note, moment))


def note(conn: Connection, task: TaskRecord, text: str, now: datetime) -> TaskEvent:
    """Keep a note on a task, in whichever state it is, as an event."""
    moment = to_micros(now)
    conn.exec_driver_sql("UPDATE task SET updated_at = ? WHERE id = ?", (moment, task.id))
    return _happened(conn, (task.id, task.state.value, task.state.value, text, moment))


def events(conn: Connection, task_id: int) -> list[TaskEvent]:
    """What happened to a task, oldest first."""
    rows = conn.exec_driver_sql(f"SELECT {_EVENT} FROM task_event WHERE task_id = ? ORDER BY id", (task_id,))
    return [_event(row) for row in rows]


def state_counts(conn: Connection, agent_id: str) -> dict[str, int]:
    """How many tasks of an agent are in each state, in the order of `TaskState`; a state without one is left out."""
    rows = conn.exec_driver_sql(
        "SELECT t.state, count(*) FROM task AS t JOIN partition AS p ON p.id = t.partition_id"
        " WHERE p.agent_id = ? GROUP BY t.state",
        (agent_id,),
    )
    counts = {state: int(number) for state, number in rows}
    return {state.value: counts[state.value] for state in TaskState if state.value in counts}


def _happened(conn: Connection, event: tuple[int, str | None, str, str, int]) -> TaskEvent:
    """Keep (task, state before, state after, note, moment)."""
    return _event(conn.exec_driver_sql(_INSERT_EVENT, event).one())


def _record(row: Sequence[Any]) -> TaskRecord:
    metadata = read_json(row[8], dict)
    if metadata is None:
        raise CorruptDatabaseError(f"task {row[0]}: its metadata are damaged; restore it from a backup")
    return TaskRecord(
        id=row[0],
        title=row[1],
        state=TaskState(row[2]),
        user_id=row[3],
        session_id=row[4],
        recorded_at=from_micros(row[5]),
        updated_at=from_micros(row[6]),
        due_at=moment_or_none(row[7]),
        metadata=metadata,
    )


def _event(row: Sequence[Any]) -> TaskEvent:
    before = None if row[2] is None else TaskState(row[2])
    return TaskEvent(row[0], row[1], before, TaskState(row[3]), row[4], from_micros(row[5]))
