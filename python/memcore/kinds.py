"""Every closed set of names. A name that appears in a table, a parameter file or a command is written here once."""

from enum import IntEnum, StrEnum

__all__ = [
    "Category",
    "Channel",
    "Confidence",
    "EdgeType",
    "Embed",
    "Ending",
    "FusionForm",
    "Kind",
    "Layer",
    "Mismatch",
    "OperationAction",
    "Origin",
    "Outcome",
    "RankForm",
    "ReviewState",
    "TaskState",
]


class Kind(StrEnum):
    """What a memory is; each kind has its own lifetime."""

    TURN = "turn"
    EVENT = "event"
    FACT = "fact"
    KNOWLEDGE = "knowledge"
    ENTITY = "entity"
    EPISODE = "episode"
    CHUNK = "chunk"
    SUMMARY = "summary"
    CASE = "case"
    LESSON = "lesson"

    @property
    def layer(self) -> "Layer":
        """The layer that it belongs to, which can be switched off."""
        return _LAYERS[self]


class Layer(StrEnum):
    """What can be switched off by itself: a layer that is off is neither written nor read.

    `association` is the edges between memories: off, none are written, and none are walked.
    """

    TURNS = "turns"
    EVENTS = "events"
    EPISODES = "episodes"
    FACTS = "facts"
    KNOWLEDGE = "knowledge"
    DOCUMENTS = "documents"
    ENTITIES = "entities"
    SUMMARIES = "summaries"
    EXPERIENCE = "experience"
    ASSOCIATION = "association"


_LAYERS = {
    Kind.TURN: Layer.TURNS,
    Kind.EVENT: Layer.EVENTS,
    Kind.FACT: Layer.FACTS,
    Kind.KNOWLEDGE: Layer.KNOWLEDGE,
    Kind.ENTITY: Layer.ENTITIES,
    Kind.EPISODE: Layer.EPISODES,
    Kind.CHUNK: Layer.DOCUMENTS,
    Kind.SUMMARY: Layer.SUMMARIES,
    Kind.CASE: Layer.EXPERIENCE,
    Kind.LESSON: Layer.EXPERIENCE,
}


class Category(StrEnum):
    """What a fact is about; each category has its own half-life. A preference is a fact of category `preference`."""

    IDENTITY = "identity"
    DATE = "date"
    PREFERENCE = "preference"
    RELATION = "relation"
    HABIT = "habit"
    EVENT = "event"
    STATE = "state"


class ReviewState(StrEnum):
    """Whether a memory may be found; what is pending or rejected never reaches a search."""

    ACTIVE = "active"
    PENDING = "pending"
    REJECTED = "rejected"


class Channel(StrEnum):
    """Where something was heard. What was heard in `direct` is invisible to a search made in a `group`."""

    DIRECT = "direct"
    GROUP = "group"


class Ending(StrEnum):
    """How a memory left the searches without being deleted."""

    ARCHIVED = "archived"
    RETIRED = "retired"
    WRONG = "wrong"


class TaskState(StrEnum):
    """Where a task stands. A task starts open; which state may follow which, the database decides."""

    OPEN = "open"
    DOING = "doing"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def following(self) -> "tuple[TaskState, ...]":
        """The states that the database lets follow this one; none follows a final one."""
        return _FOLLOWING.get(self, ())


_FOLLOWING = {
    TaskState.OPEN: (TaskState.DOING, TaskState.CANCELLED),
    TaskState.DOING: (TaskState.DONE, TaskState.FAILED, TaskState.CANCELLED),
}


class OperationAction(StrEnum):
    """What an operation did; each is written with the values from before and can be undone."""

    ADD = "add"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    UPDATE = "update"
    REVIEW = "review"
    RETIRE = "retire"
    WRONG = "wrong"
    PIN = "pin"
    UNPIN = "unpin"
    FREEZE = "freeze"
    REVIVE = "revive"
    ARCHIVE = "archive"
    CONFLICT = "conflict"
    RESOLVE = "resolve"
    RELATE = "relate"
    UNRELATE = "unrelate"
    UPGRADE = "upgrade"
    UNDO = "undo"


class Origin(StrEnum):
    """Who a memory comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"
    JOB = "job"


class Outcome(StrEnum):
    """What became of a proposed memory."""

    ACCEPT = "accept"
    MERGE = "merge"
    DEFER = "defer"
    DROP = "drop"


class Embed(StrEnum):
    """When a new memory gets its vector: before `add` returns, or by the `embed` job."""

    NOW = "now"
    LATER = "later"


class EdgeType(IntEnum):
    """Why two memories are joined. The number is what the engine stores in a byte."""

    ASSOCIATIVE = 0
    CAUSAL = 1
    THEMATIC = 2
    TEMPORAL = 3
    INSTANCE_OF = 4
    MENTION = 5
    SEQUENCE = 6
    INHIBITORY = 255

    @property
    def declared(self) -> bool:
        """Whether a caller may set it; mentions and the order of turns come from the memories themselves."""
        return self not in (EdgeType.MENTION, EdgeType.SEQUENCE)

    @property
    def label(self) -> str:
        """The lower-case name used in tables, documents and commands."""
        return self.name.lower()


class Confidence(StrEnum):
    """How sure a search is that what was asked is among its hits."""

    NONE = "none"
    LOW = "low"
    GOOD = "good"


class FusionForm(StrEnum):
    """How the lexical and the dense score become one relevance."""

    NORMALIZED = "normalized"
    WEIGHTED = "weighted"
    RRF = "rrf"
    OR_GATE = "or_gate"


class RankForm(StrEnum):
    """How relevance, graph score, importance and age become the final score.

    `blend` is memcore's own; the others are five published scores, each after the system that it is from.
    """

    BLEND = "blend"
    PEROCORE = "perocore"
    LAYERS = "layers"
    TROVE = "trove"
    POSTGRES = "postgres"
    DIARY = "diary"


class Mismatch(StrEnum):
    """Why a recorded search that is run again gives something else than it gave."""

    GONE = "memory gone"
    NEW = "memory new"
    CHANGED = "memory changed"
    USED = "memory used"
    SCOPE = "scope changed"
    SPACE = "embedder differs"
    SETTINGS = "settings differ"
    PARAMETERS = "parameters unknown"
    FAILED = "search failed"
    ZONE = "time zone unknown"
    UNEXPLAINED = "unexplained"
