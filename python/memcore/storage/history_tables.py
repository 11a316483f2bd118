"""The tables of what was done to memories: operations that can be undone, feedback, and removals for good."""

from sqlalchemy import (
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

from memcore.kinds import OperationAction
from memcore.storage.columns import BIG, enum_column, integer, to_memory, words

__all__ = [
    "Feedback",
    "OperationChange",
    "OperationEntry",
    "PurgeMark",
    "Receipt",
    "StoreIdentity",
    "Tombstone",
    "TombstoneSalt",
]


class Feedback(SQLModel, table=True):
    """What somebody said of a memory: helpful (1) or not (0), or wrong. No id is used twice."""

    __tablename__ = "feedback"
    __table_args__ = (
        CheckConstraint("helpful IN (0, 1) AND wrong IN (0, 1)", name="feedback_label"),
        Index("feedback_memory", "memory_id"),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    helpful: int | None = Field(sa_column=integer("helpful", nullable=True))
    wrong: int = Field(sa_column=integer("wrong", server_default=text("0")))


class OperationEntry(SQLModel, table=True):
    """A change that can be undone. `size`: how many changes it made; fewer are left once a memory was deleted."""

    __tablename__ = "operation"
    __table_args__ = (
        Index("operation_partition", "partition_id"),
        Index("operation_source", "partition_id", "source_ref", sqlite_where=text("source_ref IS NOT NULL")),
        Index("operation_run", "job_run", sqlite_where=text("job_run IS NOT NULL")),
        Index("operation_undoes", "undoes", sqlite_where=text("undoes IS NOT NULL")),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
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
        Index(
            "operation_change_pair",
            text("json_extract(row_key, '$[0]')"),
            sqlite_where=text("changed_table = 'conflict_pair'"),
        ),
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
    """A user whose memories up to an id are being removed; they are hidden from the moment the mark is there.

    `doomed_id` is the number that the user's partition had until then: what hangs on it goes too, and nobody finds it,
    since the user has a new number. `counts` is what has gone so far.
    """

    __tablename__ = "purge_mark"
    __table_args__ = (
        UniqueConstraint("doomed_id"),
        CheckConstraint("tombstones IN (0, 1)", name="purge_mark_tombstones"),
        CheckConstraint("json_valid(counts)", name="purge_mark_counts"),
        {"sqlite_strict": True},
    )

    partition_id: int = Field(
        sa_column=integer("partition_id", ForeignKey("partition.id"), primary_key=True, autoincrement=False)
    )
    doomed_id: int = Field(sa_column=integer("doomed_id", ForeignKey("partition.id")))
    last_id: int = Field(sa_column=integer("last_id"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    tombstones: int = Field(sa_column=integer("tombstones", server_default=text("0")))
    counts: str = Field(sa_column=words("counts", server_default=text("'{}'")))


class Receipt(SQLModel, table=True):
    """That something was removed for good: when, and how many rows of what; not what, and not whose.

    While `pending`, its bytes may still be in a file.
    """

    __tablename__ = "receipt"
    __table_args__ = (
        CheckConstraint("action IN ('delete', 'purge')", name="receipt_action"),
        CheckConstraint("json_valid(counts)", name="receipt_counts"),
        CheckConstraint("pending IN (0, 1)", name="receipt_pending"),
        Index("receipt_waiting", "pending", sqlite_where=text("pending = 1")),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    agent_id: str = Field(sa_column=words("agent_id"))
    action: str = Field(sa_column=words("action"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    counts: str = Field(sa_column=words("counts"))
    pending: int = Field(sa_column=integer("pending", server_default=text("0")))


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


class StoreIdentity(SQLModel, table=True):
    """Which store this is: random bytes, made with its tables, that tell what was derived from it."""

    __tablename__ = "store_identity"
    __table_args__ = ({"sqlite_strict": True},)

    id: int | None = Field(sa_column=Column("id", BIG, CheckConstraint("id = 1"), primary_key=True))
    identity: bytes = Field(sa_column=Column("identity", LargeBinary, nullable=False))
