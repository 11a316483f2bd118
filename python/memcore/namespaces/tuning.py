"""`memory.tuning`: searches recorded and run again, and parameters that find more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from memcore.calls.tracing import TraceCalls
    from memcore.calls.tuning import TuningCalls
    from memcore.params import RetrievalParams
    from memcore.records.learning import Recording, SearchTrace, TracePage
    from memcore.records.replay import ReplayReport
    from memcore.records.tuning import Activation, Profile, ProfileComparison, TuningReport

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

    def __init__(self, traces: TraceCalls, calls: TuningCalls) -> None:
        self._traces = traces
        self._calls = calls

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

    def replay(
        self,
        traces: Sequence[SearchTrace | int] | None = None,
        params: Mapping[str, Any] | RetrievalParams | str | None = None,
        *,
        k: int = 8,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReplayReport:
        """Runs recorded searches again (`traces`, or their ids; None: all), and compares what they find.

        Each is asked from its own moment, with its own arguments and parameters. It matches where the pool of
        candidates is the same position by position, with scores within 1e-9, and so is the answer; those that do not
        match are counted by what explains it. Nothing is recorded or marked by it.

        What entered a prompt, and was no fill-up, counts as right (1), what was called helpful after the search counts
        more (2), what was called unhelpful or wrong counts nothing. By this nDCG and recall of the first `k` and the
        place of the first hit are measured. With `params`, changes to each search's own parameters or the name of a
        profile, the searches are run with these too, and both are compared. These labels favour what was found then:
        what no search brought up could not enter a prompt.

        `progress` is told (done, total).

        Raises:
            InvalidInputError: an argument is not accepted.
            NotFoundError: there is no such trace or profile.
            ParamsError: `params` holds an unknown name or a value out of range.
        """
        return self._calls.replay(traces, params, k, progress)

    def search_params(
        self,
        on: str | os.PathLike[str] | None = None,
        *,
        traces: Sequence[SearchTrace | int] | None = None,
        seed: int = 0,
        trials: int = 60,
        k: int = 8,
        names: Sequence[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> TuningReport:
        """Looks for parameters that find more, in recorded searches (`traces`, or all) or an evaluation file (`on`).

        At most `trials` sets are tried: the present one, then sets drawn at random from the white-list (or of `names`
        alone), then one parameter after the other from the best of them. They are chosen by nDCG over one half of the
        queries; the report says what the best ones are worth over the other half too, which had no say. Nothing is put
        in use by it: `save` and `activate` do that.

        The same arguments on the same store give the same report. Scores are kept in the store as they are known: what
        was cut off goes on when it is begun again. `progress` is told (done, total).

        Raises:
            InvalidInputError: an argument is not accepted, the file is none, or too few different queries have
                something that was right.
            NotFoundError: there is no such trace.
            StorageError: the store cannot be read, or a score not be kept.
        """
        return self._calls.search_params(on, traces, seed=seed, trials=trials, k=k, names=names, progress=progress)

    def profiles(self) -> list[Profile]:
        """The profiles: those of the package, then those that were saved, by name."""
        return self._calls.profiles()

    def save(self, name: str, params: Mapping[str, Any] | RetrievalParams | str | None = None) -> Profile:
        """Saves parameters under a name; a profile that was saved under it before is replaced.

        `params` are changes to the present ones, a whole set, or the name of a profile; None saves the present ones.

        Raises:
            InvalidInputError: the name is not accepted, or a profile of the package has it.
            ParamsError: `params` holds an unknown name or a value out of range.
        """
        return self._calls.save(name, params)

    def activate(self, name: str) -> Activation:
        """Puts a profile in use, at the next search, in every process: it is written into the parameter file.

        That is `retrieval_params.json` beside the database, or the file that was given as `params`. What somebody wrote
        into it by hand is kept first, as a profile named by the moment.

        Raises:
            NotFoundError: there is no such profile.
            ParamsError: it holds something that is no set of parameters.
            InvalidInputError: the database is in memory, and no file was given as `params`.
            StorageError: the file or the store cannot be written; the file is as it was.
        """
        return self._calls.activate(name)

    def rollback(self) -> Activation:
        """Puts back what was in the parameter file before the last `activate`; called again, before the one before.

        Only what was activated on this file counts: a store can be opened with several (`params=`). Where there was no
        file it is left with `{}`, for the defaults. What somebody wrote into it by hand since is kept as a profile.

        Raises:
            NotFoundError: there is nothing to go back to; the message names the other file on which there is.
            StorageError: the file or the store cannot be written; the file is as it was.
        """
        return self._calls.rollback()

    def compare(
        self,
        first: str,
        second: str,
        *,
        traces: Sequence[SearchTrace | int] | None = None,
        k: int = 8,
        progress: Callable[[int, int], None] | None = None,
    ) -> ProfileComparison:
        """Which parameters of two profiles differ, and how both answer the recorded searches (`traces`, or all).

        Raises:
            InvalidInputError: an argument is not accepted.
            NotFoundError: there is no such profile or trace.
            ParamsError: one of them holds something that is no set of parameters.
        """
        return self._calls.compare(first, second, traces, k, progress)
