"""Every place that keeps something of people: what of it is theirs, and what it hangs on.

Removal, counting and the search for remains all go by this list; a test holds it to the schema and to the files that a
busy store has beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FILES", "NAMELESS", "PLACES", "Place"]

_PARTITION = "partition_id = :partition"


@dataclass(frozen=True, slots=True)
class Place:
    """A table that keeps something of people.

    `key`: the columns that name a row. `memories`: the columns that name the memories it goes with. `references`: those
    that name memories which it outlives. `of_partition`: the condition that it belongs to the partition `:partition`.
    `words`: the columns that hold what people said, or what follows from it.
    """

    table: str
    key: tuple[str, ...]
    memories: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    of_partition: str | None = None
    words: tuple[str, ...] = ()

    @property
    def of_memories(self) -> str:
        """The condition that a row goes with one of the memories in the JSON array `:ids`."""
        return " OR ".join(f"{column} IN (SELECT value FROM json_each(:ids))" for column in self.memories)


def _detail(table: str, *words: str, of_partition: str | None = None) -> Place:
    return Place(table, ("memory_id",), ("memory_id",), of_partition=of_partition, words=words)


_TRACED = "SELECT trace_id FROM trace_user WHERE partition_id = :partition"

PLACES = (
    Place("trace_memory", ("trace_id", "memory_id"), ("memory_id",), of_partition=f"trace_id IN ({_TRACED})"),
    Place(
        "search_trace",
        ("id",),
        of_partition=f"id IN ({_TRACED})",
        words=("session_id", "filters", "embedding", "query"),
    ),
    Place(
        "trace_user", ("trace_id", "partition_id"), of_partition=f"partition_id = :partition OR trace_id IN ({_TRACED})"
    ),
    Place("task_event", ("id",), of_partition=f"task_id IN (SELECT id FROM task WHERE {_PARTITION})", words=("note",)),
    Place("task", ("id",), of_partition=_PARTITION, words=("session_id", "title", "metadata")),
    Place(
        "working_item",
        ("id",),
        of_partition=f"set_id IN (SELECT id FROM working_set WHERE {_PARTITION})",
        words=("content", "metadata"),
    ),
    Place("working_set", ("id",), of_partition=_PARTITION, words=("session_id", "name")),
    Place(
        "operation_change",
        ("operation_id", "number"),
        ("memory_id",),
        of_partition=f"operation_id IN (SELECT id FROM operation WHERE {_PARTITION})",
        words=("row_key", "before", "after"),
    ),
    Place("operation", ("id",), of_partition=_PARTITION, words=("reason", "source_ref", "job_run")),
    Place("feedback", ("id",), ("memory_id",)),
    Place("conflict_pair", ("memory_a_id", "memory_b_id"), ("memory_a_id", "memory_b_id")),
    Place("lineage", ("memory_id", "source_id"), ("memory_id", "source_id")),
    Place(
        "cooccurrence", ("partition_id", "entity_a_id", "entity_b_id"), ("entity_a_id", "entity_b_id"), (), _PARTITION
    ),
    Place("mention", ("memory_id", "entity_id"), ("memory_id", "entity_id")),
    Place("edge", ("source_id", "target_id", "type"), ("source_id", "target_id"), (), _PARTITION),
    Place("edge_history", ("id",), ("source_id", "target_id"), (), _PARTITION),
    Place("entity_alias", ("partition_id", "alias_key"), ("memory_id",), (), _PARTITION, ("alias_key", "alias")),
    _detail("entity", "name_key", of_partition=_PARTITION),
    Place("claim", ("memory_id",), ("memory_id",), ("superseded_by",)),
    _detail("fact_detail", "slot", "slot_key", of_partition=_PARTITION),
    _detail("event_detail"),
    _detail("knowledge_detail", "content_key", of_partition=_PARTITION),
    _detail("episode_detail", "cues"),
    _detail("chunk_detail", "path"),
    _detail("summary_detail"),
    _detail("case_detail", "datasource", "question", "answer", "correction"),
    _detail("lesson_detail", "pattern"),
    Place("job", ("memory_id", "kind"), ("memory_id",), words=("last_error",)),
    Place("memory_vector", ("memory_id", "space_id"), ("memory_id",), words=("sq8", "f32")),
    Place(
        "memory",
        ("id",),
        ("id",),
        ("prev_id", "next_id"),
        words=(
            "user_id",
            "speaker",
            "session_id",
            "source_ref",
            "idempotency_key",
            "tags",
            "metadata",
            "content",
            "tokens",
        ),
    ),
    Place("partition", ("id",), of_partition="id = :partition", words=("user_id",)),
)
"""The tables with content, what hangs on others first: rows are removed in this order."""

NAMELESS = {
    "activation": "texts of parameter files, their paths, and the names of the profiles they came from",
    "profile": "sets of parameters under the names that somebody gave them",
    "recording": "the agents whose searches are recorded, and how many traces are kept",
    "trace_setup": "parameters and options of searches; no word of a query",
    "tuning_score": "hashes of sets of parameters, and numbers",
    "purge_mark": "numbers: who is hidden up to which id, and what has gone so far",
    "receipt": "the agent, a moment, and counts",
    "revision_log": "numbers: what changed, in order",
    "schema_migration": "the steps of the schema",
    "space": "embedding models",
    "tombstone": "salted hashes of texts that were removed, if they were asked for",
    "store_identity": "a random number",
    "tombstone_salt": "a random number",
    "sqlite_sequence": "the last number that each table gave",
}
"""The tables that keep nothing of people, and what they keep."""

FILES = {
    "": "the database; removed rows are zeros in it (secure_delete), copies that SQLite left of them are wiped",
    "-wal": "the write-ahead log; it is truncated after each removal",
    "-shm": "SQLite's index of the log: numbers of pages",
    ".lock": "the empty file that writers lock",
    ".engine": "the engine snapshot; each removal overwrites and removes it whole",
}
"""The files of a store, by what follows the database's name; `retrieval_params.json` beside it holds parameters."""
