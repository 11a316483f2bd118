"""Memories, and what became of texts that were given to be stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from memcore.kinds import Category, Channel, EdgeType, Ending, Kind, Origin, Outcome, ReviewState
from memcore.records.plain import Plain

__all__ = [
    "AddResult",
    "Added",
    "Edge",
    "GraphView",
    "JobReport",
    "MemoryRecord",
    "Page",
]


@dataclass(frozen=True, slots=True)
class Added(Plain):
    """What became of one text given to `add`.

    `id` is the row that holds the text now: after a merge the older one, after a drop None, or the
    one that has its idempotency key with another text. `reason` says in words why
    the outcome is what it is, and is empty for a text that was simply stored. `supersedes` is the memory whose place it
    took (of several the first).
    """

    id: int | None
    kind: Kind
    outcome: Outcome
    reason: str = ""
    supersedes: int | None = None


@dataclass(frozen=True, slots=True)
class AddResult(Plain, Sequence[Added]):
    """One `Added` for each text that was given, in the order given."""

    items: tuple[Added, ...] = ()

    @property
    def ids(self) -> list[int | None]:
        """The ids of the rows that hold the texts, in the order given."""
        return [added.id for added in self.items]

    @overload
    def __getitem__(self, index: int) -> Added: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Added, ...]: ...
    def __getitem__(self, index: int | slice) -> Added | tuple[Added, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Added]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class MemoryRecord(Plain):
    """One stored memory with all that is known about it. Times are UTC; importances run from 0 to 10.

    `importance` is what the caller, or the rule without a model, gave it; `base_importance` starts there and grows by
    use. `position` counts from 0 within the user's session; `prev_id` and `next_id` are its neighbours there. `intact`
    is False where the text does not match its checksum, or another column holds what memcore never writes: `get`
    refuses such a memory, a search leaves it out, and a page shows what can be read of it, also a `kind` or an `origin`
    that is none.

    `review_state` other than `active`, a past `expires_at`, and `ended_at` with its `ending` keep it from searches. The
    fields from `confidence` on are of facts, knowledge and lessons (None elsewhere): what they claim holds in the world
    from `valid_from` until `valid_until` (None: open), and `superseded_by` took their place. Those from `category` on
    are of facts: `strength` is from 0 to 1, as of the last use, and a `dormant` fact sleeps until it is used.
    """

    id: int
    content: str
    kind: Kind | str
    user_id: str | None
    session_id: str | None
    speaker: str | None
    origin: Origin | str
    event_time: datetime
    recorded_at: datetime
    updated_at: datetime
    importance: float
    base_importance: float
    access_count: int
    last_used_at: datetime | None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source_ref: str | None = None
    position: int | None = None
    prev_id: int | None = None
    next_id: int | None = None
    intact: bool = True
    review_state: ReviewState | str = ReviewState.ACTIVE
    channel: Channel | str | None = None
    pinned: bool = False
    expires_at: datetime | None = None
    ended_at: datetime | None = None
    ending: Ending | str | None = None
    confidence: float | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: int | None = None
    category: Category | None = None
    slot: str | None = None
    strength: float | None = None
    dormant: bool | None = None


@dataclass(frozen=True, slots=True)
class Page(Plain, Sequence[MemoryRecord]):
    """Some memories in the order of their ids; `next_cursor` fetches the ones after them, and is None at the end."""

    items: tuple[MemoryRecord, ...] = ()
    next_cursor: int | None = None

    @overload
    def __getitem__(self, index: int) -> MemoryRecord: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[MemoryRecord, ...]: ...
    def __getitem__(self, index: int | slice) -> MemoryRecord | tuple[MemoryRecord, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[MemoryRecord]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Edge(Plain):
    """Why and how strongly (0 to 1) two memories are joined."""

    source_id: int
    target_id: int
    type: EdgeType
    strength: float


@dataclass(frozen=True, slots=True)
class GraphView(Plain):
    """The memories within some hops of one of them, and the edges between them, for display."""

    center_id: int
    nodes: tuple[MemoryRecord, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class JobReport(Plain):
    """What one run of a maintenance job did.

    `failed` counts what was tried and did not work, `remaining` what the next run will find; `error` names the kind of
    the last failure, never its content. `run` names the run for `undo(job_run=…)`; None where there is nothing to undo.
    """

    job: str
    done: int
    failed: int = 0
    remaining: int = 0
    error: str | None = None
    run: str | None = None
