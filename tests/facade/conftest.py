"""Memories by words alone, or with the stand-in embedder, at a fixed moment; and all that a store holds."""

import pytest
from facade_answers import NOW

from memcore import Memory


def everything(memory):
    """Every row of every table, as the store holds it."""
    with memory._database.read() as connection:
        names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return {
            name: [tuple(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"').fetchall()]
            for (name,) in names.fetchall()
        }


@pytest.fixture
def everything_in():
    return everything


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def opened(path):
    """Opens a memory on one file (or where `database` says); all are closed at the end."""
    memories = []

    def open_memory(database=None, *, embedder="none", durability="relaxed", clock=lambda: NOW, **given):
        memories.append(
            Memory(
                path if database is None else database, embedder=embedder, durability=durability, clock=clock, **given
            )
        )
        return memories[-1]

    yield open_memory
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened):
    """A memory without an embedder."""
    return opened()


def texts(hits):
    return [hit.content for hit in hits]


@pytest.fixture(name="texts")
def _texts():
    return texts
