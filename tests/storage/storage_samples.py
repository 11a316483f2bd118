"""Memories, vectors and a database to try the storage on."""

from datetime import UTC, datetime, timedelta

import numpy as np

from memcore.kinds import Kind, Origin
from memcore.scope import Partition
from memcore.storage.rows import NewMemory

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
ANA = Partition("agent", "ana")
BOB = Partition("agent", "bob")
SHARED = Partition("agent", None)


def a_memory(content="Ana moved to Lisbon.", partition=ANA, **changes):
    fields = {
        "kind": Kind.EVENT,
        "tokens": " ".join(content.lower().split()),
        "origin": Origin.USER,
        "importance": 5.0,
        "event_time": NOON,
        "recorded_at": NOON,
    }
    return NewMemory(partition=partition, content=content, **(fields | changes))


def minutes(count):
    return NOON + timedelta(minutes=count)


def some_vectors(count, dimension=16, seed=1):
    return np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
