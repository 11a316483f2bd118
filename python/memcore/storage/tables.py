"""Every table, as SQLModel classes. What the database refuses is a CHECK here; what it does by itself is a trigger.

The migrations write the schema down statement by statement, once and for ever; a test holds these classes to it.
All tables are STRICT: a number in a text column is refused whoever writes it. Moments are microseconds since 1970, UTC.
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

from memcore.kinds import Channel, EdgeType, Ending, Kind, Origin, ReviewState
from memcore.storage.columns import BIG, enum_column, integer, to_memory, words
from memcore.storage.rows import ChangedTable, JobKind, Operation

__all__ = [
    "Cooccurrence",
    "Edge",
    "Entity",
    "EntityAlias",
    "JobEntry",
    "MemoryEntry",
    "MemoryVector",
    "Mention",
    "PartitionEntry",
    "RevisionLog",
    "SchemaMigration",
    "SpaceEntry",
]


class PartitionEntry(SQLModel, table=True):
    """One user of one agent, or (`user_id` NULL) what all its users share."""

    __tablename__ = "partition"
    __table_args__ = (
        UniqueConstraint("agent_id", "user_id"),
        Index("partition_shared", "agent_id", unique=True, sqlite_where=text("user_id IS NULL")),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    agent_id: str = Field(sa_column=words("agent_id"))
    user_id: str | None = Field(sa_column=words("user_id", nullable=True))


class MemoryEntry(SQLModel, table=True):
    """Identity and what retrieval needs of a memory. No id is used twice. `crc` NULL: written by hand, unverified.

    `compared_until`: from when on no text that is said later is compared with it; kept by triggers, for the index.
    """

    __tablename__ = "memory"
    __table_args__ = (
        CheckConstraint(  # most texts begin with a letter: they are not searched for one
            "coalesce(unicode(content), 0) BETWEEN 33 AND 12287"
            " OR trim(content, char(9, 10, 11, 12, 13, 32, 12288)) <> ''",
            name="memory_content",
        ),
        CheckConstraint("importance BETWEEN 0 AND 10", name="memory_importance"),
        CheckConstraint("base_importance BETWEEN 0 AND 10", name="memory_base_importance"),
        CheckConstraint("access_count >= 0", name="memory_access_count"),
        CheckConstraint("tags = '[]' OR (json_valid(tags) AND json_type(tags) = 'array')", name="memory_tags"),
        CheckConstraint(
            "metadata = '{}' OR (json_valid(metadata) AND json_type(metadata) = 'object')", name="memory_metadata"
        ),
        CheckConstraint("position IS NULL OR session_id IS NOT NULL", name="memory_position"),
        Index(
            "memory_text",
            "agent_id",
            "user_id",
            "text_key",
            "compared_until",
            sqlite_where=text("text_key IS NOT NULL"),
        ),
        Index("memory_identity", "agent_id", "user_id", "identity_key", sqlite_where=text("identity_key IS NOT NULL")),
        Index("memory_scope", "agent_id", "user_id"),
        Index(
            "memory_session",
            "agent_id",
            "user_id",
            "session_id",
            "position",
            sqlite_where=text("session_id IS NOT NULL"),
        ),
        Index("memory_waiting", "agent_id", "user_id", sqlite_where=text("review_state = 'pending'")),
        Index(
            "memory_idempotency",
            "agent_id",
            "user_id",
            "idempotency_key",
            unique=True,
            sqlite_where=text("idempotency_key IS NOT NULL"),
        ),
        Index(
            "memory_idempotency_shared",
            "agent_id",
            "idempotency_key",
            unique=True,
            sqlite_where=text("idempotency_key IS NOT NULL AND user_id IS NULL"),
        ),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    agent_id: str = Field(sa_column=words("agent_id"))
    user_id: str | None = Field(sa_column=words("user_id", nullable=True))
    kind: Kind = Field(sa_column=enum_column("kind", Kind))
    origin: Origin = Field(sa_column=enum_column("origin", Origin, server_default=text("'user'")))
    speaker: str | None = Field(sa_column=words("speaker", nullable=True))
    session_id: str | None = Field(sa_column=words("session_id", nullable=True))
    position: int | None = Field(sa_column=integer("position", nullable=True))
    prev_id: int | None = Field(sa_column=integer("prev_id", nullable=True))
    next_id: int | None = Field(sa_column=integer("next_id", nullable=True))
    importance: float = Field(sa_column=Column("importance", REAL, nullable=False, server_default=text("5.0")))
    base_importance: float = Field(
        sa_column=Column("base_importance", REAL, nullable=False, server_default=text("5.0"))
    )
    access_count: int = Field(sa_column=integer("access_count", server_default=text("0")))
    event_time: int = Field(sa_column=integer("event_time"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    updated_at: int = Field(sa_column=integer("updated_at"))
    last_used_at: int | None = Field(sa_column=integer("last_used_at", nullable=True))
    source_ref: str | None = Field(sa_column=words("source_ref", nullable=True))
    idempotency_key: str | None = Field(sa_column=words("idempotency_key", nullable=True))
    tags: str = Field(sa_column=words("tags", server_default=text("'[]'")))
    metadata_: str = Field(sa_column=words("metadata", server_default=text("'{}'")))
    crc: int | None = Field(sa_column=integer("crc", nullable=True))
    content: str = Field(sa_column=words("content"))
    tokens: str | None = Field(sa_column=words("tokens", nullable=True))
    review_state: ReviewState = Field(
        sa_column=enum_column("review_state", ReviewState, server_default=text("'active'"))
    )
    channel: Channel | None = Field(sa_column=enum_column("channel", Channel, nullable=True))
    pinned: int = Field(sa_column=integer("pinned", CheckConstraint("pinned IN (0, 1)"), server_default=text("0")))
    expires_at: int | None = Field(sa_column=integer("expires_at", nullable=True))
    ended_at: int | None = Field(sa_column=integer("ended_at", nullable=True))
    ending: Ending | None = Field(sa_column=enum_column("ending", Ending, nullable=True))
    text_key: int | None = Field(sa_column=integer("text_key", nullable=True))
    identity_key: int | None = Field(sa_column=integer("identity_key", nullable=True))
    compared_until: int = Field(sa_column=integer("compared_until", server_default=text("9223372036854775807")))


class SpaceEntry(SQLModel, table=True):
    """An embedding space: a model, its dimension, and what it made of a probe sentence."""

    __tablename__ = "space"
    __table_args__ = (
        UniqueConstraint("model", "dimension", "fingerprint"),
        CheckConstraint("dimension > 0", name="space_dimension"),
        CheckConstraint("floor_base BETWEEN -1 AND 1 AND floor_slope BETWEEN 0 AND 1", name="space_floor"),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    model: str = Field(sa_column=words("model"))
    dimension: int = Field(sa_column=integer("dimension"))
    fingerprint: str = Field(sa_column=words("fingerprint"))
    floor_base: float | None = Field(sa_column=Column("floor_base", REAL))
    floor_slope: float | None = Field(sa_column=Column("floor_slope", REAL))


class MemoryVector(SQLModel, table=True):
    """A memory's vector in a space; sq8 comes first, since behind the f32 form it would lie on an overflow page."""

    __tablename__ = "memory_vector"
    __table_args__ = (
        PrimaryKeyConstraint("memory_id", "space_id"),
        CheckConstraint("length(f32) % 4 = 0 AND length(f32) > 0", name="memory_vector_f32"),
        {"sqlite_strict": True},
    )

    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    space_id: int = Field(sa_column=integer("space_id", ForeignKey("space.id")))
    crc: int = Field(sa_column=integer("crc"))
    sq8: bytes = Field(sa_column=Column("sq8", LargeBinary, nullable=False))
    f32: bytes = Field(sa_column=Column("f32", LargeBinary, nullable=False))


class Edge(SQLModel, table=True):
    """A typed edge that holds now, belonging to a partition; those that ended are in `edge_history`."""

    __tablename__ = "edge"
    __table_args__ = (
        PrimaryKeyConstraint("source_id", "target_id", "type"),
        CheckConstraint("source_id <> target_id", name="edge_not_self"),
        CheckConstraint("strength BETWEEN 0 AND 1", name="edge_strength"),
        Index("edge_partition", "partition_id"),
        Index("edge_target", "target_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    source_id: int = Field(sa_column=integer("source_id", to_memory()))
    target_id: int = Field(sa_column=integer("target_id", to_memory()))
    type: EdgeType = Field(sa_column=enum_column("type", EdgeType))
    strength: float = Field(sa_column=Column("strength", REAL, nullable=False))
    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
    valid_from: int | None = Field(sa_column=integer("valid_from", nullable=True))
    recorded_at: int | None = Field(sa_column=integer("recorded_at", nullable=True))


class Entity(SQLModel, table=True):
    """What makes a memory of kind `entity` a named thing; `name_key` is its normalised name."""

    __tablename__ = "entity"
    __table_args__ = (UniqueConstraint("partition_id", "name_key"), {"sqlite_strict": True})

    memory_id: int = Field(sa_column=integer("memory_id", to_memory(), primary_key=True, autoincrement=False))
    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
    name_key: str = Field(sa_column=words("name_key"))


class EntityAlias(SQLModel, table=True):
    """Another name that a partition knows an entity by; a user's alias of a shared entity stays the user's."""

    __tablename__ = "entity_alias"
    __table_args__ = (
        PrimaryKeyConstraint("partition_id", "alias_key"),
        Index("entity_alias_memory", "memory_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
    alias_key: str = Field(sa_column=words("alias_key"))
    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    alias: str = Field(sa_column=words("alias"))


class Mention(SQLModel, table=True):
    """A memory speaks of an entity."""

    __tablename__ = "mention"
    __table_args__ = (
        PrimaryKeyConstraint("memory_id", "entity_id"),
        CheckConstraint("memory_id <> entity_id", name="mention_not_self"),
        Index("mention_entity", "entity_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    entity_id: int = Field(sa_column=integer("entity_id", to_memory()))


class Cooccurrence(SQLModel, table=True):
    """How often two entities were written together in a partition."""

    __tablename__ = "cooccurrence"
    __table_args__ = (
        PrimaryKeyConstraint("partition_id", "entity_a_id", "entity_b_id"),
        CheckConstraint("entity_a_id < entity_b_id", name="cooccurrence_order"),
        CheckConstraint("count > 0", name="cooccurrence_count"),
        Index("cooccurrence_a", "entity_a_id"),
        Index("cooccurrence_b", "entity_b_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
    entity_a_id: int = Field(sa_column=integer("entity_a_id", to_memory()))
    entity_b_id: int = Field(sa_column=integer("entity_b_id", to_memory()))
    count: int = Field(sa_column=integer("count"))


class JobEntry(SQLModel, table=True):
    """Work that is left for a memory."""

    __tablename__ = "job"
    __table_args__ = (
        PrimaryKeyConstraint("memory_id", "kind"),
        CheckConstraint("attempts >= 0", name="job_attempts"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    kind: JobKind = Field(sa_column=enum_column("kind", JobKind))
    attempts: int = Field(sa_column=integer("attempts", server_default=text("0")))
    last_error: str | None = Field(sa_column=words("last_error", nullable=True))


class RevisionLog(SQLModel, table=True):
    """What changed, in order, in numbers only; written by triggers."""

    __tablename__ = "revision_log"
    __table_args__ = {"sqlite_strict": True, "sqlite_autoincrement": True}

    revision: int | None = Field(sa_column=Column("revision", BIG, primary_key=True, autoincrement=True))
    partition_id: int = Field(sa_column=integer("partition_id"))
    changed_table: ChangedTable = Field(sa_column=enum_column("changed_table", ChangedTable))
    row_id: int = Field(sa_column=integer("row_id"))
    operation: Operation = Field(sa_column=enum_column("operation", Operation))


class SchemaMigration(SQLModel, table=True):
    """Which migrations this file has been through."""

    __tablename__ = "schema_migration"
    __table_args__ = {"sqlite_strict": True}

    version: int | None = Field(sa_column=Column("version", BIG, primary_key=True))
    name: str = Field(sa_column=words("name"))
