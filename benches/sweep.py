"""How long the sweep takes: a million facts, of which a thousand are due.

    python -m benches.sweep [--facts N] [--due N]

Prints SQLite's plan, how many instructions of its machine the query of one batch runs, how many facts became
dormant, and the time of the job, of a second run with nothing to do, and of taking the run back.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcore import Memory
from memcore.kinds import Kind, Origin
from memcore.scope import Partition
from memcore.storage import dormancy, memories, revisions
from memcore.storage.database import Database
from memcore.storage.encoding import to_micros
from memcore.storage.rows import NewMemory

if TYPE_CHECKING:
    from collections.abc import Callable

START = datetime(2026, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=30)
_EACH = "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
_COPIED = "agent_id, user_id, kind, content, tokens, importance, event_time, recorded_at, updated_at, crc"


def fill(database: Database, facts: int, due: int) -> None:
    """Facts of Ana's, stored long ago; `due` of them, spread evenly, have faded."""
    with database.write() as conn:
        fact = NewMemory(
            partition=Partition("default", "ana"),
            kind=Kind.FACT,
            content="Ana has tea.",
            tokens="ana tea",
            origin=Origin.USER,
            importance=5.0,
            event_time=START,
            recorded_at=START,
        )
        memories.insert(conn, [fact])
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO memory (id, {_COPIED}) SELECT i, {_COPIED} FROM n JOIN memory ON memory.id = 1",
            (facts,),
        )
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO claim (memory_id, valid_from) SELECT i, ?2 FROM n", (facts, to_micros(START))
        )
        far, near = (to_micros(NOW + timedelta(days=days)) for days in (90, -90))
        conn.exec_driver_sql(
            f"{_EACH} INSERT INTO fact_detail (memory_id, partition_id, category, strength, strength_at, due_at)"
            " SELECT i, 1, 'preference', iif(i % ?2 = 0, 0.1, 1.0), ?3, iif(i % ?2 = 0, ?5, ?4) FROM n",
            (facts, facts // due, to_micros(START), far, near),
        )
        revisions.trim(conn, 0)


def instructions(conn: Any, query: str, parameters: tuple[Any, ...]) -> int:
    """How many instructions of SQLite's machine a query runs, in tens."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 10
        return 0

    driver = conn.connection.dbapi_connection
    driver.set_progress_handler(tick, 10)
    conn.exec_driver_sql(query, parameters).fetchall()
    driver.set_progress_handler(None, 0)
    return count


def timed(what: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    answer = what()
    return (time.perf_counter() - started) * 1_000.0, answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--due", type=int, default=1_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sweep.db"
        with Database(path) as database:
            taken, _ = timed(lambda: fill(database, given.facts, given.due))
            print(f"{given.facts:,} facts, {given.due:,} of them due; filled in {taken / 1_000:.0f} s")
            parameters = (1, to_micros(NOW), 1_000)
            with database.read() as conn:
                for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {dormancy.DUE}", parameters):
                    print(f"  plan: {row[3]}")
                print(f"  one batch: {instructions(conn, dormancy.DUE, parameters):,} instructions")
        with Memory(path, embedder="none", clock=lambda: NOW) as memory:
            taken, [report] = timed(lambda: memory.maintain(["sweep"]))
            print(f"sweep: {taken:.1f} ms, {report.done:,} facts became dormant")
            taken, [again] = timed(lambda: memory.maintain(["sweep"]))
            print(f"again: {taken:.1f} ms, {again.done:,} facts")
            taken, undone = timed(lambda: memory.undo(job_run=report.run))
            print(f"undo of the run: {taken:.1f} ms, {len(undone):,} operations")


if __name__ == "__main__":
    main()
