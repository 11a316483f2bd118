"""The tables of working memory and of tasks; which state of a task may follow which, triggers decide."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, text
from sqlmodel import Field, SQLModel

from memcore.kinds import TaskState
from memcore.storage.columns import BIG, enum_column, integer, words

__all__ = ["Task", "TaskEvent", "WorkingItem", "WorkingSet"]


class WorkingSet(SQLModel, table=True):
    """A named set of items of one session (or of none), until it expires."""

    __tablename__ = "working_set"
    __table_args__ = (
        Index(
            "working_set_name",
            "partition_id",
            "session_id",
            "name",
            unique=True,
            sqlite_where=text("session_id IS NOT NULL"),
        ),
        Index("working_set_loose", "partition_id", "name", unique=True, sqlite_where=text("session_id IS NULL")),
        Index("working_set_expires", "expires_at", sqlite_where=text("expires_at IS NOT NULL")),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
    session_id: str | None = Field(sa_column=words("session_id", nullable=True))
    name: str = Field(sa_column=words("name"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    expires_at: int | None = Field(sa_column=integer("expires_at", nullable=True))


class WorkingItem(SQLModel, table=True):
    """One text in a working set, until it expires. Ids only grow, so one of them is a watermark."""

    __tablename__ = "working_item"
    __table_args__ = (
        CheckConstraint("json_valid(metadata) AND json_type(metadata) = 'object'", name="working_item_metadata"),
        Index("working_item_set", "set_id"),
        Index("working_item_expires", "expires_at", sqlite_where=text("expires_at IS NOT NULL")),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    set_id: int = Field(sa_column=integer("set_id", ForeignKey("working_set.id")))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    expires_at: int | None = Field(sa_column=integer("expires_at", nullable=True))
    metadata_: str = Field(sa_column=words("metadata", server_default=text("'{}'")))
    content: str = Field(sa_column=words("content"))


class Task(SQLModel, table=True):
    """Something to be done, and where it stands."""

    __tablename__ = "task"
    __table_args__ = (
        CheckConstraint("json_valid(metadata) AND json_type(metadata) = 'object'", name="task_metadata"),
        CheckConstraint("trim(title) <> ''", name="task_title"),
        Index("task_partition", "partition_id", "state"),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))
    session_id: str | None = Field(sa_column=words("session_id", nullable=True))
    state: TaskState = Field(sa_column=enum_column("state", TaskState, server_default=text("'open'")))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    updated_at: int = Field(sa_column=integer("updated_at"))
    due_at: int | None = Field(sa_column=integer("due_at", nullable=True))
    metadata_: str = Field(sa_column=words("metadata", server_default=text("'{}'")))
    title: str = Field(sa_column=words("title"))


class TaskEvent(SQLModel, table=True):
    """What happened to a task: it was added (from no state), moved, or noted upon (from a state to the same)."""

    __tablename__ = "task_event"
    __table_args__ = (Index("task_event_task", "task_id"), {"sqlite_strict": True, "sqlite_autoincrement": True})

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    task_id: int = Field(sa_column=integer("task_id", ForeignKey("task.id")))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    from_state: TaskState | None = Field(sa_column=enum_column("from_state", TaskState, nullable=True))
    to_state: TaskState = Field(sa_column=enum_column("to_state", TaskState))
    note: str = Field(sa_column=words("note", server_default=text("''")))
