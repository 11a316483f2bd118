"""Why a recorded search finds something else by now: what of it is different, by the log of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.kinds import Mismatch
from memcore.scope import Partition
from memcore.storage import partitions, revisions
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.learning.rerun import Found
    from memcore.records.learning import SearchTrace
    from memcore.settings import Settings
    from memcore.storage.rows import Change

__all__ = ["Since"]


class Since:
    """What changed in a store since the searches that are looked at; read once, as of one transaction."""

    def __init__(self, connection: Connection, agent_id: str, first_revision: int, settings: Settings) -> None:
        self._agent_id = agent_id
        self._settings = settings
        self._changes: list[Change] | None = revisions.changes(connection, first_revision)
        self._numbers: Mapping[Partition, int] = partitions.all_of(connection, agent_id)

    def why(self, trace: SearchTrace, found: Found) -> tuple[Mismatch, str]:
        """Why a search finds something else than it found, and that in words."""
        layers = sorted(self._settings.layers)
        days = {str(kind): count for kind, count in self._settings.retention_days.items()}
        if (trace.options["layers"], trace.options["retention_days"]) != (layers, days):
            why = Mismatch.SETTINGS, "other layers are on, or other days of retention hold"
        elif trace.space_id != found.space_id:
            why = Mismatch.SPACE, f"its vectors were of space {trace.space_id}, and are of {found.space_id}"
        elif trace.removed:
            why = Mismatch.GONE, f"{trace.removed} of its candidates were deleted"
        elif self._changes is None:
            why = Mismatch.CHANGED, "the log of changes does not reach back so far"
        else:
            numbers = self._of(trace)
            since = [one for one in self._changes if one.revision > trace.revision and one.partition_id in numbers]
            why = _among(since)
        if why[0] is Mismatch.UNEXPLAINED and not trace.zone_kept:
            why = Mismatch.ZONE, "its time zone has no name that is known here, so that its days may begin elsewhere"
        return why

    def _of(self, trace: SearchTrace) -> set[int | None]:
        users = (None, *trace.user_ids)
        return {self._numbers.get(Partition(self._agent_id, user)) for user in users} - {None}


def _among(since: Sequence[Change]) -> tuple[Mismatch, str]:
    """What of some changes in the scope of a search explains it best."""
    memories = [one for one in since if one.table is ChangedTable.MEMORY]
    for operation, reason, word in (
        (Operation.DELETE, Mismatch.GONE, "gone"),
        (Operation.INSERT, Mismatch.NEW, "new"),
    ):
        number = len({one.id for one in memories if one.operation is operation})
        if number:
            return reason, f"{number} memories of its scope are {word} since"
    if since:
        return Mismatch.CHANGED, f"there were {len(since)} changes in its scope since"
    return Mismatch.UNEXPLAINED, "nothing in its scope changed since"
