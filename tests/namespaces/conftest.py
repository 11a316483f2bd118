"""A memory by words alone, whose clock stands until it is told to go on."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Clock:
    """Answers with `now`."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def passes(self, **time):
        self.now += timedelta(**time)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def opened(path, clock):
    """Opens a memory on the one file; all are closed at the end."""
    memories = []

    def open_memory(**given):
        memories.append(Memory(path, embedder="none", durability="relaxed", clock=clock, **given))
        return memories[-1]

    yield open_memory
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened):
    return opened()


@pytest.fixture
def by_hand(path, memory):  # noqa: ARG001 - it makes the file
    """Another connection to the same file, as an SQL shell would open it."""
    from memcore.storage.driver import sqlite_driver

    connection = sqlite_driver().connect(str(path), isolation_level=None, timeout=10)
    yield connection
    connection.close()
