"""Memories at a fixed moment, whose searches may be recorded."""

import pytest
from learning_lives import Clock, fill

from memcore import Memory
from memcore.embedding import HashingEmbedder


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(tmp_path, clock):
    """Opens memories on one database, and closes them at the end."""
    made = []

    def open_memory(**given):
        memory = Memory(tmp_path / "agent.db", **{"embedder": HashingEmbedder(64), "clock": clock} | given)
        made.append(memory)
        return memory

    yield open_memory
    for memory in made:
        memory.close()


@pytest.fixture
def memory(opened):
    memory = opened()
    fill(memory)
    return memory


@pytest.fixture
def traced(memory):
    fill(memory, "bo")
    memory.tuning.record()
    return memory
