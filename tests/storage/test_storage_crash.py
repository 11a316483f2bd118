"""A writer that is killed at any moment loses nothing that it acknowledged, and leaves nothing half done."""

import subprocess
import sys

import pytest

from memcore.scope import Scope
from memcore.storage import integrity, memories
from memcore.storage.database import Database

_WRITER = """
import sys
from datetime import UTC, datetime
from memcore.kinds import Kind, Origin
from memcore.scope import Partition
from memcore.storage import memories
from memcore.storage.database import Database
from memcore.storage.rows import NewMemory
now = datetime(2026, 5, 8, tzinfo=UTC)
new = lambda text: NewMemory(partition=Partition("agent", "ana"), kind=Kind.TURN, content=text, tokens=None,
    origin=Origin.USER, importance=5, event_time=now, recorded_at=now, session_id="s")
database = Database(sys.argv[1])
for turn in range(10_000):
    with database.write() as conn:
        ids = memories.insert(conn, [new(f"{turn} first"), new(f"{turn} second")])
        if sys.argv[2] == "too early":
            print(ids[-1], flush=True)
    if sys.argv[2] == "after":
        print(ids[-1], flush=True)
"""


def acknowledged_before_the_kill(path, acknowledges, writes):
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(path), acknowledges], stdout=subprocess.PIPE) as writer:
        lines = [writer.stdout.readline() for _ in range(writes)]
        writer.kill()
        lines += writer.stdout.readlines()
    return [int(line) for line in lines if line.endswith(b"\n")]


@pytest.mark.parametrize("writes", [1, 7, 40])
def test_what_was_acknowledged_is_there_after_a_kill_and_every_batch_is_whole(path, writes):
    acknowledged = acknowledged_before_the_kill(path, "after", writes)
    with Database(path) as database, database.read() as conn:
        rows = memories.page(conn, Scope("agent", ("ana",)), limit=30_000)
        assert integrity.check(conn).sound
    ids = [row.id for row in rows]
    assert len(acknowledged) >= writes
    assert set(acknowledged) <= set(ids)
    assert len(ids) % 2 == 0
    assert [row.next_id for row in rows] == [*ids[1:], None]


def test_the_check_above_notices_an_acknowledgement_that_comes_too_early(path):
    """The planted fault: the writer is killed by its reader before it commits what it acknowledged."""
    writer_that_stops = _WRITER.replace("print(ids[-1], flush=True)", "print(ids[-1], flush=True); sys.stdin.read()", 1)
    with subprocess.Popen(
        [sys.executable, "-c", writer_that_stops, str(path), "too early"], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    ) as writer:
        acknowledged = int(writer.stdout.readline())
        writer.kill()
    with Database(path) as database, database.read() as conn:
        assert memories.fetch(conn, [acknowledged]) == []
