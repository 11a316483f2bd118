"""The tables of what a memory's life adds: a detail table for each kind with rules of its own.

A detail row belongs to one memory and goes with it. Rules of one kind stand in its own table, so that none can reach
another kind.
"""

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    PrimaryKeyConstraint,
    text,
)
from sqlmodel import Field, SQLModel

from memcore.kinds import Category
from memcore.storage.columns import BIG, enum_column, integer, to_memory, words

__all__ = [
    "CaseDetail",
    "ChunkDetail",
    "Claim",
    "Conflict",
    "EdgeHistory",
    "EpisodeDetail",
    "EventDetail",
    "FactDetail",
    "KnowledgeDetail",
    "LessonDetail",
    "Lineage",
    "SummaryDetail",
]


def _of_memory() -> Column[int]:
    return integer("memory_id", to_memory(), primary_key=True, autoincrement=False)


def _to_partition() -> ForeignKey:
    return ForeignKey("partition.id")


class Claim(SQLModel, table=True):
    """What a fact, a piece of knowledge or a lesson says of the world: how sure, from when, until when.

    `valid_from` and `valid_until` are of the world (NULL: open); `closed_at` is when we learned of `valid_until`.
    """

    __tablename__ = "claim"
    __table_args__ = (
        CheckConstraint("confidence BETWEEN 0 AND 1", name="claim_confidence"),
        CheckConstraint("(valid_until IS NULL) = (closed_at IS NULL)", name="claim_closed"),
        CheckConstraint("valid_until >= valid_from", name="claim_order"),
        CheckConstraint(
            "superseded_by IS NULL OR (superseded_by <> memory_id AND valid_until IS NOT NULL)", name="claim_superseded"
        ),
        Index("claim_superseded_by", "superseded_by", sqlite_where=text("superseded_by IS NOT NULL")),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    confidence: float = Field(sa_column=Column("confidence", REAL, nullable=False, server_default=text("1.0")))
    valid_from: int | None = Field(sa_column=integer("valid_from", nullable=True))
    valid_until: int | None = Field(sa_column=integer("valid_until", nullable=True))
    closed_at: int | None = Field(sa_column=integer("closed_at", nullable=True))
    superseded_by: int | None = Field(sa_column=integer("superseded_by", to_memory(), nullable=True))


class FactDetail(SQLModel, table=True):
    """The rules of a fact: category, exact slot, strength at a moment, dormancy, and when it would freeze.

    `shown_until`: from when on no search shows it (2^63 - 1: open, -2^63: past for good); kept by triggers, for the
    indexes.
    """

    __tablename__ = "fact_detail"
    __table_args__ = (
        CheckConstraint("strength BETWEEN 0 AND 1", name="fact_detail_strength"),
        CheckConstraint("dormant IN (0, 1)", name="fact_detail_dormant"),
        CheckConstraint("(slot IS NULL) = (slot_key IS NULL)", name="fact_detail_slot"),
        Index("fact_slot", "partition_id", "slot_key", "shown_until", sqlite_where=text("slot_key IS NOT NULL")),
        Index(
            "fact_shown",
            "partition_id",
            "memory_id",
            "shown_until",
            sqlite_where=text("shown_until > -9223372036854775808"),
        ),
        Index("fact_due", "partition_id", "due_at", sqlite_where=text("dormant = 0 AND due_at IS NOT NULL")),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    partition_id: int = Field(sa_column=integer("partition_id", _to_partition()))
    category: Category = Field(sa_column=enum_column("category", Category))
    slot: str | None = Field(sa_column=words("slot", nullable=True))
    slot_key: str | None = Field(sa_column=words("slot_key", nullable=True))
    strength: float = Field(sa_column=Column("strength", REAL, nullable=False, server_default=text("1.0")))
    strength_at: int = Field(sa_column=integer("strength_at"))
    dormant: int = Field(sa_column=integer("dormant", server_default=text("0")))
    due_at: int | None = Field(sa_column=integer("due_at", nullable=True))
    shown_until: int = Field(sa_column=integer("shown_until", server_default=text("9223372036854775807")))


class EventDetail(SQLModel, table=True):
    """The rule of an event: its stability S in days."""

    __tablename__ = "event_detail"
    __table_args__ = (
        CheckConstraint("stability_days > 0 AND stability_days <= 3650", name="event_detail_stability"),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    stability_days: float = Field(sa_column=Column("stability_days", REAL, nullable=False))


class KnowledgeDetail(SQLModel, table=True):
    """The key by which a piece of knowledge is one."""

    __tablename__ = "knowledge_detail"
    __table_args__ = (Index("knowledge_content", "partition_id", "content_key"), {"sqlite_strict": True})

    memory_id: int = Field(sa_column=_of_memory())
    partition_id: int = Field(sa_column=integer("partition_id", _to_partition()))
    content_key: str = Field(sa_column=words("content_key"))


class EpisodeDetail(SQLModel, table=True):
    """The stretch of conversation that an episode sums up, and the words that bring it back."""

    __tablename__ = "episode_detail"
    __table_args__ = (
        CheckConstraint("json_valid(cues) AND json_type(cues) = 'array'", name="episode_detail_cues"),
        CheckConstraint("ended_at >= started_at", name="episode_detail_order"),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    started_at: int = Field(sa_column=integer("started_at"))
    ended_at: int = Field(sa_column=integer("ended_at"))
    cues: str = Field(sa_column=words("cues", server_default=text("'[]'")))


class ChunkDetail(SQLModel, table=True):
    """Where in which file a piece of a document stands; lines count from 1."""

    __tablename__ = "chunk_detail"
    __table_args__ = (
        CheckConstraint("first_line >= 1 AND last_line >= first_line", name="chunk_detail_lines"),
        Index("chunk_path", "path"),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    path: str = Field(sa_column=words("path"))
    first_line: int = Field(sa_column=integer("first_line", server_default=text("1")))
    last_line: int = Field(sa_column=integer("last_line", server_default=text("1")))


class SummaryDetail(SQLModel, table=True):
    """The period that a summary covers, half-open."""

    __tablename__ = "summary_detail"
    __table_args__ = (
        CheckConstraint("ended_at >= started_at", name="summary_detail_order"),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    started_at: int = Field(sa_column=integer("started_at"))
    ended_at: int = Field(sa_column=integer("ended_at"))


class CaseDetail(SQLModel, table=True):
    """A question, how it was answered, and whether that was right."""

    __tablename__ = "case_detail"
    __table_args__ = (
        CheckConstraint("result IN ('success', 'failure')", name="case_detail_result"),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=_of_memory())
    datasource: str | None = Field(sa_column=words("datasource", nullable=True))
    question: str = Field(sa_column=words("question"))
    answer: str = Field(sa_column=words("answer"))
    result: str = Field(sa_column=words("result"))
    correction: str | None = Field(sa_column=words("correction", nullable=True))


class LessonDetail(SQLModel, table=True):
    """What a lesson applies to."""

    __tablename__ = "lesson_detail"
    __table_args__ = ({"sqlite_strict": True},)

    memory_id: int = Field(sa_column=_of_memory())
    pattern: str = Field(sa_column=words("pattern"))


class Lineage(SQLModel, table=True):
    """A memory was distilled from another."""

    __tablename__ = "lineage"
    __table_args__ = (
        PrimaryKeyConstraint("memory_id", "source_id"),
        CheckConstraint("memory_id <> source_id", name="lineage_not_self"),
        Index("lineage_source", "source_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    source_id: int = Field(sa_column=integer("source_id", to_memory()))


class Conflict(SQLModel, table=True):
    """Two memories that say different things of one slot; open while `resolved_at` is NULL."""

    __tablename__ = "conflict_pair"
    __table_args__ = (
        PrimaryKeyConstraint("memory_a_id", "memory_b_id"),
        CheckConstraint("memory_a_id < memory_b_id", name="conflict_order"),
        Index("conflict_b", "memory_b_id"),
        Index("conflict_open", "recorded_at", sqlite_where=text("resolved_at IS NULL")),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    memory_a_id: int = Field(sa_column=integer("memory_a_id", to_memory()))
    memory_b_id: int = Field(sa_column=integer("memory_b_id", to_memory()))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    resolved_at: int | None = Field(sa_column=integer("resolved_at", nullable=True))


class EdgeHistory(SQLModel, table=True):
    """An edge as it was before it ended: valid in the world from `valid_from` until `valid_until`."""

    __tablename__ = "edge_history"
    __table_args__ = (
        Index("edge_history_source", "source_id"),
        Index("edge_history_target", "target_id"),
        Index("edge_history_partition", "partition_id"),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    source_id: int = Field(sa_column=integer("source_id", to_memory()))
    target_id: int = Field(sa_column=integer("target_id", to_memory()))
    type: int = Field(sa_column=integer("type"))
    strength: float = Field(sa_column=Column("strength", REAL, nullable=False))
    partition_id: int = Field(sa_column=integer("partition_id", _to_partition()))
    valid_from: int | None = Field(sa_column=integer("valid_from", nullable=True))
    recorded_at: int | None = Field(sa_column=integer("recorded_at", nullable=True))
    valid_until: int = Field(sa_column=integer("valid_until"))
    closed_at: int = Field(sa_column=integer("closed_at"))
