"""One file that all owners share, and an ear for all that is said."""

import logging

import pytest
from isolation_secrets import AGENTS, NOW, SCOPES, fill


@pytest.fixture(scope="module")
def stores(tmp_path_factory, rooms):
    """The memories by agent, all on one file, and the ids by owner; also with room for no partition."""
    path = tmp_path_factory.mktemp("isolation") / "all.db"
    opened = {
        agent: rooms.memory(path, agent_id=agent, embedder="hashing", clock=lambda: NOW, durability="relaxed")
        for agent in AGENTS
    }
    ids = {(agent, user): fill(opened[agent], agent, user) for agent, user in SCOPES}
    yield opened, ids
    for memory in opened.values():
        memory.close()


@pytest.fixture
def heard(caplog):
    """Collects all that calls say: what they return, what they raise, what they log."""
    caplog.set_level(logging.DEBUG)
    said = []

    def hear(call):
        try:
            value = call()
        except Exception as error:  # noqa: BLE001 - whatever is raised is looked at
            said.append(f"{type(error).__name__} {error} {error.__cause__!r} {error.__context__!r}")
            return None
        parts = value if isinstance(value, list) else [value]
        said.extend(repr(part) for part in parts)
        said.extend(repr(part.to_dict()) for part in parts if hasattr(part, "to_dict"))
        return value

    hear.text = lambda: "\n".join([*said, caplog.text]).lower()
    return hear
