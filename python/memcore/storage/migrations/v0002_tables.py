"""Schema version 2, word for word: the tables of what a memory's life adds. Released, and so never edited."""

__all__ = ["TABLES"]

TABLES = (
    """
    CREATE TABLE receipt (
        id INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        action TEXT NOT NULL,
        recorded_at INTEGER NOT NULL,
        counts TEXT NOT NULL,
        pending INTEGER DEFAULT 0 NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT receipt_action CHECK (action IN ('delete', 'purge')),
        CONSTRAINT receipt_counts CHECK (json_valid(counts)),
        CONSTRAINT receipt_pending CHECK (pending IN (0, 1))
    ) STRICT
    """,
    "CREATE INDEX receipt_waiting ON receipt (pending) WHERE pending = 1",
    """
    CREATE TABLE tombstone (
        digest BLOB NOT NULL,
        recorded_at INTEGER NOT NULL,
        PRIMARY KEY (digest)
    ) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE tombstone_salt (
        id INTEGER NOT NULL CHECK (id = 1),
        salt BLOB NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (salt)
    ) STRICT
    """,
    """
    CREATE TABLE store_identity (
        id INTEGER NOT NULL CHECK (id = 1),
        identity BLOB NOT NULL,
        PRIMARY KEY (id)
    ) STRICT
    """,
    """
    CREATE TABLE case_detail (
        memory_id INTEGER NOT NULL,
        datasource TEXT,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        result TEXT NOT NULL,
        correction TEXT,
        PRIMARY KEY (memory_id),
        CONSTRAINT case_detail_result CHECK (result IN ('success', 'failure')),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    """
    CREATE TABLE chunk_detail (
        memory_id INTEGER NOT NULL,
        path TEXT NOT NULL,
        first_line INTEGER DEFAULT 1 NOT NULL,
        last_line INTEGER DEFAULT 1 NOT NULL,
        PRIMARY KEY (memory_id),
        CONSTRAINT chunk_detail_lines CHECK (first_line >= 1 AND last_line >= first_line),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    "CREATE INDEX chunk_path ON chunk_detail (path)",
    """
    CREATE TABLE claim (
        memory_id INTEGER NOT NULL,
        confidence REAL DEFAULT (1.0) NOT NULL,
        valid_from INTEGER,
        valid_until INTEGER,
        closed_at INTEGER,
        superseded_by INTEGER,
        PRIMARY KEY (memory_id),
        CONSTRAINT claim_confidence CHECK (confidence BETWEEN 0 AND 1),
        CONSTRAINT claim_closed CHECK ((valid_until IS NULL) = (closed_at IS NULL)),
        CONSTRAINT claim_order CHECK (valid_until >= valid_from),
        CONSTRAINT claim_superseded CHECK (superseded_by IS NULL
            OR (superseded_by <> memory_id AND valid_until IS NOT NULL)),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(superseded_by) REFERENCES memory (id)
    ) STRICT
    """,
    "CREATE INDEX claim_superseded_by ON claim (superseded_by) WHERE superseded_by IS NOT NULL",
    """
    CREATE TABLE conflict_pair (
        memory_a_id INTEGER NOT NULL,
        memory_b_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        resolved_at INTEGER,
        PRIMARY KEY (memory_a_id, memory_b_id),
        CONSTRAINT conflict_order CHECK (memory_a_id < memory_b_id),
        FOREIGN KEY(memory_a_id) REFERENCES memory (id),
        FOREIGN KEY(memory_b_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX conflict_b ON conflict_pair (memory_b_id)",
    "CREATE INDEX conflict_open ON conflict_pair (recorded_at) WHERE resolved_at IS NULL",
    """
    CREATE TABLE edge_history (
        id INTEGER NOT NULL,
        source_id INTEGER NOT NULL,
        target_id INTEGER NOT NULL,
        type INTEGER NOT NULL,
        strength REAL NOT NULL,
        partition_id INTEGER NOT NULL,
        valid_from INTEGER,
        recorded_at INTEGER,
        valid_until INTEGER NOT NULL,
        closed_at INTEGER NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(source_id) REFERENCES memory (id),
        FOREIGN KEY(target_id) REFERENCES memory (id),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    "CREATE INDEX edge_history_partition ON edge_history (partition_id)",
    "CREATE INDEX edge_history_source ON edge_history (source_id)",
    "CREATE INDEX edge_history_target ON edge_history (target_id)",
    """
    CREATE TABLE episode_detail (
        memory_id INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        cues TEXT DEFAULT '[]' NOT NULL,
        PRIMARY KEY (memory_id),
        CONSTRAINT episode_detail_cues CHECK (json_valid(cues) AND json_type(cues) = 'array'),
        CONSTRAINT episode_detail_order CHECK (ended_at >= started_at),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    """
    CREATE TABLE event_detail (
        memory_id INTEGER NOT NULL,
        stability_days REAL NOT NULL,
        PRIMARY KEY (memory_id),
        CONSTRAINT event_detail_stability CHECK (stability_days > 0 AND stability_days <= 3650),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    """
    CREATE TABLE fact_detail (
        memory_id INTEGER NOT NULL,
        partition_id INTEGER NOT NULL,
        category TEXT NOT NULL CHECK (category = 'identity' OR category = 'date' OR category = 'preference' OR
            category = 'relation' OR category = 'habit' OR category = 'event' OR category = 'state'),
        slot TEXT,
        slot_key TEXT,
        strength REAL DEFAULT (1.0) NOT NULL,
        strength_at INTEGER NOT NULL,
        dormant INTEGER DEFAULT 0 NOT NULL,
        due_at INTEGER,
        shown_until INTEGER DEFAULT 9223372036854775807 NOT NULL,
        PRIMARY KEY (memory_id),
        CONSTRAINT fact_detail_strength CHECK (strength BETWEEN 0 AND 1),
        CONSTRAINT fact_detail_dormant CHECK (dormant IN (0, 1)),
        CONSTRAINT fact_detail_slot CHECK ((slot IS NULL) = (slot_key IS NULL)),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    """
    CREATE INDEX fact_shown ON fact_detail (partition_id, memory_id, shown_until)
    WHERE shown_until > -9223372036854775808
    """,
    "CREATE INDEX fact_due ON fact_detail (partition_id, due_at) WHERE dormant = 0 AND due_at IS NOT NULL",
    "CREATE INDEX fact_slot ON fact_detail (partition_id, slot_key, shown_until) WHERE slot_key IS NOT NULL",
    """
    CREATE TABLE feedback (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        memory_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        helpful INTEGER,
        wrong INTEGER DEFAULT 0 NOT NULL,
        CONSTRAINT feedback_label CHECK (helpful IN (0, 1) AND wrong IN (0, 1)),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    "CREATE INDEX feedback_memory ON feedback (memory_id)",
    """
    CREATE TABLE knowledge_detail (
        memory_id INTEGER NOT NULL,
        partition_id INTEGER NOT NULL,
        content_key TEXT NOT NULL,
        PRIMARY KEY (memory_id),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    "CREATE INDEX knowledge_content ON knowledge_detail (partition_id, content_key)",
    """
    CREATE TABLE lesson_detail (
        memory_id INTEGER NOT NULL,
        pattern TEXT NOT NULL,
        PRIMARY KEY (memory_id),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    """
    CREATE TABLE lineage (
        memory_id INTEGER NOT NULL,
        source_id INTEGER NOT NULL,
        PRIMARY KEY (memory_id, source_id),
        CONSTRAINT lineage_not_self CHECK (memory_id <> source_id),
        FOREIGN KEY(memory_id) REFERENCES memory (id),
        FOREIGN KEY(source_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX lineage_source ON lineage (source_id)",
    """
    CREATE TABLE operation (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        partition_id INTEGER NOT NULL,
        action TEXT NOT NULL CHECK (action = 'add' OR action = 'merge' OR action = 'supersede' OR action =
            'update' OR action = 'review' OR action = 'retire' OR action = 'wrong' OR action = 'pin' OR action =
            'unpin' OR action = 'freeze' OR action = 'revive' OR action = 'archive' OR action = 'conflict' OR
            action = 'resolve' OR action = 'relate' OR action = 'unrelate' OR action = 'upgrade' OR action =
            'undo'),
        recorded_at INTEGER NOT NULL,
        reason TEXT DEFAULT '' NOT NULL,
        source_ref TEXT,
        job_run TEXT,
        undoes INTEGER,
        undone_by INTEGER,
        size INTEGER NOT NULL,
        FOREIGN KEY(partition_id) REFERENCES partition (id)
    ) STRICT
    """,
    "CREATE INDEX operation_partition ON operation (partition_id)",
    "CREATE INDEX operation_run ON operation (job_run) WHERE job_run IS NOT NULL",
    "CREATE INDEX operation_undoes ON operation (undoes) WHERE undoes IS NOT NULL",
    "CREATE INDEX operation_source ON operation (partition_id, source_ref) WHERE source_ref IS NOT NULL",
    """
    CREATE TABLE purge_mark (
        partition_id INTEGER NOT NULL,
        doomed_id INTEGER NOT NULL,
        last_id INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        tombstones INTEGER DEFAULT 0 NOT NULL,
        counts TEXT DEFAULT '{}' NOT NULL,
        PRIMARY KEY (partition_id),
        UNIQUE (doomed_id),
        CONSTRAINT purge_mark_tombstones CHECK (tombstones IN (0, 1)),
        CONSTRAINT purge_mark_counts CHECK (json_valid(counts)),
        FOREIGN KEY(partition_id) REFERENCES partition (id),
        FOREIGN KEY(doomed_id) REFERENCES partition (id)
    ) STRICT
    """,
    """
    CREATE TABLE summary_detail (
        memory_id INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        PRIMARY KEY (memory_id),
        CONSTRAINT summary_detail_order CHECK (ended_at >= started_at),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) STRICT
    """,
    """
    CREATE TABLE operation_change (
        operation_id INTEGER NOT NULL,
        number INTEGER NOT NULL,
        memory_id INTEGER NOT NULL,
        changed_table TEXT NOT NULL,
        row_key TEXT NOT NULL,
        "before" TEXT,
        "after" TEXT,
        PRIMARY KEY (operation_id, number),
        FOREIGN KEY(operation_id) REFERENCES operation (id),
        FOREIGN KEY(memory_id) REFERENCES memory (id)
    ) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX operation_change_memory ON operation_change (memory_id)",
    """
    CREATE INDEX operation_change_pair ON operation_change (json_extract(row_key, '$[0]'))
    WHERE changed_table = 'conflict_pair'
    """,
)
