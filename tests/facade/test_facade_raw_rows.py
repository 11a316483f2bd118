"""A row that a hand made extreme takes no other row down."""

import sqlite3
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memcore import CorruptDatabaseError, Memory

DEEP = '{"a":' * 450 + "1" + "}" * 450
LONG = '{"a":' + "9" * 8000 + "}"
NOW = datetime(2026, 5, 8, tzinfo=timezone(timedelta(hours=-8)))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.db"
    with Memory(path, embedder="none") as memory:
        for text in ("a red boat", "a red house"):
            memory.add(text, session_id="s", event_time=datetime(2026, 5, 1, tzinfo=UTC))
    return path


def edit(path, statement, *values):
    by_hand = sqlite3.connect(path)
    by_hand.execute(statement, values)
    by_hand.commit()
    by_hand.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("access_count", 3_000_000_000),
        ("event_time", 2**63 - 1),
        ("event_time", -(2**63)),
        ("metadata", DEEP),
        ("metadata", LONG),
        ("id", 0),
        ("id", -5),
        ("position", 2**63 - 1),
    ],
)
def test_a_search_finds_the_others_whatever_one_row_holds(path, column, value):
    if column == "id":
        edit(
            path,
            "INSERT INTO memory (id, agent_id, kind, content, event_time, recorded_at, updated_at) SELECT ?,"
            " agent_id, kind, 'a red hat', 0, 0, 0 FROM memory WHERE id = 1",
            value,
        )
    else:
        edit(path, f"UPDATE memory SET {column} = ? WHERE id = 2", value)
    with Memory(path, embedder="none") as memory:
        assert 1 in [hit.id for hit in memory.search("red", now=NOW)]
        assert "boat" in str(memory.search("red", now=NOW).context())
        assert 1 in [one.id for one in memory.get_all().items]


@pytest.mark.parametrize("metadata", [DEEP, LONG])
def test_a_memory_with_unreadable_metadata_can_be_mended_or_deleted(path, metadata):
    edit(path, "UPDATE memory SET metadata = ? WHERE id = 2", metadata)
    with Memory(path, embedder="none") as memory:
        with pytest.raises(CorruptDatabaseError):
            memory.get(2)
        memory.update(2, metadata={"a": 1})
        assert memory.get(2).metadata == {"a": 1}
        memory.delete(2)
        assert [hit.id for hit in memory.search("red", now=NOW)] == [1]


@pytest.mark.parametrize("seq", ["abc", 2**63 - 1])
def test_where_no_id_can_follow_an_add_says_so(path, seq):
    edit(path, "UPDATE sqlite_sequence SET seq = ? WHERE name = 'memory'", seq)
    with Memory(path, embedder="none") as memory:
        with pytest.raises(CorruptDatabaseError, match="last id"):
            memory.add("a red hat")
        assert len(memory.search("red", now=NOW)) == 2


def test_doctor_names_a_row_whose_id_is_none(path):
    edit(
        path,
        "INSERT INTO memory (id, agent_id, kind, content, event_time, recorded_at, updated_at)"
        " SELECT -5, agent_id, kind, 'a red hat', 0, 0, 0 FROM memory WHERE id = 1",
    )
    with Memory(path, embedder="none") as memory:
        assert any("-5" in check.detail for check in memory.doctor().checks)
