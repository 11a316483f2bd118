"""Makes the database of the present schema that later versions must open: `python tests/data/make_schema_db.py`.

Run it again while the schema still changes. The file of a schema that was released stays as it is.

Ana's memories, and those that she shares, are the same in the database of every schema. The memories of Bo hold what
this schema added: every kind with its details, and a row in every table.
"""

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from memcore.kinds import Category, Channel, EdgeType, Kind, OperationAction, Origin, ReviewState, TaskState
from memcore.scope import Partition
from memcore.storage import (
    edges,
    entities,
    jobs,
    memories,
    operations,
    partitions,
    recording,
    revisions,
    search_traces,
    spaces,
    strength,
    tasks,
    trace_reading,
    vectors,
    working,
)
from memcore.storage.database import Database
from memcore.storage.detail_rows import (
    CaseDetail,
    ChunkDetail,
    Claim,
    EpisodeDetail,
    FactDetail,
    LessonDetail,
    SummaryDetail,
)
from memcore.storage.driver import sqlite_driver
from memcore.storage.encoding import to_micros
from memcore.storage.migrations import LATEST
from memcore.storage.operations import RowChange
from memcore.storage.rows import NewEdge, NewMemory

FOLDER = Path(__file__).parent
NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ANA, BO, SHARED, GONE = (Partition("agent", user) for user in ("ana", "bo", None, "gone"))


def new(content, partition=BO, kind=Kind.EVENT, **changes):
    given = {
        "tokens": " ".join(content.lower().split()),
        "origin": Origin.USER,
        "importance": 5.0,
        "event_time": NOON,
        "recorded_at": NOON,
    }
    return NewMemory(partition=partition, kind=kind, content=content, **(given | changes))


def write_ana(conn):
    first = new("Ana moved to Lisbon.", ANA, session_id="s", tags=("move",), metadata={"page": 1})
    ids = memories.insert(conn, [first, new("上海见", ANA, session_id="s")])
    [lisbon] = entities.resolve(conn, ANA, [("Lisbon", ["Lisboa"])], NOON)
    [ana] = entities.resolve(conn, SHARED, [("Ana", [])], NOON)
    entities.mention(conn, [(ids[0], lisbon), (ids[0], ana)])
    entities.count_together(conn, ANA, [[lisbon, ana]])
    edges.put(conn, [NewEdge(*ids, EdgeType.CAUSAL, 0.5)])
    space = spaces.ensure(conn, "stand-in", 16, "00")
    rows = np.random.default_rng(1).standard_normal((2, 16)).astype(np.float32)
    vectors.put(conn, space, ids, rows, ["Ana moved to Lisbon.", "上海见"])


def write_kinds(conn):
    """One memory of Bo of every kind, entities apart; the ids by kind."""
    written = [
        new("Shall we take the ferry?", kind=Kind.TURN, session_id="s", speaker="Bo", channel=Channel.DIRECT),
        new("Bo took the ferry to Olhão.", expires_at=NOON + 30 * DAY, source_ref="diary"),
        new(
            "Bo plans a trip by ferry.",
            kind=Kind.EPISODE,
            detail=EpisodeDetail(started_at=NOON, ended_at=NOON + DAY, cues=("ferry", "渡轮")),
        ),
        new("Bo lives in Faro.", kind=Kind.FACT, detail=FactDetail(category=Category.IDENTITY, slot="home town")),
        new("Ferries do not sail in a storm.", kind=Kind.KNOWLEDGE, claim=Claim(confidence=0.9)),
        new(
            "The timetable of the ferry.",
            kind=Kind.CHUNK,
            detail=ChunkDetail(path="ferry.md", first_line=3, last_line=9),
        ),
        new("Bo travelled in May.", kind=Kind.SUMMARY, detail=SummaryDetail(started_at=NOON - 7 * DAY, ended_at=NOON)),
        new(
            "When does the ferry sail? At nine.",
            kind=Kind.CASE,
            detail=CaseDetail(
                question="When does the ferry sail?", answer="At nine.", result="failure", correction="At ten."
            ),
        ),
        new(
            "Look at the timetable first.",
            kind=Kind.LESSON,
            origin=Origin.JOB,
            review_state=ReviewState.PENDING,
            detail=LessonDetail(pattern="when does … sail"),
        ),
    ]
    ids = memories.insert(conn, written)
    return {memory.kind: memory_id for memory, memory_id in zip(written, ids, strict=True)}


def write_life(conn, ids):
    """What happened to Bo's memories: superseded, contradicted, retired, used; with the operations that say so."""
    number = partitions.ensure(conn, BO)
    detail = FactDetail(category=Category.IDENTITY, slot="home town")
    later = NOON + DAY
    [tavira, lagos] = memories.insert(
        conn,
        [new(f"Bo lives in {town}.", kind=Kind.FACT, detail=detail, event_time=later) for town in ("Tavira", "Lagos")],
    )
    moment, faro = to_micros(later), ids[Kind.FACT]
    closed = {"valid_until": moment, "closed_at": moment, "superseded_by": tavira}
    pair = {"recorded_at": moment, "resolved_at": None}
    ended = {"ended_at": moment, "ending": "retired"}

    def operation(action, change, **given):
        operations.record(conn, number, action, [change], now=later, **given)

    operation(OperationAction.SUPERSEDE, RowChange("claim", (faro,), faro, closed), reason="he moved")
    operation(OperationAction.CONFLICT, RowChange("conflict_pair", (tavira, lagos), tavira, pair))
    retired = ids[Kind.EVENT]
    operation(OperationAction.RETIRE, RowChange("memory", (retired,), retired, ended), source_ref="diary")
    frozen = RowChange("fact_detail", (lagos,), lagos, {"strength": 0.09, "dormant": 1})
    operation(OperationAction.FREEZE, frozen, job_run="sweep 1")
    strength.use(conn, [tavira], later)
    jobs.queue(conn, [tavira])
    edges.put(conn, [NewEdge(faro, tavira, EdgeType.TEMPORAL, 0.7)])
    rows = {
        "INSERT INTO lineage (memory_id, source_id) VALUES (?, ?)": (ids[Kind.SUMMARY], ids[Kind.EPISODE]),
        "INSERT INTO feedback (memory_id, recorded_at, helpful) VALUES (?, ?, 1)": (tavira, moment),
        (
            "INSERT INTO edge_history (source_id, target_id, type, strength, partition_id, valid_until, closed_at)"
            " VALUES (?, ?, 1, 0.5, ?, ?, ?)"
        ): (faro, lagos, number, moment, moment),
    }
    for statement, values in rows.items():
        conn.exec_driver_sql(statement, values)


def write_removed(conn):
    """A user who is being removed, and what is kept of one who was."""
    [last] = memories.insert(conn, [new("This goes.", GONE)])
    moment = to_micros(NOON + DAY)
    rows = {
        "INSERT INTO purge_mark (partition_id, doomed_id, last_id, recorded_at) VALUES (?, ?, ?, ?)": (
            partitions.ensure(conn, GONE),
            partitions.ensure(conn, Partition("agent", "doomed")),
            last,
            moment,
        ),
        "INSERT INTO receipt (agent_id, action, recorded_at, counts) VALUES ('agent', 'purge', ?, ?)": (
            moment,
            '{"memory":1}',
        ),
        "INSERT INTO tombstone_salt (id, salt) VALUES (1, ?)": (bytes(range(16)),),
        "UPDATE store_identity SET identity = ?": (bytes(range(16, 32)),),
        "INSERT INTO tombstone (digest, recorded_at) VALUES (?, ?)": (bytes(range(32)), moment),
    }
    for statement, values in rows.items():
        conn.exec_driver_sql(statement, values)


def write_work(conn):
    """Bo's tasks, one in each state, and his working memory."""
    ways = ((), ("doing",), ("doing", "done"), ("doing", "failed"), ("cancelled",))
    for way in ways:
        given = {"session_id": "s", "due_at": NOON + 7 * DAY, "metadata": {"way": list(way)}, "now": NOON}
        number = tasks.add(conn, BO, f"Book the ferry: {' '.join(way) or 'open'}", **given)
        for hours, state in enumerate(way, 1):
            task = tasks.fetch(conn, BO.agent_id, number)
            tasks.move(conn, task, TaskState(state), f"now {state}", NOON + timedelta(hours=hours))
    tasks.note(conn, tasks.fetch(conn, BO.agent_id, 1), "Two lines sail.", NOON)
    for session, end in (("s", None), ("s", NOON + DAY), (None, None)):
        given = {"expires_at": end, "metadata": {"a": 1}, "now": NOON}
        working.put(conn, BO, session, "plan", "look up the ferry", **given)
    working.end_set(conn, BO, "s", "plan", expires_at=NOON + 2 * DAY, now=NOON)


def write_learning(conn, ids):
    """Bo's searches that were recorded, a profile that was put in use, a score of a tuning."""
    moment = to_micros(NOON)
    recording.begin(conn, "agent", recording.Sampling(1.0, 100), NOON)
    found = (
        search_traces.NewTraced(ids[Kind.EVENT], 0, 0.9, 0, 0, '{"lexical":1.25}'),
        search_traces.NewTraced(ids[Kind.TURN], 1, 0.5),
    )
    trace = search_traces.NewTrace(
        agent_id="agent",
        user_ids=("bo",),
        session_id="s",
        query="When did Bo take the ferry?",
        recorded_at=NOON,
        present=NOON,
        asked_at=NOON,
        as_of=None,
        known_at=NOON,
        filters=trace_reading.filters_text({"event_time": {"lte": NOON}}),
        given_vector=bytes(8),
        setup=(
            '{"channel":null,"include_dormant":false,"kinds":null,"layers":["turns"],"limit":1,"params":{},'
            '"retention_days":{},"zone":"0"}'
        ),
        revision=revisions.latest(conn),
        space_id=None,
        scope_size=2,
        pool_size=2,
        took={"recall": 0.5},
        memories=found,
    )
    search_traces.note_prompt(conn, search_traces.insert(conn, trace), [found[0].id], [found[1].id])
    for statement, values in {
        "INSERT INTO profile (name, recorded_at, document) VALUES ('mine', ?, ?)": (moment, b"{}"),
        "INSERT INTO activation (file, profile, recorded_at, after) VALUES (?, 'mine', ?, ?)": (
            b"/agent/retrieval_params.json",
            moment,
            b"{}",
        ),
        "INSERT INTO tuning_score (run, set_key, recorded_at, score) VALUES ('ab', 'cd', ?, 0.5)": (moment,),
    }.items():
        conn.exec_driver_sql(statement, values)


def make(path):
    """Write the database to a path where no file is yet."""
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "made.db") as database:
        with database.write() as conn:
            write_ana(conn)
            ids = write_kinds(conn)
            write_life(conn, ids)
            write_work(conn)
            write_learning(conn, ids)
            write_removed(conn)
        database.backup(path)
    connection = sqlite_driver().connect(str(path), isolation_level=None)
    for small in ("journal_mode = DELETE", "page_size = 1024"):  # most of the file is tables with few rows
        connection.execute(f"PRAGMA {small}")
    connection.execute("VACUUM")
    connection.close()


if __name__ == "__main__":
    target = FOLDER / f"schema-{LATEST:04}.db"
    target.unlink(missing_ok=True)
    make(target)
    sys.stdout.write(f"{target}: {target.stat().st_size} bytes\n")
