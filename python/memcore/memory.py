"""`Memory`, the one facade: what each call takes, gives back and raises. What it does is in `memcore.calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

from memcore.life import LifeOfMemory
from memcore.namespaces.tuning import Tuning

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memcore.embedding import Embedder
    from memcore.kinds import EdgeType
    from memcore.records import AddResult, DeleteReport, Edge, GraphView, JobReport, MemoryRecord, Page
    from memcore.reports import Doctor, Stats
    from memcore.searching.request import SearchFields
    from memcore.searching.result import SearchResult, WhyNot
    from memcore.settings import Settings
    from memcore.writing.change import UpdateFields
    from memcore.writing.proposal import AddFields

__all__ = ["Memory"]


class Memory(LifeOfMemory):
    """Long-term memory in one file, for one agent and its users. Safe to share between threads; a context manager.

    `database`: a path, or `":memory:"`. `agent_id` isolates absolutely. `embedder`: None is the one that comes with the
    package, `"e5"`, `"none"`, or an object with `embed`, `name` and `dimension`. `params`: a path to the parameters of
    the search, watched while running; None is `retrieval_params.json` beside the database. `clock` returns an aware
    datetime. `durability`: `"full"` survives power loss, `"relaxed"` may lose the last writes then. `on_error`:
    `"raise"`, or `"log"`, with which `search` and `context` answer empty instead of raising.

    Raises:
        InvalidInputError: an argument is not accepted.
        StorageError: the database cannot be opened.

    >>> with Memory(":memory:", embedder="none") as memory:
    ...     added = memory.add("Ana moved to Lisbon in May 2026.", user_id="ana")
    ...     [hit.content for hit in memory.search("Where is Lisbon?", user_id="ana")]
    ['Ana moved to Lisbon in May 2026.']
    """

    def __init__(
        self,
        database: str | os.PathLike[str] = "memcore.db",
        *,
        agent_id: str = "default",
        embedder: Embedder | str | None = None,
        params: str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] | None = None,
        settings: Settings | None = None,
        durability: str = "full",
        on_error: str = "raise",
    ) -> None:
        from memcore.calls.sections import Sections
        from memcore.calls.store import open_store

        store = open_store(
            database,
            agent_id=agent_id,
            embedder=embedder,
            params=params,
            clock=clock,
            settings=settings,
            durability=durability,
            on_error=on_error,
        )
        self._database, self._calls = store.database, Sections(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database; later calls raise StorageError."""
        self._calls.store.close()

    # Writing

    def add(
        self, content: str | Sequence[Mapping[str, Any]], *, embed: str = "now", **given: Unpack[AddFields]
    ) -> AddResult:
        """Stores one text, or the messages of a chat, and returns what became of each; durable when it returns.

        `content` is a string (one memory, of kind `event` unless `kind` says otherwise), or a list of
        `{"role", "content", "name"?, "timestamp"?}` (each a `turn`). A text is embedded before this returns unless
        `embed="later"` or the embedder fails; then the `embed` job does it.

        What became of it stands in `Added.outcome`, and why in `Added.reason`: it was stored (`accept`), it is one with
        a memory that says it already (`merge`), it waits for review (`defer`), or it is not kept (`drop`): it says
        nothing, or what was rejected or called wrong, and not by the user. A turn is merged with nothing. What the user
        says himself need not wait for review any more (`memory.review`). What a model says loses its `<think>`
        passages, and is dropped where it says nothing else. With `infer=False` a text is stored as it is, unless
        its layer is off or the user had it removed with tombstones (`purge_user`); what it names in `supersedes` ends
        unless its evidence is stronger.

        `slot` and `category` are of facts; `confidence`, `valid_from`, `valid_until` and `supersedes` (the id of a
        memory whose place it takes) of facts, knowledge and lessons; `details` is a dict of what chunks (`path`,
        `first_line`, `last_line`), cases (`question`, `answer`, `result`, `datasource`, `correction`), lessons
        (`pattern`), episodes and summaries (`started_at`, `ended_at`; `cues` of episodes) have beside their text.

        Raises:
            InvalidInputError: the content or a field is not accepted; nothing was stored.
            DimensionError: `embedding` does not fit the space.
            StorageError: nothing was stored.
        """
        return self._calls.writing.add(content, embed, given)

    def add_many(self, items: Iterable[Mapping[str, Any]], *, embed: str = "now") -> AddResult:
        """Stores many texts in one transaction, all or none; each item is a dict with `content` and `add`'s fields.

        Raises:
            InvalidInputError: an item is not accepted; the message names its index, and nothing was stored.
            DimensionError: an item's `embedding` does not fit the space; the message names its index too.
        """
        return self._calls.writing.add_many(items, embed)

    def update(self, id: int, *, user_id: str | None = None, **given: Unpack[UpdateFields]) -> MemoryRecord:
        """The memory as it is after the change; a new content is analysed and embedded as by `add`.

        The values from before stay in its `history`, an old content among them, until the memory is deleted. A conflict
        is not open while the memory of the same slot says the new content too; what says something else in the slot of
        a fact is in conflict with it, unless somebody decided between the two.

        Raises:
            InvalidInputError: a field is not accepted, or none is given; nor is an importance above 5, or above
                the one it has, of what a tool, the web or a job brought, or an `event_time` before the days of
                retention of what took the place of another memory.
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.writing.update(id, user_id, given)

    def delete(self, id: int, *, user_id: str | None = None) -> DeleteReport:
        """Removes a memory for good: its row, details, vectors, edges, operations and feedback, and the bytes of them.

        The turns around it are joined, and so are the facts that it superseded and was superseded by; one that had not
        begun to hold, or was called off before, gives the time back that it was to take, and the history of others is
        as without it. What is out of the searches because this one says the same (merged or approved into it,
        superseded with its own text) goes too, unless that was undone, and so does an entity that is there only because
        these name it. An operation that changed others too stays for them, without its reason; its source goes once
        nothing of that is left, and `undo(source_ref=…)` does not find it any more. Tags and metadata that another
        memory got from this one, by a merge or a correction, are that one's own. What is left is a receipt: counts and
        the moment. Where somebody reads an older state of the store, the report says `pending`: the memory is in no
        answer, but its bytes go from the files with the next removal, or with `maintain(["wipe"])`. A backup is the
        caller's own. `retire` is the form that can be undone.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
        """
        return self._calls.forgetting.delete(id, user_id)

    def mark_used(self, ids: Iterable[int], *, user_id: str | None = None) -> int:
        """Notes that memories entered a prompt, and joins those that did so together; how many there were.

        Each gets base importance + 0.1 up to 10. A fact's strength becomes x + 0.35·(1 − x) of what is left of it, and
        a dormant one wakes; an event becomes half as stable again.

        Raises:
            NotFoundError: one of them is no memory of this agent (and user); nothing was marked.
        """
        return self._calls.writing.mark_used(ids, user_id)

    def relate(
        self,
        source_id: int,
        target_id: int,
        type: str | EdgeType = "associative",
        strength: float = 0.35,
        *,
        valid_from: datetime | None = None,
        user_id: str | None = None,
    ) -> Edge:
        """The edge that is set between two memories of one user, or one of them shared; `strength` from 0 to 1.

        It holds from `valid_from` on, by default from now; a search `as_of` an earlier moment does not use it. Where
        the edge is there already its strength is set, and it holds since when it held.

        Raises:
            InvalidInputError: the type or the strength is not accepted, `valid_from` lies after now, the memories
                belong to two users, or the layer `association` is off.
            NotFoundError: one of them is no memory of this agent (and user).
        """
        return self._calls.writing.relate(source_id, target_id, type, strength, user_id, valid_from=valid_from)

    def unrelate(self, source_id: int, target_id: int, *, user_id: str | None = None) -> int:
        """Ends the edges between two memories; how many there were. Searches `as_of` an earlier moment still have them.

        Raises:
            NotFoundError: one of them is no memory of this agent (and user).
        """
        return self._calls.writing.unrelate(source_id, target_id, user_id)

    # Searching

    def search(self, query: str, **given: Unpack[SearchFields]) -> SearchResult:
        """The memories that a query is about, best first; nothing is changed by looking.

        `user_id` names one user or several; without it only shared memories are searched, never everybody's. Days such
        as "yesterday" count from `now`, else from the clock; from the newest event where that is over 30 days older and
        something happened on the day that this gives.

        Of a query of several lines, a conversation so far, the last line counts most.

        `as_of` looks from another moment of the world: facts, knowledge, lessons and edges that held then, and of the
        rest what had happened by then; the days of the query count from it, unless `now` is given. `known_at` answers
        from what was known then: what was recorded by then, neither waiting for review nor out of the searches at that
        moment, and what was known then of when it holds, whatever was retired, called wrong, moved or undone since;
        `conflicts` are those of then. What was deleted does not come back; texts, slots, dormancy and expiry are those
        of today. In the `channel` "group" nothing is found that was heard in a direct talk. `include_dormant` finds
        facts that have faded. Chunks are found only where `kinds` names them. `signals["retention"]` says how much of a
        hit the curve of its kind has left.

        Raises:
            InvalidInputError: an argument is not accepted.
            ParamsError: `params` holds an unknown name or a value out of range.
            StorageError: the store cannot be read.
        """
        return self._calls.searching.search(query, given)

    def context(
        self,
        query: str,
        *,
        max_chars: int | None = None,
        max_tokens: int | None = None,
        mark_used: bool = True,
        **given: Unpack[SearchFields],
    ) -> str:
        """The memories that a query is about as one block for a prompt; empty when nothing is relevant.

        What stands in the block is marked as used unless `mark_used` is False; where that fails the log says so.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.searching.context(query, max_chars, max_tokens, given, mark_used=mark_used)

    @property
    def tuning(self) -> Tuning:
        """Searches recorded and run again, and parameters that find more."""
        return Tuning(self._calls.traces, self._calls.tuning)

    def why_not(self, id: int, query: str, **given: Unpack[SearchFields]) -> WhyNot:
        """What kept a memory out of a search, or out of its context block.

        Raises:
            NotFoundError: it is no memory of the users of the search, nor a shared one.
        """
        return self._calls.searching.why_not(id, query, given)

    # Reading

    def get(self, id: int, *, user_id: str | None = None) -> MemoryRecord:
        """One memory.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
            CorruptDatabaseError: its text or another of its columns is damaged.
        """
        return self._calls.reading.get(id, user_id)

    def get_all(
        self,
        *,
        user_id: str | Sequence[str] | None = None,
        session_id: str | None = None,
        kinds: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        include_dormant: bool = False,
        as_of: datetime | None = None,
        limit: int = 100,
        cursor: int | None = None,
    ) -> Page:
        """A page of current memories, ascending by id, with `next_cursor` for the page after it; None at the end.

        Current is what is reviewed, has not ended or expired, and holds now, or held at `as_of`; what is dormant comes
        with `include_dormant`. Filters that name `review_state`, `ending` or `ended_at` list such memories too.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._calls.reading.get_all(
            user_id,
            session_id,
            kinds=kinds,
            filters=filters,
            include_dormant=include_dormant,
            as_of=as_of,
            limit=limit,
            cursor=cursor,
        )

    def graph(self, id: int, hops: int = 2, *, user_id: str | None = None) -> GraphView:
        """The memories within some hops of one, and the edges between them, for display: also what no search finds."""
        return self._calls.reading.graph(id, hops, user_id)

    # Keeping house

    def maintain(
        self, jobs: Sequence[str] | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> list[JobReport]:
        """Runs jobs (`embed`, `sweep`, `purge`, `wipe`, `trim`, `snapshot`; None: all) and reports on each.

        `progress` is told (done, total).
        """
        return self._calls.upkeep.maintain(jobs, progress)

    def stats(self) -> Stats:
        """How much there is: memories by kind, users, tasks by state, edges by type, vectors, bytes."""
        return self._calls.upkeep.stats()

    def doctor(self) -> Doctor:
        """What is well and what is not: the file, checksums, the SQLite library, the embedder, the parameters."""
        return self._calls.upkeep.doctor()

    def backup(self, path: str | os.PathLike[str]) -> Path:
        """Writes a consistent copy of the database to a path where no file is yet, and returns that path.

        To restore it, end every process that uses the database, remove the files `-wal` and `-shm` beside it, and copy
        the backup to its place.

        Raises:
            StorageError: there is a file of that name, or of that name with `-wal`, `-shm` or `-journal`.
            StorageFullError: there is no room for the copy.
        """
        return self._calls.upkeep.backup(path)
