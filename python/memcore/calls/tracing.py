"""The calls that record searches and list what was recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, NotFoundError, shown
from memcore.records import checked_id
from memcore.records.learning import TracePage
from memcore.scope import read_scope
from memcore.storage import recording, search_traces
from memcore.writing import fields

if TYPE_CHECKING:
    from memcore.calls.store import OpenStore
    from memcore.records.learning import Recording, SearchTrace

__all__ = ["MOST_TRACES", "TraceCalls", "checked_most", "checked_sample"]

MOST_TRACES = 1_000_000
_LARGEST_PAGE = 10_000


@dataclass(frozen=True, slots=True)
class TraceCalls:
    """The calls on the traces of one store; each says in `Tuning` what it gives back and raises."""

    store: OpenStore

    def record(self, on: object, sample: object, most: object) -> Recording:
        """See `Tuning.record`."""
        store = self.store
        wanted = fields.flag("on", on)
        sampling = recording.Sampling(checked_sample(sample), checked_most(most))
        with store.database.write() as connection:
            if wanted:
                recording.begin(connection, store.agent_id, sampling, store.now())
                search_traces.trim(connection, store.agent_id, sampling.most)
            else:
                recording.end(connection, store.agent_id)
        return store.recorder.status()

    def recording(self) -> Recording:
        """See `Tuning.recording`."""
        return self.store.recorder.status()

    def traces(self, user_id: object, limit: object, cursor: object) -> TracePage:
        """See `Tuning.traces`."""
        store = self.store
        users = None if user_id is None else read_scope(store.agent_id, user_id).user_ids
        most = _checked_page(limit)
        before = None if cursor is None else checked_id("cursor", cursor, of="trace")
        store.recorder.flush()
        with store.database.read() as connection:
            found = search_traces.page(connection, store.agent_id, users, before=before, limit=most + 1)
        return TracePage(tuple(found[:most]), found[most - 1].id if len(found) > most else None)

    def trace(self, trace_id: object) -> SearchTrace:
        """See `Tuning.trace`."""
        wanted = checked_id("id", trace_id, of="trace")
        with self.store.database.read() as connection:
            found = search_traces.fetch(connection, self.store.agent_id, [wanted])
        if not found:
            raise NotFoundError(f"id: there is no trace {wanted} of this agent")
        return found[0]

    def forget(self) -> int:
        """See `Tuning.forget`."""
        store = self.store
        store.recorder.flush()
        with store.database.write() as connection:
            return search_traces.forget_all(connection, store.agent_id)


def checked_sample(value: object) -> float:
    """`value` as a share of the searches.

    Raises:
        InvalidInputError: it is no number above 0 and up to 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InvalidInputError(f"sample: {shown(value)} is not accepted; give a number above 0 and up to 1")
    return float(value)


def checked_most(value: object) -> int:
    """`value` as the number of traces that are kept.

    Raises:
        InvalidInputError: it is no integer from 1 to a million.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TRACES:
        raise InvalidInputError(f"most: {shown(value)} is not accepted; give an integer from 1 to {MOST_TRACES}")
    return value


def _checked_page(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_PAGE:
        raise InvalidInputError(f"limit: {shown(value)} is not accepted; give an integer from 1 to {_LARGEST_PAGE}")
    return value
