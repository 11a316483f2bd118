"""The details of each kind as frozen values: what its own table holds beside the row in `memory`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memcore.kinds import Category

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "CaseDetail",
    "ChunkDetail",
    "Claim",
    "Detail",
    "EpisodeDetail",
    "FactDetail",
    "LessonDetail",
    "SummaryDetail",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a fact, a piece of knowledge or a lesson says of the world; None: open on that side."""

    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDetail:
    """What kind of fact it is, and the exact slot that it fills."""

    category: Category = Category.EVENT
    slot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeDetail:
    """The stretch of conversation, and the words that bring it back; None: the memory's event time."""

    started_at: datetime | None = None
    ended_at: datetime | None = None
    cues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDetail:
    """Where in which file it stands; lines count from 1."""

    path: str
    first_line: int = 1
    last_line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDetail:
    """The period that it covers; None: the memory's event time."""

    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDetail:
    """A question, how it was answered, whether that was right (`success`, `failure`), and what would have been."""

    question: str
    answer: str
    result: str = "success"
    datasource: str | None = None
    correction: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonDetail:
    """What it applies to."""

    pattern: str


Detail: TypeAlias = "FactDetail | EpisodeDetail | ChunkDetail | SummaryDetail | CaseDetail | LessonDetail"
