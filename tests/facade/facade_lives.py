"""A user about whom something is kept in every place, each with a word that only this user's rows have."""

import subprocess
import sys
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from memcore.kinds import Category, Kind, OperationAction, Origin
from memcore.scope import Partition
from memcore.storage import edges, entities, memories, operations, partitions, revisions, search_traces, trace_reading
from memcore.storage.detail_rows import CaseDetail, ChunkDetail, EpisodeDetail, FactDetail, LessonDetail
from memcore.storage.rows import NewEdge, NewMemory

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MICROS = int(NOW.timestamp()) * 1_000_000
COMMON = "The harbour market opens at nine and closes when the fish is sold."


COPY = "import shutil, sys; shutil.copytree(*sys.argv[1:], ignore=shutil.ignore_patterns('*-shm'))"


class RandomEmbedder:
    """For each text a vector of its own, without a zero in it."""

    name = "random"
    dimension = 64

    def embed(self, texts, *, query=False):
        del query
        rows = [np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimension) for text in texts]
        return np.array(rows, np.float32)


def files(folder):
    """The bytes of every file of a store, but of the index of the log.

    They are copied by another process: to close a file that SQLite has open would drop its locks on it.
    """
    copies = Path(folder).with_name(f"{Path(folder).name} copied {len(list(Path(folder).parent.iterdir()))}")
    subprocess.run([sys.executable, "-c", COPY, str(folder), str(copies)], check=True)
    return {file.name: file.read_bytes() for file in copies.iterdir()}


def sentinel(user):
    """A word of 20 letters that nothing else has; the letters of the user's name are not in it."""
    return f"Zq{user.encode().hex()}".ljust(20, "x")


def words_of(user):
    """What must be in no file after a purge of the user: content, names, metadata, slots, notes, keys, the id."""
    word = sentinel(user)
    return [word, f"Entity {word}", f"meta-{word}", f"key-{word}", f"slot {word}", f"note {word}", user]


def live(memory, user, rows):
    """Stores `rows` memories of a user beside something in every other place."""
    word = sentinel(user)
    items = [
        {
            "content": f"{COMMON} {word} {number} wrote this" + " and so on" * (number % 40 * 10),
            "user_id": user,
            "session_id": f"session {word} {number % 3}",
            "kind": "turn",
            "speaker": f"Speaker {word}",
            "metadata": {"of": f"meta-{word}-{number}"},
            "tags": [f"tag-{word}"],
            "idempotency_key": f"key-{word}-{number}",
            "source_ref": f"source-{word}",
            "entities": [f"Entity {word} {number % 11}", "The harbour"],
        }
        for number in range(rows)
    ]
    ids = memory.add_many(items).ids
    for one in ids[: rows // 10]:
        memory.update(one, content=f"{word} changed this to something longer" + " or shorter" * (one % 90))
    memory.mark_used(ids[10:20])
    with memory._database.write() as connection:
        everywhere(connection, Partition("default", user), word, ids)
    return ids


def everywhere(connection, partition, word, ids):
    """A row in every other table that keeps something of people."""
    number, user = partitions.ensure(connection, partition), partition.user_id
    details = {
        Kind.FACT: FactDetail(category=Category.IDENTITY, slot=f"slot {word}"),
        Kind.KNOWLEDGE: None,
        Kind.EVENT: None,
        Kind.EPISODE: EpisodeDetail(cues=(f"cue {word}",)),
        Kind.CHUNK: ChunkDetail(path=f"/notes/{word}.md"),
        Kind.SUMMARY: None,
        Kind.CASE: CaseDetail(question=f"why {word}?", answer=f"because {word}", correction=f"not {word}"),
        Kind.LESSON: LessonDetail(pattern=f"when {word}"),
    }
    new = [
        NewMemory(
            partition=partition,
            kind=kind,
            content=f"{kind} of {word}",
            tokens=None,
            origin=Origin.USER,
            importance=5.0,
            event_time=NOW,
            recorded_at=NOW,
            detail=detail,
        )
        for kind, detail in details.items()
    ]
    fact, knowledge, event, *_, lesson = memories.insert(connection, new)
    entities.resolve(connection, partition, [(f"Entity {word} 1", (f"Alias {word}",)), ("The harbour", (word,))], NOW)
    edges.put(connection, [NewEdge(ids[0], ids[5], 1, 0.5), NewEdge(event, knowledge, 3, 0.5)])
    change = operations.RowChange("memory", (event,), event, {"speaker": f"Speaker {word}", "ended_at": MICROS})
    operations.record(
        connection, number, OperationAction.RETIRE, [change], now=NOW, reason=f"note {word}", source_ref=word
    )
    later = NOW + timedelta(days=1)
    for statement, given in (
        ("INSERT INTO feedback (memory_id, recorded_at, wrong) VALUES (?, ?, 1)", (fact, MICROS)),
        ("INSERT INTO conflict_pair VALUES (?, ?, ?, NULL)", (fact, knowledge, MICROS)),
        ("INSERT INTO lineage VALUES (?, ?)", (lesson, fact)),
        (
            "UPDATE claim SET valid_until = ?, closed_at = ?, superseded_by = ? WHERE memory_id = ?",
            (int(later.timestamp()) * 1_000_000, MICROS, knowledge, fact),
        ),
        (
            (
                "INSERT INTO edge_history (source_id, target_id, type, strength, partition_id, valid_until, closed_at)"
                " VALUES (?, ?, 1, 0.5, ?, ?, ?)"
            ),
            (event, fact, number, MICROS, MICROS),
        ),
        (
            (
                "INSERT INTO job (memory_id, kind, attempts, last_error) VALUES (?, 'embed', 1, ?)"
                " ON CONFLICT DO UPDATE SET last_error = excluded.last_error"
            ),
            (event, f"cannot embed {word}"),
        ),
        (
            "INSERT INTO working_set (partition_id, session_id, name, recorded_at) VALUES (?, ?, ?, ?)",
            (number, f"session {word}", f"set {word}", MICROS),
        ),
        (
            (
                "INSERT INTO working_item (set_id, recorded_at, content, metadata)"
                " SELECT id, ?, ?, json_object('of', ?) FROM working_set WHERE partition_id = ?"
            ),
            (MICROS, f"item {word}", word, number),
        ),
        (
            "INSERT INTO task (partition_id, recorded_at, updated_at, title) VALUES (?, ?, ?, ?)",
            (number, MICROS, MICROS, f"task {word}"),
        ),
        (
            (
                "INSERT INTO task_event (task_id, recorded_at, to_state, note)"
                " SELECT id, ?, 'open', ? FROM task WHERE partition_id = ?"
            ),
            (MICROS, f"note {word}", number),
        ),
    ):
        connection.exec_driver_sql(statement, given)
    trace = search_traces.NewTrace(
        agent_id="default",
        user_ids=(user,),
        session_id=f"session {word}",
        query=f"where is {word}?",
        recorded_at=NOW,
        present=NOW,
        asked_at=NOW,
        as_of=None,
        known_at=None,
        filters=trace_reading.filters_text({"tags": f"tag-{word}"}),
        given_vector=f"vector {word}".encode(),
        setup="{}",
        revision=revisions.latest(connection),
        space_id=None,
        scope_size=2,
        pool_size=2,
        took={"recall": 0.5},
        memories=(search_traces.NewTraced(event, 0, 0.9, 0, 0), search_traces.NewTraced(ids[0], 1, 0.5)),
    )
    assert search_traces.insert(connection, trace) is not None
