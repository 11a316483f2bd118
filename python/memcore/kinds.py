"""Every closed set of names. A name that appears in a table, a parameter file or a command is written here once."""

from enum import IntEnum, StrEnum

__all__ = ["EdgeType", "Embed", "FusionForm", "Kind", "Origin", "Outcome", "RankForm"]


class Kind(StrEnum):
    """What a memory is; each kind has its own lifetime."""

    TURN = "turn"
    EVENT = "event"
    FACT = "fact"
    KNOWLEDGE = "knowledge"
    ENTITY = "entity"


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


class FusionForm(StrEnum):
    """How the lexical and the dense score become one relevance."""

    NORMALIZED = "normalized"
    WEIGHTED = "weighted"
    RRF = "rrf"
    OR_GATE = "or_gate"


class RankForm(StrEnum):
    """How relevance, graph score, importance and age become the final score."""

    BLEND = "blend"
    PEROCORE = "perocore"
