"""The frozen value that passes through the steps: what is asked, and what has been found so far."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from memcore.compute import Projection
    from memcore.dates import DateSpan
    from memcore.pipeline.expansion import Expansion
    from memcore.pipeline.reader import NamedEntity
    from memcore.pipeline.window import WeighedTerms

__all__ = ["Anchors", "Pool", "Query", "Retrieval"]


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
        """This pool with a signal set, and with those of `rows` that were not in it. `rows` are distinct."""
        fresh = rows[~_among(rows, self.rows)]
        merged = np.sort(np.concatenate([self.rows, fresh])) if len(fresh) else self.rows
        signals = {key: _moved(self.rows, old, merged) for key, old in self.signals.items()}
        signals[name] = _moved(rows, values, merged)
        return Pool(merged, signals)

    def with_values(self, name: str, values: NDArray[np.float64]) -> Pool:
        """This pool with a signal set whose values are aligned with its rows."""
        return Pool(self.rows, {**self.signals, name: values})

    def with_all(self, signals: Mapping[str, NDArray[np.float64]]) -> Pool:
        """This pool with several signals set whose values are aligned with its rows."""
        return Pool(self.rows, {**self.signals, **signals})

    def filled(self, name: str, over_scope: NDArray[np.float64]) -> Pool:
        """This pool with a signal read from an array over the whole scope."""
        return self.with_values(name, over_scope[self.rows])


def _among(rows: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of `rows` are held; `held` ascends."""
    if not len(held):
        return np.zeros(len(rows), bool)
    found: NDArray[np.bool_] = held[np.searchsorted(held, rows).clip(max=len(held) - 1)] == rows
    return found


def _moved(rows: NDArray[np.int64], values: NDArray[np.float64], merged: NDArray[np.int64]) -> NDArray[np.float64]:
    if rows is merged:
        return values
    moved = np.zeros(len(merged))
    moved[np.searchsorted(merged, rows)] = values
    return moved


@dataclass(frozen=True, slots=True)
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
    energies: Mapping[int, float] = field(default_factory=dict)
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
        made = object.__new__(Retrieval)
        for name in _FIELDS:
            object.__setattr__(made, name, changes.pop(name) if name in changes else getattr(self, name))
        if changes:
            raise TypeError(f"no fields of Retrieval: {', '.join(changes)}")
        return made


_FIELDS = tuple(one.name for one in fields(Retrieval))
