"""Schema version 1, word for word: the triggers, and the step that creates all. Released, and so never edited.

The triggers write the revision log, keep what hangs on a memory whole when it goes, and see to it that a text edited
by hand is neither called verified nor found by the vector of what it said before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.migrations.v0001_tables import TABLES

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["apply"]

_INSERT, _UPDATE, _DELETE = 1, 2, 3
_OF_ROW = "(SELECT id FROM partition WHERE agent_id = {row}.agent_id AND user_id IS {row}.user_id)"
_OF_MEMORY = (
    "(SELECT p.id FROM memory AS m JOIN partition AS p ON p.agent_id = m.agent_id AND p.user_id IS m.user_id"
    " WHERE m.id = {row}.memory_id)"
)
_OWN = "{row}.partition_id"
_LOGGED = (  # table, its number in the log, the id that is logged, the partition it belongs to
    ("memory_vector", 2, "memory_id", _OF_MEMORY),
    ("edge", 3, "source_id", _OWN),
    ("mention", 4, "memory_id", _OF_MEMORY),
    ("entity", 5, "memory_id", _OWN),
    ("entity_alias", 6, "memory_id", _OWN),
    ("cooccurrence", 7, "entity_a_id", _OWN),
)
_COLUMNS = "INSERT INTO revision_log (partition_id, changed_table, row_id, operation)"
_QUEUE_EMBED = (
    "INSERT INTO job (memory_id, kind) VALUES (NEW.id, 'embed')"
    " ON CONFLICT (memory_id, kind) DO UPDATE SET attempts = 0, last_error = NULL;"
)
_PAIRS = (
    "(entity_a_id, entity_b_id) IN (SELECT a.entity_id, b.entity_id FROM mention AS a JOIN mention AS b"
    " ON b.memory_id = a.memory_id AND b.entity_id > a.entity_id WHERE a.memory_id = OLD.id)"
)
_DONE = "DELETE FROM job WHERE memory_id = NEW.memory_id AND kind = 'embed';"

_MEMORY_TRIGGERS = (
    f"""
    CREATE TRIGGER memory_inserted AFTER INSERT ON memory BEGIN
        INSERT INTO partition (agent_id, user_id) SELECT NEW.agent_id, NEW.user_id
            WHERE NOT EXISTS (SELECT 1 FROM partition WHERE agent_id = NEW.agent_id AND user_id IS NEW.user_id);
        {_COLUMNS} VALUES ({_OF_ROW.format(row="NEW")}, 1, NEW.id, {_INSERT});
    END
    """,
    f"CREATE TRIGGER memory_by_hand AFTER INSERT ON memory WHEN NEW.crc IS NULL BEGIN {_QUEUE_EMBED} END",
    """
    CREATE TRIGGER memory_stays BEFORE UPDATE OF id, agent_id, user_id ON memory
    WHEN NEW.id <> OLD.id OR NEW.agent_id <> OLD.agent_id OR NEW.user_id IS NOT OLD.user_id BEGIN
        SELECT RAISE(ABORT, 'a memory keeps its id, its agent and its user');
    END
    """,
    f"""
    CREATE TRIGGER memory_updated AFTER UPDATE ON memory BEGIN
        {_COLUMNS} VALUES ({_OF_ROW.format(row="NEW")}, 1, NEW.id, {_UPDATE});
    END
    """,
    f"""
    CREATE TRIGGER memory_content AFTER UPDATE OF content ON memory WHEN NEW.content <> OLD.content BEGIN
        DELETE FROM memory_vector WHERE memory_id = NEW.id;
        {_QUEUE_EMBED}
        UPDATE memory SET crc = NULL, tokens = NULL WHERE id = NEW.id AND NEW.crc IS OLD.crc;
    END
    """,
    f"""
    CREATE TRIGGER memory_going BEFORE DELETE ON memory BEGIN
        DELETE FROM cooccurrence WHERE entity_a_id = OLD.id OR entity_b_id = OLD.id;
        DELETE FROM cooccurrence WHERE count = 1 AND partition_id = {_OF_ROW.format(row="OLD")} AND {_PAIRS};
        UPDATE cooccurrence SET count = count - 1 WHERE partition_id = {_OF_ROW.format(row="OLD")} AND {_PAIRS};
        DELETE FROM memory_vector WHERE memory_id = OLD.id;
        DELETE FROM edge WHERE source_id = OLD.id OR target_id = OLD.id;
        DELETE FROM mention WHERE memory_id = OLD.id OR entity_id = OLD.id;
        DELETE FROM entity_alias WHERE memory_id = OLD.id;
        DELETE FROM entity WHERE memory_id = OLD.id;
        DELETE FROM job WHERE memory_id = OLD.id;
    END
    """,
    f"""
    CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN
        UPDATE memory SET next_id = OLD.next_id WHERE id = OLD.prev_id;
        UPDATE memory SET prev_id = OLD.prev_id WHERE id = OLD.next_id;
        {_COLUMNS} VALUES ({_OF_ROW.format(row="OLD")}, 1, OLD.id, {_DELETE});
    END
    """,
    f"CREATE TRIGGER vector_inserted AFTER INSERT ON memory_vector BEGIN {_DONE} END",
    f"CREATE TRIGGER vector_replaced AFTER UPDATE ON memory_vector BEGIN {_DONE} END",
)


def _log_triggers(table: str, number: int, key: str, partition: str) -> list[str]:
    old, new = partition.format(row="OLD"), partition.format(row="NEW")
    logged = f"{_COLUMNS} VALUES"
    moved = f"{_COLUMNS} SELECT {old}, {number}, OLD.{key}, {_DELETE} WHERE OLD.{key} <> NEW.{key} OR {old} <> {new};"
    actions = (
        ("insert", f"{logged} ({new}, {number}, NEW.{key}, {_INSERT});"),
        ("update", f"{moved} {logged} ({new}, {number}, NEW.{key}, {_UPDATE});"),
        ("delete", f"{logged} ({old}, {number}, OLD.{key}, {_DELETE});"),
    )
    return [f"CREATE TRIGGER {table}_log_{name} AFTER {name} ON {table} BEGIN {action} END" for name, action in actions]


def apply(conn: Connection) -> None:
    """Create the tables, their indexes and their triggers in an empty file."""
    for statement in (*TABLES, *_MEMORY_TRIGGERS):
        conn.exec_driver_sql(statement)
    for logged in _LOGGED:
        for statement in _log_triggers(*logged):
            conn.exec_driver_sql(statement)
