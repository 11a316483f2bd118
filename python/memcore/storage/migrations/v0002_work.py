"""Schema version 2, word for word: working memory and tasks. Released, and so never edited."""

__all__ = ["TABLES"]

TABLES = (
    """
    CREATE TABLE task (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        partition_id INTEGER NOT NULL,
        session_id TEXT,
        state TEXT DEFAULT 'open' NOT NULL CHECK (state IN ('open', 'doing', 'done', 'failed', 'cancelled')),
        recorded_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        due_at INTEGER,
        metadata TEXT DEFAULT '{}' NOT NULL,
        title TEXT NOT NULL,
        CONSTRAINT task_metadata CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
        CONSTRAINT task_title CHECK (trim(title) <> ''),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    "CREATE INDEX task_partition ON task (partition_id, state)",
    """
    CREATE TABLE working_set (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        partition_id INTEGER NOT NULL,
        session_id TEXT DEFAULT '' NOT NULL,
        name TEXT NOT NULL,
        recorded_at INTEGER NOT NULL,
        expires_at INTEGER,
        UNIQUE (partition_id, session_id, name),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    """
    CREATE TABLE task_event (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        task_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        from_state TEXT,
        to_state TEXT NOT NULL CHECK (to_state IN ('open', 'doing', 'done', 'failed', 'cancelled')),
        note TEXT DEFAULT '' NOT NULL,
        FOREIGN KEY(task_id) REFERENCES task (id)
    ) STRICT
    """,
    "CREATE INDEX task_event_task ON task_event (task_id)",
    """
    CREATE TABLE working_item (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        set_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        expires_at INTEGER,
        metadata TEXT DEFAULT '{}' NOT NULL,
        content TEXT NOT NULL,
        CONSTRAINT working_item_metadata CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
        FOREIGN KEY(set_id) REFERENCES working_set (id)
    ) STRICT
    """,
    "CREATE INDEX working_item_set ON working_item (set_id)",
)
