"""`memory.tuning`: searches recorded and run again, and parameters that find more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcore.calls.tracing import TraceCalls
    from memcore.records.learning import Recording, SearchTrace, TracePage

__all__ = ["Tuning"]


class Tuning:
    """Traces of an agent's own searches, and what can be learned from them.

    >>> from memcore import Memory
    >>> with Memory(":memory:", embedder="none") as memory:
    ...     _ = memory.add("Ana moved to Lisbon in May 2026.", user_id="ana")
    ...     _ = memory.tuning.record()
    ...     _ = memory.search("Where is Lisbon?", user_id="ana")
    ...     [(trace.query, trace.answer_ids) for trace in memory.tuning.traces()]
    [('Where is Lisbon?', (1,))]
    """

    def __init__(self, traces: TraceCalls) -> None:
        self._traces = traces

    def record(self, on: bool = True, *, sample: float = 1.0, most: int = 10_000) -> Recording:
        """Has the searches of this agent recorded, or no more; what was set, and how many traces there are.

        It is kept in the store: every process that has it open follows within a second, and so does whoever opens it
        later. `sample` is the share of the searches that is recorded; of more than `most` traces the oldest go. A trace
        is kept for replaying: the query, its arguments and moment, the ids and scores of its first candidates, what of
        them then stood in a prompt, and no text of a memory. It is written by a thread, some at a time, after the
        search has answered; a search whose trace cannot be written answers all the same.

        `purge_user` removes the traces of a user, and `delete` those that answered with the memory, or whose query has
        its whole text.

        Raises:
            InvalidInputError: an argument is not accepted.
            StorageError: the store cannot be written.
        """
        return self._traces.record(on, sample, most)

    def recording(self) -> Recording:
        """Whether searches are recorded, how many traces there are, and what became of the searches of this process.

        Raises:
            StorageError: the store cannot be read.
        """
        return self._traces.recording()

    def traces(
        self, *, user_id: str | Sequence[str] | None = None, limit: int = 100, cursor: int | None = None
    ) -> TracePage:
        """A page of traces, newest first, with `next_cursor` for the page of older ones; None at the end.

        With `user_id` those of the searches that named one of these users. Without it those of all users of the agent:
        who tunes an agent sees what it was asked.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._traces.traces(user_id, limit, cursor)

    def trace(self, id: int) -> SearchTrace:
        """One trace.

        Raises:
            NotFoundError: there is no such trace of this agent.
        """
        return self._traces.trace(id)

    def forget(self) -> int:
        """Removes all traces of the agent; how many there were. Searches are recorded as before.

        Raises:
            StorageError: the store cannot be written.
        """
        return self._traces.forget()
