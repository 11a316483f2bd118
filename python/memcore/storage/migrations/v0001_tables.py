"""Schema version 1, word for word: the tables. Released, and so never edited."""

__all__ = ["TABLES"]

TABLES = (
    "PRAGMA application_id = 1835363683",
    """
    CREATE TABLE memory (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        agent_id TEXT NOT NULL,
        user_id TEXT,
        kind TEXT NOT NULL CHECK (kind IN ('turn', 'event', 'fact', 'knowledge', 'entity')),
        origin TEXT DEFAULT 'user' NOT NULL CHECK (origin IN ('user', 'assistant', 'tool', 'web', 'import', 'job')),
        speaker TEXT,
        session_id TEXT,
        position INTEGER,
        prev_id INTEGER,
        next_id INTEGER,
        importance REAL DEFAULT (5.0) NOT NULL,
        base_importance REAL DEFAULT (5.0) NOT NULL,
        access_count INTEGER DEFAULT 0 NOT NULL,
        event_time INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        last_used_at INTEGER,
        source_ref TEXT,
        idempotency_key TEXT,
        tags TEXT DEFAULT '[]' NOT NULL,
        metadata TEXT DEFAULT '{}' NOT NULL,
        crc INTEGER,
        content TEXT NOT NULL,
        tokens TEXT,
        CONSTRAINT memory_content CHECK (trim(content, char(9, 10, 11, 12, 13, 32, 12288)) <> ''),
        CONSTRAINT memory_importance CHECK (importance BETWEEN 0 AND 10),
        CONSTRAINT memory_base_importance CHECK (base_importance BETWEEN 0 AND 10),
        CONSTRAINT memory_access_count CHECK (access_count >= 0),
        CONSTRAINT memory_tags CHECK (json_valid(tags) AND json_type(tags) = 'array'),
        CONSTRAINT memory_metadata CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
        CONSTRAINT memory_position CHECK (position IS NULL OR session_id IS NOT NULL)
    ) STRICT
    """,
    """
    CREATE UNIQUE INDEX memory_idempotency ON memory (agent_id, user_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL
    """,
    """
    CREATE UNIQUE INDEX memory_idempotency_shared ON memory (agent_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL AND user_id IS NULL
    """,
    "CREATE INDEX memory_scope ON memory (agent_id, user_id)",
    "CREATE INDEX memory_session ON memory (agent_id, user_id, session_id, position) WHERE session_id IS NOT NULL",
    """
    CREATE TABLE partition (
        id INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        user_id TEXT,
        PRIMARY KEY (id),
        UNIQUE (agent_id, user_id)
    ) STRICT
    """,
    "CREATE UNIQUE INDEX partition_shared ON partition (agent_id) WHERE user_id IS NULL",
    """
    CREATE TABLE revision_log (
        revision INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        partition_id INTEGER NOT NULL,
        changed_table INTEGER NOT NULL CHECK (changed_table IN (1, 2, 3, 4, 5, 6, 7)),
        row_id INTEGER NOT NULL,
        operation INTEGER NOT NULL CHECK (operation IN (1, 2, 3))
    ) STRICT
    """,
    """
    CREATE TABLE schema_migration (
        version INTEGER NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (version)
    ) STRICT
    """,
    """
    CREATE TABLE space (
        id INTEGER NOT NULL,
        model TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        floor_base REAL,
        floor_slope REAL,
        PRIMARY KEY (id),
        UNIQUE (model, dimension, fingerprint),
        CONSTRAINT space_dimension CHECK (dimension > 0),
        CONSTRAINT space_floor CHECK (floor_base BETWEEN -1 AND 1 AND floor_slope BETWEEN 0 AND 1)
    ) STRICT
    """,
    """
    CREATE TABLE cooccurrence (
        partition_id INTEGER NOT NULL,
        entity_a_id INTEGER NOT NULL,
        entity_b_id INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (partition_id, entity_a_id, entity_b_id),
        CONSTRAINT cooccurrence_order CHECK (entity_a_id < entity_b_id),
        CONSTRAINT cooccurrence_count CHECK (count > 0),
        FOREIGN KEY(partition_id) REFERENCES partition (id),
        FOREIGN KEY(entity_a_id) REFERENCES memory (id),
        FOREIGN KEY(entity_b_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX cooccurrence_a ON cooccurrence (entity_a_id)",
    "CREATE INDEX cooccurrence_b ON cooccurrence (entity_b_id)",
    """
    CREATE TABLE edge (
        source_id INTEGER NOT NULL,
        target_id INTEGER NOT NULL,
        type INTEGER NOT NULL CHECK (type IN (0, 1, 2, 3, 4, 5, 6, 255)),
        strength REAL NOT NULL,
        partition_id INTEGER NOT NULL,
        PRIMARY KEY (source_id, target_id, type),
        CONSTRAINT edge_not_self CHECK (source_id <> target_id),
        CONSTRAINT edge_strength CHECK (strength BETWEEN 0 AND 1),
        FOREIGN KEY(source_id) REFERENCES memory (id),
        FOREIGN KEY(target_id) REFERENCES memory (id),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX edge_partition ON edge (partition_id)",
    "CREATE INDEX edge_target ON edge (target_id)",
    """
    CREATE TABLE entity (
        memory_id INTEGER NOT NULL,
        partition_id INTEGER NOT NULL,
        name_key TEXT NOT NULL,
        PRIMARY KEY (memory_id),
        UNIQUE (partition_id, name_key),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    """
    CREATE TABLE entity_alias (
        partition_id INTEGER NOT NULL,
        alias_key TEXT NOT NULL,
        memory_id INTEGER NOT NULL,
        alias TEXT NOT NULL,
        PRIMARY KEY (partition_id, alias_key),
        FOREIGN KEY(partition_id) REFERENCES partition (id),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX entity_alias_memory ON entity_alias (memory_id)",
    """
    CREATE TABLE job (
        memory_id INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('embed')),
        attempts INTEGER DEFAULT 0 NOT NULL,
        last_error TEXT,
        PRIMARY KEY (memory_id, kind),
        CONSTRAINT job_attempts CHECK (attempts >= 0),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE memory_vector (
        memory_id INTEGER NOT NULL,
        space_id INTEGER NOT NULL,
        crc INTEGER NOT NULL,
        sq8 BLOB NOT NULL,
        f32 BLOB NOT NULL,
        PRIMARY KEY (memory_id, space_id),
        CONSTRAINT memory_vector_f32 CHECK (length(f32) % 4 = 0 AND length(f32) > 0),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(space_id) REFERENCES space (id)
    ) STRICT
    """,
    """
    CREATE TABLE mention (
        memory_id INTEGER NOT NULL,
        entity_id INTEGER NOT NULL,
        PRIMARY KEY (memory_id, entity_id),
        CONSTRAINT mention_not_self CHECK (memory_id <> entity_id),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(entity_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX mention_entity ON mention (entity_id)",
)
