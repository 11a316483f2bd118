"""The calls about the life of a memory: pin, retire, say what is wrong, look back, take back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.writing import feedback, history, standing
from memcore.writing.write import embed_after

if TYPE_CHECKING:
    from memcore.calls.store import OpenStore
    from memcore.records import Added, MemoryRecord, Operation

__all__ = ["Living"]


@dataclass(frozen=True, slots=True)
class Living:
    """The calls on one store about how a memory lives; each says in `LifeOfMemory` what it gives back and raises."""

    store: OpenStore

    def pin(self, memory_id: object, user_id: object, *, pinned: bool) -> MemoryRecord:
        """See `Memory.pin` and `Memory.unpin`."""
        store, within = self.store, self.store.reach(user_id)
        return standing.pin(store.database, memory_id, within=within, now=store.now(), pinned=pinned)

    def retire(self, memory_id: object, reason: object, user_id: object) -> MemoryRecord:
        """See `Memory.retire`."""
        store, within = self.store, self.store.reach(user_id)
        days = store.settings.retention_days
        return standing.retire(
            store.database, memory_id, reason=reason, within=within, now=store.now(), retention_days=days
        )

    def feedback(
        self, memory_id: object, helpful: object, wrong: object, corrected: object, user_id: object
    ) -> Added | None:
        """See `Memory.feedback`."""
        store, what = self.store, feedback.said(helpful, wrong, corrected)
        return feedback.feedback(
            store.database,
            memory_id,
            what,
            within=store.reach(user_id),
            vectors=store.vectors,
            rules=store.rules(),
            now=store.now(),
        )

    def history(self, memory_id: object, user_id: object) -> list[Operation]:
        """See `Memory.history`."""
        return history.history(self.store.database, memory_id, within=self.store.reach(user_id))

    def undo(
        self, operation_id: object, source_ref: object, since: object, job_run: object, user_id: object
    ) -> list[Operation]:
        """See `Memory.undo`."""
        store, which = self.store, history.selector(operation_id, source_ref, since, job_run)
        done = history.undo(
            store.database,
            which,
            within=store.reach(user_id),
            now=store.now(),
            retention_days=store.settings.retention_days,
        )
        if done.texts:
            embed_after(store.database, store.vectors, done.texts)
        return done.operations
