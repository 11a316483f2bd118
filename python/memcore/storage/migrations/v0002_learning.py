"""Schema version 2, word for word: traces of searches, profiles, scores of a tuning. Released, and so never edited."""

__all__ = ["TABLES", "TRIGGERS"]

TABLES = (
    """
    CREATE TABLE recording (
        agent_id TEXT NOT NULL,
        sample REAL NOT NULL,
        most INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        PRIMARY KEY (agent_id),
        CONSTRAINT recording_sample CHECK (sample > 0 AND sample <= 1),
        CONSTRAINT recording_most CHECK (most >= 1)
    ) STRICT
    """,
    """
    CREATE TABLE trace_setup (
        id INTEGER NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (document),
        CONSTRAINT trace_setup_document CHECK (json_valid(document) AND json_type(document) = 'object')
    ) STRICT
    """,
    """
    CREATE TABLE search_trace (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        agent_id TEXT NOT NULL,
        setup_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        present INTEGER NOT NULL,
        asked_at INTEGER NOT NULL,
        as_of INTEGER,
        known_at INTEGER,
        revision INTEGER NOT NULL,
        space_id INTEGER,
        scope_size INTEGER NOT NULL,
        pool_size INTEGER NOT NULL,
        removed INTEGER DEFAULT 0 NOT NULL,
        took TEXT NOT NULL,
        session_id TEXT,
        filters TEXT,
        embedding BLOB,
        "query" TEXT NOT NULL,
        CONSTRAINT search_trace_took CHECK (json_valid(took) AND json_type(took) = 'object'),
        CONSTRAINT search_trace_counts CHECK (pool_size >= 0 AND removed >= 0),
        FOREIGN KEY(setup_id) REFERENCES trace_setup (id)
    ) STRICT
    """,
    "CREATE INDEX search_trace_agent ON search_trace (agent_id, id)",
    "CREATE INDEX search_trace_setup ON search_trace (setup_id)",
    """
    CREATE TABLE trace_memory (
        trace_id INTEGER NOT NULL,
        memory_id INTEGER NOT NULL,
        place INTEGER,
        score REAL,
        pick INTEGER,
        answer INTEGER,
        entered INTEGER DEFAULT 0 NOT NULL,
        fill_up INTEGER DEFAULT 0 NOT NULL,
        signals TEXT DEFAULT '{}' NOT NULL,
        PRIMARY KEY (trace_id, memory_id),
        CONSTRAINT trace_memory_place CHECK ((place IS NULL) = (score IS NULL)),
        CONSTRAINT trace_memory_prompt CHECK (entered IN (0, 1) AND fill_up IN (0, 1)),
        CONSTRAINT trace_memory_signals CHECK (json_valid(signals) AND json_type(signals) = 'object'),
        FOREIGN KEY(trace_id) REFERENCES search_trace (id) ON DELETE CASCADE,
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX trace_memory_memory ON trace_memory (memory_id)",
    """
    CREATE TABLE trace_user (
        trace_id INTEGER NOT NULL,
        partition_id INTEGER NOT NULL,
        PRIMARY KEY (trace_id, partition_id),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX trace_user_partition ON trace_user (partition_id)",
    """
    CREATE TABLE profile (
        name TEXT NOT NULL,
        recorded_at INTEGER NOT NULL,
        document BLOB NOT NULL,
        PRIMARY KEY (name)
    ) STRICT
    """,
    """
    CREATE TABLE activation (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        file BLOB NOT NULL,
        profile TEXT NOT NULL,
        recorded_at INTEGER NOT NULL,
        rolled_back_at INTEGER,
        kept TEXT,
        "before" BLOB,
        "after" BLOB NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE tuning_score (
        run TEXT NOT NULL,
        set_key TEXT NOT NULL,
        recorded_at INTEGER NOT NULL,
        score REAL NOT NULL,
        PRIMARY KEY (run, set_key)
    ) WITHOUT ROWID, STRICT
    """,
)

_ANSWERED = (
    "SELECT trace_id FROM trace_memory WHERE memory_id = OLD.id AND (answer IS NOT NULL OR entered = 1 OR fill_up = 1)"
)

TRIGGERS = (
    # a trace that answered with the memory goes with it; one that only weighed it forgets it, and counts that it did
    f"""
    CREATE TRIGGER memory_out_of_traces BEFORE DELETE ON memory
    WHEN EXISTS (SELECT 1 FROM trace_memory WHERE memory_id = OLD.id) BEGIN
        DELETE FROM trace_user WHERE trace_id IN ({_ANSWERED});
        DELETE FROM search_trace WHERE id IN ({_ANSWERED});
        UPDATE search_trace SET removed = removed + 1
            WHERE id IN (SELECT trace_id FROM trace_memory WHERE memory_id = OLD.id);
        DELETE FROM trace_memory WHERE memory_id = OLD.id;
    END
    """,
)
