"""Tasks and what happened to them, and the items of working memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from memcore.kinds import TaskState
from memcore.records.plain import Plain

__all__ = ["TaskEvent", "TaskPage", "TaskRecord", "WorkingItem", "WorkingSet"]


@dataclass(frozen=True, slots=True)
class TaskRecord(Plain):
    """Something to be done, and where it stands. Times are UTC; `updated_at` is when it last moved or got a note."""

    id: int
    title: str
    state: TaskState
    user_id: str | None
    session_id: str | None
    recorded_at: datetime
    updated_at: datetime
    due_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskEvent(Plain):
    """What happened to a task, and when (UTC).

    `from_state` is None where the task was added, and equals `to_state` where a note was made.
    """

    id: int
    task_id: int
    from_state: TaskState | None
    to_state: TaskState
    note: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class TaskPage(Plain, Sequence[TaskRecord]):
    """Some tasks in the order of their ids; `next_cursor` fetches the ones after them, and is None at the end."""

    items: tuple[TaskRecord, ...] = ()
    next_cursor: int | None = None

    @overload
    def __getitem__(self, index: int) -> TaskRecord: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TaskRecord, ...]: ...
    def __getitem__(self, index: int | slice) -> TaskRecord | tuple[TaskRecord, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[TaskRecord]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class WorkingItem(Plain):
    """One text in a set of working memory. Times are UTC; `expires_at` None: it ends with its set, if that ends."""

    id: int
    set: str
    content: str
    user_id: str | None
    session_id: str | None
    recorded_at: datetime
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WorkingSet(Plain):
    """A set of working memory and the number of its items; from `expires_at` on (UTC) none of it is shown."""

    name: str
    user_id: str | None
    session_id: str | None
    items: int
    recorded_at: datetime
    expires_at: datetime | None = None
