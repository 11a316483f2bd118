"""The sweep lets facts that have faded become dormant, and looks at no other."""

from datetime import timedelta

import pytest

from memcore.kinds import Category, Kind, Origin
from memcore.maintenance import sweep
from memcore.maintenance.run import maintain
from memcore.maintenance.work import Work
from memcore.scope import Partition
from memcore.storage import dormancy, memories, strength
from memcore.storage.detail_rows import Claim, FactDetail
from memcore.storage.encoding import to_micros
from memcore.storage.rows import NewMemory
from memcore.writing.vectors import VectorSource


class Facts:
    """A store of facts, and the sweep on it."""

    def __init__(self, waiting, now):
        self.database, self.now, self.rows = waiting.database, now, waiting.rows

    def add(self, count=1, *, user="ana", agent="a", category=Category.STATE, **given):
        new = [
            NewMemory(
                partition=Partition(agent, user),
                kind=Kind.FACT,
                content=f"fact {at}",
                tokens="fact",
                origin=Origin.USER,
                importance=5,
                event_time=self.now,
                recorded_at=self.now,
                detail=FactDetail(category=category),
                **given,
            )
            for at in range(count)
        ]
        with self.database.write() as conn:
            return memories.insert(conn, new)

    def sweep(self, *, hours, agent="a", progress=None):
        work = Work(self.database, agent, VectorSource(None), self.now + timedelta(hours=hours), progress)
        [report] = maintain(work, ["sweep"])
        return report

    def sql(self, statement, *parameters):
        with self.database.write() as conn:
            conn.exec_driver_sql(statement, parameters)

    def dormant(self):
        return [row[0] for row in self.rows("SELECT memory_id FROM fact_detail WHERE dormant = 1 ORDER BY 1")]


@pytest.fixture
def facts(waiting, now):
    return Facts(waiting, now)


def test_a_fact_becomes_dormant_when_it_is_due_and_not_before(facts):
    [one] = facts.add()
    assert (facts.sweep(hours=39.8).done, facts.dormant()) == (0, [])
    report = facts.sweep(hours=39.9)
    assert (report.done, report.failed, report.remaining) == (1, 0, 0)
    assert facts.dormant() == [one]
    assert facts.sweep(hours=1000).done == 0


def test_each_category_has_its_own_time(facts):
    fast, slow = facts.add()[0], facts.add(category=Category.IDENTITY)[0]
    facts.sweep(hours=24 * 365)
    assert facts.dormant() == [fast]
    facts.sweep(hours=24 * 365 * 3.4)
    assert facts.dormant() == [fast, slow]


def test_a_use_keeps_a_fact_awake(facts):
    used, unused = facts.add(2)
    with facts.database.write() as conn:
        strength.use(conn, [used], facts.now + timedelta(hours=30))
    facts.sweep(hours=50)
    assert facts.dormant() == [unused]


def test_each_freeze_is_an_operation_of_the_run_that_the_report_names(facts):
    ids = facts.add(3)
    report = facts.sweep(hours=40)
    written = facts.rows(
        "SELECT action, job_run, size, memory_id FROM operation JOIN operation_change ON id = operation_id"
    )
    assert written == [("freeze", report.run, 1, one) for one in ids]
    assert facts.sweep(hours=41).run is None


def test_two_runs_have_two_names(facts):
    facts.add()
    first = facts.sweep(hours=40).run
    facts.add()
    assert facts.sweep(hours=40).run != first


def test_the_facts_of_another_agent_are_left_alone(facts):
    facts.add(agent="b")
    [ours] = facts.add()
    assert facts.sweep(hours=50).done == 1
    assert facts.dormant() == [ours]


def test_all_users_and_what_they_share_are_swept(facts):
    ids = [facts.add(user=user)[0] for user in (None, "ana", "bob")]
    assert facts.sweep(hours=50).done == 3
    assert facts.dormant() == ids


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memory SET ended_at = 5, ending = 'retired' WHERE id = ?",
        "UPDATE memory SET review_state = 'pending' WHERE id = ?",
        "UPDATE claim SET valid_from = 4, valid_until = 5, closed_at = 5 WHERE memory_id = ?",
    ],
)
def test_what_is_not_current_is_left_as_it_is_and_not_looked_at_again(facts, statement):
    past, current = facts.add(2)
    facts.sql(statement, past)
    seen = []
    assert facts.sweep(hours=50, progress=lambda *step: seen.append(step)).done == 1
    assert facts.dormant() == [current]
    assert seen == [(2, 2)]
    seen.clear()
    assert facts.sweep(hours=60, progress=lambda *step: seen.append(step)).done == 0
    assert seen == []


def test_a_fact_whose_end_is_still_to_come_fades_like_any_other(facts):
    [one] = facts.add(claim=Claim(valid_until=facts.now + timedelta(days=100)))
    facts.sweep(hours=50)
    assert facts.dormant() == [one]


def test_what_a_hand_changed_is_scheduled_anew(facts):
    [one] = facts.add()
    facts.sql("UPDATE fact_detail SET category = 'identity' WHERE memory_id = ?", one)
    assert facts.sweep(hours=50).done == 0
    [(due_at,)] = facts.rows("SELECT due_at FROM fact_detail")
    assert due_at > to_micros(facts.now + timedelta(days=365 * 3))


def test_more_than_a_batch_is_done_in_batches_that_are_each_kept(facts, monkeypatch):
    monkeypatch.setattr(sweep, "BATCH", 4)
    facts.add(6)
    facts.add(4, user="bob")
    steps = []
    assert facts.sweep(hours=50, progress=lambda *step: steps.append(step)).done == 10
    assert steps == [(4, 10), (6, 10), (10, 10)]


def test_a_run_that_is_stopped_goes_on_where_it_was(facts, monkeypatch):
    monkeypatch.setattr(sweep, "BATCH", 4)
    facts.add(10)

    def stop(*_step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        facts.sweep(hours=50, progress=stop)
    assert len(facts.dormant()) == 4
    assert facts.sweep(hours=50).done == 6


def test_a_clock_that_steps_back_freezes_nothing_and_one_that_steps_far_ahead_everything(facts):
    facts.add(2)
    assert facts.sweep(hours=-1_000_000).done == 0
    assert facts.sweep(hours=24 * 365_000).done == 2


def test_the_sweep_reads_by_its_index_alone(facts):
    facts.add(3)
    parameters = (1, to_micros(facts.now), 1000)
    with facts.database.read() as conn:
        plan = [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {dormancy.DUE}", parameters)]
    assert "fact_due (partition_id=? AND due_at<?)" in plan[0]
    assert all(line.startswith("SEARCH") for line in plan), plan
