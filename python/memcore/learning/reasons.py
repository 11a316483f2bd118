"""Why a recorded search finds something else by now, and what proves it.

What the search was opened with comes first, then what happened to its own candidates, then what happened beside them:
the log of changes, the trace and the rows say which. The first of the reasons that is proved is the reason; the words
tell the others of the candidates too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memcore.kinds import Mismatch
from memcore.scope import Partition
from memcore.storage import partitions, revisions
from memcore.storage.encoding import id_list, to_micros
from memcore.storage.plain import plain_rows
from memcore.storage.revisions import latest
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from memcore.learning.rerun import Found
    from memcore.records.learning import SearchTrace
    from memcore.settings import Settings
    from memcore.storage.rows import Change

__all__ = ["Since"]

_MOMENTS = (
    "SELECT m.id, m.last_used_at, max(iif(m.updated_at > m.recorded_at, m.updated_at, 0),"
    " coalesce(m.ended_at, 0), coalesce(c.closed_at, 0))"
    " FROM memory AS m LEFT JOIN claim AS c ON c.memory_id = m.id WHERE m.id IN (SELECT value FROM json_each(?))"
)
_NEVER = -1


class _Moments(NamedTuple):
    """When a memory was last used, and when it was last edited or ended (0: never), in microseconds."""

    used: int | None
    edited: int


class Since:
    """What changed in a store since the searches that are looked at; read once, as of one transaction."""

    def __init__(self, connection: Connection, agent_id: str, first_revision: int, settings: Settings) -> None:
        self._agent_id = agent_id
        self._settings = settings
        self._reach, changes = revisions.kept(connection, first_revision)
        self._latest = latest(connection)
        self._numbers: Mapping[Partition, int] = partitions.all_of(connection, agent_id)
        self._in_partition: dict[int, int] = {}
        self._stored: dict[int, int] = {}
        self._touched: dict[int, int] = {}
        for one in changes:
            self._take(one)
        rows = plain_rows(connection, _MOMENTS, (id_list(self._touched),))
        self._moments = {memory_id: _Moments(used, edited) for memory_id, used, edited in rows}

    def why(self, trace: SearchTrace, found: Found) -> tuple[Mismatch, str]:
        """Why a search finds something else than it found, and that in words."""
        layers = sorted(self._settings.layers)
        days = {str(kind): count for kind, count in self._settings.retention_days.items()}
        if (trace.options["layers"], trace.options["retention_days"]) != (layers, days):
            return Mismatch.SETTINGS, "other layers are on, or other days of retention hold"
        if trace.space_id != found.space_id:
            return Mismatch.SPACE, f"its vectors were of space {trace.space_id}, and are of {found.space_id}"
        of_candidates = self._of_candidates(trace, found)
        if of_candidates:
            return next(iter(of_candidates)), "; ".join(of_candidates.values())
        return self._of_the_rest(trace)

    def _of_the_rest(self, trace: SearchTrace) -> tuple[Mismatch, str]:
        """What explains a search whose candidates are as they were."""
        if not self._reach <= trace.revision <= self._latest:
            return Mismatch.SCOPE, "the log of changes does not reach back so far"
        if any(self._in_partition.get(number, _NEVER) > trace.revision for number in self._scope(trace)):
            return Mismatch.SCOPE, "other memories of its scope were stored, deleted, used or changed since"
        if not trace.zone_kept:
            return Mismatch.ZONE, "its time zone has no name that is known here, so that its days may begin elsewhere"
        return Mismatch.UNEXPLAINED, "nothing in its scope changed since"

    def _take(self, change: Change) -> None:
        """Notes a change; they come in order, so that the last one of each memory stays."""
        self._in_partition[change.partition_id] = change.revision
        if change.table is ChangedTable.PURGE:
            return
        if (change.table, change.operation) == (ChangedTable.MEMORY, Operation.INSERT):
            self._stored[change.id] = change.revision
        self._touched[change.id] = change.revision

    def _of_candidates(self, trace: SearchTrace, found: Found) -> dict[Mismatch, str]:
        """What happened to the candidates of then and of now: each reason with its words, the plainest first."""
        then = {one.id for one in trace.memories if one.place is not None}
        now = {memory_id for _, memory_id, _ in found.pool}.union(found.answer)
        stored = sum(self._stored.get(one, _NEVER) > trace.revision for one in now)
        recorded_at = to_micros(trace.recorded_at)
        used = changed = 0
        for one in then | now:
            if self._touched.get(one, _NEVER) <= trace.revision or self._stored.get(one, _NEVER) > trace.revision:
                continue
            moments = self._moments.get(one, _Moments(None, 0))
            if moments.used is not None and moments.used >= recorded_at > moments.edited:
                used += 1
            else:
                changed += 1
        counts = {
            Mismatch.GONE: (trace.removed, "of its candidates deleted since"),
            Mismatch.NEW: (stored, "of those that it finds now stored since"),
            Mismatch.CHANGED: (changed, "of its candidates edited, ended, embedded or linked since"),
            Mismatch.USED: (used, "of its candidates used since"),
        }
        return {reason: f"{number} {words}" for reason, (number, words) in counts.items() if number}

    def _scope(self, trace: SearchTrace) -> set[int]:
        users = (None, *trace.user_ids)
        numbers = (self._numbers.get(Partition(self._agent_id, user)) for user in users)
        return {number for number in numbers if number is not None}
