"""Schema version 2, word for word: the triggers. Released, and so never edited.

They keep what hangs on a memory whole when it goes (chains of supersession are joined around the hole), write changes
of details to the revision log as changes of their memory, and refuse what a task cannot become.
"""

__all__ = ["REPLACED", "TRIGGERS"]

_OF_ROW = "(SELECT id FROM partition WHERE agent_id = {row}.agent_id AND user_id IS {row}.user_id)"
_OF_MEMORY = (
    "(SELECT p.id FROM memory AS m JOIN partition AS p ON p.agent_id = m.agent_id AND p.user_id IS m.user_id"
    " WHERE m.id = {row}.memory_id)"
)
_LOG = "INSERT INTO revision_log (partition_id, changed_table, row_id, operation)"
_QUEUE_EMBED = (
    "INSERT INTO job (memory_id, kind) VALUES (NEW.id, 'embed')"
    " ON CONFLICT (memory_id, kind) DO UPDATE SET attempts = 0, last_error = NULL;"
)
_PAIRS = (
    "(entity_a_id, entity_b_id) IN (SELECT a.entity_id, b.entity_id FROM mention AS a JOIN mention AS b"
    " ON b.memory_id = a.memory_id AND b.entity_id > a.entity_id WHERE a.memory_id = OLD.id)"
)
_DETAILS = (
    "claim",
    "fact_detail",
    "event_detail",
    "knowledge_detail",
    "episode_detail",
    "chunk_detail",
    "summary_detail",
    "case_detail",
    "lesson_detail",
)
_LOGGED = ("claim", "fact_detail", "event_detail")
_UNLESS_BOUND = " WHEN NEW.{column} = OLD.{column}"
"""A bound follows from what is logged itself."""
_WHEN = {("fact_detail", "update"): _UNLESS_BOUND.format(column="shown_until")}

REPLACED = ("memory_updated", "memory_content", "memory_going")

TRIGGERS = (
    (
        f"CREATE TRIGGER memory_updated AFTER UPDATE ON memory{_UNLESS_BOUND.format(column='compared_until')} BEGIN"
        f" {_LOG} VALUES ({_OF_ROW.format(row='NEW')}, 1, NEW.id, 2); END"
    ),
    f"""
    CREATE TRIGGER memory_content AFTER UPDATE OF content ON memory WHEN NEW.content <> OLD.content BEGIN
        DELETE FROM memory_vector WHERE memory_id = NEW.id;
        {_QUEUE_EMBED}
        UPDATE memory SET crc = NULL, tokens = NULL, text_key = NULL, identity_key = NULL
            WHERE id = NEW.id AND NEW.crc IS OLD.crc;
    END
    """,
    f"""
    CREATE TRIGGER memory_going BEFORE DELETE ON memory BEGIN
        DELETE FROM cooccurrence WHERE entity_a_id = OLD.id OR entity_b_id = OLD.id;
        DELETE FROM cooccurrence WHERE count = 1 AND partition_id = {_OF_ROW.format(row="OLD")} AND {_PAIRS};
        UPDATE cooccurrence SET count = count - 1 WHERE partition_id = {_OF_ROW.format(row="OLD")} AND {_PAIRS};
        DELETE FROM memory_vector WHERE memory_id = OLD.id;
        DELETE FROM edge WHERE source_id = OLD.id OR target_id = OLD.id;
        DELETE FROM edge_history WHERE source_id = OLD.id OR target_id = OLD.id;
        DELETE FROM mention WHERE memory_id = OLD.id OR entity_id = OLD.id;
        DELETE FROM entity_alias WHERE memory_id = OLD.id;
        DELETE FROM entity WHERE memory_id = OLD.id;
        DELETE FROM job WHERE memory_id = OLD.id;
        UPDATE claim SET superseded_by = (SELECT superseded_by FROM claim WHERE memory_id = OLD.id)
            WHERE superseded_by = OLD.id;
        DELETE FROM conflict_pair WHERE memory_a_id = OLD.id OR memory_b_id = OLD.id;
        DELETE FROM lineage WHERE memory_id = OLD.id OR source_id = OLD.id;
        DELETE FROM operation_change WHERE memory_id = OLD.id;
        {" ".join(f"DELETE FROM {table} WHERE memory_id = OLD.id;" for table in _DETAILS)}
        DELETE FROM feedback WHERE memory_id = OLD.id;
    END
    """,
    """
    CREATE TRIGGER operation_empty AFTER DELETE ON operation_change
    WHEN NOT EXISTS (SELECT 1 FROM operation_change WHERE operation_id = OLD.operation_id) BEGIN
        DELETE FROM operation WHERE id = OLD.operation_id;
    END
    """,
    *(
        f"CREATE TRIGGER {table}_log_{name} AFTER {name} ON {table}{_WHEN.get((table, name), '')} BEGIN"
        f" {_LOG} SELECT {_OF_MEMORY.format(row='NEW')}, 1, NEW.memory_id, 2"
        f" WHERE {_OF_MEMORY.format(row='NEW')} IS NOT NULL; END"
        for table in _LOGGED
        for name in ("insert", "update")
        if (table, name) != ("event_detail", "insert")
    ),
    (
        "CREATE TRIGGER purge_mark_log AFTER INSERT ON purge_mark BEGIN"
        f" {_LOG} VALUES (NEW.partition_id, 8, NEW.last_id, 1); END"
    ),
    """
    CREATE TRIGGER task_starts_open BEFORE INSERT ON task WHEN NEW.state <> 'open' BEGIN
        SELECT RAISE(ABORT, 'a task starts open');
    END
    """,
    # REPLACE would begin it anew
    """
    CREATE TRIGGER task_is_new BEFORE INSERT ON task WHEN EXISTS (SELECT 1 FROM task WHERE id = NEW.id) BEGIN
        SELECT RAISE(ABORT, 'there is a task with this id');
    END
    """,
    """
    CREATE TRIGGER task_stays BEFORE UPDATE OF id, partition_id ON task
    WHEN NEW.id <> OLD.id OR NEW.partition_id <> OLD.partition_id BEGIN
        SELECT RAISE(ABORT, 'a task keeps its id, its agent and its user');
    END
    """,
    # also from a state to the same one: of two who start a task at once, the second is told that it is under way
    """
    CREATE TRIGGER task_transition BEFORE UPDATE OF state ON task WHEN
    (OLD.state, NEW.state) NOT IN (VALUES ('open', 'doing'), ('open', 'cancelled'),
        ('doing', 'done'), ('doing', 'failed'), ('doing', 'cancelled')) BEGIN
        SELECT RAISE(ABORT, 'a task cannot become that from where it stands');
    END
    """,
)
