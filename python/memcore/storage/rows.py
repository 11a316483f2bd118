"""What crosses the border of `storage`: frozen values, no SQL, no connection. Moments are aware and in UTC."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from memcore.kinds import ReviewState
from memcore.values import value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memcore.kinds import Channel, EdgeType, Ending, Kind, Origin
    from memcore.scope import Partition
    from memcore.storage.detail_rows import Claim, Detail

__all__ = [
    "NOTHING",
    "Change",
    "ChangedTable",
    "EdgeRow",
    "EntityRow",
    "IntegrityReport",
    "Job",
    "JobKind",
    "Json",
    "MemoryRow",
    "Neighbourhood",
    "NewEdge",
    "NewMemory",
    "Operation",
    "PendingText",
    "Removed",
    "Space",
]

NOTHING: Mapping[str, Any] = MappingProxyType({})
"""The metadata of what has none."""
Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


class ChangedTable(IntEnum):
    """Which table a line of the revision log speaks of; the comment says which id that line carries."""

    MEMORY = 1  # the memory
    VECTOR = 2  # the memory
    EDGE = 3  # the source of the edge; where a hand joined or parted the two, another line has its target
    MENTION = 4  # the memory that mentions
    ENTITY = 5  # the entity
    ALIAS = 6  # the entity
    COOCCURRENCE = 7  # the smaller of the two entities
    PURGE = 8  # the last memory that is hidden, as a user's memories are removed; of partition -1 a number of the agent
    # whose traces of searches were forgotten


class Operation(IntEnum):
    """What happened to the row."""

    INSERT = 1
    UPDATE = 2
    DELETE = 3
    USE = 4  # written or updated by the use of memories, and by nothing else


class JobKind(StrEnum):
    """Work that is left for later."""

    EMBED = "embed"


@value
class NewMemory:
    """A memory before it has an id. `tokens` is the analysed text joined with one space; None: not analysed yet.

    `identity_key` is shared by the texts that may be one memory if their vectors are close; None: it stands by itself.
    Of an entity it says that it is there only because memories name it (`named_only`). `text_key`: the hash of its text
    where that was worked out already.
    """

    partition: Partition
    kind: Kind
    content: str
    tokens: str | None
    origin: Origin
    importance: float
    event_time: datetime
    recorded_at: datetime
    speaker: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=lambda: NOTHING)
    source_ref: str | None = None
    idempotency_key: str | None = None
    review_state: ReviewState = ReviewState.ACTIVE
    channel: Channel | None = None
    expires_at: datetime | None = None
    claim: Claim | None = None
    detail: Detail | None = None
    identity_key: int | None = None
    text_key: int | None = None


@value
class MemoryRow:
    """A memory as it is stored. `intact`: its text matches its checksum, and all of its columns can be read.

    Where it is not intact, `kind` and `origin` may be a text that is none, and tags and metadata may be missing.
    `ended_at` and `ending`: since when, and how, it is out of the searches without being deleted.
    """

    id: int
    partition: Partition
    kind: Kind | str
    content: str
    tokens: str | None
    origin: Origin | str
    speaker: str | None
    session_id: str | None
    position: int | None
    prev_id: int | None
    next_id: int | None
    importance: float
    base_importance: float
    access_count: int
    event_time: datetime
    recorded_at: datetime
    updated_at: datetime
    last_used_at: datetime | None
    tags: tuple[str, ...]
    metadata: dict[str, Json]
    source_ref: str | None
    idempotency_key: str | None
    review_state: ReviewState | str
    channel: Channel | str | None
    pinned: bool
    expires_at: datetime | None
    ended_at: datetime | None
    ending: Ending | str | None
    intact: bool


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the revision log."""

    revision: int
    partition_id: int
    table: ChangedTable
    id: int
    operation: Operation


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space; vectors of two spaces are never compared.

    Over n memories, a cosine under floor_base + floor_slope · √(2 ln n) says nothing; both None: not calibrated.
    """

    id: int
    model: str
    dimension: int
    fingerprint: str
    floor_base: float | None = None
    floor_slope: float | None = None


@dataclass(frozen=True, slots=True)
class PendingText:
    """A memory that has no vector in a space."""

    id: int
    content: str


@dataclass(frozen=True, slots=True)
class Removed:
    """How many rows a removal took with it."""

    memories: int
    vectors: int
    edges: int
    mentions: int
    cooccurrences: int
    jobs: int


@dataclass(frozen=True, slots=True)
class NewEdge:
    """An edge to write; `strength` is in 0..1. The key is (source, target, type).

    It holds from `valid_from` on; None: from when it was recorded, and without that moment always.
    """

    source_id: int
    target_id: int
    type: EdgeType
    strength: float
    valid_from: datetime | None = None
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge as it is stored, or a mention shown as one (type MENTION, strength 1)."""

    source_id: int
    target_id: int
    type: EdgeType
    strength: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What lies within some hops of a memory: ids by distance then id (the centre first), edges by key."""

    ids: tuple[int, ...]
    edges: tuple[EdgeRow, ...]


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with the aliases that a partition knows it by. `live`: its review is over, and it has not ended."""

    id: int
    name: str
    aliases: tuple[str, ...]
    live: bool = True


@dataclass(frozen=True, slots=True)
class Job:
    """Work that is left: how often it failed, and why last."""

    kind: JobKind
    memory_id: int
    attempts: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """What a full read of the file found. `sound` is True when nothing is damaged; unverified rows are not damage."""

    file_errors: tuple[str, ...]
    damaged_memories: tuple[int, ...]
    damaged_vectors: tuple[int, ...]
    unverified_memories: int
    memories_without_vector: int
    pending_jobs: int

    @property
    def sound(self) -> bool:
        """Whether no page, no memory and no vector is damaged."""
        return not (self.file_errors or self.damaged_memories or self.damaged_vectors)
