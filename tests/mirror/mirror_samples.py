"""A store that is written through the facade and by hand, and what a mirror shows of it."""

from datetime import UTC, datetime, timedelta

import numpy as np

from memcore import Memory
from memcore.errors import MemcoreError
from memcore.mirror.agent import AgentMirror
from memcore.mirror.graphs import ArcWeights
from memcore.mirror.lives import LIFE_DTYPES
from memcore.mirror.reader import MirrorReader
from memcore.params import RetrievalParams
from memcore.scope import read_scope

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AGENT = "agent"
ARCS = ArcWeights(0.65, 0.15, 0.2, 0.2)
PARAMS = RetrievalParams(concept_max_share=0.5)
WORDS = ("lisbon", "tea", "cello", "harbour", "garden", "radio", "上海", "喝酒", "猫", "mountain", "invoice", "violin")
NAMES = ("Ana", "Bob", "Lin", "王伟明", "Ana Maria", "伟明", "Joe", "Max", "Eve", "Ida", "Tom", "Zoe")


class LettersEmbedder:
    """A vector from the characters of a text."""

    name = "letters"
    dimension = 16

    def embed(self, texts, *, query=False):
        del query
        rows = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, character in enumerate(text):
                row[(ord(character) * 7 + place % 3) % self.dimension] += 1.0
        return rows


def open_memory(**given):
    return Memory(":memory:", **{"agent_id": AGENT, "embedder": LettersEmbedder(), "clock": lambda: NOW} | given)


def sql(memory, statement, *parameters):
    """One statement, as an SQL shell would run it; what the schema refuses is not done."""
    try:
        with memory._database.write() as connection:
            connection.exec_driver_sql(statement, parameters)
    except MemcoreError:
        return False
    return True


def ids_of(memory, where="1"):
    with memory._database.read() as connection:
        return [row[0] for row in connection.exec_driver_sql(f"SELECT id FROM memory WHERE {where} ORDER BY id")]


def a_mirror(limit=1 << 30):
    return AgentMirror(AGENT, limit)


def reader_of(memory, mirror, connection, users, arcs=ARCS):
    space = memory._calls.store.vectors.stored_space(connection)
    mirror.follow(connection, space)
    scope = mirror.scope(connection, read_scope(AGENT, users), arcs)
    return MirrorReader(mirror, scope, space, None)


def relabelled(codes):
    """Codes as the number of the code that first came before."""
    seen = {-1: -1}
    return [seen.setdefault(code, len(seen)) for code in codes.tolist()]


def view(memory, mirror, connection, users, arcs=ARCS):
    """Everything that a search could see through a mirror, as plain values."""
    reader = reader_of(memory, mirror, connection, users, arcs)
    columns, scope = reader.columns, reader._scope
    entities = ids_of_kind(connection, "entity")
    seeds = np.unique(np.concatenate([columns.ids[::3], np.array(entities[::2], np.int64)])).astype(np.int64)
    energies = (1.0 / (1.0 + np.arange(len(seeds)))).astype(np.float32)
    query = np.ones(16, np.float32) / 4.0
    cosines = reader.cosines(query)
    walk = reader.spread(seeds, energies, PARAMS)
    atoms, topics = reader.atoms(PARAMS), reader.topics(PARAMS)
    return {
        "ids": columns.ids.tolist(),
        "event_time": columns.event_time.tolist(),
        "session": relabelled(columns.session),
        "speaker": relabelled(columns.speaker),
        "importance": columns.importance.tolist(),
        "access_count": columns.access_count.tolist(),
        "kind": scope.column("kind").tolist(),
        "lives": [scope.column(name).tolist() for name in LIFE_DTYPES],
        "unseen": scope.unseen.tolist(),
        "bm25": [reader.lexical([word], PARAMS).tolist() for word in (*WORDS, "ana", "now", "edited")],
        "cosines": None if cosines is None else np.nan_to_num(cosines, nan=-9.0).tolist(),
        "spread": list(zip(walk.ids.tolist(), walk.values.tolist(), strict=True)),
        "mentions": {key: reader.mentioning(key).tolist() for key in entities},
        "companions": {key: reader.entity_neighbours(key, PARAMS) for key in entities},
        "named": reader.named_in("Ana Maria、伟明 and Bob met 王伟明 and Renamed, alias of Lin, Joe"),
        "concept companions": reader.concept_neighbours(WORDS, PARAMS),
        "concept mass": [column.tolist() for column in reader.concept_mass(WORDS, PARAMS)],
        "atoms": (atoms.names, atoms.of_concepts, atoms.matrix.tolist()),
        "topics": None if topics is None else topics.h.tolist(),
        "speakers": bool(reader.speaker_codes(entities)),
    }


def ids_of_kind(connection, kind):
    rows = connection.exec_driver_sql(
        "SELECT id FROM memory WHERE kind = ? AND agent_id = ? ORDER BY id", (kind, AGENT)
    )
    return [row[0] for row in rows]


def minutes(count):
    return NOW + timedelta(minutes=count)
