"""The calls that replay recorded searches, look for better parameters, and put profiles in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcore.calls.evaluating import evaluation_cases
from memcore.errors import InvalidInputError, NotFoundError, shown
from memcore.learning.cases import Cases, traced_cases, traced_digest
from memcore.learning.named import NAMED
from memcore.learning.profiles import Profiles
from memcore.learning.replay import replayed, weighed
from memcore.learning.tuning import search
from memcore.names import path_text
from memcore.params import RetrievalParams, overridden
from memcore.params.tunable import TUNABLE
from memcore.records import checked_id
from memcore.records.learning import SearchTrace
from memcore.records.tuning import ProfileComparison
from memcore.storage import search_traces, tuning_scores
from memcore.writing import fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcore.calls.store import OpenStore
    from memcore.records.replay import ReplayReport
    from memcore.records.tuning import Activation, Profile, TuningReport

__all__ = ["TuningCalls", "checked_k", "checked_names", "checked_seed", "checked_trials"]

MOST_TRIALS = 100_000
LARGEST_K = 1_000
_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class TuningCalls:
    """The tuning calls on one store; each says in `Tuning` what it gives back and raises."""

    store: OpenStore

    def replay(self, traces: object, params: object, k: object, progress: object) -> ReplayReport:
        """See `Tuning.replay`."""
        store = self.store
        width = checked_k(k)
        store.recorder.flush()
        return replayed(
            store.searcher,
            store.agent_id,
            self._traces(traces),
            changes=self._params(params),
            k=width,
            progress=checked_progress(progress),
        )

    def search_params(
        self,
        on: object,
        traces: object,
        *,
        seed: object,
        trials: object,
        k: object,
        names: object,
        progress: object,
    ) -> TuningReport:
        """See `Tuning.search_params`."""
        store = self.store
        drawn = checked_seed(seed)
        given: dict[str, Any] = {
            "names": checked_names(names),
            "trials": checked_trials(trials),
            "seed": drawn,
            "k": checked_k(k),
            "progress": checked_progress(progress),
        }
        base = store.params.current()
        if on is None:
            store.recorder.flush()
            found = traced_cases(store.searcher, store.agent_id, self._traces(traces))
            digest = traced_digest(store.searcher, store.agent_id, found)
            cases = Cases.halves("recorded searches", found, drawn, digest)
            return search(cases, base, scores=self._scores(cases.digest, given["k"]), **given)
        path = path_text(on)
        if path is None:
            raise InvalidInputError(f"on: {shown(on)} is not accepted; give the path of an evaluation file, or None")
        with evaluation_cases(store, Path(path), given["k"]) as (found, digest, more):
            cases = Cases.halves(path, found, drawn, digest, more=more)
            return search(cases, base, scores=self._scores(cases.digest, given["k"]), **given)

    def profiles(self) -> list[Profile]:
        """See `Tuning.profiles`."""
        return self._profiles().all()

    def save(self, name: object, params: object) -> Profile:
        """See `Tuning.save`."""
        wanted = fields.name("name", name)
        found = overridden(self.store.params.current(), self._params(params))
        return self._profiles().save(wanted, found, self.store.now())

    def activate(self, name: object) -> Activation:
        """See `Tuning.activate`."""
        return self._profiles().activate(fields.name("name", name), self.store.now())

    def rollback(self) -> Activation:
        """See `Tuning.rollback`."""
        return self._profiles().rollback(self.store.now())

    def compare(self, first: object, second: object, traces: object, k: object, progress: object) -> ProfileComparison:
        """See `Tuning.compare`."""
        store, width = self.store, checked_k(k)
        names = (fields.name("first", first), fields.name("second", second))
        one, other = (self._profiles().of(name) for name in names)
        old, new = one.model_dump(mode="json"), other.model_dump(mode="json")
        store.recorder.flush()
        found = weighed(
            store.searcher,
            store.agent_id,
            self._traces(traces),
            (one, other),
            k=width,
            progress=checked_progress(progress),
        )
        differing = {name: (old[name], value) for name, value in new.items() if old[name] != value}
        return ProfileComparison(*names, differing, width, found)

    def _profiles(self) -> Profiles:
        return Profiles(self.store.database, self.store.params, NAMED)

    def _scores(self, digest: str, k: int) -> _KeptScores:
        run = f"{digest} {k}"
        with self.store.database.read() as connection:
            return _KeptScores(self.store, run, tuning_scores.known(connection, run))

    def _params(self, given: object) -> Mapping[str, Any] | RetrievalParams | None:
        """Changes to the parameters, a whole set, or the set of the profile that a text names.

        Raises:
            InvalidInputError: it is none of these.
            NotFoundError: there is no such profile.
        """
        if isinstance(given, str):
            return self._profiles().of(given)
        if given is None or isinstance(given, RetrievalParams | Mapping):
            return given
        raise InvalidInputError(
            f'params: {shown(given)} is not accepted; give a dict such as {{"weight_graph": 0.5}}, or a profile\'s name'
        )

    def _traces(self, given: object) -> list[SearchTrace] | None:
        """The traces that are given, themselves or by their ids; None stands for all.

        Raises:
            InvalidInputError: it is neither.
            NotFoundError: there is no trace of an id, or a trace is another store's.
        """
        if given is None:
            return None
        if isinstance(given, str | bytes) or not isinstance(given, Sequence):
            raise InvalidInputError(f"traces: {shown(given)} is not accepted; give traces, or their ids")
        ids = [one.id if isinstance(one, SearchTrace) else checked_id("traces", one, of="trace") for one in given]
        with self.store.database.read() as connection:
            found = search_traces.fetch(connection, self.store.agent_id, ids)
        if len(found) < len(ids):
            missing = next(one for one in ids if one not in {trace.id for trace in found})
            raise NotFoundError(f"traces: there is no trace {missing} of this agent")
        for one, kept in zip(given, found, strict=True):
            if isinstance(one, SearchTrace) and _asked(one) != _asked(kept):
                raise NotFoundError(f"traces: trace {one.id} is of another store; give traces of this one")
        return found


def _asked(trace: SearchTrace) -> tuple[object, ...]:
    """What of a trace never changes, and tells it from one of another store that has its number."""
    return trace.query, trace.user_ids, trace.recorded_at, trace.asked_at, trace.revision, trace.params


@dataclass(slots=True)
class _KeptScores:
    """The scores of one run in the store."""

    store: OpenStore
    run: str
    known: Mapping[str, float] = field(default_factory=dict)

    def keep(self, set_key: str, score: float) -> None:
        with self.store.database.write() as connection:
            tuning_scores.keep(connection, self.run, set_key, score, self.store.now())


def checked_k(value: object) -> int:
    """`value` as how many hits of an answer count.

    Raises:
        InvalidInputError: it is no integer from 1 to 1,000.
    """
    return _whole("k", value, 1, LARGEST_K)


def checked_trials(value: object) -> int:
    """`value` as a number of sets to try.

    Raises:
        InvalidInputError: it is no integer from 1 to 100,000.
    """
    return _whole("trials", value, 1, MOST_TRIALS)


def checked_seed(value: object) -> int:
    """`value` as what sets are drawn by.

    Raises:
        InvalidInputError: it is no integer from 0 to 2^63 − 1.
    """
    return _whole("seed", value, 0, _LARGEST_SEED)


def checked_names(value: object) -> tuple[str, ...]:
    """`value` as parameters of the white-list; None stands for all of them.

    Raises:
        InvalidInputError: one is not on it.
    """
    if value is None:
        return tuple(TUNABLE)
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or not value:
        raise InvalidInputError(f"names: {shown(value)} is not accepted; give a list of parameters, or None for all")
    for name in value:
        if not isinstance(name, str) or name not in TUNABLE:
            raise InvalidInputError(f"names: {shown(name)} is not tuned; these are: {', '.join(TUNABLE)}")
    return tuple(name for name in TUNABLE if name in value)


def checked_progress(value: object) -> Callable[[int, int], None] | None:
    """`value` as a function of (done, total), or None.

    Raises:
        InvalidInputError: it cannot be called.
    """
    if value is not None and not callable(value):
        raise InvalidInputError(f"progress: {shown(value)} is not accepted; give a function of (done, total)")
    return value


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInputError(f"{name}: {shown(value)} is not accepted; give an integer from {least} to {most}")
    return value
