"""`memory.tasks`: things to be done, where each stands, and what happened to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from memcore.kinds import TaskState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memcore.calls.tasks import TaskCalls
    from memcore.records import TaskEvent, TaskPage, TaskRecord

    Events: TypeAlias = list[TaskEvent]

__all__ = ["Tasks"]


class Tasks:
    """Tasks with a state: open → doing → done, failed or cancelled; an open one may be cancelled too.

    The database refuses every other step, also where two processes try at once: of two that start a task, one is told
    that it is under way. Tasks are no memories: no search finds them, and none of them fades.

    >>> from memcore import Memory
    >>> with Memory(":memory:", embedder="none") as memory:
    ...     task = memory.tasks.add("Book the ferry", user_id="ana")
    ...     _ = memory.tasks.start(task.id)
    ...     memory.tasks.finish(task.id, "booked for Friday").state.value
    'done'
    """

    def __init__(self, calls: TaskCalls) -> None:
        self._calls = calls

    def add(
        self,
        title: str,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        due_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TaskRecord:
        """The new task, which is open; without `user_id` all users of the agent share it.

        `title` has 1 to 512 characters, white space around it does not count. `due_at` is an aware moment; nothing
        happens by itself when it comes.

        Raises:
            InvalidInputError: a field is not accepted; nothing was stored.
        """
        return self._calls.add(title, user_id, session_id, due_at, metadata)

    def get(self, id: int, *, user_id: str | None = None) -> TaskRecord:
        """One task.

        Raises:
            NotFoundError: there is no such task of this agent (and user).
        """
        return self._calls.get(id, user_id)

    def list(
        self,
        *,
        user_id: str | Sequence[str] | None = None,
        state: str | Sequence[str] | None = None,
        session_id: str | None = None,
        limit: int = 100,
        cursor: int | None = None,
    ) -> TaskPage:
        """A page of tasks, ascending by id, with `next_cursor` for the page after it; None at the end.

        `user_id` names one user or several, whose tasks are seen beside the shared ones; without it only shared tasks.
        `state` is one state or several; `limit` from 1 to 10,000.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.list(user_id, session_id, state=state, limit=limit, cursor=cursor)

    def start(self, id: int, note: str = "", *, user_id: str | None = None) -> TaskRecord:
        """The task, which is now `doing`; it was open.

        Raises:
            InvalidInputError: it is in another state; the message names that and what can follow it.
            NotFoundError: there is no such task of this agent (and user).
        """
        return self._calls.move(id, TaskState.DOING, note, user_id)

    def finish(self, id: int, note: str = "", *, user_id: str | None = None) -> TaskRecord:
        """The task, which is now `done`; it was `doing`. Raises as `start` does."""
        return self._calls.move(id, TaskState.DONE, note, user_id)

    def fail(self, id: int, note: str = "", *, user_id: str | None = None) -> TaskRecord:
        """The task, which has now `failed`; it was `doing`. Raises as `start` does."""
        return self._calls.move(id, TaskState.FAILED, note, user_id)

    def cancel(self, id: int, note: str = "", *, user_id: str | None = None) -> TaskRecord:
        """The task, which is now `cancelled`; it was `open` or `doing`. Raises as `start` does."""
        return self._calls.move(id, TaskState.CANCELLED, note, user_id)

    def note(self, id: int, text: str, *, user_id: str | None = None) -> TaskEvent:
        """The event that keeps a note on a task; its state stays, and may be any.

        Raises:
            InvalidInputError: the text is not accepted.
            NotFoundError: there is no such task of this agent (and user).
        """
        return self._calls.note(id, text, user_id)

    def events(self, id: int, *, user_id: str | None = None) -> Events:
        """What happened to a task, oldest first: that it was added, each step with its note, each note.

        Raises:
            NotFoundError: there is no such task of this agent (and user).
        """
        return [*self._calls.events(id, user_id)]
