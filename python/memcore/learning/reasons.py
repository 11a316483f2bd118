"""Why a recorded search finds something else by now, and what proves it.

What the search was opened with comes first, then what happened to its own candidates, then what happened beside them:
the log of changes and the trace say which. The log tells what a use changed from what anything else did, and so a
memory that was both is counted as both. The first of the reasons that is proved is the reason; the words tell the
others of the candidates too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Mismatch
from memcore.scope import Partition
from memcore.storage import partitions, revisions
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

_NEVER = -1


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
        self._changed: dict[int, int] = {}
        self._used: dict[int, int] = {}
        for one in changes:
            self._take(one)

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
        """Notes a change; they come in order, so that the last one of its kind stays of each memory."""
        self._in_partition[change.partition_id] = change.revision
        if change.table is ChangedTable.PURGE:
            return
        if (change.table, change.operation) == (ChangedTable.MEMORY, Operation.INSERT):
            self._stored[change.id] = change.revision
        of_kind = self._used if change.operation is Operation.USE else self._changed
        of_kind[change.id] = change.revision

    def _of_candidates(self, trace: SearchTrace, found: Found) -> dict[Mismatch, str]:
        """What happened to the candidates of then and of now: each reason with its words, the plainest first."""
        then = {one.id for one in trace.memories if one.place is not None}
        now = {memory_id for _, memory_id, _ in found.pool}.union(found.answer)
        stored = sum(self._stored.get(one, _NEVER) > trace.revision for one in now)
        old = {one for one in then | now if self._stored.get(one, _NEVER) <= trace.revision}
        changed = sum(self._changed.get(one, _NEVER) > trace.revision for one in old)
        used = sum(self._used.get(one, _NEVER) > trace.revision for one in old)
        counts = {
            Mismatch.GONE: (trace.removed, "of its candidates deleted since"),
            Mismatch.NEW: (stored, "of those that it finds now stored since"),
            Mismatch.CHANGED: (changed, "of its candidates edited, ended, embedded, linked or put to sleep since"),
            Mismatch.USED: (used, "of its candidates used since"),
        }
        return {reason: f"{number} {words}" for reason, (number, words) in counts.items() if number}

    def _scope(self, trace: SearchTrace) -> set[int]:
        users = (None, *trace.user_ids)
        numbers = (self._numbers.get(Partition(self._agent_id, user)) for user in users)
        return {number for number in numbers if number is not None}
