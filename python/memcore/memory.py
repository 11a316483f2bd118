"""`Memory`, the one facade. Each method checks who calls, hands over, and gives the answer back."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, Unpack

from memcore.errors import InvalidInputError, MemcoreError, without_values
from memcore.scope import checked_name

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
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
    from memcore.writing.reach import Reach

__all__ = ["Memory"]

log = logging.getLogger("memcore")


class Memory:
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
        from memcore.embedding import open_embedder
        from memcore.mirror.agent import AgentMirror
        from memcore.params import ParamsFile, params_location
        from memcore.searching.search import Searcher
        from memcore.settings import Settings
        from memcore.storage.database import Database
        from memcore.storage.opening import checked_path
        from memcore.writing.vectors import VectorSource

        self._agent_id = checked_name("agent_id", agent_id)
        if on_error not in ("raise", "log"):
            raise InvalidInputError(f'on_error: {on_error!r} is not accepted; give "raise" or "log"')
        if clock is not None and not callable(clock):
            raise InvalidInputError(f"clock: {clock!r} is not accepted; give a function that returns an aware datetime")
        self._log_errors = on_error == "log"
        self._clock = clock
        self._settings = Settings.given(settings)
        path = checked_path(database)
        self._vectors = VectorSource(open_embedder(embedder))
        self._params = ParamsFile(params_location(path, params))
        self._database = Database(path, durability=durability, lock_timeout=self._settings.lock_timeout)
        self._mirror = AgentMirror(self._agent_id, self._settings.memory_limit)
        self._searcher = Searcher(self._database, self._mirror, self._vectors, self._params)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database; later calls raise StorageError."""
        self._database.close()

    # Writing

    def add(
        self, content: str | Sequence[Mapping[str, Any]], *, embed: str = "now", **given: Unpack[AddFields]
    ) -> AddResult:
        """Stores one text, or the messages of a chat, and returns what became of each; durable when it returns.

        `content` is a string (one memory, of kind `event` unless `kind` says otherwise), or a list of
        `{"role", "content", "name"?, "timestamp"?}` (each a `turn`). A text is embedded before this returns unless
        `embed="later"` or the embedder fails; then the `embed` job does it.

        Raises:
            InvalidInputError: the content or a field is not accepted; nothing was stored.
            DimensionError: `embedding` does not fit the space.
            StorageError: nothing was stored.
        """
        from memcore.writing import fields
        from memcore.writing.messages import from_messages
        from memcore.writing.proposal import AddFields, from_call

        fields.only_known("add", given, AddFields.__annotations__)
        if isinstance(content, list | tuple):
            return self._write(from_messages(content, agent_id=self._agent_id, **given), embed)
        return self._write((from_call(content, agent_id=self._agent_id, **given),), embed)

    def add_many(self, items: Iterable[Mapping[str, Any]], *, embed: str = "now") -> AddResult:
        """Stores many texts in one transaction, all or none; each item is a dict with `content` and `add`'s fields.

        Raises:
            InvalidInputError: an item is not accepted; the message names its index, and nothing was stored.
        """
        from memcore.writing.proposal import from_items

        return self._write(from_items(items, agent_id=self._agent_id), embed)

    def update(self, id: int, *, user_id: str | None = None, **given: Unpack[UpdateFields]) -> MemoryRecord:  # noqa: A002
        """The memory as it is after the change; a new content is analysed and embedded as by `add`.

        Raises:
            InvalidInputError: a field is not accepted, or none is given.
            NotFoundError: there is no such memory of this agent (and user).
        """
        from memcore.writing import change, fields

        fields.only_known("update", given, change.UpdateFields.__annotations__)
        within, new = self._reach(user_id), change.changes(**given)
        return change.update(self._database, id, new, within=within, vectors=self._vectors, now=self._now())

    def delete(self, id: int, *, user_id: str | None = None) -> DeleteReport:  # noqa: A002
        """Removes a memory for good: its row, vectors, postings and edges. The turns around it are joined.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
        """
        from memcore.writing import change

        return change.delete(self._database, id, within=self._reach(user_id))

    def mark_used(self, ids: Iterable[int], *, user_id: str | None = None) -> int:
        """Notes that memories entered a prompt, and joins those that did so together; how many there were.

        Raises:
            NotFoundError: one of them is no memory of this agent (and user); nothing was marked.
        """
        from memcore.writing.use import mark_used

        return mark_used(self._database, ids, within=self._reach(user_id), now=self._now())

    def relate(
        self,
        source_id: int,
        target_id: int,
        type: str | EdgeType = "associative",  # noqa: A002
        strength: float = 0.35,
        *,
        user_id: str | None = None,
    ) -> Edge:
        """The edge that is set between two memories of one user, or one of them shared; `strength` from 0 to 1.

        Raises:
            InvalidInputError: the type or the strength is not accepted, or the memories belong to two users.
            NotFoundError: one of them is no memory of this agent (and user).
        """
        from memcore.writing.relate import relate

        within = self._reach(user_id)
        return relate(self._database, source_id, target_id, within=within, kind=type, strength=strength)

    def unrelate(self, source_id: int, target_id: int, *, user_id: str | None = None) -> int:
        """Removes the edges from one memory to another; how many there were.

        Raises:
            NotFoundError: one of them is no memory of this agent (and user).
        """
        from memcore.writing.relate import unrelate

        return unrelate(self._database, source_id, target_id, within=self._reach(user_id))

    # Searching

    def search(self, query: str, **given: Unpack[SearchFields]) -> SearchResult:
        """The memories that a query is about, best first; nothing is changed by looking.

        `user_id` names one user or several; without it only shared memories are searched, never everybody's.

        Raises:
            InvalidInputError: an argument is not accepted.
            ParamsError: `params` holds an unknown name or a value out of range.
            StorageError: the store cannot be read.
        """
        from memcore.searching import request, result

        try:
            return self._searcher.search(
                request.request(query, agent_id=self._agent_id, clock=self._now(), given=given)
            )
        except MemcoreError as error:
            if not self._log_errors:
                raise
            log.error("search failed and answers empty: %s", without_values(error))  # noqa: TRY400 - no content in logs
            return result.nothing(self._agent_id, datetime.now(UTC), self._params.current(), error)

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
        from memcore.writing.use import note_use

        found = self.search(query, **given)
        try:
            block = found.block(max_chars=max_chars, max_tokens=max_tokens)
            if mark_used and block.ids:
                note_use(self._database, block.ids, within=self._reach(None), now=self._now())
        except MemcoreError as error:
            if not self._log_errors:
                raise
            log.error("the context is empty: %s", without_values(error))  # noqa: TRY400 - no content in logs
            return ""
        return block.text

    def why_not(self, id: int, query: str, **given: Unpack[SearchFields]) -> WhyNot:  # noqa: A002
        """What kept a memory out of a search, or out of its context block.

        Raises:
            NotFoundError: it is no memory of the users of the search, nor a shared one.
        """
        from memcore.searching.missing import fits

        return fits(self.search(query, **given), id)

    # Reading

    def get(self, id: int, *, user_id: str | None = None) -> MemoryRecord:  # noqa: A002
        """One memory.

        Raises:
            NotFoundError: there is no such memory of this agent (and user).
            CorruptDatabaseError: its text does not match its checksum.
        """
        from memcore.writing.reading import get

        return get(self._database, id, within=self._reach(user_id))

    def get_all(
        self,
        *,
        user_id: str | Sequence[str] | None = None,
        session_id: str | None = None,
        kinds: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int = 100,
        cursor: int | None = None,
    ) -> Page:
        """A page of memories, ascending by id, with `next_cursor` for the page after it; None at the end."""
        from memcore.scope import read_scope
        from memcore.writing.reading import page

        scope = read_scope(self._agent_id, user_id, session_id)
        return page(self._database, scope, kinds=kinds, filters=filters, limit=limit, cursor=cursor)

    def graph(self, id: int, hops: int = 2, *, user_id: str | None = None) -> GraphView:  # noqa: A002
        """The memories within some hops of one, and the edges between them, for display."""
        from memcore.writing.reading import graph_around

        return graph_around(self._database, id, hops=hops, within=self._reach(user_id))

    # Keeping house

    def maintain(
        self, jobs: Sequence[str] | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> list[JobReport]:
        """Runs jobs (`embed`; None: all) and reports on each; `progress` is told (done, total)."""
        from memcore.maintenance.run import maintain
        from memcore.maintenance.work import Work

        return maintain(Work(self._database, self._agent_id, self._vectors, progress), jobs)

    def stats(self) -> Stats:
        """How much there is: memories by kind, users, edges, vectors, bytes."""
        from memcore.reports import stats

        return stats(self._database, self._agent_id, self._vectors, self._mirror)

    def doctor(self) -> Doctor:
        """What is well and what is not: the file, checksums, the SQLite library, the embedder, the parameters."""
        from memcore.reports import doctor

        return doctor(self._database, self._agent_id, self._vectors, self._params)

    def backup(self, path: str | os.PathLike[str]) -> Path:
        """Writes a consistent copy of the database to a path where no file is yet, and returns that path."""
        from pathlib import Path

        self._database.backup(path)
        return Path(path)

    def _write(self, proposals: tuple[Any, ...], embed: str) -> AddResult:
        from memcore.kinds import Embed
        from memcore.writing import fields
        from memcore.writing.write import write

        when = fields.choice("embed", embed, Embed)
        return write(self._database, proposals, vectors=self._vectors, now=self._now(), embed=when)

    def _reach(self, user_id: str | None) -> Reach:
        from memcore.writing.reach import reach

        return reach(self._agent_id, user_id)

    def _now(self) -> datetime:
        """The clock's moment in its own time zone; without a clock, the machine's.

        Raises:
            InvalidInputError: the clock gave no aware datetime of the years 1000 to 8999.
        """
        from memcore.writing import fields

        return datetime.now(UTC).astimezone() if self._clock is None else fields.clock_moment(self._clock())
