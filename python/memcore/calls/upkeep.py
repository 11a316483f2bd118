"""The calls that look after a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memcore import reports
from memcore.errors import InvalidInputError, shown
from memcore.maintenance.run import maintain
from memcore.maintenance.work import Work

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from memcore.calls.store import OpenStore
    from memcore.records import JobReport
    from memcore.reports import Doctor, Stats

__all__ = ["Upkeep"]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The calls that look after one store; each says in `Memory` what it gives back and raises."""

    store: OpenStore

    def maintain(self, jobs: object, progress: Callable[[int, int], None] | None) -> list[JobReport]:
        """See `Memory.maintain`."""
        store = self.store
        if progress is not None and not callable(progress):
            raise InvalidInputError(f"progress: {shown(progress)} is not accepted; give a function of (done, total)")
        work = Work(store.database, store.agent_id, store.vectors, store.now(), progress, store.mirror)
        return maintain(work, jobs)

    def stats(self) -> Stats:
        """See `Memory.stats`."""
        store = self.store
        return reports.stats(store.database, store.agent_id, store.vectors, store.mirror, store.now())

    def doctor(self) -> Doctor:
        """See `Memory.doctor`."""
        self.store.settle()
        return reports.doctor(self.store.database, self.store.agent_id, self.store.vectors, self.store.params)

    def backup(self, path: str | os.PathLike[str]) -> Path:
        """See `Memory.backup`."""
        self.store.database.backup(path)
        return Path(path)
