"""An id that another program, or an older copy of the file, gave to somebody else's memory leaks nothing."""

from datetime import UTC, datetime

import pytest

from memcore import Memory
from memcore.storage.driver import sqlite_driver

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
INSERTED = "id, agent_id, user_id, kind, content, event_time, recorded_at, updated_at"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.db"


@pytest.fixture
def memory(path, rooms):
    with rooms.memory(path, embedder="none", durability="relaxed", clock=lambda: NOW) as opened:
        opened.add("Ana has a tent and a boat.", user_id="ana", entities=["Ana"])
        opened.add("Ana has a second tent.", user_id="ana")
        opened.add("Bob has a kayak.", user_id="bob")
        opened.relate(2, 3)
        assert len(opened.search("tent", user_id="ana")) == 2
        assert len(opened.search("kayak", user_id="bob")) == 1
        yield opened


def by_another_program(path, *statements, recursive_triggers=False):
    connection = sqlite_driver().connect(str(path), isolation_level=None)
    connection.execute(f"PRAGMA recursive_triggers = {recursive_triggers}")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def replaced(identity, user, content, kind="event"):
    values = f"{identity}, 'default', {user}, '{kind}', '{content}', 3, 3, 3"
    return f"INSERT OR REPLACE INTO memory ({INSERTED}) VALUES ({values})"


def everything(memory, identity, user):
    """All that a user of a store can be shown around an id."""
    hits = memory.search("tent boat second", user_id=user, now=NOW)
    shown = [repr(list(hits)), hits.context(), repr(hits.trace.to_dict())]
    nodes = memory.get_all(user_id=user, kinds=["event"])
    shown += [repr(memory.graph(node.id, 6, user_id=user)) for node in nodes if node.id != identity]
    return "".join(shown)


@pytest.mark.parametrize("recursive_triggers", [False, True])
@pytest.mark.parametrize("identity", [2, 3])
def test_a_memory_replaced_by_one_of_another_user_is_not_shown_to_the_first(path, memory, identity, recursive_triggers):
    secret = replaced(identity, "'bob'", "Bob hides a tent in a SECRET place.")
    by_another_program(path, secret, recursive_triggers=recursive_triggers)
    assert "SECRET" not in everything(memory, identity, "ana")
    assert any("SECRET" in hit.content for hit in memory.search("tent", user_id="bob"))
    assert identity not in [hit.id for hit in memory.search("tent boat", user_id="ana")]
    with Memory(path, embedder="none") as fresh:
        for user in ("ana", "bob", ["ana", "bob"]):
            mine = [(hit.id, hit.content, hit.score) for hit in memory.search("tent boat", user_id=user, now=NOW)]
            assert mine == [
                (hit.id, hit.content, hit.score) for hit in fresh.search("tent boat", user_id=user, now=NOW)
            ]


def test_an_entity_replaced_by_a_text_of_another_user_is_no_name(path, memory):
    entity = next(iter(memory.get_all(user_id="ana", kinds=["entity"]))).id
    by_another_program(path, replaced(entity, "'bob'", "SECRET tent"))
    assert "SECRET" not in everything(memory, entity, "ana")
    assert "SECRET" not in repr(memory.search("What about the SECRET tent?", user_id="ana").trace.to_dict()["steps"])


def test_a_memory_that_was_replaced_away_leaves_its_place_to_others(path, memory):
    by_another_program(
        path,
        "UPDATE memory SET idempotency_key = 'k' WHERE id = 2",
        f"INSERT OR REPLACE INTO memory ({INSERTED}, idempotency_key)"
        " VALUES (900, 'default', 'ana', 'event', 'a third tent', 3, 3, 3, 'k')",
    )
    memory.add("A tent.", user_id="ana")
    with Memory(path, embedder="none") as fresh:
        expected = [hit.content for hit in fresh.search("second tent", user_id="ana", now=NOW)]
    assert [hit.content for hit in memory.search("second tent", user_id="ana", now=NOW)] == expected
    assert "a third tent" in expected


def overwritten_by(path, older):
    """The pages of another file in the place of this one's, as SQLite's own backup writes them."""
    source, target = sqlite_driver().connect(str(older)), sqlite_driver().connect(str(path))
    source.backup(target)
    source.close()
    target.close()


@pytest.mark.parametrize("later", [0, 1, 5])
def test_an_older_copy_in_which_the_ids_were_given_again_is_noticed(path, memory, tmp_path, later):
    memory.backup(tmp_path / "older.db")
    lost = memory.add_many([{"content": f"a lost tent {at}", "user_id": "ana"} for at in range(3)]).ids
    assert len(memory.search("lost", user_id="ana")) == 3
    overwritten_by(path, tmp_path / "older.db")
    with Memory(path, embedder="none", durability="relaxed") as other:
        given = other.add_many([{"content": f"a SECRET boat {at}", "user_id": "bob"} for at in range(3)]).ids
        for at in range(later):
            other.add(f"a later boat {at}", user_id="bob")
    assert given == lost
    assert [hit.content for hit in memory.search("lost", user_id="ana")] == []
    assert "SECRET" not in everything(memory, None, "ana")
    assert len(memory.search("SECRET", user_id="bob")) == 3


def test_an_older_copy_in_which_the_same_was_stored_again_for_the_same_user_is_noticed(path, memory, tmp_path):
    memory.backup(tmp_path / "older.db")
    memory.add("a lost tent", user_id="ana")
    assert len(memory.search("lost", user_id="ana")) == 1
    overwritten_by(path, tmp_path / "older.db")
    with Memory(path, embedder="none", durability="relaxed") as other:
        other.add("a found boat", user_id="ana")
    assert [hit.content for hit in memory.search("lost", user_id="ana")] == []
    assert len(memory.search("found", user_id="ana")) == 1
