"""The calls of `Memory` about the life of a memory: how it strengthens, ends, is corrected, undone and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcore.calls.sections import Sections
    from memcore.records import PurgeReport, Remains

__all__ = ["LifeOfMemory"]


class LifeOfMemory:
    """The part of `Memory` that its life needs; `Memory` opens the store and adds writing, searching and reading."""

    _calls: Sections

    # Forgetting

    def purge_user(self, user_id: str, *, confirm: str | None = None, tombstones: bool = False) -> PurgeReport:
        """Removes all of a user for good, or, unless `confirm` is the same name, only counts what would go.

        From the first moment nothing of the user is in any answer, in this and in every other process. Then the rows go
        in short transactions, and their bytes from the database and its log; where the process ends before, the next
        opening goes on. What the user says meanwhile or later is new and stays. What users share and what belongs to
        others stays as it is. What is left is a receipt with counts, without the name. It cannot be undone.

        `tombstones` keeps a salted hash of each text, so that a text of the user with an `event_time` before this
        moment is dropped when an import brings it again. Whoever has the file can guess short texts and compare.

        An unknown user gives zeros. Backups are the caller's own.

        Raises:
            InvalidInputError: `user_id` is no name.
            StorageError: the database cannot be written.
        """
        return self._calls.forgetting.purge_user(user_id, confirm, tombstones)

    def verify_absent(self, text_or_id: str | int, *, user_id: str | None = None) -> list[Remains]:
        """Where a text, or the memory with an id, still is; an empty list where it is nowhere.

        An id is looked for in every table that names memories. A text is looked for, whatever its case, in all that
        the tables of this agent (and user) keep, and then in the bytes of the store's files, in UTF-8 and UTF-16,
        unless others have the text too: bytes do not say whose they are. It reads the whole store.

        Raises:
            InvalidInputError: it is neither an id nor a text with a visible character.
        """
        return self._calls.forgetting.verify_absent(text_or_id, user_id)
