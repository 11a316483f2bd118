"""The calls of `Memory` about the life of a memory: how it strengthens, ends, is corrected, undone and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from memcore.namespaces.facts import Facts
from memcore.namespaces.review import Review
from memcore.namespaces.tasks import Tasks
from memcore.namespaces.working import Working

if TYPE_CHECKING:
    from datetime import datetime

    from memcore.calls.sections import Sections
    from memcore.records import Added, MemoryRecord, Operation, PurgeReport, Remains
    from memcore.writing.proposal import AddFields

__all__ = ["LifeOfMemory"]


class LifeOfMemory:
    """The part of `Memory` that its life needs; `Memory` opens the store and adds writing, searching and reading."""

    _calls: Sections

    @property
    def facts(self) -> Facts:
        """What is known of a person or a thing, by exact slots."""
        return Facts(self._calls.facts)

    @property
    def review(self) -> Review:
        """Memories that wait for a person, and conflicts that one decides."""
        return Review(self._calls.review)

    def supersede(
        self,
        id: int,
        content: str,
        *,
        embed: str = "now",
        **given: Unpack[AddFields],
    ) -> Added:
        """What became of a text that takes the place of a fact, a piece of knowledge or a lesson; the old row stays.

        It is of the same kind, user, slot, category and channel (a lesson keeps its pattern) unless `given`, which has
        the other fields of `add` too, says otherwise; its `user_id` refuses an id that is not that user's. The old
        memory is valid until the new one is, and points to it. What comes from a weaker `origin` than the old memory
        waits for review instead. What takes the place of a pinned memory is pinned, unless it comes from a tool, the
        web or a job.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
            InvalidInputError: it is superseded already, ended, or of a kind that cannot be, or a field is not accepted,
                such as an `event_time` before the days of retention of the kind, or an `expires_at` that is over: no
                search would find what takes the place; nothing was stored.
        """
        return self._calls.writing.supersede(id, content, embed, given)

    @property
    def tasks(self) -> Tasks:
        """Things to be done, where each stands, and what happened to it."""
        return Tasks(self._calls.tasks)

    @property
    def working(self) -> Working:
        """What a conversation has in mind for now: named sets of items that end."""
        return Working(self._calls.working)

    def pin(self, id: int, *, user_id: str | None = None) -> MemoryRecord:
        """The memory after it was pinned: no job archives it, and a fact fades with a half-life of a hundred years.

        A dormant fact wakes by it.

        Raises:
            InvalidInputError: it comes from a tool, the web or a job, whose memories are never pinned.
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.living.pin(id, user_id, pinned=True)

    def unpin(self, id: int, *, user_id: str | None = None) -> MemoryRecord:
        """The memory after it was let go; a fact fades as if it had not been pinned since its strength was last set.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.living.pin(id, user_id, pinned=False)

    def retire(self, id: int, *, reason: str | None = None, user_id: str | None = None) -> MemoryRecord:
        """The memory after it was taken out of the searches; it stays stored, and `undo` brings it back.

        What had not begun to hold gives back the time that it was to take: what it was to follow ends when it would
        have without it. The same goes for one that is called wrong, rejected or deleted.

        Raises:
            InvalidInputError: it is an entity, which only `delete` removes.
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.living.retire(id, reason, user_id)

    def feedback(
        self,
        id: int,
        *,
        helpful: bool | None = None,
        wrong: bool = False,
        corrected: str | None = None,
        user_id: str | None = None,
    ) -> Added | None:
        """Notes what somebody says of a memory; what became of the corrected text, or None.

        `helpful` is a label and changes nothing else. `wrong=True` takes the memory out of the searches. `corrected` is
        stored in its place, with its kind, details and pin; it stands outside any conversation, without a session and a
        position there. It supersedes a fact, a piece of knowledge or a lesson from its beginning, so that a search of
        the past finds it too; any other memory ends as wrong. What never was current (it waited for review, or was
        rejected), was retired or has expired gives it no beginning but one that was given as `valid_from`: it holds
        from now on. What else fills the slot of a fact is superseded, as by `facts.set`; what waited is rejected. Where
        a memory of that slot says the corrected text already, it is merged into that one (`Added.outcome`).
        `Added.reason` says what was done.

        What was called wrong, corrected or rejected is dropped when anybody but the user says it again.

        Raises:
            InvalidInputError: nothing is said, helpful and wrong are said at once, or it is an entity, a piece of a
                file or superseded already.
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.living.feedback(id, helpful, wrong, corrected, user_id)

    def history(self, id: int, *, user_id: str | None = None) -> list[Operation]:
        """The operations that changed a memory, oldest first, with the values from before and after.

        Plain use strengthens a memory without an operation. What a deletion removes takes its operations with it.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.living.history(id, user_id)

    def undo(
        self,
        operation_id: int | None = None,
        *,
        source_ref: str | None = None,
        since: datetime | None = None,
        job_run: str | None = None,
        user_id: str | None = None,
    ) -> list[Operation]:
        """Takes back one operation, all of a source (`since` a moment), or all of a run of a job; the undos, in order.

        The newest is undone first, and all are undone or none; of a source or a run, those that were undone before are
        passed over, and none stands in the way of another. What a source brought is retired, also where a part of it
        was deleted. An undo is an operation too: undone in turn, the first is done again.

        It is refused while a later operation stands on what it would take back: one that changed the same, that said
        again, approved, kept, edited or put in the place of another what would leave the searches, or that replaced or
        contradicted what had replaced what would come back. To do an operation again needs what it was built on. Use,
        a pin, a label or tags in between stop no undo: access count and base importance lose what the operation added;
        strength, stability and last use go back only where nothing used the memory since. A fact that wakes by it is as
        strong as waking needs, at least.

        Raises:
            InvalidInputError: not exactly one of `operation_id`, `source_ref` and `job_run` is given.
            NotFoundError: there is no such operation on memories of this agent (and user).
            UndoRefusedError: later operations stand on it, which `operations` holds, newest first, and which are to be
                undone before, in that order (where very many stand on it, the next ones: once they are undone, it names
                those before them); a memory was deleted; or it is undone already. Nothing was changed. Of a source or a
                run of which nothing is left to undo the answer is an empty list.
        """
        return self._calls.living.undo(operation_id, source_ref, since, job_run, user_id)

    # Forgetting

    def purge_user(self, user_id: str, *, confirm: str | None = None, tombstones: bool = False) -> PurgeReport:
        """Removes all of a user for good, or, unless `confirm` is the same name, only counts what would go.

        From the first moment nothing of the user is in any answer, in this and in every other process. Then the rows go
        in short transactions, and their bytes from the database and its log; where the process ends before, the next
        opening goes on. What the user says meanwhile or later is new and stays. What users share and what belongs to
        others stays as it is. What is left is a receipt with counts, without the name. It cannot be undone.

        `tombstones` keeps a salted hash of each text, and of those it had before an `update`, so that a text of the
        user with an `event_time` before this moment is dropped when an import brings it again. Whoever has the file can
        guess short texts and compare.

        An unknown user gives zeros. Backups are the caller's own.

        Raises:
            InvalidInputError: `user_id` is no name, or `confirm` is neither None nor a string.
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
