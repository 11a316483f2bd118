"""Step 6, co-occurrence: what was often said together with what the query names.

For an anchor e (a named entity; while the scope has few entities, a term of the query that is a concept) each of its
most frequent companions c gets bonus = energy(e) · ln(1 + count) · scale, the maximum over the anchors; then every
memory of c takes the bonus over, the maximum over its companions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import best_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Neighbour, Reader
    from memcore.pipeline.retrieval import Retrieval

__all__ = ["Facts", "bonus", "run"]

_SAME = 1e-11  # bonuses may be further apart than that only where they differ in their first twelve digits


@dataclass(frozen=True, slots=True)
class Facts:
    """The companions that were lifted, strongest first, and how many memories they brought."""

    companions: tuple[str, ...]
    brought: int


def bonus(energy: float, count: int, scale: float) -> float:
    """Energy · ln(1 + count) · scale: a pair that was said a hundred times weighs about twice one said ten times."""
    return energy * _logarithm(count) * scale


@lru_cache(maxsize=4_096)
def _logarithm(count: int) -> float:
    return float(np.log1p(count))


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with what accompanies its anchors."""
    if not len(retrieval.pool):
        return retrieval, Facts((), 0)
    lifted, names = _companions(retrieval, reader, params)
    if not lifted:
        return retrieval, Facts((), 0)
    over_scope = np.zeros(len(reader.columns.ids))
    rows_of = {key: _rows_of(key, reader) for key in lifted}
    ascending = sorted(lifted.items(), key=lambda one: one[1])
    for key, value in ascending:  # so that the largest of a row stays
        over_scope[rows_of[key]] = value
    strongest_first = [(value, rows_of[key]) for key, value in reversed(ascending)]
    fresh = _fresh(strongest_first, over_scope, retrieval, params)
    pool = retrieval.pool.with_signal("cooccurrence", fresh, over_scope[fresh])
    pool = pool.filled("cooccurrence", over_scope).filled("relevance", retrieval.relevance)
    strongest = sorted(lifted, key=lambda key: (-lifted[key], names[key]))
    return retrieval.but(pool=pool), Facts(tuple(names[key] for key in strongest), len(pool) - len(retrieval.pool))


def _companions(
    retrieval: Retrieval, reader: Reader, params: RetrievalParams
) -> tuple[dict[int | str, float], dict[int | str, str]]:
    """The largest bonus of each companion, and its name."""
    found: list[tuple[float, Neighbour]] = []
    for entity in retrieval.anchors.entities:
        energy = max(retrieval.energies.get(entity.id, params.anchor_energy), 0.0)
        found += ((energy, companion) for companion in reader.entity_neighbours(entity.id, params))
    for companions in reader.concept_neighbours(retrieval.terms, params):
        found += ((params.anchor_energy, companion) for companion in companions)
    anchors: set[int | str] = {entity.id for entity in retrieval.anchors.entities} | set(retrieval.terms)
    lifted: dict[int | str, float] = {}
    scale = params.cooccurrence_bonus_scale
    for energy, companion in found:
        key, value = companion.key, bonus(energy, companion.times, scale)
        if value > lifted.get(key, 0.0) and key not in anchors:
            lifted[key] = value
    return lifted, {companion.key: companion.name for _, companion in found}


def _rows_of(key: int | str, reader: Reader) -> NDArray[np.int64]:
    """The rows of a companion that the search may see."""
    rows = reader.mentioning(key) if isinstance(key, int) else reader.concept_rows(key)
    return rows if reader.allowed is None else rows[reader.allowed[rows]]


def _fresh(
    strongest_first: Sequence[tuple[float, NDArray[np.int64]]],
    over_scope: NDArray[np.float64],
    retrieval: Retrieval,
    params: RetrievalParams,
) -> NDArray[np.int64]:
    """The rows outside the pool with the largest bonus, the more relevant first among equals; ascending.

    Companions are passed from the strongest on until there are enough: what comes later has a lower bonus.
    """
    outside = np.ones(len(over_scope), bool)
    outside[retrieval.pool.rows] = False
    parts: list[NDArray[np.int64]] = []
    enough, last = 0, 0.0
    for value, held in strongest_first:
        if enough >= params.recall_candidates and value < last - _SAME:
            break
        rows = held[outside[held]]
        outside[rows] = False
        parts.append(rows)
        enough, last = enough + len(rows), value
    rows = np.concatenate(parts)
    rows.sort()
    # A bonus is compared to twelve digits, so that relevance (0 to 1) decides between equal ones alone.
    values = np.round(over_scope[rows], 12) + 1e-13 * retrieval.relevance[rows]
    return rows[best_rows(values, np.ones(len(rows), bool), params.recall_candidates)]
