"""A database in memory, and embedders that record what they are asked or fail."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
import pytest

from memcore.kinds import Embed
from memcore.storage.database import Database
from memcore.writing.messages import from_messages
from memcore.writing.proposal import from_call, from_item
from memcore.writing.vectors import VectorSource
from memcore.writing.write import write

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class RecordingEmbedder:
    """Vectors from the letters of a text; remembers every text, and fails while `error` is set."""

    name: str = "letters"
    dimension: int = 26
    asked: list[list[str]] = field(default_factory=list)
    error: Exception | None = None

    def embed(self, texts, *, query=False):
        del query
        self.asked.append(list(texts))
        if self.error is not None:
            raise self.error
        rows = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    row[ord(letter) - ord("a")] += 1.0
        return rows


@dataclass
class Store:
    """What the facade will do with the functions under test, for agent `a`."""

    database: Database
    embedder: RecordingEmbedder | None
    now: datetime = NOW
    agent_id: str = "a"

    def __post_init__(self):
        self.vectors = VectorSource(self.embedder)

    def add(self, content, *, embed=Embed.NOW, **given):
        if isinstance(content, list):
            return self.write(from_messages(content, agent_id=self.agent_id, **given), embed)
        return self.write([from_call(content, agent_id=self.agent_id, **given)], embed)

    def add_many(self, items, embed=Embed.NOW):
        return self.write([from_item(item, at, agent_id=self.agent_id) for at, item in enumerate(items)], embed)

    def write(self, proposals, embed=Embed.NOW):
        return write(self.database, proposals, vectors=self.vectors, now=self.now, embed=embed)

    def rows(self, query, *parameters):
        with self.database.read() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query, parameters)]

    def one(self, query, *parameters):
        [[value]] = self.rows(query, *parameters)
        return value


@pytest.fixture
def database(tmp_path):
    with Database(str(tmp_path / "memory.db"), durability="relaxed") as opened:
        yield opened


@pytest.fixture
def store(database):
    return Store(database, RecordingEmbedder())


@pytest.fixture
def wordless(database):
    """A store without an embedder."""
    return Store(database, None)


@pytest.fixture
def store_of(tmp_path):
    """Makes stores, each in a file of its own name, without an embedder."""
    with ExitStack() as opened:
        yield lambda name: Store(opened.enter_context(Database(tmp_path / f"{name}.db", durability="relaxed")), None)
