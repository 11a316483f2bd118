"""The tables of what a memory's life adds: a detail table for each kind with rules of its own, and what was done to it.

A detail row belongs to one memory and goes with it. Rules of one kind stand in its own table, so that none can reach
another kind.
"""

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

from memcore.kinds import Category, OperationAction
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
    "Feedback",
    "KnowledgeDetail",
    "LessonDetail",
    "Lineage",
    "OperationChange",
    "OperationEntry",
    "PurgeMark",
    "Receipt",
    "SummaryDetail",
    "Tombstone",
    "TombstoneSalt",
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
    """The rules of a fact: category, exact slot, strength at a moment, dormancy, and when it would freeze."""

    __tablename__ = "fact_detail"
    __table_args__ = (
        CheckConstraint("strength BETWEEN 0 AND 1", name="fact_detail_strength"),
        CheckConstraint("dormant IN (0, 1)", name="fact_detail_dormant"),
        CheckConstraint("(slot IS NULL) = (slot_key IS NULL)", name="fact_detail_slot"),
        Index("fact_slot", "partition_id", "slot_key", sqlite_where=text("slot_key IS NOT NULL")),
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


class Feedback(SQLModel, table=True):
    """What somebody said of a memory: helpful (1) or not (0), or wrong."""

    __tablename__ = "feedback"
    __table_args__ = (
        CheckConstraint("helpful IN (0, 1) AND wrong IN (0, 1)", name="feedback_label"),
        Index("feedback_memory", "memory_id"),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    helpful: int | None = Field(sa_column=integer("helpful", nullable=True))
    wrong: int = Field(sa_column=integer("wrong", server_default=text("0")))


class OperationEntry(SQLModel, table=True):
    """A change that can be undone. `size`: how many changes it made; fewer are left once a memory was deleted."""

    __tablename__ = "operation"
    __table_args__ = (
        Index("operation_source", "partition_id", "source_ref", sqlite_where=text("source_ref IS NOT NULL")),
        Index("operation_run", "job_run", sqlite_where=text("job_run IS NOT NULL")),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    partition_id: int = Field(sa_column=integer("partition_id", _to_partition()))
    action: OperationAction = Field(sa_column=enum_column("action", OperationAction))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    reason: str = Field(sa_column=words("reason", server_default=text("''")))
    source_ref: str | None = Field(sa_column=words("source_ref", nullable=True))
    job_run: str | None = Field(sa_column=words("job_run", nullable=True))
    undoes: int | None = Field(sa_column=integer("undoes", nullable=True))
    undone_by: int | None = Field(sa_column=integer("undone_by", nullable=True))
    size: int = Field(sa_column=integer("size"))


class OperationChange(SQLModel, table=True):
    """One row that an operation changed: the columns from before and after as JSON; NULL where there was no row."""

    __tablename__ = "operation_change"
    __table_args__ = (
        PrimaryKeyConstraint("operation_id", "number"),
        Index("operation_change_memory", "memory_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    operation_id: int = Field(sa_column=integer("operation_id", ForeignKey("operation.id")))
    number: int = Field(sa_column=integer("number"))
    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    changed_table: str = Field(sa_column=words("changed_table"))
    row_key: str = Field(sa_column=words("row_key"))
    before: str | None = Field(sa_column=words("before", nullable=True))
    after: str | None = Field(sa_column=words("after", nullable=True))


class PurgeMark(SQLModel, table=True):
    """A user whose memories up to an id are being removed; they are hidden from the moment the mark is there."""

    __tablename__ = "purge_mark"
    __table_args__ = ({"sqlite_strict": True},)

    partition_id: int = Field(sa_column=integer("partition_id", _to_partition(), primary_key=True, autoincrement=False))
    last_id: int = Field(sa_column=integer("last_id"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))


class Receipt(SQLModel, table=True):
    """That something was removed for good: when, and how many rows of what; not what, and not whose."""

    __tablename__ = "receipt"
    __table_args__ = (
        CheckConstraint("action IN ('delete', 'purge')", name="receipt_action"),
        CheckConstraint("json_valid(counts)", name="receipt_counts"),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    agent_id: str = Field(sa_column=words("agent_id"))
    action: str = Field(sa_column=words("action"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    counts: str = Field(sa_column=words("counts"))


class Tombstone(SQLModel, table=True):
    """The salted hash of a text that a user had removed; it keeps what is older than `recorded_at` from coming back."""

    __tablename__ = "tombstone"
    __table_args__ = ({"sqlite_strict": True, "sqlite_with_rowid": False},)

    digest: bytes = Field(sa_column=Column("digest", LargeBinary, primary_key=True, nullable=False))
    recorded_at: int = Field(sa_column=integer("recorded_at"))


class TombstoneSalt(SQLModel, table=True):
    """The salt of this file's tombstones, made with the first of them."""

    __tablename__ = "tombstone_salt"
    __table_args__ = (UniqueConstraint("salt"), {"sqlite_strict": True})

    id: int | None = Field(sa_column=Column("id", BIG, CheckConstraint("id = 1"), primary_key=True))
    salt: bytes = Field(sa_column=Column("salt", LargeBinary, nullable=False))
