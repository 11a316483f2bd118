"""What was done to a memory, and taking it back."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from memcore.errors import InvalidInputError, NotFoundError, UndoRefusedError
from memcore.records import Operation, RowChanged, checked_id
from memcore.storage import memories, operation_rows, partitions
from memcore.storage.encoding import from_micros
from memcore.storage.undo import named
from memcore.storage.undo import undo as undo_one
from memcore.writing import fields
from memcore.writing.reach import Reach, found
from memcore.writing.returned import join

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.kinds import Kind
    from memcore.storage.database import Database
    from memcore.storage.operation_rows import ChangeRow, OperationRow

__all__ = ["Selector", "history", "selector", "undo"]

_LOOKED_UNDER = 10
"""Refused operations of a source or a run of which all is told that stands on them; of the rest the next ones are."""
_READ_AT_ONCE = 500
_NOT_SHOWN = frozenset(("tokens", "crc", "text_key", "identity_key"))
_MOMENTS = frozenset(("valid_from", "valid_until", "event_time"))


@dataclass(frozen=True, slots=True)
class Selector:
    """Which operations are to be undone: one by its id, those of a source since a moment, or those of a job's run."""

    operation_id: int | None = None
    source_ref: str | None = None
    since: datetime | None = None
    job_run: str | None = None


@dataclass(slots=True)
class Undoing:
    """The operations that an undo wrote, in that order, and the texts that came back and have no vector yet."""

    ids: list[int] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)


def selector(operation_id: object, source_ref: object, since: object, job_run: object) -> Selector:
    """The checked selector of a call of `undo`.

    Raises:
        InvalidInputError: not exactly one of the three is given, `since` stands without a source, or a value is not
            accepted.
    """
    given = [
        name
        for name, value in (("operation_id", operation_id), ("source_ref", source_ref), ("job_run", job_run))
        if value is not None
    ]
    if len(given) != 1:
        named = " and ".join(given) or "nothing"
        raise InvalidInputError(f"undo: {named} is not accepted; give one of operation_id, source_ref, job_run")
    if since is not None and source_ref is None:
        fields.refuse("since", since, "give it with source_ref, whose operations it limits")
    return Selector(
        None if operation_id is None else checked_id("operation_id", operation_id, of="operation"),
        None if source_ref is None else fields.name("source_ref", source_ref),
        None if since is None else fields.moment("since", since),
        None if job_run is None else fields.name("job_run", job_run),
    )


def history(database: "Database", memory_id: object, *, within: Reach) -> list[Operation]:
    """The operations that changed a memory, oldest first; of each, what the reach may see.

    Raises:
        InvalidInputError: `memory_id` is no id.
        NotFoundError: it is unknown or outside the reach.
    """
    wanted = checked_id("id", memory_id)
    with database.read() as connection:
        found(connection, within, [wanted], field="id")
        rows = operation_rows.fetch(connection, operation_rows.ids_of_memory(connection, wanted))
        return _records(connection, within, rows)


def undo(
    database: "Database",
    which: Selector,
    *,
    within: Reach,
    now: datetime,
    retention_days: "Mapping[Kind, int] | None" = None,
) -> Undoing:
    """What was written by undoing the operations: newest first, all of them or none, in one transaction.

    Where what comes back is said by another memory too, the two become one (`returned.join`).

    Those of a source or a run that were undone before, or of which nothing is left, are passed over, and none of them
    stands in the way of another.

    Raises:
        NotFoundError: there is none such within the reach.
        UndoRefusedError: one cannot be undone; nothing was changed. It names all that stand in the way.
    """
    done, refused, in_the_way = Undoing(), list[UndoRefusedError](), set[int]()
    selected = set[int]()
    with database.write() as connection:
        for operation in _selected(connection, which, within):
            selected.add(operation.id)
            if operation.undone_by is None:
                try:
                    thorough = len(refused) < _LOOKED_UNDER
                    undone = undo_one(connection, operation, now=now, retention_days=retention_days, thorough=thorough)
                except UndoRefusedError as error:
                    if not error.operations:
                        raise
                    refused.append(error)
                    in_the_way |= set(error.operations)
                    continue
                if undone is not None:
                    join(connection, undone.operation_id, now, retention_days or {})
                    done.ids.append(undone.operation_id)
                    done.texts |= undone.texts
                    continue
            if which.operation_id is not None:
                _nothing_left(operation)
        if refused:
            _refuse(which, refused[0], in_the_way - selected - set(done.ids))
        done.operations = _records(connection, within, operation_rows.fetch(connection, done.ids))
        there = {row.id: row.content for row in memories.fetch(connection, list(done.texts))}
        done.texts = {one: there[one] for one in done.texts}
    return done


def _selected(connection: "Connection", which: Selector, within: Reach) -> "Iterator[OperationRow]":
    """The operations, newest first; the memories of them are those that the reach owns."""
    if which.operation_id is not None:
        rows = operation_rows.fetch(connection, [which.operation_id])
        if not rows or not within.owns(rows[0].partition):
            within.missing("operation_id", which.operation_id, of="operation", listed_by="history(id)")
        yield rows[0]
        return
    known = partitions.all_of(connection, within.agent_id)
    owned = [number for partition, number in known.items() if within.owns(partition)]
    if which.source_ref is not None:
        name, value = "source_ref", which.source_ref
        ids = operation_rows.ids_of_source(connection, owned, value, which.since)
    else:
        name, value = "job_run", which.job_run or ""
        ids = operation_rows.ids_of_run(connection, owned, value)
    if not ids:
        raise NotFoundError(f"{name}: no operation of {value!r} is known here; history(id) names those of a memory")
    for first in range(0, len(ids), _READ_AT_ONCE):
        yield from operation_rows.fetch(connection, ids[first : first + _READ_AT_ONCE])


def _refuse(which: Selector, first: UndoRefusedError, in_the_way: set[int]) -> NoReturn:
    """Names all that stands in the way of a source or a run, newest first."""
    if which.operation_id is not None or not in_the_way:
        raise first
    name, value = ("job_run", which.job_run) if which.source_ref is None else ("source_ref", which.source_ref)
    later = tuple(sorted(in_the_way, reverse=True))
    raise UndoRefusedError(
        f"{name}: {value!r} cannot be undone: later operations stand on what it did: "
        f"{named(later)}; undo them first, newest first",
        later,
    )


def _nothing_left(operation: "OperationRow") -> None:
    if operation.undone_by is not None:
        raise UndoRefusedError(
            f"operation_id: {operation.id} ({operation.action}) was undone by operation {operation.undone_by}; "
            "undo that to do it again",
            (operation.undone_by,),
        )
    raise UndoRefusedError(
        f"operation_id: {operation.id} ({operation.action}) cannot be undone: nothing of it is left, what it set was "
        "changed by use since"
    )


def _records(connection: "Connection", within: Reach, rows: "Sequence[OperationRow]") -> list[Operation]:
    """The public records; a change of a memory that the reach does not see is left out of them."""
    ids = sorted({change.memory_id for row in rows for change in row.changes})
    hidden = set[int]()
    if within.user_ids is not None:
        hidden = {one.id for one in memories.fetch(connection, ids) if not within.sees(one.partition)}
    return [_record(row, hidden) for row in rows]


def _record(row: "OperationRow", hidden: set[int]) -> Operation:
    seen = [change for change in row.changes if change.memory_id not in hidden]
    return Operation(
        id=row.id,
        action=row.action,
        recorded_at=row.recorded_at,
        reason=row.reason,
        memory_ids=tuple(dict.fromkeys(one for change in seen for one in _ids_of(change))),
        changes=tuple(
            RowChanged(one.table, one.memory_id, _shown(one.before, one.after), _shown(one.after, one.before))
            for one in seen
        ),
        source_ref=row.source_ref,
        job_run=row.job_run,
        undoes=row.undoes,
        undone_by=row.undone_by,
    )


def _ids_of(change: "ChangeRow") -> tuple[int, ...]:
    """The memories that a change is about: both sides of a conflict, the newer first."""
    return (change.memory_id, change.key[0]) if change.table == "conflict_pair" else (change.memory_id,)


def _shown(values: "Mapping[str, Any] | None", others: "Mapping[str, Any] | None") -> dict[str, Any] | None:
    """What is shown of one side of a change: the columns in which the other side differs."""
    if values is None:
        return None
    return {
        key: _value(key, value)
        for key, value in values.items()
        if key not in _NOT_SHOWN and (others is None or others.get(key) != value)
    }


def _value(name: str, value: Any) -> Any:
    is_moment = isinstance(value, int) and (name.endswith("_at") or name in _MOMENTS)
    return from_micros(value) if is_moment else value
