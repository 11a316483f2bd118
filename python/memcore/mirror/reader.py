"""A search's view of the mirror: the scope at one revision, and what of it the search may see."""

from __future__ import annotations

import math
from functools import reduce
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from memcore.compute import (
    bm25_document_frequencies,
    bm25_row_scores,
    bm25_scores_of,
    concept_neighbours,
    held_terms,
    pagerank,
    spread,
    telling_terms,
    tokenize,
)
from memcore.mirror.atoms import has_entity_atoms
from memcore.mirror.companions import companions
from memcore.mirror.completing import completed
from memcore.mirror.lives import AGED_BY, RETAINED_BY, aged, retained
from memcore.mirror.naming import named_in
from memcore.mirror.scope_rows import TERMS_REMEMBERED, mean_lengths
from memcore.mirror.visibility import NOTHING_HIDDEN
from memcore.pipeline.reader import Neighbour, Walk
from memcore.sets import among, distinct
from memcore.storage.encoding import to_micros

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from memcore.compute import CognitiveGraphEngine, Topics
    from memcore.mirror.agent import AgentMirror
    from memcore.mirror.scope_rows import ScopeRows
    from memcore.mirror.visibility import Hidden
    from memcore.params import RetrievalParams
    from memcore.pipeline.reader import Ages, Atoms, Columns, NamedEntity
    from memcore.storage.rows import Space

    Rows = NDArray[np.int64]
    Scores = NDArray[np.float64]

__all__ = ["MirrorReader"]

NO_ID = -1
NO_ROWS = np.empty(0, np.int64)


class MirrorReader:
    """Answers the steps of one search; see `memcore.pipeline.reader.Reader` for what each answer means."""

    def __init__(
        self,
        mirror: AgentMirror,
        scope: ScopeRows,
        space: Space | None,
        allowed: NDArray[np.bool_] | None,
        quoting: Callable[[str], NDArray[np.int64]] | None = None,
        *,
        hidden: Hidden = NOTHING_HIDDEN,
        graphs: Sequence[CognitiveGraphEngine] | None = None,
    ) -> None:
        """`hidden` counts nowhere; `allowed`, None for all that is not hidden, is what the search asks for.

        `graphs` stand for those of the blocks, where the search looks from another moment.
        """
        self._mirror = mirror
        self._quoting = quoting
        self._scope = scope
        self._space = space
        self._hidden = hidden
        self._hidden_ids = hidden.ids if len(hidden) else None
        self._narrowed = allowed is not None
        shown = None if hidden.mask is None else ~hidden.mask
        self._shown = shown
        self._allowed = shown if allowed is None else allowed if shown is None else allowed & shown
        self._indexes = [block.bm25 for block in scope.blocks]
        self._graphs = [block.graph for block in scope.blocks] if graphs is None else graphs

    @property
    def columns(self) -> Columns:
        """The memories of the scope."""
        return self._scope.columns

    @property
    def allowed(self) -> NDArray[np.bool_] | None:
        """Which rows the search may see; None: all."""
        return self._allowed

    def newest(self) -> float | None:
        """The latest event of what may be seen."""
        if self._allowed is None:
            return self._scope.newest
        times = self.columns.event_time[self._allowed]
        return float(times.max()) if len(times) else None

    def quoting(self, text: str) -> Rows:
        """The rows whose content has a text letter by letter, by asking the store."""
        if self._quoting is None:
            return NO_ROWS
        rows = self.rows_of(self._quoting(text))
        return np.sort(rows[rows >= 0])

    def rows_of(self, ids: NDArray[np.int64]) -> Rows:
        """The row of each id, −1 where the search may not see it."""
        rows = self._scope.rows_of(ids)
        if self._allowed is None or not len(self._allowed):
            return rows
        return np.where((rows >= 0) & self._allowed[rows], rows, -1)

    def named_in(self, text: str) -> tuple[NamedEntity, ...]:
        """The entities that a text names."""
        return named_in(text, [block.entities.by_name for block in self._scope.blocks])

    def speaker_codes(self, entity_ids: Sequence[int]) -> frozenset[int]:
        """The speaker codes of entities."""
        names = [
            name for block in self._scope.blocks for key in entity_ids for name in block.entities.names.get(key, ())
        ]
        return frozenset(self._mirror.speaker_code(name) for name in names)

    def lexical(self, terms: Sequence[str], params: RetrievalParams) -> Scores:
        """BM25 of each row."""
        if not terms:
            return np.zeros(len(self._scope))
        rows = [block.rows.column("ids") for block in self._scope.blocks]
        return bm25_row_scores(
            self._indexes, list(terms), rows, k1=params.bm25_k1, b=params.bm25_b, hidden=self._hidden_ids
        )

    def lexical_at(self, terms: Sequence[str], rows: Rows, params: RetrievalParams) -> Scores:
        """BM25 of some rows."""
        ids = self.columns.ids[rows]
        return bm25_scores_of(
            self._indexes, list(terms), ids, k1=params.bm25_k1, b=params.bm25_b, hidden=self._hidden_ids
        )

    def holding(self, terms: Sequence[str], rows: Rows) -> NDArray[np.uint64]:
        """Which terms each row has."""
        ids = np.where(rows >= 0, self.columns.ids[rows], NO_ID) if len(self._scope) else np.full(len(rows), NO_ID)
        return held_terms(self._indexes, list(terms), ids)

    def telling(
        self, rows: Rows, weights: Scores, known: Sequence[str], *, most_shared: float, limit: int
    ) -> list[str]:
        """The terms of rows that tell most."""
        return telling_terms(
            self._indexes,
            self.columns.ids[rows],
            weights,
            list(known),
            documents=len(self._scope),
            max_share=most_shared,
            limit=limit,
            hidden=self._hidden_ids,
        )

    def document_frequencies(self, terms: Sequence[str]) -> Scores:
        """How many memories of the scope have each term."""
        return np.asarray(
            bm25_document_frequencies(self._indexes, list(terms), hidden=self._hidden_ids), dtype=np.float64
        )

    def expanded(self, terms: Sequence[str]) -> tuple[str, ...]:
        """`terms`; a single one that no memory has, or of one Chinese character, becomes the terms that contain it."""
        return completed(self._indexes, terms, self._hidden_ids)

    def cosines(self, vector: NDArray[np.float32]) -> Scores | None:
        """The cosine of each row to a unit vector."""
        return self._scope.cosines(vector)

    def dense_floor(self, params: RetrievalParams) -> float:
        """Base + slope · √(2 ln n): how far the largest of n unrelated cosines reaches (extreme values of a normal)."""
        if params.recall_dense_floor is not None:
            return params.recall_dense_floor
        if self._space is None or self._space.floor_base is None or self._space.floor_slope is None:
            return 0.0
        seen = len(self._scope) if self._allowed is None else int(self._allowed.sum())
        return self._space.floor_base + self._space.floor_slope * math.sqrt(2.0 * math.log(max(seen, 2)))

    def dense_base(self) -> float | None:
        """The cosine of unrelated texts; None where it is not known."""
        return None if self._space is None else self._space.floor_base

    def dense_spread(self) -> float | None:
        """The spread of the cosines of unrelated texts; None where it is not known."""
        return None if self._space is None or not self._space.floor_slope else self._space.floor_slope

    def mentioning(self, entity_id: int) -> Rows:
        """The rows that mention an entity."""
        rows = self._scope.mentioning(entity_id)
        return rows if self._allowed is None else rows[self._allowed[rows]]

    def naming(self, entity: NamedEntity) -> Rows:
        """The rows that mention an entity or have the words of its name."""
        words = [self.concept_rows(word) for word in tokenize(entity.name)]
        written = reduce(_in_both, words) if words else NO_ROWS
        return distinct(self.mentioning(entity.id), written)

    def relative_lengths(self, rows: Rows) -> Scores:
        """How long each row is against the mean of its kind, as a logarithm."""
        kinds, lengths = self._scope.column("kind"), self._scope.column("length")
        seen = self._allowed
        means = self._scope.mean_lengths if seen is None else mean_lengths(kinds[seen], lengths[seen])
        return np.asarray(np.log(np.maximum(lengths[rows], 1) / np.maximum(means[kinds[rows]], 1.0)), np.float64)

    def beside(self, rows: Rows, step: int) -> Rows:
        """The turn that stands some turns behind each row, −1 where there is none."""
        linked = self._scope.next_rows if step > 0 else self._scope.prev_rows
        for _ in range(abs(step)):
            rows = linked[rows]
            if self._allowed is not None:
                rows = np.where((rows >= 0) & self._allowed[rows], rows, -1)
        return rows

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """(n, d) unit vectors of rows."""
        return self._scope.vectors(rows, 1 if self._space is None else self._space.dimension)

    def spread(self, ids: NDArray[np.int64], energies: NDArray[np.float32], params: RetrievalParams) -> Walk:
        """Spreading activation over the scope's graphs."""
        reached, values, clamped = spread(
            self._graphs,
            ids,
            energies,
            steps=params.spread_steps,
            decay=params.spread_decay,
            threshold=params.spread_threshold,
            teleport_alpha=params.teleport_alpha,
            max_active=params.spread_max_active,
            max_outflow=params.spread_max_outflow,
            allowed=self._walkable(),
            hidden=self._outside(),
        )
        return Walk(reached, values.astype(np.float64), clamped)

    def pagerank(self, ids: NDArray[np.int64], weights: NDArray[np.float32], params: RetrievalParams) -> Walk:
        """Personalised PageRank over the scope's graphs."""
        found = pagerank(
            self._graphs,
            ids,
            weights,
            restart=params.pagerank_restart,
            tolerance=params.pagerank_tolerance,
            max_visits=params.pagerank_max_visits,
            allowed=self._walkable(),
            hidden=self._outside(),
        )
        return Walk(found.ids, found.scores, fell_back=found.fell_back)

    def atoms(self, params: RetrievalParams) -> Atoms:
        """The atoms of the scope."""
        dimension = 1 if self._space is None else self._space.dimension
        return self._mirror.atoms.atoms(self._scope, params, dimension, self._hidden)

    def topics(self, params: RetrievalParams) -> Topics | None:
        """The topics of the scope."""
        dimension = 1 if self._space is None else self._space.dimension
        return self._mirror.atoms.topics(self._scope, params, dimension, self._hidden)

    def entity_neighbours(self, entity_id: int, params: RetrievalParams) -> tuple[Neighbour, ...]:
        """The companions of an entity, most frequent first, then the lower id."""
        counts = companions(self._scope, self._shown, entity_id)
        most = nsmallest(params.cooccurrence_max_neighbors, ((-count, key) for key, count in counts.items()))
        named = ((key, self._entity_name(key), -count) for count, key in most)
        return tuple(Neighbour(key, name, count) for key, name, count in named if name is not None)

    def concept_neighbours(self, terms: Sequence[str], params: RetrievalParams) -> tuple[tuple[Neighbour, ...], ...]:
        """The companions of each term that is a concept, while concepts stand in for entities."""
        if has_entity_atoms(self._scope):
            return ()
        bounds = (params.concept_min_documents, params.concept_max_share, params.cooccurrence_max_neighbors)
        known = self._scope.companions if self._hidden_ids is None else {}
        answers = {term: known[term, *bounds] for term in terms if (term, *bounds) in known}
        fresh = [term for term in dict.fromkeys(terms) if term not in answers]
        if fresh:
            found = concept_neighbours(
                self._indexes,
                fresh,
                min_documents=bounds[0],
                max_share=bounds[1],
                limit=bounds[2],
                hidden=self._hidden_ids,
            )
            for term, companions in zip(fresh, found, strict=True):
                answers[term] = tuple(Neighbour(other, other, count) for other, count in companions)
            if len(known) < TERMS_REMEMBERED:
                known.update({(term, *bounds): answers[term] for term in fresh})
        return tuple(answers[term] for term in terms)

    def concept_rows(self, concept: str) -> Rows:
        """The rows that have a concept."""
        rows = self._scope.with_term(concept)
        return rows if self._shown is None else rows[self._shown[rows]]

    def concept_mass(self, terms: Sequence[str], params: RetrievalParams) -> tuple[Rows, Scores]:
        """The PageRank mass of the concept graph, shared equally over the memories that have each concept."""
        mass = self._mirror.atoms.concept_graph(self._scope, params, self._hidden).mass(terms, params)
        total = np.zeros(len(self._scope))
        for concept, share in mass.items():
            rows = self.concept_rows(concept)
            if len(rows):
                total[rows] += share / len(rows)
        rows = np.flatnonzero(total)
        return rows, total[rows]

    def retention(self, rows: Rows, moment: datetime) -> Scores:
        """How much is retained of rows, by the curve of their kinds."""
        kinds, ages_from, strength, fade = (self._scope.column(name)[rows] for name in RETAINED_BY)
        return retained(kinds, ages_from, strength, fade, to_micros(moment))

    def ages(self, rows: Rows, moment: datetime) -> Ages:
        """How old rows are, by each clock."""
        return aged({name: self._scope.column(name)[rows] for name in AGED_BY}, to_micros(moment))

    def _walkable(self) -> NDArray[np.int64] | None:
        """The ids that energy may enter: None where the search asks for all it sees, else those and entities."""
        if not self._narrowed or self._allowed is None:
            return None
        entities = [block.entities.ids for block in self._scope.blocks]
        return distinct(self.columns.ids[self._allowed], *entities)

    def _outside(self) -> NDArray[np.int64] | None:
        """The ids that energy may not enter; None where there are none."""
        unseen = self._scope.unseen
        if self._hidden_ids is None:
            return unseen if len(unseen) else None
        return np.concatenate([self._hidden_ids, unseen]) if len(unseen) else self._hidden_ids

    def _entity_name(self, entity_id: int) -> str | None:
        """The name of an entity; a user's own partition knows it as the shared one does."""
        return next((known[0] for block in self._scope.blocks if (known := block.entities.names.get(entity_id))), None)


def _in_both(one: Rows, other: Rows) -> Rows:
    """What two ascending arrays have in common."""
    return one[among(one, other)]
