"""The `embed` job: complete, bounded, resumable, and patient with an embedder that fails."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore import Memory
from memcore.errors import InvalidInputError
from memcore.maintenance.embed import BATCH
from memcore.maintenance.run import JOBS, maintain

PROBES = 2
CALIBRATION = [24, 36]


def texts(number):
    return [f"text {at}" for at in range(number)]


def run(waiting, **given):
    [report] = maintain(waiting.work(**given), ["embed"])
    return report


def test_everything_that_waits_gets_its_vector_and_the_jobs_are_done(waiting):
    waiting.store(texts(45))
    report = run(waiting)
    assert (report.job, report.done, report.failed, report.remaining, report.error) == ("embed", 45, 0, 0, None)
    assert (waiting.count("memory_vector"), waiting.count("job")) == (45, 0)


def test_requests_hold_at_most_twenty_texts(waiting):
    waiting.store(texts(45))
    run(waiting)
    assert waiting.embedder.sizes == [PROBES, 20, *CALIBRATION, 20, 5]


def test_entities_are_embedded_too(waiting):
    waiting.store(["Ana met Ben."], entities=["Ana", "Ben"])
    assert run(waiting).done == 3


def test_a_second_run_finds_nothing_to_do(waiting):
    waiting.store(texts(3))
    run(waiting)
    assert run(waiting).done == 0
    assert waiting.embedder.sizes == [PROBES, 3, *CALIBRATION, PROBES]


def test_progress_is_told_after_each_batch(waiting):
    waiting.store(texts(45))
    run(waiting)
    assert waiting.steps == [(20, 45), (40, 45), (45, 45)]


def test_only_the_agents_own_memories_are_embedded(waiting):
    waiting.store(["ours"])
    waiting.store(["theirs"], agent_id="b")
    assert run(waiting).done == 1
    assert waiting.rows("SELECT agent_id FROM memory JOIN memory_vector ON memory_id = id") == [("a",)]


def test_a_text_that_the_embedder_cannot_take_does_not_keep_the_others_waiting(waiting):
    ids = waiting.store(texts(45))
    waiting.embedder.refused = {"text 0", "text 19", "text 33"}
    report = run(waiting)
    assert (report.done, report.failed, report.remaining, report.error) == (42, 3, 3, "ValueError")
    assert waiting.rows("SELECT memory_id, attempts, last_error FROM job") == [
        (ids[at], 1, "ValueError") for at in (0, 19, 33)
    ]


def test_each_run_counts_one_attempt_more(waiting):
    waiting.store(texts(5))
    waiting.embedder.refused = {"text 2"}
    run(waiting)
    run(waiting)
    assert waiting.rows("SELECT attempts FROM job") == [(2,)]


def test_an_embedder_that_goes_down_keeps_what_is_done_and_the_next_run_goes_on(waiting):
    waiting.store(texts(300))
    waiting.embedder.answers = 6  # who it is, the floor's two, and three batches
    first = run(waiting)
    assert (first.done, first.failed, first.remaining, first.error) == (60, BATCH, 240, "ConnectionError")
    assert waiting.embedder.sizes[6:] == [BATCH, 1]  # the batch that failed, and the question whether it is down
    assert waiting.rows("SELECT count(*) FROM job WHERE attempts = 1") == [(BATCH,)]
    waiting.embedder.answers = 10_000
    second = run(waiting)
    assert (second.done, second.remaining) == (240, 0)


def test_an_embedder_that_is_down_from_the_start_is_reported(waiting):
    waiting.store(texts(3))
    waiting.embedder.answers = 0
    report = run(waiting)
    assert (report.done, report.error, waiting.count("job")) == (0, "ConnectionError", 3)


def test_what_is_written_during_a_run_is_left_to_the_next(waiting):
    waiting.store(texts(25))
    work = waiting.work()
    more = iter([[f"more {at}" for at in range(50)], []])
    [report] = maintain(replace(work, progress=lambda *_: waiting.store(next(more))), ["embed"])
    assert (report.done, report.remaining) == (40, 35)


def test_without_an_embedder_there_is_nothing_to_do(waiting):
    waiting.store(texts(3))
    assert run(waiting, embedder=None).done == 0


def test_a_raw_edit_is_embedded_again(waiting):
    waiting.store(texts(1))
    run(waiting)
    with waiting.database.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET content = 'edited'")
    assert (waiting.count("memory_vector"), waiting.count("job")) == (0, 1)
    assert run(waiting).done == 1
    assert (waiting.count("memory_vector"), waiting.count("job")) == (1, 0)


def test_all_jobs_run_when_none_is_named(waiting):
    assert [report.job for report in maintain(waiting.work())] == list(JOBS)


@pytest.mark.parametrize("jobs", [["embd"], [3], "embed", 7])
def test_an_unknown_job_is_refused_and_nothing_runs(waiting, jobs):
    waiting.store(texts(1))
    with pytest.raises(InvalidInputError, match=r"^jobs"):
        maintain(waiting.work(), jobs)
    assert waiting.count("memory_vector") == 0


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.integers(0, 39), max_size=6), st.integers(1, 40))
def test_exactly_the_refused_texts_stay_whatever_their_places(waiting, refused, number):
    waiting.embedder.refused = {f"text {at}" for at in refused}
    waiting.store(texts(number))
    report = run(waiting)
    left = {content for (content,) in waiting.rows("SELECT content FROM memory JOIN job ON memory_id = id")}
    assert left == waiting.embedder.refused & set(texts(number))
    assert (report.done, report.failed) == (number - len(left), len(left))
    with waiting.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM memory")


class Nameless:
    """An embedder that cannot say what it is."""

    name = "down"
    dimension = 8

    def embed(self, texts, *, query=False):
        raise RuntimeError(f"{len(texts)}, {query}")


def test_what_waits_for_an_embedder_that_cannot_say_who_it_is_is_counted():
    with Memory(":memory:", embedder=Nameless()) as memory:
        memory.add_many([{"content": "a tent"}, {"content": "a kayak", "user_id": "ana"}])
        (report,) = memory.maintain(["embed"])
        assert (report.done, report.remaining) == (0, 2)
        assert report.error
        assert memory.stats().pending_vectors == 2
