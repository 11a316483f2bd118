"""Step 5, spreading: energy flows from the anchors and the best of recall along the graph of memories.

Constrained spreading activation (Collins & Loftus 1975; Crestani 1997) with teleport, over edges between memories,
mentions of entities, and the arcs between consecutive turns, where a turn that ends in a question passes more to its
answer. `graph` is what a memory received beyond what it started with. Personalised PageRank (Jeh & Widom 2003), over
the same graph and over the graph of concepts, can be added, min-max'ed. `session` is the mean of the three most
relevant candidates of a session: a conversation that holds much of the answer may hold the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import best_means, best_rows
from memcore.pipeline.retrieval import Energies
from memcore.sets import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Reader, Walk
    from memcore.pipeline.retrieval import Pool, Retrieval

    Seeds = tuple[NDArray[np.int64], NDArray[np.float32]]

__all__ = ["Facts", "run"]

BEST_OF_SESSION = 3


@dataclass(frozen=True, slots=True)
class Facts:
    """From how many seeds how much was reached; `clamped` counts nodes at the ceiling, where hubs look alike."""

    seeds: int
    reached: int
    brought: int
    clamped: int
    pagerank: str
    """`off`, `walked` or `fell back`."""


def run(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> tuple[Retrieval, Facts]:
    """The retrieval with what the graph adds."""
    ids, energies = _seeds(retrieval, reader, params)
    if not len(ids):
        return retrieval, Facts(0, 0, 0, 0, "off")
    walk = reader.spread(ids, energies, params)
    before = len(retrieval.pool)
    pool = _with_graph(retrieval.pool, walk, (ids, energies), reader, params)
    pagerank = "off"
    if params.enable_pagerank:
        mass = reader.pagerank(ids, energies, params)
        pool = _with_mass(pool, mass, retrieval.terms, reader, params)
        pagerank = "fell back" if mass.fell_back else "walked"
    pool = pool.filled("relevance", retrieval.relevance)
    sessions = reader.columns.session[pool.rows]
    pool = pool.with_values("session", best_means(sessions, pool.signal("relevance"), BEST_OF_SESSION))
    reached = Energies(walk.ids, walk.values)
    facts = Facts(len(ids), len(walk.ids), len(pool) - before, walk.clamped, pagerank)
    return retrieval.but(pool=pool, energies=reached), facts


def _seeds(retrieval: Retrieval, reader: Reader, params: RetrievalParams) -> Seeds:
    """Named entities at the anchor energy, and the best candidates at their relevance; ascending by id."""
    pool = retrieval.pool
    relevance = pool.signal("relevance")
    best = np.lexsort((pool.rows, -relevance))[: params.spread_seeds]
    best = best[relevance[best] > 0]
    energy = dict(zip(reader.columns.ids[pool.rows[best]].tolist(), relevance[best].tolist(), strict=True))
    energy |= {entity.id: params.anchor_energy for entity in retrieval.anchors.entities}
    ids = np.array(sorted(energy), np.int64)
    return ids, np.array([energy[key] for key in ids.tolist()], np.float32)


def _with_graph(pool: Pool, walk: Walk, seeds: Seeds, reader: Reader, params: RetrievalParams) -> Pool:
    """`graph` = energy after the walk − energy before, for memories that gained or lost at least the threshold."""
    rows = reader.rows_of(walk.ids)
    start = np.zeros(len(walk.ids))
    place = np.searchsorted(seeds[0], walk.ids).clip(max=len(seeds[0]) - 1)
    seeded = seeds[0][place] == walk.ids
    start[seeded] = seeds[1][place[seeded]]
    gained = walk.values - start
    kept = (rows >= 0) & (np.abs(gained) >= params.spread_threshold / 2.0)
    order = np.argsort(rows[kept])
    return pool.with_signal("graph", rows[kept][order], gained[kept][order])


def _with_mass(pool: Pool, mass: Walk, terms: tuple[str, ...], reader: Reader, params: RetrievalParams) -> Pool:
    """`pagerank`: the mass of the memory graph and of the concept graph, each min-max'ed, added."""
    rows = reader.rows_of(mass.ids)
    seen = rows >= 0
    total = np.zeros(len(reader.columns.ids))
    total[rows[seen]] = _minmax(mass.values[seen])
    concept_rows, shares = reader.concept_mass(terms, params)
    total[concept_rows] += _minmax(shares)
    if reader.allowed is not None:
        total = np.where(reader.allowed, total, 0.0)
    strongest = best_rows(total, total > 0, params.recall_candidates)
    both = distinct(pool.rows, strongest)
    return pool.with_signal("pagerank", both, total[both])


def _minmax(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(values):
        return values
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.ones(len(values))
