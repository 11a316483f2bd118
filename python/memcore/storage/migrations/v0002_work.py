"""Schema version 2, word for word: working memory and tasks. Released, and so never edited."""

__all__ = ["TABLES"]

TABLES = (
    """
    CREATE TABLE task (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        partition_id INTEGER NOT NULL,
        session_id TEXT,
        state TEXT DEFAULT 'open' NOT NULL CHECK (state = 'open' OR state = 'doing' OR state = 'done' OR state =
            'failed' OR state = 'cancelled'),
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
        session_id TEXT,
        name TEXT NOT NULL,
        recorded_at INTEGER NOT NULL,
        expires_at INTEGER,
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    (
        "CREATE UNIQUE INDEX working_set_name ON working_set (partition_id, session_id, name)"
        " WHERE session_id IS NOT NULL"
    ),
    "CREATE UNIQUE INDEX working_set_loose ON working_set (partition_id, name) WHERE session_id IS NULL",
    "CREATE INDEX working_set_expires ON working_set (expires_at) WHERE expires_at IS NOT NULL",
    """
    CREATE TABLE task_event (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        task_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        from_state TEXT CHECK (from_state = 'open' OR from_state = 'doing' OR from_state = 'done' OR from_state
            = 'failed' OR from_state = 'cancelled'),
        to_state TEXT NOT NULL CHECK (to_state = 'open' OR to_state = 'doing' OR to_state = 'done' OR to_state =
            'failed' OR to_state = 'cancelled'),
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
    "CREATE INDEX working_item_expires ON working_item (expires_at) WHERE expires_at IS NOT NULL",
)
