"""How a memory lives, seen from outside: use, sweep, pin, retire, feedback, history, undo; reading changes nothing."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memcore import InvalidInputError, Memory, NotFoundError, Operation, UndoRefusedError
from memcore.kinds import Layer
from memcore.settings import Settings

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def later(self, **duration):
        self.now += timedelta(**duration)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(opened, clock):
    return opened(clock=clock)


def rows(memory, query, *parameters):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query, parameters)]


def dormant(memory):
    return [row[0] for row in rows(memory, "SELECT memory_id FROM fact_detail WHERE dormant = 1 ORDER BY 1")]


def test_a_fact_that_nobody_uses_becomes_dormant_and_wakes_by_use(memory, clock):
    used, unused = memory.add_many({"content": text, "kind": "fact"} for text in ("Ana has tea.", "Bo has tea.")).ids
    clock.later(days=60)
    memory.mark_used([used])
    clock.later(days=20)
    [report] = memory.maintain(["sweep"])
    assert (report.job, report.done, dormant(memory)) == ("sweep", 1, [unused])
    [operation] = memory.history(unused)
    assert isinstance(operation, Operation)
    assert (operation.action, operation.job_run) == ("freeze", report.run)
    memory.mark_used([unused])
    assert dormant(memory) == []
    assert [one.action for one in memory.history(unused)] == ["freeze", "revive"]


def test_a_sweep_is_taken_back_as_a_whole_and_what_wakes_by_it_stays_awake(memory, clock):
    ids = memory.add_many({"content": f"fact {at}", "kind": "fact"} for at in range(5)).ids
    clock.later(days=100)
    run = memory.maintain(["sweep"])[0].run
    memory.mark_used(ids[:1])
    assert len(memory.undo(job_run=run)) == 4
    assert dormant(memory) == []
    assert memory.maintain(["sweep"])[0].done == 0
    clock.later(days=30)
    assert memory.maintain(["sweep"])[0].done == 4
    assert dormant(memory) == ids[1:]


def test_the_sweep_runs_with_all_jobs(memory, clock):
    [added] = memory.add("Ana has tea.", kind="fact")
    clock.later(days=100)
    assert [report.job for report in memory.maintain()] == ["embed", "sweep", "purge", "wipe", "trim", "snapshot"]
    assert dormant(memory) == [added.id]


def test_a_pinned_fact_stays_awake_until_it_is_let_go(memory, clock):
    [added] = memory.add("Ana has tea.", kind="fact", user_id="ana")
    assert memory.pin(added.id, user_id="ana") == memory.get(added.id)
    clock.later(days=400)
    memory.maintain(["sweep"])
    assert dormant(memory) == []
    memory.unpin(added.id)
    memory.maintain(["sweep"])
    assert dormant(memory) == [added.id]


@pytest.mark.parametrize("steps", [[timedelta(days=-3650)], [timedelta(days=3650), timedelta(days=-3700)]])
def test_a_clock_that_jumps_breaks_nothing(memory, clock, steps):
    fact, event = memory.add("Ana has tea.", kind="fact").ids + memory.add("Ana came.").ids
    for step in steps:
        clock.later(days=step.days)
        memory.mark_used([fact, event])
        memory.pin(fact)
        memory.unpin(fact)
        memory.retire(event)
        memory.undo(memory.history(event)[-1].id)
        memory.maintain(["sweep"])
    assert dormant(memory) == []
    [(strength, strength_at)] = rows(memory, "SELECT strength, strength_at FROM fact_detail")
    assert 0.35 <= strength <= 1
    assert strength_at == max(int(moment.timestamp() * 1e6) for moment in _moments(steps))
    assert memory.get(event).access_count == len(steps)


def _moments(steps):
    at = START
    yield at
    for step in steps:
        at += step
        yield at


def test_an_update_is_taken_back_with_its_words_and_its_vector(opened, clock):
    memory = opened(clock=clock, embedder="hashing")
    [added] = memory.add("The parcel came", user_id="ana")
    clock.later(days=1)
    memory.update(added.id, content="The crate left", tags=["old"])
    clock.later(days=1)
    [undone] = memory.undo(memory.history(added.id)[0].id, user_id="ana")
    record = memory.get(added.id)
    assert (record.content, record.tags, record.updated_at) == ("The parcel came", (), clock.now)
    assert memory.stats().pending_vectors == 0
    words_alone = {"enable_dense": False}
    assert [hit.id for hit in memory.search("parcel", user_id="ana", params=words_alone)] == [added.id]
    assert not memory.search("crate", user_id="ana", params=words_alone)
    memory.undo(undone.id)
    assert [hit.content for hit in memory.search("crate", user_id="ana", params=words_alone)] == ["The crate left"]


def test_a_refused_undo_names_what_stands_on_the_operation(memory):
    [added] = memory.add("one")
    for text in ("two", "three"):
        memory.update(added.id, content=text)
    first, second = memory.history(added.id)
    with pytest.raises(UndoRefusedError) as refused:
        memory.undo(first.id)
    assert refused.value.operations == (second.id,)
    memory.undo(second.id)
    memory.undo(first.id)
    assert memory.get(added.id).content == "one"


def test_feedback_corrects_and_says_what_became_of_it(memory):
    [old] = memory.add("Ana lives in Lisbon.", kind="fact", user_id="ana")
    assert memory.feedback(old.id, helpful=False) is None
    new = memory.feedback(old.id, corrected="Ana lives in Porto.", user_id="ana")
    assert (new.supersedes, memory.get(new.id).content) == (old.id, "Ana lives in Porto.")
    assert [one.action for one in memory.history(new.id)] == ["supersede"]


def test_a_retired_memory_is_kept_with_its_reason(memory):
    [added] = memory.add("Ana has tea.")
    assert memory.retire(added.id, reason="moved").content == "Ana has tea."
    assert memory.history(added.id)[-1].reason == "moved"


def test_without_the_layer_of_associations_use_joins_nothing(opened, clock):
    memory = opened(clock=clock, settings=Settings(layers=frozenset(Layer) - {Layer.ASSOCIATION}))
    ids = memory.add_many({"content": text} for text in ("one", "two")).ids
    assert memory.mark_used(ids) == 2
    assert memory.graph(ids[0]).edges == ()
    memory.add_many({"content": f"The parcel {at} came", "user_id": "ana"} for at in range(3))
    assert memory.context("parcel", user_id="ana")
    assert rows(memory, "SELECT count(*) FROM edge") == [(0,)]


CALLS = [
    lambda memory, one: memory.pin(one),
    lambda memory, one: memory.unpin(one),
    lambda memory, one: memory.retire(one),
    lambda memory, one: memory.feedback(one, helpful=True),
    lambda memory, one: memory.history(one),
    lambda memory, one: memory.undo(one),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("impossible", [True, 0, -1, 2**63, "1", 1.0])
def test_an_impossible_id_is_refused_and_one_that_is_not_there_not_found(memory, call, impossible):
    with pytest.raises(InvalidInputError):
        call(memory, impossible)
    with pytest.raises(NotFoundError):
        call(memory, 999)


@pytest.mark.parametrize("call", CALLS[:5])
def test_nothing_of_another_agent_can_be_named(opened, path, call):
    theirs = opened(path, agent_id="theirs").add("secret").ids[0]
    ours = opened(path, agent_id="ours")
    with pytest.raises(NotFoundError):
        call(ours, theirs)


def test_reading_changes_no_byte_of_the_store(tmp_path, clock):
    path = tmp_path / "agent.db"
    with Memory(path, embedder="hashing", durability="relaxed", clock=clock) as memory:
        memory.add_many(
            {"content": f"Ana drank tea number {at} in Lisbon.", "user_id": "ana", "kind": kind, "entities": ["Ana"]}
            for at in range(40)
            for kind in ("event", "fact", "turn")
        )
        one, other = memory.get_all(user_id="ana", kinds=["fact"]).items[:2]
        memory.relate(one.id, other.id)
        memory.retire(one.id)
        clock.later(days=100)
        memory.maintain()
        memory.search("tea", user_id="ana")
        before = _bytes(tmp_path)
        for at in range(1_000):
            clock.later(hours=1)
            found = memory.search(f"tea number {at % 50} in Lisbon", user_id="ana", limit=5)
            assert found
        for hit in found:
            memory.get(hit.id)
            found.explain(hit)
        memory.get_all(user_id="ana")
        memory.context("Lisbon", user_id="ana", mark_used=False)
        memory.why_not(other.id, "tea", user_id="ana")
        memory.history(one.id)
        memory.graph(one.id)
        memory.stats()
        memory.doctor()
        assert _bytes(tmp_path) == before


HASHES = """
import hashlib, pathlib, sys
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if not file.name.endswith("-shm"):
        print(file.name, hashlib.sha256(file.read_bytes()).hexdigest())
"""


def _bytes(folder: Path):
    """What lies in the folder, but for the index of the log, which holds no content and counts its readers.

    Another process looks: to open and close the file here would drop the locks that SQLite has on it.
    """
    looked = subprocess.run([sys.executable, "-c", HASHES, folder], capture_output=True, text=True, check=True)
    assert "agent.db-wal" in looked.stdout
    return looked.stdout


def test_of_many_threads_that_take_back_the_same_one_does(memory):
    [added] = memory.add("Ana has tea.")
    memory.retire(added.id)
    [operation] = memory.history(added.id)

    def take_back(_):
        try:
            return memory.undo(operation.id)
        except UndoRefusedError:
            return None

    with ThreadPoolExecutor(8) as threads:
        done = [one for one in threads.map(take_back, range(8)) if one]
    assert len(done) == 1
    assert [one.action for one in memory.history(added.id)] == ["retire", "undo"]
    assert rows(memory, "SELECT ended_at FROM memory") == [(None,)]
