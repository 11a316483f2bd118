"""Running a search: one read transaction, in which the mirror catches up, the steps run and the rows are fetched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memcore.errors import DimensionError
from memcore.kinds import Channel
from memcore.mirror.graphs import ArcWeights
from memcore.mirror.reader import MirrorReader
from memcore.mirror.rows import KIND_CODES
from memcore.mirror.visibility import View, hidden_from
from memcore.params import overridden
from memcore.pipeline import confidence
from memcore.pipeline.retrieval import Query, Retrieval
from memcore.pipeline.run import run
from memcore.pipeline.trace import Trace
from memcore.searching.missing import Missing
from memcore.searching.query_vector import query_vector
from memcore.searching.result import Evidence, Hit, SearchResult
from memcore.searching.scene import beside, contradictions, line
from memcore.storage import filters, memories
from memcore.storage.as_known import stood_at
from memcore.storage.encoding import to_micros

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from memcore.compute import CognitiveGraphEngine
    from memcore.mirror.agent import AgentMirror
    from memcore.mirror.scope_rows import ScopeRows
    from memcore.mirror.visibility import Hidden
    from memcore.params import ParamsFile, RetrievalParams
    from memcore.pipeline.trace import StepRecord
    from memcore.searching.request import SearchRequest
    from memcore.searching.scene import Contradictions
    from memcore.settings import Settings
    from memcore.storage.as_known import Standing
    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow, Space
    from memcore.writing.vectors import VectorSource

__all__ = ["Searcher"]


@dataclass(frozen=True, slots=True)
class _Found:
    """What the steps found. `is_true`: each id that they picked is a memory of the scope, as the mirror said."""

    revision: int
    scope_size: int
    retrieval: Retrieval
    steps: tuple[StepRecord, ...]
    reader: MirrorReader
    rows: Mapping[int, MemoryRow]
    sure: confidence.Evidence
    contradictions: Contradictions
    hidden: Hidden
    then: Mapping[int, Standing]
    with_vector: NDArray[np.bool_]
    is_true: bool


@dataclass(frozen=True, slots=True)
class Searcher:
    """All that a search needs of an open store."""

    database: Database
    mirror: AgentMirror
    vectors: VectorSource
    params: ParamsFile
    settings: Settings

    def search(self, request: SearchRequest) -> SearchResult:
        """The hits of a request.

        Raises:
            DimensionError: the given embedding has another dimension than the store's vectors.
            ParamsError: `params` holds an unknown name or a value out of range.
            StorageError: the store cannot be read.
        """
        self.database.check_usable()
        params = self.params.current()
        if request.params:
            params = overridden(params, request.params)
        problems: list[str] = []
        self.vectors.check({"embedding": request.embedding})
        vector, nonsense, parts = query_vector(self.vectors, request, params, problems)
        with self.mirror.lock, self.database.read() as connection:
            space = self._space(connection, problems)
            if vector is not None and space is not None and len(vector) != space.dimension:
                raise DimensionError(f"embedding: dimension {len(vector)} given, {space.dimension} expected")
            used = None if space is None else vector
            query = Query(request.query, request.limit, request.asked_at, used, nonsense, request.as_of, parts)
            found = self._found(connection, request, params, space, Retrieval(query))
            if not found.is_true:
                self.mirror.forget()
                found = self._found(connection, request, params, space, Retrieval(query))
        trace = Trace(
            query=request.query,
            now=request.asked_at,
            revision=found.revision,
            agent_id=request.scope.agent_id,
            user_ids=request.scope.user_ids,
            session_id=request.scope.session_id,
            scope_size=found.scope_size,
            params=params,
            steps=found.steps,
            retrieval=found.retrieval,
            ids=found.reader.columns.ids[found.retrieval.pool.rows],
            problems=tuple(problems),
            as_of=request.as_of,
            known_at=request.known_at,
            channel=request.channel,
            include_dormant=request.include_dormant,
            hidden=found.hidden.counts,
            space_id=space.id if space is not None and "vector" in found.retrieval.channels else None,
        )
        return self._result(request, trace, found)

    def _found(
        self,
        connection: Connection,
        request: SearchRequest,
        params: RetrievalParams,
        space: Space | None,
        start: Retrieval,
    ) -> _Found:
        """The steps over the scope as it is now, and the intact rows of the scope that they picked."""
        revision = self.mirror.follow(connection, space)
        scope = self.mirror.scope(connection, request.scope, _arcs(params))
        view = _view(connection, request, self.settings, scope)
        gone = (memory_id for memory_id, stood in view.then.items() if stood.gone and stood.known)
        scope = self.mirror.with_gone(connection, scope, gone)
        hidden = hidden_from(scope.lives, scope.columns.ids, view)
        allowed = self._allowed(connection, request, scope)
        quoting = partial(_quoting, connection, request)
        graphs = self._graphs(connection, scope, view, params)
        reader = MirrorReader(self.mirror, scope, space, allowed, quoting, hidden=hidden, graphs=graphs)
        retrieval, steps = run(start, reader, params)
        sure = confidence.evidence(retrieval, reader, params)  # now: the mirror goes on with the store
        retrieval = retrieval.but(weighed=None)
        picked = reader.columns.ids[retrieval.pool.rows[retrieval.picked]].tolist()
        partitions = request.scope.partitions
        fetched = [row for row in memories.fetch(connection, picked) if row.partition in partitions]
        rows = {row.id: row for row in fetched if row.intact}  # the mirror has checked the text alone
        return _Found(
            revision=revision,
            scope_size=len(scope) if reader.allowed is None else int(reader.allowed.sum()),
            retrieval=retrieval,
            steps=steps,
            reader=reader,
            rows=rows,
            sure=sure,
            contradictions=contradictions(connection, rows, reader, view.known_at),
            hidden=hidden,
            then=view.then,
            with_vector=scope.has_vector,
            is_true=len(fetched) == len(picked),
        )

    def _result(self, request: SearchRequest, trace: Trace, found: _Found) -> SearchResult:
        retrieval, reader, rows = trace.retrieval, found.reader, found.rows
        with_vector = found.with_vector if "vector" in retrieval.channels else None
        hits = [
            _hit(rows[identity], float(retrieval.scores[position]), trace.signals(position))
            for position, identity in zip(retrieval.picked.tolist(), trace.ids[retrieval.picked].tolist(), strict=True)
            if identity in rows
        ]
        evidence = Evidence(
            retrieval=retrieval,
            reader=reader,
            params=trace.params,
            neighbours=lambda ids: beside(self.database, ids, rows, reader, request.asked_at),
            lines=lambda: tuple(line(rows[hit.id], request.asked_at) for hit in hits),
            sure=found.sure,
            against=found.contradictions.against(request.asked_at),
            missing=Missing(
                self.database,
                request,
                self.settings,
                trace,
                frozenset(hit.id for hit in hits),
                reader.columns.ids,
                found.hidden,
                found.then,
                reader.allowed,
                with_vector,
            ),
        )
        return SearchResult(hits, trace, evidence, found.contradictions.conflicts)

    def _space(self, connection: Connection, problems: list[str]) -> Space | None:
        """The space of the embedder, or that of given vectors; None, with the reason, when it has no stored vectors."""
        found = self.vectors.stored_space(connection)
        if found is None and self.vectors.embedder is not None:
            problems.append("the store has no vectors of this embedder yet; run maintain(['embed'])")
        return found

    def _graphs(
        self, connection: Connection, scope: ScopeRows, view: View, params: RetrievalParams
    ) -> Sequence[CognitiveGraphEngine] | None:
        """The graphs of another moment than the present; None for those of the blocks."""
        if view.as_of is None and view.known_at is None:
            return None
        at = view.now if view.as_of is None else view.as_of
        return self.mirror.graphs_then(connection, scope, _arcs(params), at, view.known_at)

    def _allowed(self, connection: Connection, request: SearchRequest, scope: ScopeRows) -> NDArray[np.bool_] | None:
        """Which rows the session, the kinds and the filters leave; None for all."""
        allowed: NDArray[np.bool_] | None = None
        if request.kinds is not None:
            codes = sorted(KIND_CODES[kind] for kind in request.kinds)
            allowed = np.isin(scope.column("kind"), codes)
        if request.scope.session_id is not None or request.filters:
            condition = filters.condition(dict(request.filters)) if request.filters else None
            rows = scope.rows_of(memories.matching_ids(connection, request.scope, condition))
            matching = np.zeros(len(scope), bool)
            matching[rows[rows >= 0]] = True
            allowed = matching if allowed is None else allowed & matching
        return None if allowed is None or allowed.all() else allowed


def _view(connection: Connection, request: SearchRequest, settings: Settings, scope: ScopeRows) -> View:
    """Where a request looks from, given the rows that are there today."""

    def micros(moment: datetime | None) -> int | None:
        return None if moment is None else to_micros(moment)

    known_at, then = micros(request.known_at), {}
    if known_at is not None:
        closed = scope.columns.ids[scope.column("closed_at") > known_at].tolist()
        then = stood_at(connection, [block.partition_id for block in scope.blocks], known_at, closed)
    return View(
        now=to_micros(request.now),
        as_of=micros(request.as_of),
        known_at=known_at,
        then=then,
        in_group=request.channel is Channel.GROUP,
        include_dormant=request.include_dormant,
        kinds=request.kinds,
        retention_days=settings.retention_days,
    )


def _quoting(connection: Connection, request: SearchRequest, text: str) -> NDArray[np.int64]:
    """The ids of the scope's memories whose content has a text letter by letter."""
    contained = filters.condition({"content": {"contains": text.strip()}})
    return memories.matching_ids(connection, request.scope, contained)


def _arcs(params: RetrievalParams) -> ArcWeights:
    return ArcWeights(
        params.spread_answer_weight,
        params.spread_next_weight,
        params.spread_previous_weight,
        params.spread_mention_weight,
        params.spread_max_degree,
    )


def _hit(row: MemoryRow, score: float, signals: Mapping[str, float]) -> Hit:
    return Hit(
        id=row.id,
        content=row.content,
        kind=row.kind,
        score=score,
        user_id=row.partition.user_id,
        session_id=row.session_id,
        speaker=row.speaker,
        event_time=row.event_time,
        importance=row.base_importance,
        metadata=row.metadata,
        source_ref=row.source_ref,
        signals=signals,
    )
