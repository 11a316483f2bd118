"""Two users of each of three agents and what they share: every row has secret words of its owner."""

from datetime import UTC, datetime
from itertools import product

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AGENTS = ("north", "south", "south.east")
USERS = ("john_doe", "john-doe", None)
FIELDS = ("content", "speaker", "entity", "alias", "tag", "meta", "session", "source", "key")
SCOPES = list(product(AGENTS, USERS))


def secret(agent, user, field):
    """The secret word of one field of one owner; all of them begin with the same letters."""
    return f"zq{field}{AGENTS.index(agent)}x{USERS.index(user)}"


def secrets(agents, users):
    return {secret(agent, user, field) for agent, user, field in product(agents, users, FIELDS)}


def others(agent, users):
    """Every secret word that a reader of this agent, as these users, must never meet."""
    return secrets(AGENTS, USERS) - secrets([agent], [*users, None])


def fill(memory, agent, user):
    """Two linked memories, a conversation and an entity of one owner."""
    word = lambda field: secret(agent, user, field)
    ids = memory.add_many(
        {
            "content": f"The budget number {number} is kept by {word('content')}",
            "user_id": user,
            "entities": [{"name": word("entity"), "aliases": [word("alias")]}, "budget"],
            "tags": [word("tag")],
            "metadata": {"place": word("meta"), word("meta"): 1},
            "source_ref": word("source"),
            "idempotency_key": f"{word('key')} {number}",
        }
        for number in range(3)
    ).ids
    turns = [{"role": "user", "name": word("speaker"), "content": f"What is the budget of {word('content')}?"}] * 3
    ids += memory.add(turns, user_id=user, session_id=word("session")).ids
    memory.relate(ids[0], ids[1])
    memory.mark_used(ids[:2])
    return ids
