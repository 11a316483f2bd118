"""Schema version 2, word for word: lifetimes, operations, purge, working memory, tasks, traces. Never edited.

What a table lets in is widened, and told anew, by the procedure that SQLite documents for changes of a CHECK: nothing
of the content moves. Memories that are there get the details of their kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.storage.migrations import v0002_bounds, v0002_learning, v0002_tokens
from memcore.storage.migrations.v0002_tables import TABLES
from memcore.storage.migrations.v0002_triggers import REPLACED, TRIGGERS
from memcore.storage.migrations.v0002_work import TABLES as WORK_TABLES

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["apply"]


def _one_of(column: str, *values: str) -> str:
    return " OR ".join(f"{column} = {value}" for value in values)


_BLANK = "trim(content, char(9, 10, 11, 12, 13, 32, 12288)) <> ''"
_TAGS = "json_valid(tags) AND json_type(tags) = 'array'"
_METADATA = "json_valid(metadata) AND json_type(metadata) = 'object'"
_KINDS = ("'turn'", "'event'", "'fact'", "'knowledge'", "'entity'")
_MORE_KINDS = ("'episode'", "'chunk'", "'summary'", "'case'", "'lesson'")
_ORIGINS = ("'user'", "'assistant'", "'tool'", "'web'", "'import'", "'job'")
_TYPES = ("0", "1", "2", "3", "4", "5", "6", "255")
_TABLES = ("1", "2", "3", "4", "5", "6", "7")
_CHECKS = (
    ("memory", f"kind IN ({', '.join(_KINDS)})", _one_of("kind", *_KINDS, *_MORE_KINDS)),
    ("memory", f"origin IN ({', '.join(_ORIGINS)})", _one_of("origin", *_ORIGINS)),
    ("memory", _BLANK, f"coalesce(unicode(content), 0) BETWEEN 33 AND 12287 OR {_BLANK}"),
    ("memory", _TAGS, f"tags = '[]' OR ({_TAGS})"),
    ("memory", _METADATA, f"metadata = '{{}}' OR ({_METADATA})"),
    ("edge", f"type IN ({', '.join(_TYPES)})", _one_of("type", *_TYPES)),
    ("job", "kind IN ('embed')", _one_of("kind", "'embed'")),
    ("revision_log", f"changed_table IN ({', '.join(_TABLES)})", _one_of("changed_table", *_TABLES, "8")),
    ("revision_log", "operation IN (1, 2, 3)", _one_of("operation", "1", "2", "3", "4")),
)
"""What rows may hold: more kinds, tables and operations, told in a form that costs SQLite less at each row."""
_COLUMNS = (
    (
        "ALTER TABLE memory ADD COLUMN"
        " review_state TEXT DEFAULT 'active' NOT NULL"
        " CHECK (review_state = 'active' OR review_state = 'pending' OR review_state = 'rejected')"
    ),
    "ALTER TABLE memory ADD COLUMN channel TEXT CHECK (channel = 'direct' OR channel = 'group')",
    "ALTER TABLE memory ADD COLUMN pinned INTEGER DEFAULT 0 NOT NULL CHECK (pinned IN (0, 1))",
    "ALTER TABLE memory ADD COLUMN expires_at INTEGER",
    "ALTER TABLE memory ADD COLUMN ended_at INTEGER",
    "ALTER TABLE memory ADD COLUMN ending TEXT CHECK (ending = 'archived' OR ending = 'retired' OR ending = 'wrong')",
    "ALTER TABLE memory ADD COLUMN text_key INTEGER",
    "ALTER TABLE memory ADD COLUMN identity_key INTEGER",
    "ALTER TABLE memory ADD COLUMN compared_until INTEGER DEFAULT 9223372036854775807 NOT NULL",
    "ALTER TABLE edge ADD COLUMN valid_from INTEGER",
    "ALTER TABLE edge ADD COLUMN recorded_at INTEGER",
    ("CREATE INDEX memory_text ON memory (agent_id, user_id, text_key, compared_until) WHERE text_key IS NOT NULL"),
    "CREATE INDEX memory_waiting ON memory (agent_id, user_id) WHERE review_state = 'pending'",
    ("CREATE INDEX memory_identity ON memory (agent_id, user_id, identity_key) WHERE identity_key IS NOT NULL"),
)
_OWNER = "(SELECT id FROM partition AS p WHERE p.agent_id = m.agent_id AND p.user_id IS m.user_id)"
_IDENTITY = "INSERT INTO store_identity (id, identity) VALUES (1, randomblob(16))"
_DETAILS = (
    "UPDATE memory SET text_key = memcore_text_key(content) WHERE kind IN ('event', 'fact', 'knowledge')",
    # S = 30 d · (1 + importance/10), as for an event that is new
    (
        "INSERT INTO event_detail (memory_id, stability_days)"
        " SELECT id, 30.0 * (1 + importance / 10.0) FROM memory WHERE kind = 'event'"
    ),
    "INSERT INTO claim (memory_id, valid_from) SELECT id, event_time FROM memory WHERE kind IN ('fact', 'knowledge')",
    # full strength now; below 0.1 after 21 d · log2(10) = 6,027,306,335,364 µs
    (
        "INSERT INTO fact_detail (memory_id, partition_id, category, strength_at, due_at)"
        f" SELECT m.id, {_OWNER}, 'event', m.recorded_at, m.recorded_at + 6027306335364"
        " FROM memory AS m WHERE m.kind = 'fact'"
    ),
    (
        "INSERT INTO knowledge_detail (memory_id, partition_id, content_key)"
        f" SELECT m.id, {_OWNER}, printf('%016x', m.text_key) FROM memory AS m WHERE m.kind = 'knowledge'"
    ),
)


def apply(conn: Connection) -> None:
    """Widen the tables, add the new ones, and give what is stored the details of its kind."""
    _widen(conn)
    for name in REPLACED:
        conn.exec_driver_sql(f"DROP TRIGGER {name}")
    tables = (*TABLES, *WORK_TABLES, *v0002_learning.TABLES)
    for statement in (
        *_COLUMNS,
        *tables,
        _IDENTITY,
        *_DETAILS,
        *TRIGGERS,
        *v0002_bounds.TRIGGERS,
        *v0002_learning.TRIGGERS,
    ):
        conn.exec_driver_sql(statement)
    v0002_tokens.apply(conn)


def _widen(conn: Connection) -> None:
    conn.exec_driver_sql("PRAGMA writable_schema = ON")
    for table, old, new in _CHECKS:
        changed = conn.exec_driver_sql(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = ? AND instr(sql, ?) > 0",
            (old, new, table, old),
        )
        if changed.rowcount != 1:
            raise RuntimeError(f"the table {table} is not the one that version 1 made")
    version = conn.exec_driver_sql("PRAGMA schema_version").scalar_one()
    conn.exec_driver_sql(f"PRAGMA schema_version = {int(version) + 1}")
    conn.exec_driver_sql("PRAGMA writable_schema = RESET")
