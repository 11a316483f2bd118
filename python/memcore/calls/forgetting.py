"""The calls that remove for good, and that prove it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, shown
from memcore.scope import Partition, checked_name
from memcore.writing import fields, forgetting

if TYPE_CHECKING:
    from memcore.calls.store import OpenStore
    from memcore.records import DeleteReport, PurgeReport, Remains

__all__ = ["Forgetting"]

_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The removing calls on one store; each says in `Memory` what it gives back and raises."""

    store: OpenStore

    def delete(self, memory_id: object, user_id: object) -> DeleteReport:
        """See `Memory.delete`."""
        store = self.store
        within = store.reach(user_id)
        store.recorder.flush()  # what waits after it is not kept
        return forgetting.delete(
            store.database,
            memory_id,
            within=within,
            now=store.now(),
            blocks=store.blocks,
            retention_days=store.settings.retention_days,
        )

    def purge_user(self, user_id: object, confirm: object, tombstones: object) -> PurgeReport:
        """See `Memory.purge_user`."""
        user, store = checked_name("user_id", user_id), self.store
        if not isinstance(tombstones, bool):
            raise InvalidInputError(f"tombstones: {shown(tombstones)} is not accepted; give True or False")
        if confirm is not None and not isinstance(confirm, str):
            fields.refuse("confirm", confirm, "give the name of the user again, or leave it out to count only")
        salt = secrets.token_bytes(_SALT_BYTES) if tombstones else None
        whose = Partition(store.agent_id, user)
        return forgetting.purge_user(
            store.database, whose, confirm=confirm, now=store.now(), salt=salt, blocks=store.blocks
        )

    def verify_absent(self, text_or_id: object, user_id: object) -> list[Remains]:
        """See `Memory.verify_absent`."""
        return forgetting.remains_of(self.store.database, text_or_id, agent_id=self.store.agent_id, user_id=user_id)
