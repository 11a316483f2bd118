"""The calls about tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.kinds import TaskState
from memcore.records import TaskPage, checked_id
from memcore.scope import Partition, checked_name, read_scope
from memcore.storage import tasks
from memcore.writing import fields
from memcore.writing.reading import checked_page_limit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from memcore.calls.store import OpenStore
    from memcore.records import TaskEvent, TaskRecord
    from memcore.writing.reach import Reach

__all__ = ["TaskCalls", "checked_states"]


@dataclass(frozen=True, slots=True)
class TaskCalls:
    """The calls about the tasks of one store; each says in `namespaces.Tasks` what it gives back and raises."""

    store: OpenStore

    def add(self, title: object, user_id: object, session_id: object, due_at: object, metadata: object) -> TaskRecord:
        """See `Tasks.add`."""
        words = fields.name("title", title)
        owner = None if user_id is None else checked_name("user_id", user_id)
        partition = Partition(self.store.agent_id, owner)
        given: dict[str, Any] = {
            "session_id": None if session_id is None else checked_name("session_id", session_id),
            "due_at": None if due_at is None else fields.moment("due_at", due_at),
            "metadata": {} if metadata is None else fields.json_object("metadata", metadata),
        }
        now, within = self.store.now(), self.store.reach()
        with self.store.database.write() as connection:
            return _found(connection, within, tasks.add(connection, partition, words, now=now, **given))

    def get(self, task_id: object, user_id: object) -> TaskRecord:
        """See `Tasks.get`."""
        wanted, within = checked_id("id", task_id, of="task"), self.store.reach(user_id)
        with self.store.database.read() as connection:
            return _found(connection, within, wanted)

    def list(self, user_id: object, session_id: object, *, state: object, limit: object, cursor: object) -> TaskPage:
        """See `Tasks.list`."""
        scope = read_scope(self.store.agent_id, user_id, session_id)
        states = None if state is None else checked_states("state", state)
        most = checked_page_limit(limit)
        after = 0 if cursor is None else checked_id("cursor", cursor, of="task")
        with self.store.database.read() as connection:
            rows = tasks.page(connection, scope, states=states, after_id=after, limit=most + 1)
        shown = tuple(rows[:most])
        return TaskPage(shown, shown[-1].id if len(rows) > most else None)

    def move(self, task_id: object, state: TaskState, note: object, user_id: object) -> TaskRecord:
        """See `Tasks.start`, `finish`, `fail` and `cancel`."""
        wanted, within = checked_id("id", task_id, of="task"), self.store.reach(user_id)
        words = "" if note is None or (isinstance(note, str) and not note) else fields.text("note", note)
        now = self.store.now()
        with self.store.database.write() as connection:
            tasks.move(connection, _found(connection, within, wanted, to_change=True), state, words, now)
            return _found(connection, within, wanted)

    def note(self, task_id: object, text: object, user_id: object) -> TaskEvent:
        """See `Tasks.note`."""
        wanted, within = checked_id("id", task_id, of="task"), self.store.reach(user_id)
        words, now = fields.text("text", text), self.store.now()
        with self.store.database.write() as connection:
            return tasks.note(connection, _found(connection, within, wanted, to_change=True), words, now)

    def events(self, task_id: object, user_id: object) -> tuple[TaskEvent, ...]:
        """See `Tasks.events`."""
        wanted, within = checked_id("id", task_id, of="task"), self.store.reach(user_id)
        with self.store.database.read() as connection:
            return tuple(tasks.events(connection, _found(connection, within, wanted).id))


def checked_states(field: str, value: object) -> tuple[TaskState, ...]:
    """The states that `value` names: one name, or several, at least one.

    Raises:
        InvalidInputError: it is neither, or a name is none of a state.
    """
    if isinstance(value, str):
        return (fields.choice(field, value, TaskState),)
    if not isinstance(value, list | tuple | set | frozenset) or not value:
        fields.refuse(field, value, 'give a state such as "open", or a list of them; leave it out for all')
    named = [fields.choice(f"{field}[{index}]", one, TaskState) for index, one in enumerate(value)]
    return tuple(state for state in TaskState if state in named)


def _found(connection: Connection, within: Reach, task_id: int, *, to_change: bool = False) -> TaskRecord:
    """The task with this id.

    Raises:
        NotFoundError: it is unknown, or outside the reach.
    """
    task = tasks.fetch(connection, within.agent_id, task_id)
    allowed = within.owns if to_change else within.sees
    if task is None or not allowed(Partition(within.agent_id, task.user_id)):
        within.missing("id", task_id, of="task", listed_by="tasks.list()")
    return task
