"""Memories that are stored together are stored as if they had come one after the other."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memcore.storage.memory_rows import INSERT
from memcore.storage.plain import plain_insert, plain_rows, plain_run

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

SPEAKERS = ("Ana", "Bo", "user", None)
TABLES = {
    "memory": "*",
    "memory_vector": "*",
    "mention": "*",
    "entity": "*",
    "entity_alias": "*",
    "cooccurrence": "*",
    "edge": "*",
    "claim": "*",
    "event_detail": "*",
    "fact_detail": "*",
    "partition": "*",
    "operation": "partition_id, action, recorded_at, reason, source_ref",
    "operation_change": "memory_id, changed_table, row_key, before, after",
}


def turns(count):
    """Messages of several users and sessions, which take turns."""
    return [
        {
            "content": f"{'Tea on 8 May' if at % 3 else '今天喝茶'}, cup {at}",
            "kind": "turn",
            "user_id": ("ana", "bo", None)[at % 5 % 3],
            "session_id": f"s{at % 7}" if at % 11 else None,
            "speaker": SPEAKERS[at % 4],
            "event_time": NOW - timedelta(hours=at),
            "embedding": np.arange(1, 27, dtype=np.float32) + at,
            "tags": ["cup"] if at % 2 else [],
        }
        for at in range(count)
    ]


def said(count):
    """Events and facts, some of which say what an earlier one does."""
    return [
        {
            "content": f"The kettle of house {at % 40} is blue.",
            "kind": "fact" if at % 4 == 0 else "event",
            "user_id": ("ana", "bo")[at % 2],
            "embedding": np.arange(1, 27, dtype=np.float32) + at % 40,
            "importance": at % 10,
        }
        for at in range(count)
    ]


def of_a_source(items):
    """The same, each two under one key."""
    return [{**item, "source_ref": f"file {at}", "idempotency_key": f"key {at // 2}"} for at, item in enumerate(items)]


def told(store, entities_last):
    """What the tables hold. Entities are stored after the texts of a batch: where that differs, without their ids."""
    found = {table: store.rows(f"SELECT {columns} FROM {table} ORDER BY 1, 2") for table, columns in TABLES.items()}
    if not entities_last:
        return found
    names = dict(store.rows("SELECT id, content FROM memory WHERE kind = 'entity'"))
    texts = store.rows("SELECT content, user_id, session_id, position, tokens FROM memory WHERE kind <> 'entity'")
    spoken = store.rows("SELECT m.content, n.entity_id FROM mention AS n JOIN memory AS m ON m.id = n.memory_id")
    chain = store.rows("SELECT m.content, p.content FROM memory AS m JOIN memory AS p ON p.id = m.prev_id")
    back = store.rows("SELECT n.content, m.content FROM memory AS m JOIN memory AS n ON n.id = m.next_id")
    assert sorted(chain) == sorted(back)
    return [sorted(texts, key=repr), sorted((text, names[one]) for text, one in spoken), sorted(chain)]


@pytest.mark.parametrize("count", [1, 24, 25, 26, 120])
@pytest.mark.parametrize("kind", [turns, said])
def test_a_batch_is_stored_as_its_items_one_by_one(store_of, kind, count):
    together, alone = store_of("together"), store_of("alone")
    items = kind(count)
    added = together.add_many(items)
    singly = [alone.add_many([item])[0] for item in items]
    spoken = kind is turns
    assert [(one.kind, one.outcome, one.reason.split(";")[0]) for one in added] == [
        (one.kind, one.outcome, one.reason.split(";")[0]) for one in singly
    ]
    assert told(together, spoken) == told(alone, spoken)


def test_what_was_stored_under_a_key_is_stored_once_in_a_batch_too(store_of):
    together, alone = store_of("together"), store_of("alone")
    items = of_a_source(said(60))
    assert [one.outcome for one in together.add_many(items)] == [alone.add_many([item])[0].outcome for item in items]
    assert told(together, entities_last=False) == told(alone, entities_last=False)


def test_a_batch_that_the_database_refuses_in_the_middle_leaves_nothing(store_of):
    store = store_of("one")
    items = [{"content": f"cup {at}", "kind": "turn", "idempotency_key": f"key {at}"} for at in range(60)]
    store.add_many(items[:1])
    with store.database.write() as connection:
        refusal = "CREATE TRIGGER full AFTER INSERT ON memory WHEN NEW.content = 'cup 40'"
        plain_run(connection, f"{refusal} BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(Exception, match="no room"):
        store.add_many(items)
    assert store.one("SELECT count(*) FROM memory") == 1


@pytest.mark.parametrize("count", [0, 1, 24, 25, 49, 50, 51])
def test_rows_are_inserted_in_their_order_and_counted(database, count):
    with database.write() as connection:
        plain_run(connection, "CREATE TABLE cup (number INTEGER PRIMARY KEY, size TEXT, made INTEGER)")
        statement = "INSERT INTO cup (number, size, made) VALUES (?, ?, 7) ON CONFLICT DO NOTHING"
        assert plain_insert(connection, statement, ((at, "small") for at in range(count))) == count
        assert plain_insert(connection, statement, ((at // 2 + count, "large") for at in range(count))) == -(
            -count // 2
        )
        rows = plain_rows(connection, "SELECT rowid, size, made FROM cup ORDER BY 1")
        expected = [(at, "small", 7) for at in range(count)]
        assert rows == expected + [(at + count, "large", 7) for at in range(-(-count // 2))]


def test_a_statement_of_many_rows_has_no_more_parameters_than_every_sqlite_takes():
    assert 25 * INSERT.count("?") <= 999


@pytest.mark.parametrize("count", [1, 24, 25, 60])
def test_columns_that_no_row_has_are_null_also_beyond_the_sets_of_them_with_a_statement(database, count):
    names = [f"c{at}" for at in range(6)]
    statement = f"INSERT INTO cup ({', '.join(names)}, made) VALUES ({', '.join('?' * 6)}, 7)"
    expected = []
    with database.write() as connection:
        plain_run(connection, f"CREATE TABLE cup (number INTEGER PRIMARY KEY, {', '.join(names)}, made INTEGER)")
        for empty in range(64):
            rows = [tuple(None if empty >> at & 1 else f"{row} {at}" for at in range(6)) for row in range(count)]
            rows[-1] = (None, *rows[-1][1:])
            assert plain_insert(connection, statement, rows) == count
            expected += rows
        assert plain_rows(connection, f"SELECT {', '.join(names)} FROM cup ORDER BY number") == expected
        assert plain_rows(connection, "SELECT count(*) FROM cup WHERE made <> 7") == [(0,)]
