"""A scope of a few arrays, for trying the steps on."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from memcore.params import RetrievalParams
from memcore.pipeline.reader import Ages, Atoms, Columns, Walk
from memcore.pipeline.retrieval import Anchors, Energies, Pool, Query, Retrieval

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = 86_400.0
PARAMS = RetrievalParams()
NONE = np.empty(0, np.int64)


def but(**changes):
    return RetrievalParams(**changes)


@dataclass
class FakeReader:
    """`size` memories with the ids 101, 102, …; a test sets what it needs."""

    size: int = 6
    allowed: object = None
    quotes: object = field(default_factory=lambda: NONE)
    seconds: object = None
    session: object = None
    speaker: object = None
    importance: object = None
    uses: object = None
    asks: object = None
    holds: object = None
    lengths: object = None
    words: dict = field(default_factory=dict)
    bm25: object = None
    cosine: object = None
    floor: float = 0.3
    base_of_chance: object = None
    spread_of_chance: object = None
    retained: object = None
    age: Ages | None = None
    names: tuple = ()
    mentions: dict = field(default_factory=dict)
    speakers: frozenset = frozenset()
    unit: object = None
    walk: Walk = field(default_factory=lambda: Walk(NONE, np.empty(0)))
    mass: Walk = field(default_factory=lambda: Walk(NONE, np.empty(0)))
    concept_share: tuple = (NONE, np.empty(0))
    atom: Atoms = field(default_factory=lambda: Atoms((), np.empty((0, 4), np.float32), of_concepts=True))
    factors: object = None
    companions: dict = field(default_factory=dict)
    concepts: dict = field(default_factory=dict)
    concept_holders: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)

    @property
    def columns(self):
        def given(values, other, dtype):
            return np.full(self.size, other, dtype) if values is None else np.array(values, dtype)

        return Columns(
            ids=np.arange(101, 101 + self.size),
            event_time=given(self.seconds, NOW.timestamp(), np.float64),
            session=given(self.session, -1, np.int32),
            speaker=given(self.speaker, -1, np.int32),
            importance=given(self.importance, 5, np.float32),
            access_count=given(self.uses, 0, np.int32),
            question=given(self.asks, 0, bool),
            holds=given(self.holds, 0, np.uint8),
        )

    def newest(self):
        times = self.columns.event_time
        times = times if self.allowed is None else times[self.allowed]
        return times.max() if len(times) else None

    def quoting(self, text):
        del text
        return self.quotes

    def rows_of(self, ids):
        rows = np.where((ids > 100) & (ids <= 100 + self.size), ids - 101, -1)
        if self.allowed is None or not len(ids):
            return rows
        return np.where((rows >= 0) & self.allowed[rows], rows, -1)

    def named_in(self, text):
        self.asked.append(text)
        return self.names

    def speaker_codes(self, entity_ids):
        self.asked.append(tuple(entity_ids))
        return self.speakers

    def lexical(self, terms, params):
        del params
        return np.array(self.bm25, float) if terms and self.bm25 is not None else np.zeros(self.size)

    def lexical_at(self, terms, rows, params):
        return self.lexical(terms, params)[rows]

    def telling(self, rows, weights, known, *, most_shared, limit):
        sums = {}
        for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
            for term in self.words.get(row, set()) - set(known):
                sums[term] = sums.get(term, 0.0) + weight
        found = {}
        for term, weight in sums.items():
            holders = sum(term in held for held in self.words.values())
            if 1 < holders <= most_shared * self.size:
                found[term] = weight * np.log1p(self.size / (1 + holders))
        return sorted(found, key=lambda term: (-found[term], term))[:limit]

    def holding(self, terms, rows):
        bits = [sum(1 << bit for bit, term in enumerate(terms) if row in self.concept_rows(term)) for row in rows]
        return np.array(bits, np.uint64)

    def document_frequencies(self, terms):
        return np.array([sum(term in held for held in self.words.values()) for term in terms], float)

    def expanded(self, terms):
        return tuple(terms)

    def cosines(self, vector):
        self.asked.append(vector)
        return None if self.cosine is None else np.array(self.cosine, float)

    def dense_floor(self, params):
        del params
        return self.floor

    def dense_base(self):
        return self.base_of_chance

    def dense_spread(self):
        return self.spread_of_chance

    def mentioning(self, entity_id):
        return np.array(self.mentions.get(entity_id, ()), np.int64)

    def naming(self, entity):
        return self.mentioning(entity.id)

    def retention(self, rows, moment):
        self.asked.append(moment)
        return np.ones(len(rows)) if self.retained is None else np.array(self.retained, float)[rows]

    def relative_lengths(self, rows):
        return np.zeros(len(rows)) if self.lengths is None else np.array(self.lengths, float)[rows]

    def beside(self, rows, step):
        sessions, moved = self.columns.session, rows + step
        there = (rows >= 0) & (moved >= 0) & (moved < self.size)
        same = there & (sessions[rows] >= 0) & (sessions[np.where(there, moved, 0)] == sessions[rows])
        return np.where(same, moved, -1)

    def ages(self, rows, moment):
        self.asked.append(moment)
        unknown = Ages(np.zeros(self.size), np.zeros(self.size), np.full(self.size, 45.0), np.zeros(self.size, bool))
        age = unknown if self.age is None else self.age
        return Ages(*(np.array(column)[rows] for column in age))

    def vectors(self, rows):
        return np.zeros((len(rows), 2), np.float32) if self.unit is None else np.array(self.unit, np.float32)[rows]

    def spread(self, ids, energies, params):
        del params
        self.asked.append((ids.tolist(), energies.tolist()))
        return self.walk

    def pagerank(self, ids, weights, params):
        del ids, weights, params
        return self.mass

    def concept_mass(self, terms, params):
        del terms, params
        return self.concept_share

    def atoms(self, params):
        del params
        return self.atom

    def topics(self, params):
        del params
        return self.factors

    def entity_neighbours(self, entity_id, params):
        del params
        return self.companions.get(entity_id, ())

    def concept_neighbours(self, terms, params):
        del params
        return tuple(self.concepts.get(term, ()) for term in terms)

    def concept_rows(self, concept):
        return np.array(self.concept_holders.get(concept, ()), np.int64)


def asked(text="Where does Ana live?", *, limit=3, vector=None, now=NOW, **known):
    """A retrieval on its way; `pool` as {row: relevance}."""
    pool = known.pop("pool", None)
    unit = None if vector is None else np.array(vector, np.float32)
    start = Retrieval(Query(text, limit, now, unit))
    if "energies" in known:
        ids, values = zip(*known["energies"].items(), strict=True)
        known["energies"] = Energies(np.array(ids, np.int64), np.array(values))
    if pool is not None:
        rows = np.array(sorted(pool), np.int64)
        size = known.pop("size", 6)
        relevance = np.zeros(size)
        relevance[rows] = [pool[row] for row in sorted(pool)]
        known = {"relevance": relevance} | known | {"pool": Pool(rows).filled("relevance", relevance)}
    return start.but(**known)


def anchored(*entities, **given):
    return Anchors(entities=entities, **given)


def walked(**energy):
    """A walk by id, such as `walked(m101=.5)`, largest energy first."""
    pairs = sorted(((int(key[1:]), value) for key, value in energy.items()), key=lambda one: (-abs(one[1]), one[0]))
    return Walk(np.array([key for key, _ in pairs], np.int64), np.array([value for _, value in pairs], float))


def rows_and(signal, retrieval):
    return dict(zip(retrieval.pool.rows.tolist(), retrieval.pool.signal(signal).tolist(), strict=True))
