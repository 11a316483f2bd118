"""A row that a hand made extreme takes no other row down."""

import json
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
    by_hand.execute("PRAGMA ignore_check_constraints = ON")
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


DAMAGED = {
    "kind": "mood",
    "origin": "nowhere",
    "tags": '["a", null]',
    "metadata": '{"a": NaN}',
    "importance": float("inf"),
    "base_importance": float("-inf"),
}


@pytest.mark.parametrize("column", DAMAGED)
def test_a_damaged_column_hides_its_row_from_searches_and_a_page_shows_what_can_be_read(path, column):
    edit(path, f"UPDATE memory SET {column} = ? WHERE id = 2", DAMAGED[column])
    with Memory(path, embedder="none") as memory:
        assert [hit.id for hit in memory.search("red", now=NOW)] == [1]
        assert "house" not in memory.context("red", now=NOW)
        assert memory.why_not(2, "red", now=NOW).reason == "damaged"
        with pytest.raises(CorruptDatabaseError, match=r"^memory 2: .* restore it from a backup"):
            memory.get(2)
        page = memory.get_all()
        assert [(one.id, one.content, one.intact) for one in page] == [
            (1, "a red boat", True),
            (2, "a red house", False),
        ]
        memory.relate(1, 2)
        assert {node.id: node.intact for node in memory.graph(1).nodes} == {1: True, 2: False}
        assert not memory.doctor().ok
        memory.delete(2)
        assert [one.id for one in memory.get_all()] == [1]


def test_a_page_shows_a_kind_and_an_origin_that_are_none_as_they_stand_there(path):
    edit(path, "UPDATE memory SET kind = 'mood', origin = 'nowhere' WHERE id = 2")
    with Memory(path, embedder="none") as memory:
        record = memory.get_all()[1]
        assert (record.kind, record.origin) == ("mood", "nowhere")
        assert json.loads(json.dumps(record.to_dict()))["kind"] == "mood"


def test_a_memory_of_no_kind_gets_its_vector_like_any_other(path):
    edit(path, "UPDATE memory SET kind = 'mood' WHERE id = 2")
    with Memory(path, embedder="hashing") as memory:
        (report,) = memory.maintain(["embed"])
        assert (report.done, report.remaining) == (2, 0)


@pytest.mark.parametrize("change", ["type = 99", "type = -1", "strength = 9e999", "strength = -5"])
def test_what_is_no_edge_is_left_out_by_searches_graphs_and_counts(path, change):
    with Memory(path, embedder="none") as memory:
        memory.add("a red kite")
        memory.relate(1, 3)
        memory.relate(2, 3)
    edit(path, f"UPDATE edge SET {change} WHERE source_id = 1")
    with Memory(path, embedder="none") as memory:
        assert sorted(hit.id for hit in memory.search("red", now=NOW)) == [1, 2, 3]
        assert [(one.source_id, one.target_id) for one in memory.graph(3).edges if one.target_id == 3] == [(2, 3)]
        assert memory.stats().edges["associative"] == 1
        assert not memory.doctor().ok


@pytest.mark.parametrize("count", [0, -3])
def test_a_count_of_entities_named_together_that_is_none_is_left_out(path, count):
    with Memory(path, embedder="none") as memory:
        memory.add("a red kite", entities=["Bo", "Cy"])
    edit(path, "UPDATE cooccurrence SET count = ?", count)
    with Memory(path, embedder="none") as memory:
        assert 3 in [hit.id for hit in memory.search("the red of Bo", now=NOW)]


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
