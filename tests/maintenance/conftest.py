"""A store whose texts still wait for their vectors."""

from datetime import UTC, datetime

import numpy as np
import pytest

from memcore.kinds import Embed
from memcore.maintenance.work import Work
from memcore.storage.database import Database
from memcore.writing.proposal import from_call
from memcore.writing.vectors import VectorSource
from memcore.writing.write import write

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class PickyEmbedder:
    """Vectors of ones, except for a request that holds a text of `refused`, or once `answers` have been given."""

    name = "picky"
    dimension = 8

    def __init__(self):
        self.refused = set()
        self.answers = 10_000
        self.sizes = []

    def embed(self, texts, *, query=False):
        del query
        self.sizes.append(len(texts))
        if self.refused & set(texts):
            raise ValueError(f"cannot read {texts}")
        if self.answers == 0:
            raise ConnectionError("down")
        self.answers -= 1
        return np.ones((len(texts), self.dimension), np.float32)


class Waiting:
    """A database of agent `a` with an embedder, texts stored for later, and the job on it."""

    def __init__(self, database):
        self.database = database
        self.embedder = PickyEmbedder()
        self.steps = []

    def store(self, texts, *, agent_id="a", **given):
        proposals = [from_call(text, agent_id=agent_id, batch=at, **given) for at, text in enumerate(texts)]
        return write(self.database, proposals, vectors=VectorSource(self.embedder), now=NOW, embed=Embed.LATER).ids

    def work(self, agent_id="a", embedder=...):
        chosen = self.embedder if embedder is ... else embedder
        return Work(self.database, agent_id, VectorSource(chosen), NOW, lambda *step: self.steps.append(step))

    def rows(self, query):
        with self.database.read() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

    def count(self, table):
        return self.rows(f"SELECT count(*) FROM {table}")[0][0]


@pytest.fixture
def waiting(tmp_path):
    with Database(str(tmp_path / "memory.db"), durability="relaxed") as database:
        yield Waiting(database)


@pytest.fixture
def now():
    return NOW
