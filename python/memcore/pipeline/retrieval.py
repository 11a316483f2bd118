"""The frozen value that passes through the steps: what is asked, and what has been found so far."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import joined_pool

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from memcore.compute import Projection
    from memcore.dates import DateSpan
    from memcore.pipeline.expansion import Expansion
    from memcore.pipeline.reader import NamedEntity
    from memcore.pipeline.window import WeighedTerms

__all__ = ["Anchors", "Energies", "Pool", "Query", "Retrieval"]


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the text, its terms, its unit vector (None without an embedder), how many, and when."""

    text: str
    limit: int
    now: datetime
    vector: NDArray[np.float32] | None = None
    nonsense: float = -1.0
    """The cosine of the vector to what means nothing to the embedder; −1 where that is not known."""
    as_of: datetime | None = None
    """The moment of the world that is looked at; None: the present."""
    parts: tuple[NDArray[np.float32], ...] = ()
    """The unit vectors of its questions, where it asks several and they were embedded; see `dialogue.questions`."""

    @property
    def moment(self) -> datetime:
        """The moment at which memories are so old as they are: `as_of`, else the present."""
        return self.now if self.as_of is None else self.as_of


@dataclass(frozen=True, slots=True)
class Anchors:
    """What the query holds fast to: entities, speakers and days that it names, and the clock that its words go by."""

    entities: tuple[NamedEntity, ...] = ()
    speakers: frozenset[int] = frozenset()
    dates: tuple[DateSpan, ...] = ()
    clock: datetime | None = None
    asks_when: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates: rows, ascending, and their signals, aligned; a row without a signal has 0 there."""

    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    signals: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def signal(self, name: str) -> NDArray[np.float64]:
        """The values of one signal, zeros where nothing was found."""
        values = self.signals.get(name)
        return np.zeros(len(self.rows)) if values is None else values

    def with_signal(self, name: str, rows: NDArray[np.int64], values: NDArray[np.float64]) -> Pool:
        """This pool with a signal set, and with those of `rows` that were not in it. `rows` ascend, each once."""
        names = [key for key in self.signals if key != name]
        merged, columns = joined_pool(self.rows, [self.signals[key] for key in names], rows, values)
        return Pool(merged, dict(zip([*names, name], columns, strict=True)))

    def with_values(self, name: str, values: NDArray[np.float64]) -> Pool:
        """This pool with a signal set whose values are aligned with its rows."""
        return Pool(self.rows, {**self.signals, name: values})

    def with_all(self, signals: Mapping[str, NDArray[np.float64]]) -> Pool:
        """This pool with several signals set whose values are aligned with its rows."""
        return Pool(self.rows, {**self.signals, **signals})

    def filled(self, name: str, over_scope: NDArray[np.float64]) -> Pool:
        """This pool with a signal read from an array over the whole scope."""
        return self.with_values(name, over_scope[self.rows])


class Energies:
    """What a walk left at each node that it reached, by id; 0 elsewhere."""

    __slots__ = ("_ids", "_values")

    def __init__(self, ids: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        order = np.argsort(ids)
        self._ids, self._values = ids[order], values[order]

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The energy at each id, shape (n,)."""
        if not len(self._ids):
            return np.zeros(len(ids))
        places = self._ids.searchsorted(ids)
        places[places == len(self._ids)] = 0
        return np.where(self._ids[places] == ids, self._values[places], 0.0)

    def get(self, identity: int, otherwise: float) -> float:
        """The energy at one id, or `otherwise` where it was not reached."""
        place = int(self._ids.searchsorted(identity))
        there = place < len(self._ids) and self._ids[place] == identity
        return float(self._values[place]) if there else otherwise


_NOWHERE = Energies(np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True)
class Retrieval:
    """All that is known of a search between two steps; a step answers with a changed copy."""

    query: Query
    terms: tuple[str, ...] = ()
    anchors: Anchors = field(default_factory=Anchors)
    relevance: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """Fused relevance of every row of the scope, 0 to 1."""
    channels: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """`lexical`, `vector` and `date_match` of every row of the scope; no `vector` where there was none to compare."""
    expansion: Expansion | None = None
    """What the best matches lead to; None where that was not asked, or is nothing."""
    pool: Pool = field(default_factory=Pool)
    projection: Projection | None = None
    """Where the query lies among the topics; None when that was not asked."""
    energies: Energies = _NOWHERE
    """What spreading left at each id, entities among them."""
    scores: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """The final score of each row of the pool."""
    order: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Positions in the pool, best first."""
    picked: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Positions in the pool of what is returned, best first."""
    pick_order: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """The same positions in the order in which diversity chose them."""
    weighed: WeighedTerms | None = None
    """`terms` by their rarity, while the steps run, where one of them asked."""

    def but(self, **changes: object) -> Retrieval:
        """A copy with some fields changed.

        Raises:
            TypeError: a name is none of a field.
        """
        if not changes.keys() <= _FIELDS:
            raise TypeError(f"no fields of Retrieval: {', '.join(changes.keys() - _FIELDS)}")
        made = object.__new__(Retrieval)
        made.__dict__.update(self.__dict__, **changes)
        return made


_FIELDS = frozenset(one.name for one in fields(Retrieval))
