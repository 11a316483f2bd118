"""The tables of what is learned from searches: their traces, sets of parameters that were kept, scores of a tuning."""

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

from memcore.storage.columns import BIG, integer, to_memory, words

__all__ = [
    "Activation",
    "ProfileEntry",
    "RecordingEntry",
    "SearchTraceEntry",
    "TraceMemory",
    "TraceSetup",
    "TraceUser",
    "TuningScore",
]


class RecordingEntry(SQLModel, table=True):
    """An agent whose searches are recorded: which share of them, and how many traces are kept."""

    __tablename__ = "recording"
    __table_args__ = (
        CheckConstraint("sample > 0 AND sample <= 1", name="recording_sample"),
        CheckConstraint("most >= 1", name="recording_most"),
        {"sqlite_strict": True},
    )

    agent_id: str = Field(sa_column=words("agent_id", primary_key=True))
    sample: float = Field(sa_column=Column("sample", REAL, nullable=False))
    most: int = Field(sa_column=integer("most"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))


class TraceSetup(SQLModel, table=True):
    """What many searches share: the parameters and all arguments that are no words of anybody, as JSON."""

    __tablename__ = "trace_setup"
    __table_args__ = (
        UniqueConstraint("document"),
        CheckConstraint("json_valid(document) AND json_type(document) = 'object'", name="trace_setup_document"),
        {"sqlite_strict": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True))
    document: str = Field(sa_column=words("document"))


class SearchTraceEntry(SQLModel, table=True):
    """A search that was recorded: what was asked, from which moment, of which revision of the store. No id comes twice.

    `pool_size`: how many candidates it had, of which `trace_memory` has the first. `removed`: how many of those are
    gone, because their memory was deleted. `took` is the time of each step.
    """

    __tablename__ = "search_trace"
    __table_args__ = (
        CheckConstraint("json_valid(took) AND json_type(took) = 'object'", name="search_trace_took"),
        CheckConstraint("pool_size >= 0 AND removed >= 0", name="search_trace_counts"),
        Index("search_trace_agent", "agent_id", "id"),
        Index("search_trace_setup", "setup_id"),
        {"sqlite_strict": True, "sqlite_autoincrement": True},
    )

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    agent_id: str = Field(sa_column=words("agent_id"))
    setup_id: int = Field(sa_column=integer("setup_id", ForeignKey("trace_setup.id")))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    present: int = Field(sa_column=integer("present"))
    asked_at: int = Field(sa_column=integer("asked_at"))
    as_of: int | None = Field(sa_column=integer("as_of", nullable=True))
    known_at: int | None = Field(sa_column=integer("known_at", nullable=True))
    revision: int = Field(sa_column=integer("revision"))
    space_id: int | None = Field(sa_column=integer("space_id", nullable=True))
    scope_size: int = Field(sa_column=integer("scope_size"))
    pool_size: int = Field(sa_column=integer("pool_size"))
    removed: int = Field(sa_column=integer("removed", server_default=text("0")))
    took: str = Field(sa_column=words("took"))
    session_id: str | None = Field(sa_column=words("session_id", nullable=True))
    filters: str | None = Field(sa_column=words("filters", nullable=True))
    embedding: bytes | None = Field(sa_column=Column("embedding", LargeBinary, nullable=True))
    query: str = Field(sa_column=words("query"))


class TraceMemory(SQLModel, table=True):
    """A memory in a trace.

    `place` is its place in the pool, NULL where only the block brought it in; `pick` and `answer` are its places in the
    order of diversity and in the answer. `entered`: it stood in a prompt; `fill_up`: it did without being chosen.
    """

    __tablename__ = "trace_memory"
    __table_args__ = (
        PrimaryKeyConstraint("trace_id", "memory_id"),
        CheckConstraint("(place IS NULL) = (score IS NULL)", name="trace_memory_place"),
        CheckConstraint("entered IN (0, 1) AND fill_up IN (0, 1)", name="trace_memory_prompt"),
        CheckConstraint("json_valid(signals) AND json_type(signals) = 'object'", name="trace_memory_signals"),
        Index("trace_memory_memory", "memory_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    trace_id: int = Field(sa_column=integer("trace_id", ForeignKey("search_trace.id", ondelete="CASCADE")))
    memory_id: int = Field(sa_column=integer("memory_id", to_memory()))
    place: int | None = Field(sa_column=integer("place", nullable=True))
    score: float | None = Field(sa_column=Column("score", REAL, nullable=True))
    pick: int | None = Field(sa_column=integer("pick", nullable=True))
    answer: int | None = Field(sa_column=integer("answer", nullable=True))
    entered: int = Field(sa_column=integer("entered", server_default=text("0")))
    fill_up: int = Field(sa_column=integer("fill_up", server_default=text("0")))
    signals: str = Field(sa_column=words("signals", server_default=text("'{}'")))


class TraceUser(SQLModel, table=True):
    """Whose memories a recorded search could see; the shared ones where it named nobody.

    It refers to no trace, because a purge finds the traces of a user by these rows, and so removes them last.
    """

    __tablename__ = "trace_user"
    __table_args__ = (
        PrimaryKeyConstraint("trace_id", "partition_id"),
        Index("trace_user_partition", "partition_id"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    trace_id: int = Field(sa_column=integer("trace_id"))
    partition_id: int = Field(sa_column=integer("partition_id", ForeignKey("partition.id")))


class ProfileEntry(SQLModel, table=True):
    """A set of parameters under a name; `document` is the text of a parameter file, byte by byte."""

    __tablename__ = "profile"
    __table_args__ = ({"sqlite_strict": True},)

    name: str = Field(sa_column=words("name", primary_key=True))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    document: bytes = Field(sa_column=Column("document", LargeBinary, nullable=False))


class Activation(SQLModel, table=True):
    """What was put into a parameter file, and what had been in it (NULL: there was none), to go back to.

    `file` is the path of that file, links followed, as the bytes of the system. `kept`: while a change of it is begun,
    the name under which what a hand had written into the file was kept for it. `rolled_back_at` is NULL while it
    stands; before that, and before it is a moment, it has a mark of what was begun (see `storage.profiles`), so that a
    process that is killed in between leaves nothing untold.
    """

    __tablename__ = "activation"
    __table_args__ = ({"sqlite_strict": True, "sqlite_autoincrement": True},)

    id: int | None = Field(sa_column=Column("id", BIG, primary_key=True, autoincrement=True))
    file: bytes = Field(sa_column=Column("file", LargeBinary, nullable=False))
    profile: str = Field(sa_column=words("profile"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    rolled_back_at: int | None = Field(sa_column=integer("rolled_back_at", nullable=True))
    kept: str | None = Field(sa_column=words("kept", nullable=True))
    before: bytes | None = Field(sa_column=Column("before", LargeBinary, nullable=True))
    after: bytes = Field(sa_column=Column("after", LargeBinary, nullable=False))


class TuningScore(SQLModel, table=True):
    """What a set of parameters scored in a tuning, so that one that was cut off goes on; both keys are hashes."""

    __tablename__ = "tuning_score"
    __table_args__ = (
        PrimaryKeyConstraint("run", "set_key"),
        {"sqlite_strict": True, "sqlite_with_rowid": False},
    )

    run: str = Field(sa_column=words("run"))
    set_key: str = Field(sa_column=words("set_key"))
    recorded_at: int = Field(sa_column=integer("recorded_at"))
    score: float = Field(sa_column=Column("score", REAL, nullable=False))
