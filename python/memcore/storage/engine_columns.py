"""What the mirror loads, column by column; moments are microseconds since 1970 (UTC)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CooccurrenceColumns", "EdgeColumns", "MemoryColumns", "MentionColumns"]


@dataclass(frozen=True, slots=True)
class MemoryColumns:
    """The memories of a partition, ascending by id.

    `live`: 1 where a search may ever show it: its review is over and it has not ended. What only one kind has (`claim`,
    `fact_detail`, `event_detail`) is None in the rows of others.
    """

    ids: list[int]
    kinds: list[str]
    session_ids: list[str | None]
    speakers: list[str | None]
    base_importances: list[float]
    access_counts: list[int]
    event_times: list[int]
    recorded_ats: list[int]
    prev_ids: list[int | None]
    next_ids: list[int | None]
    contents: list[str]
    tokens: list[str | None]
    live: list[int]
    channels: list[str | None]
    pinned: list[int]
    expires_ats: list[int | None]
    last_used_ats: list[int | None]
    valid_froms: list[int | None]
    valid_untils: list[int | None]
    closed_ats: list[int | None]
    dormant: list[int | None]
    categories: list[str | None]
    strengths: list[float | None]
    strength_ats: list[int | None]
    stabilities: list[float | None]
    intact: list[bool]
    sq8: list[bytes | None]


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """Edges of a partition, ascending by (source, target, type)."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    strengths: NDArray[np.float32]
    types: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class MentionColumns:
    """Which memory of a partition mentions which entity, ascending by (memory, entity)."""

    memory_ids: NDArray[np.int64]
    entity_ids: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CooccurrenceColumns:
    """How often two entities were written together in a partition, a < b, ascending by (a, b)."""

    entity_a_ids: NDArray[np.int64]
    entity_b_ids: NDArray[np.int64]
    counts: NDArray[np.int64]
