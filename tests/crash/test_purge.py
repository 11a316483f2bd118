"""Forgetting among processes: others stop finding it at once, and what a kill interrupts the next opening ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from memcore import Memory
from memcore.errors import NotFoundError
from memcore.storage.database import Database

SCRIPT = Path(__file__).parent / "purging.py"
KILLS = 5
ROWS = 120


def add(memory, user, rows=ROWS):
    return memory.add_many(
        {"content": f"the parcel {number} of {user}", "user_id": user, "session_id": "s", "entities": [f"Box {user}"]}
        for number in range(rows)
    ).ids


def counts(memory, user):
    return {table: rows for table, rows in memory.purge_user(user).counts.items() if rows}


def rows_in(path):
    """How many rows there are of every table that keeps something of people, whoever may see them."""
    from memcore.storage.places import PLACES

    with Database(path) as database, database.read() as connection:
        return {
            place.table: connection.exec_driver_sql(f"SELECT count(*) FROM {place.table}").scalar_one()
            for place in PLACES
        }


class Purging:
    """A process that purges a user, batch after batch."""

    def __init__(self, path, user, pause):
        command = [sys.executable, str(SCRIPT), str(path), user, str(pause)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def says(self, word):
        line = self.process.stdout.readline().strip()
        assert line == word, line

    def end(self):
        self.process.kill()
        self.process.wait(20)
        self.process.stdout.close()


@pytest.fixture
def purging(path):
    started = []

    def start(user, pause=60):
        started.append(Purging(path, user, pause))
        started[-1].says("open")
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture
def memory(path):
    with Memory(path, embedder="hashing", durability="relaxed") as opened:
        yield opened


def test_from_the_mark_on_no_process_finds_anything_of_the_user(memory, purging):
    ids = add(memory, "ana")
    kept = add(memory, "bob")
    shared = memory.add("the parcel for everybody", entities=["Dock"])[0].id
    memory.add("the parcel at the dock", user_id="ana", entities=["Dock"])
    before = memory.stats()
    assert memory.search("parcel", user_id="ana", limit=3)
    purging("ana").says("batch")  # the mark is there, and nothing is removed
    assert [hit.id for hit in memory.search("parcel", user_id="ana", limit=50)] == [shared]
    assert {record.user_id for record in memory.get_all(user_id="ana")} == {None}
    with pytest.raises(NotFoundError):
        memory.get(ids[0])
    with pytest.raises(NotFoundError):
        memory.mark_used([ids[0]])
    dock = memory.get_all(kinds=["entity"])[0].id
    assert {node.user_id for node in memory.graph(dock).nodes} == {None}
    after = memory.stats()
    assert (before.users - after.users, before.memories["event"] - after.memories["event"]) == (1, len(ids) + 1)
    assert before.edges["mention"] - after.edges["mention"] == len(ids) + 1
    assert counts(memory, "ana") == {"partition": 1}
    assert memory.verify_absent(ids[0])  # still in the file, and it says so
    assert len(memory.search("parcel", user_id="bob", limit=50)) > 1
    assert memory.get(kept[0]).content == "the parcel 0 of bob"


def test_what_the_user_says_while_a_purge_runs_is_new_and_stays(memory, purging, path):
    add(memory, "ana")
    running = purging("ana", 0.05)
    running.says("batch")
    new = memory.add(
        "the parcel that came after", user_id="ana", session_id="s", entities=["Box ana"], idempotency_key="k"
    )[0]
    record = memory.get(new.id)
    assert (record.position, record.prev_id) == (0, None)
    for line in running.process.stdout:
        if line.strip() == "gone":
            break
    assert [hit.id for hit in memory.search("parcel", user_id="ana")] == [new.id]
    assert counts(memory, "ana") == {
        "mention": 1,
        "entity": 1,
        "event_detail": 1,
        "memory_vector": 2,
        "memory": 2,
        "partition": 1,
    }
    assert len(memory.graph(new.id).nodes) == 2
    assert rows_in(path)["memory"] == 2


def test_an_idempotency_key_of_what_is_being_removed_is_free(memory, purging):
    old = memory.add("the first parcel", user_id="ana", idempotency_key="k")[0]
    purging("ana").says("batch")
    new = memory.add("the first parcel", user_id="ana", idempotency_key="k")[0]
    assert new.id != old.id
    assert memory.add("the first parcel", user_id="ana", idempotency_key="k")[0].id == new.id


def test_a_second_purge_while_the_first_is_open_takes_what_came_between_too(memory, purging, path):
    add(memory, "ana")
    first = purging("ana")
    first.says("batch")
    add(memory, "ana", 30)
    report = memory.purge_user("ana", confirm="ana")
    assert report.counts["memory"] >= 31
    assert memory.get_all(user_id="ana").items == ()
    first.end()
    memory.maintain(["purge", "wipe"])
    assert set(rows_in(path).values()) == {0}
    assert memory.verify_absent("parcel") == []


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_purge_that_is_killed_hides_at_once_and_is_gone_after_the_next_opening(path, purging, kill):
    with Memory(path, embedder="hashing", durability="relaxed") as memory:
        ids = add(memory, "ana")
        add(memory, "bob", 20)
    running = purging("ana", 0.02)
    for _ in range(1 + 2 * kill):
        running.says("batch")
    running.end()
    with Database(path) as database, database.read() as connection:  # opened without ending the purge
        assert connection.exec_driver_sql("SELECT count(*) FROM purge_mark").scalar_one() == 1
    assert rows_in(path)["memory"] > 21
    with Memory(path, embedder="hashing", durability="relaxed") as memory:
        assert counts(memory, "ana") == {}
        assert memory.verify_absent("of ana") == []
        assert memory.verify_absent(ids[0]) == []
        assert len(memory.get_all(user_id="bob")) == 21
        with memory._database.read() as connection:
            [receipt] = connection.exec_driver_sql("SELECT counts, pending FROM receipt").fetchall()
        assert f'"memory": {len(ids) + 1}' in receipt[0]
        assert receipt[1] == 0
    assert rows_in(path)["memory"] == 21


def test_a_reader_of_an_older_state_makes_it_pending_and_the_next_job_sees_to_it(memory, path):
    add(memory, "ana", 5)
    secret = memory.add("the sesame parcel", user_id="bob")[0].id
    with Database(path) as other, other.read() as reading:
        assert reading.exec_driver_sql("SELECT count(*) FROM memory").scalar_one() > 0
        report = memory.delete(secret)
        assert report.pending
        assert memory.purge_user("ana", confirm="ana").pending
        assert {remain.place for remain in memory.verify_absent("sesame")} <= {"agent.db", "agent.db-wal"}
        assert memory.verify_absent("sesame")
        assert [(job.done, job.remaining) for job in memory.maintain(["wipe"])] == [(0, 2)]
    assert [(job.done, job.remaining) for job in memory.maintain(["wipe"])] == [(2, 0)]
    assert memory.verify_absent("sesame") == memory.verify_absent("of ana") == []


VISITOR = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # the bytes that SQLite locks to say: it is open
"""


def is_held(path):
    """Whether another process can see that this one has the database open."""
    ran = subprocess.run([sys.executable, "-c", VISITOR, str(path)], check=False, stderr=subprocess.DEVNULL)
    return ran.returncode != 0


def test_to_look_for_remains_drops_no_lock_of_the_database(memory, path):
    memory.add("the parcel is here", user_id="ana")
    assert memory.verify_absent("the parcel")
    memory.delete(memory.add("the crate is here", user_id="ana")[0].id)
    with Database(path) as other:
        assert other.raw_file().read(0, 6) == b"SQLite"
    assert is_held(path)


def test_the_check_above_notices_a_handle_that_is_closed(memory, path):
    """The planted fault: to close any handle on the database drops the locks of this process."""
    memory.add("the parcel is here", user_id="ana")
    assert is_held(path)
    path.read_bytes()
    assert not is_held(path)
