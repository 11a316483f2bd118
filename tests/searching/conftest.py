from datetime import UTC, datetime

import pytest

from memcore import Memory
from memcore.embedding import HashingEmbedder

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def memory():
    with Memory(":memory:", agent_id="agent", embedder=HashingEmbedder(64), clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def filled(memory):
    """Ids 1 to 6: turns of Ana and Bob in two sessions, a fact, and a shared memory; entities come first."""
    memory.add(
        [
            {"role": "user", "name": "Ana", "content": "Where is the cello?"},
            {"role": "assistant", "name": "Bob", "content": "In the garden, under the old tree."},
            {"role": "user", "name": "Ana", "content": "Thanks!"},
        ],
        user_id="ana",
        session_id="s",
    )
    memory.add("Ana plays the cello in Lisbon.", user_id="ana", kind="fact", importance=8, tags=["music"])
    memory.add("The cello shop opens at nine.")
    memory.add("Bob repairs a cello.", user_id="bob", session_id="s")
    return memory
