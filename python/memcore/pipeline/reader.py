"""What a step may ask of a scope. The mirror answers; a test can answer with a few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memcore.compute import Dictionary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from memcore.compute import Topics
    from memcore.params import RetrievalParams

    Rows = NDArray[np.int64]
    Scores = NDArray[np.float64]

__all__ = ["Ages", "Atoms", "Columns", "NamedEntity", "Neighbour", "Reader", "Walk"]


class NamedEntity(NamedTuple):
    """An entity that a text names: its id, and the name or alias that was found."""

    id: int
    name: str


class Neighbour(NamedTuple):
    """Something that occurs together with an anchor: a key (an entity id or a concept), its name, and how often."""

    key: int | str
    name: str
    times: int


@dataclass(frozen=True, slots=True)
class Columns:
    """What is known of each memory of the scope, aligned by row; rows ascend by partition, then by id."""

    ids: NDArray[np.int64]
    event_time: NDArray[np.float64]
    """Seconds since 1970 (UTC)."""
    session: NDArray[np.int32]
    """A code; −1 where there is no session."""
    speaker: NDArray[np.int32]
    """A code; −1 where there is no speaker."""
    importance: NDArray[np.float32]
    """Base importance, 0 to 10."""
    access_count: NDArray[np.int32]
    question: NDArray[np.bool_]
    """Whether the text ends in a question."""
    holds: NDArray[np.uint8]
    """What the text has that a question may ask for; see `pipeline.answers`."""


@dataclass(frozen=True)
class Atoms:
    """The vectors that stand for the scope's entities, or for its concepts while it has fewer than eight entities."""

    names: tuple[str, ...]
    matrix: NDArray[np.float32]
    """(m, d), unit rows, which nothing writes to."""
    of_concepts: bool

    def __post_init__(self) -> None:
        self.matrix.flags.writeable = False

    @cached_property
    def dictionary(self) -> Dictionary:
        """The same vectors, prepared for coding queries in them."""
        return Dictionary(self.matrix)


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk over the memory graph reached: ids (memories and entities) and their energy or mass."""

    ids: NDArray[np.int64]
    values: NDArray[np.float64]
    clamped: int = 0
    fell_back: bool = False


class Ages(NamedTuple):
    """How old rows are by each clock, in days, at least 0, and how slowly they fade; aligned with the rows."""

    happened: Scores
    """Since the event."""
    used: Scores
    """Since the last use; of what was never used since it was recorded, or since the event where that was later."""
    stability: Scores
    """Days until 1/e is left: an event's own, of other kinds what a new event of their importance has."""
    claims: NDArray[np.bool_]
    """Which rows claim that something holds, and so do not grow old by what happened: facts, knowledge, lessons."""


class Reader(Protocol):
    """One scope at one revision. Every answer respects the scope, the kinds and the filters of the search."""

    @property
    def columns(self) -> Columns:
        """The memories of the scope; entities are not among them."""
        ...

    @property
    def allowed(self) -> NDArray[np.bool_] | None:
        """Which rows the search may see; None when it may see all of them."""
        ...

    def newest(self) -> float | None:
        """The latest event of the rows that the search may see, in seconds since 1970; None where it sees none."""
        ...

    def rows_of(self, ids: NDArray[np.int64]) -> Rows:
        """The row of each id, −1 where the search may not see it."""
        ...

    def named_in(self, text: str) -> tuple[NamedEntity, ...]:
        """The entities whose name or alias stands in `text`, longest match first taken, in the order of the text."""
        ...

    def speaker_codes(self, entity_ids: Sequence[int]) -> frozenset[int]:
        """The speaker codes that belong to these entities."""
        ...

    def lexical(self, terms: Sequence[str], params: RetrievalParams) -> Scores:
        """BM25 of each row, 0 where no term occurs."""
        ...

    def lexical_at(self, terms: Sequence[str], rows: Rows, params: RetrievalParams) -> Scores:
        """BM25 of some rows, as `lexical` has it."""
        ...

    def telling(
        self, rows: Rows, weights: Scores, known: Sequence[str], *, most_shared: float, limit: int
    ) -> list[str]:
        """The terms of rows that tell most, without those known: heaviest first, then by name, at most `limit`.

        A term weighs Σ weight of the rows that have it · ln(1 + n/(1 + df)) with n memories in the scope, of which df
        have it; it tells nothing where one memory alone has it, or more than `most_shared` of them.
        """
        ...

    def holding(self, terms: Sequence[str], rows: Rows) -> NDArray[np.uint64]:
        """Which of at most 64 terms each row has, the first in the lowest bit; row −1 has none."""
        ...

    def document_frequencies(self, terms: Sequence[str]) -> Scores:
        """How many memories of the scope have each term."""
        ...

    def quoting(self, text: str) -> Rows:
        """The rows whose content has `text` letter by letter; reads every content, so for what no term can find."""
        ...

    def expanded(self, terms: Sequence[str]) -> tuple[str, ...]:
        """`terms`; a single one of one character, or that no memory has, becomes the scope's terms that contain it."""
        ...

    def cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float64] | None:
        """The cosine of each row to a unit vector, NaN where a row has no vector; None when no row has one."""
        ...

    def dense_floor(self, params: RetrievalParams) -> float:
        """The cosine below which a memory of a scope of this size is no candidate by its vector alone."""
        ...

    def dense_base(self) -> float | None:
        """The cosine of unrelated texts, from which floors are reckoned; None where it is not known."""
        ...

    def dense_spread(self) -> float | None:
        """The spread of the cosines of unrelated texts, by which floors are reckoned; None where it is not known."""
        ...

    def mentioning(self, entity_id: int) -> Rows:
        """The rows that mention an entity, ascending."""
        ...

    def naming(self, entity: NamedEntity) -> Rows:
        """The rows that mention an entity, or whose text has every word of its name as the query gave it."""
        ...

    def retention(self, rows: Rows, moment: datetime) -> Scores:
        """How much of each row is retained at a moment, 0 to 1, by the curve of its kind."""
        ...

    def relative_lengths(self, rows: Rows) -> Scores:
        """ln(terms of each row / mean of the rows of its kind that the search may see)."""
        ...

    def beside(self, rows: Rows, step: int) -> Rows:
        """The turn that stands `step` turns behind each row (before it where negative) in its conversation; −1: none.

        One that the search may not see is none, and nothing is reached beyond it.
        """
        ...

    def ages(self, rows: Rows, moment: datetime) -> Ages:
        """How old each row is at a moment, by each clock, whatever the curve of its kind."""
        ...

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """(n, d) unit vectors of rows, a row of zeros where there is none."""
        ...

    def spread(self, ids: NDArray[np.int64], energies: NDArray[np.float32], params: RetrievalParams) -> Walk:
        """Spreading activation over the memory graph of the scope."""
        ...

    def pagerank(self, ids: NDArray[np.int64], weights: NDArray[np.float32], params: RetrievalParams) -> Walk:
        """Personalised PageRank over the memory graph of the scope."""
        ...

    def concept_mass(self, terms: Sequence[str], params: RetrievalParams) -> tuple[Rows, Scores]:
        """Rows and their share of the PageRank mass of the concept graph, walked from the query's concepts."""
        ...

    def atoms(self, params: RetrievalParams) -> Atoms:
        """The atoms of NMF and FISTA."""
        ...

    def topics(self, params: RetrievalParams) -> Topics | None:
        """The factorised atoms, cached; None while there are fewer than two."""
        ...

    def entity_neighbours(self, entity_id: int, params: RetrievalParams) -> tuple[Neighbour, ...]:
        """The entities written together with one, most often first."""
        ...

    def concept_neighbours(self, terms: Sequence[str], params: RetrievalParams) -> tuple[tuple[Neighbour, ...], ...]:
        """For each term that is a concept, the concepts that share memories with it; nothing for other terms."""
        ...

    def concept_rows(self, concept: str) -> Rows:
        """The rows whose text has a concept, ascending."""
        ...
