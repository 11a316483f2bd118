"""Every table, every column of words and every file of a store is in the list that removal goes by."""

import re

import pytest
from storage_samples import ANA, NOON, a_memory

from memcore.storage import edges, memories, purge
from memcore.storage.database import Database
from memcore.storage.engine_file import ENDING
from memcore.storage.places import FILES, NAMELESS, PLACES
from memcore.storage.rows import NewEdge

CLOSED = {  # names of agents and tables, and words that the code chooses
    ("memory", "agent_id"),
    ("partition", "agent_id"),
    ("operation_change", "changed_table"),
    ("task_event", "from_state"),
    ("search_trace", "agent_id"),
    ("search_trace", "took"),
    ("trace_memory", "signals"),
}


def tables(conn):
    return dict(conn.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall())


def columns(conn, table):
    return [(row[1], row[2]) for row in conn.exec_driver_sql(f'PRAGMA table_info("{table}")').fetchall()]


def unnamed_tables(conn):
    return set(tables(conn)) - {place.table for place in PLACES} - set(NAMELESS)


def test_every_table_is_a_place_or_keeps_nothing_of_people(database):
    with database.read() as conn:
        assert unnamed_tables(conn) == set()
        assert {place.table for place in PLACES} | set(NAMELESS) <= set(tables(conn))


def test_the_check_above_notices_a_new_table(database):
    """The planted fault."""
    with database.write() as conn:
        conn.exec_driver_sql("CREATE TABLE diary (said TEXT)")
        assert unnamed_tables(conn) == {"diary"}


def test_every_column_of_words_is_named_or_holds_one_of_a_few_values(database):
    with database.read() as conn:
        schema = tables(conn)
        named = {(place.table, word) for place in PLACES for word in place.words} | CLOSED
        left = [
            (place.table, column)
            for place in PLACES
            for column, kind in columns(conn, place.table)
            if kind in ("TEXT", "BLOB")
            and (place.table, column) not in named
            and not re.search(rf"CHECK \({column} (?:= '|IN \()", schema[place.table])
        ]
    assert left == []


def test_every_column_that_refers_to_a_memory_or_a_partition_is_named(database):
    with database.read() as conn:
        for place in PLACES:
            keys = conn.exec_driver_sql(f"PRAGMA foreign_key_list({place.table})").fetchall()
            refers = {table: {row[3] for row in keys if row[2] == table} for table in ("memory", "partition")}
            assert refers["memory"] <= {*place.memories, *place.references}, place.table
            assert not refers["partition"] or place.of_partition is not None, place.table


def test_what_hangs_on_others_comes_before_them(database):
    order = [place.table for place in PLACES]
    with database.read() as conn:
        for table in order:
            for row in conn.exec_driver_sql(f"PRAGMA foreign_key_list({table})").fetchall():
                if row[2] in order and row[2] != table:
                    assert order.index(table) < order.index(row[2]), (table, row[2])


@pytest.mark.parametrize("ending", ["open", "closed"])
def test_a_busy_store_has_no_file_beside_it_that_is_not_named(tmp_path, ending):
    path = tmp_path / "agent.db"
    with Database(path) as database:
        for _ in range(3):
            with database.write() as conn:
                ids = memories.insert(conn, [a_memory("one"), a_memory("two")])
                edges.put(conn, [NewEdge(*ids, 0, 0.5)])
                memories.update(conn, ids[0], updated_at=NOON, content="three" * 3000)
                memories.remove(conn, ids[1:])
            with database.write() as conn:
                purge.begin(conn, ANA, NOON)
            with database.write() as conn:
                purge.advance(conn)
            assert database.wipe()
        if ending == "open":
            assert {file.name for file in tmp_path.iterdir()} == {
                f"agent.db{suffix}" for suffix in FILES if suffix != ENDING
            }
    assert {file.name for file in tmp_path.iterdir()} <= {f"agent.db{suffix}" for suffix in FILES}
