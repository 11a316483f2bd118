"""Searches are recorded beside what they do: the answer is the same, the trace has all it takes to ask again."""

import logging
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from learning_lives import ASKED, NOON, fill, flushed

from memcore import Memory, Settings
from memcore.embedding import HashingEmbedder
from memcore.errors import InvalidInputError, NotFoundError
from memcore.learning import recorder as recording_module
from memcore.storage import search_traces


def answer(result):
    return [(hit.id, hit.score, dict(hit.signals)) for hit in result], result.trace.pick_order, result.context()


def test_nothing_is_recorded_unless_it_is_said(memory):
    memory.search("ferry", user_id="ana")
    assert not memory.tuning.recording().on
    assert flushed(memory).stored == 0


@pytest.fixture(scope="module")
def pair():
    """Two memories of the same life, the searches of one of which are recorded."""
    with (
        Memory(":memory:", embedder=HashingEmbedder(64), clock=lambda: NOON) as off,
        Memory(":memory:", embedder=HashingEmbedder(64), clock=lambda: NOON) as on,
    ):
        fill(off)
        fill(on)
        on.tuning.record()
        yield off, on


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([*ASKED, "Lisbon\nand then?", "vor drei Tagen", "?!", "三天前"]),
    st.integers(1, 12),
    st.sampled_from([{}, {"enable_dpp": False}, {"dpp_candidate_multiplier": 1}, {"rank_form": "perocore"}]),
    st.sampled_from([None, "s1"]),
)
def test_a_recorded_search_answers_exactly_as_one_that_is_not(pair, query, limit, params, session):
    off, on = pair
    given_too = {"user_id": "ana", "limit": limit, "params": params, "session_id": session}
    assert answer(on.search(query, **given_too)) == answer(off.search(query, **given_too))


def test_a_trace_has_what_was_asked_and_what_was_found(memory):
    memory.tuning.record()
    zone = ZoneInfo("Asia/Shanghai")
    result = memory.search(
        "Where is the office?",
        user_id=["ana", "ana"],
        session_id="s2",
        limit=2,
        kinds=["turn"],
        filters={"event_time": {"gte": datetime(2026, 5, 1, tzinfo=UTC)}, "speaker": ["Ana", "Bo"]},
        as_of=NOON + timedelta(days=1),
        known_at=NOON,
        now=NOON.astimezone(zone),
        channel="group",
        include_dormant=True,
        params={"weight_graph": 0.5},
    )
    [trace] = memory.tuning.traces()
    assert (trace.query, trace.user_ids, trace.session_id, trace.limit) == (
        "Where is the office?",
        ("ana",),
        "s2",
        2,
    )
    assert (trace.kinds, trace.channel, trace.include_dormant) == (("turn",), "group", True)
    assert trace.filters == {"event_time": {"gte": datetime(2026, 5, 1, tzinfo=UTC)}, "speaker": ["Ana", "Bo"]}
    assert (trace.as_of, trace.known_at) == (NOON + timedelta(days=1), NOON)
    assert (trace.now, trace.asked_at) == (NOON, NOON)
    assert trace.asked_at.tzinfo == zone
    assert trace.params["weight_graph"] == 0.5
    assert trace.revision == result.trace.revision
    assert trace.space_id is not None
    assert trace.answer_ids == tuple(hit.id for hit in result)
    assert trace.pick_order == result.trace.pick_order
    assert (trace.pool_size, trace.scope_size) == (len(result.trace.candidates), result.trace.scope_size)
    assert [(one.id, one.score) for one in trace.pool] == [
        (one["id"], one["score"]) for one in result.trace.candidates[: len(trace.pool)]
    ]
    assert set(trace.pool[0].signals) == set(result.trace.candidates[0]["signals"])
    assert set(trace.took) == {step.name for step in result.trace.steps if step.enabled}
    assert trace.to_dict()["as_of"] == "2026-06-02T12:00:00+00:00"
    assert trace == memory.tuning.trace(trace.id)


def test_a_given_vector_is_kept(opened):
    memory = opened(embedder="none")
    memory.add("Ana is here", user_id="ana", embedding=[1.0, 0.0, 0.5])
    memory.tuning.record()
    memory.search("Ana", user_id="ana", embedding=[0.5, 0.25, 1.0])
    assert memory.tuning.traces()[0].given_vector == (0.5, 0.25, 1.0)


def test_what_enters_a_prompt_is_noted_and_what_only_completes_it_is_a_fill_up(memory):
    memory.tuning.record()
    result = memory.search("When does the ferry leave?", user_id="ana", limit=1)
    assert memory.tuning.traces()[0].entered_ids == ()
    result.context(2_000)
    [trace] = memory.tuning.traces()
    assert trace.entered_ids == (result[0].id,)
    assert trace.fill_up_ids
    assert set(trace.fill_up_ids).isdisjoint(trace.entered_ids)
    memory.context("What am I allergic to?", user_id="ana", mark_used=False)
    assert memory.tuning.traces()[0].entered_ids


def test_looking_into_a_search_is_not_recorded(memory):
    memory.tuning.record()
    memory.why_not(1, "ferry", user_id="ana")
    assert flushed(memory).stored == 0


def test_the_oldest_go_and_a_share_is_a_share(memory, clock):
    memory.tuning.record(most=3)
    for number in range(5):
        memory.search(f"ferry {number}", user_id="ana")
    assert [trace.query for trace in memory.tuning.traces()] == ["ferry 4", "ferry 3", "ferry 2"]
    memory.tuning.forget()
    memory.tuning.record(sample=0.25)
    for _ in range(200):
        clock.now += timedelta(seconds=1)
        memory.search("ferry", user_id="ana")
    assert 30 < flushed(memory).stored < 70


def test_traces_are_listed_page_by_page_and_by_user(memory):
    fill(memory, "bo")
    memory.tuning.record()
    for user in ("ana", "bo", ["ana", "bo"]):
        memory.search("ferry", user_id=user)
    assert [trace.user_ids for trace in memory.tuning.traces(user_id="ana")] == [("ana", "bo"), ("ana",)]
    page = memory.tuning.traces(limit=2)
    rest = memory.tuning.traces(limit=2, cursor=page.next_cursor)
    assert [trace.id for trace in (*page, *rest)] == [3, 2, 1]
    assert rest.next_cursor is None
    assert [trace.user_ids for trace in page[:1]] == [("ana", "bo")]


def test_another_agent_sees_none_of_them(opened, memory):
    memory.tuning.record()
    memory.search("ferry", user_id="ana")
    other = opened(agent_id="other")
    assert not other.tuning.recording().on
    assert (len(memory.tuning.traces()), len(other.tuning.traces())) == (1, 0)
    with pytest.raises(NotFoundError):
        other.tuning.trace(1)
    assert other.tuning.forget() == 0


def test_it_is_kept_in_the_store_and_every_process_follows(opened, memory, monkeypatch):
    other = opened()
    monkeypatch.setattr(recording_module, "PAUSE", 0.0)
    other.search("ferry", user_id="ana")
    memory.tuning.record()
    other.search("ferry", user_id="ana")
    assert flushed(other).recorded == 1
    memory.tuning.record(False)
    assert not other.tuning.recording().on
    other.search("ferry", user_id="ana")
    assert flushed(other).stored == 1


def test_a_process_may_be_told_to_record_by_its_settings(opened):
    assert Settings.from_environment({"MEMCORE_RECORD_TRACES": "1"}).record_traces
    assert not Settings.from_environment({}).record_traces
    memory = opened(settings=Settings(record_traces=True))
    fill(memory)
    memory.search("ferry", user_id="ana")
    assert flushed(memory).recorded == 1


def test_a_search_of_somebody_of_whom_nothing_is_stored_leaves_no_trace(memory):
    memory.tuning.record()
    memory.search("ferry", user_id="stranger")
    memory.search("ferry", user_id=["ana", "stranger"])
    memory.search("ferry")
    assert (flushed(memory).skipped, memory.tuning.recording().stored) == (3, 0)
    only = memory.add("Dora was here", user_id="dora")[0].id
    memory.delete(only)
    memory.search("Dora", user_id="dora")
    assert (flushed(memory).skipped, memory.tuning.recording().stored) == (4, 0)


def test_they_are_written_without_being_asked_for(memory):
    memory.tuning.record()
    memory.search("ferry", user_id="ana")
    deadline = time.monotonic() + 20
    while memory.tuning.recording().stored == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert memory.tuning.recording().stored == 1


def test_closing_writes_what_waits(opened, memory):
    memory.tuning.record()
    memory.search("ferry", user_id="ana")
    memory.close()
    assert opened().tuning.recording().stored == 1


def test_a_process_that_ends_without_closing_writes_what_waits(memory, tmp_path):
    memory.tuning.record()
    program = (
        "from memcore import Memory; import sys;"
        " m = Memory(sys.argv[1], embedder='none'); m.search('ferry', user_id='ana')"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "agent.db")], check=True)
    assert memory.tuning.recording().stored == 1


def test_many_threads_lose_none(memory):
    memory.tuning.record()

    def ask(number):
        for turn in range(10):
            memory.context(f"ferry {number} {turn}", user_id="ana", mark_used=False)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = flushed(memory)
    assert (state.stored, state.recorded, state.waiting, state.lost) == (80, 80, 0, 0)
    assert all(trace.entered_ids for trace in memory.tuning.traces(limit=100))


def test_a_write_that_fails_fails_no_search_and_is_counted(memory, monkeypatch, caplog):
    memory.tuning.record()
    monkeypatch.setattr(recording_module, "ROOM", 3)
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING, "memcore.tuning"):
        broken.setattr(search_traces, "insert", failing)
        for number in range(5):
            assert memory.search(f"secret ferry {number}", user_id="ana")
        state = flushed(memory)
    assert (state.stored, state.waiting, state.lost) == (0, 3, 2)
    assert "3 traces of searches wait" in caplog.text
    assert "secret" not in caplog.text
    state = flushed(memory)
    assert (state.stored, state.waiting, state.lost) == (3, 0, 2)


@pytest.mark.parametrize("fails", [True, False])
def test_a_block_that_is_made_while_its_trace_is_written_makes_no_second_one(memory, monkeypatch, fails):
    memory.tuning.record()
    result = memory.search("When does the ferry leave?", user_id="ana", limit=2)
    real = search_traces.insert

    def insert(*given):
        result.context()
        return failing() if fails else real(*given)

    with monkeypatch.context() as broken:
        broken.setattr(search_traces, "insert", insert)
        state = flushed(memory)
        assert (state.stored, state.waiting) == ((0, 1) if fails else (1, 0))
    state = flushed(memory)
    assert (state.stored, state.recorded, state.waiting, state.lost) == (1, 1, 0, 0)
    assert memory.tuning.traces()[0].entered_ids == tuple(sorted(hit.id for hit in result))


@pytest.mark.parametrize("becomes", ["recorded", "skipped", "lost", "lost at the end"])
def test_each_search_is_counted_once_whenever_blocks_are_made_of_it(memory, monkeypatch, becomes):
    memory.tuning.record()
    recorder = memory._calls.store.recorder
    given = {"user_id": ["ana", "nobody"] if becomes == "skipped" else "ana"}
    results = [memory.search(f"ferry {number}", **given) for number in range(3)]
    real = recorder._write

    def write(batch):
        results[0].context()
        if becomes.startswith("lost"):
            failing()
        real(batch)
        results[1].context()

    with monkeypatch.context() as broken:
        broken.setattr(recorder, "_write", write)
        broken.setattr(recording_module, "ROOM", 0 if becomes == "lost" else 10)
        recorder.flush()
    results[2].context()
    if becomes == "lost at the end":
        monkeypatch.setattr(recorder, "_write", write)
        memory.close()
        counts = recorder._counts
        assert [counts[name] for name in ("recorded", "skipped", "lost")] == [0, 0, 3]
        return
    flushed(memory)
    state = flushed(memory)
    expected = {"recorded": 0, "skipped": 0, "lost": 0} | {becomes: 3}
    assert {name: getattr(state, name) for name in expected} == expected
    assert (state.waiting, state.stored) == (0, 3 if becomes == "recorded" else 0)


def test_what_a_block_adds_to_a_trace_that_is_written_is_no_search_that_is_lost(memory, monkeypatch):
    memory.tuning.record()
    result = memory.search("ferry", user_id="ana")
    assert flushed(memory).recorded == 1
    with monkeypatch.context() as broken:
        broken.setattr(recording_module, "ROOM", 0)
        result.context()
    memory.search("radios", user_id="ana")
    result.context()
    with monkeypatch.context() as broken:
        broken.setattr(search_traces, "note_prompt", failing)
        state = flushed(memory)
    assert (state.recorded, state.waiting, state.lost) == (1, 1, 0)
    state = flushed(memory)
    assert (state.recorded, state.waiting, state.lost) == (2, 0, 0)


def failing(*_given):
    raise InvalidInputError("no room")


def test_filters_that_cannot_be_kept_lose_that_trace_and_no_other(memory, monkeypatch, caplog):
    memory.tuning.record()
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING, "memcore.tuning"):
        broken.setattr("memcore.learning.observed.filters_text", failing)
        assert memory.search("ferry", user_id="ana")
        assert memory.search("ferry", user_id="ana")
    assert caplog.text.count("a search was not recorded") == 1  # the second fails as the first did
    memory.search("ferry", user_id="ana")
    state = flushed(memory)
    assert (state.stored, state.lost) == (1, 2)


def test_what_is_lost_at_the_end_is_said(memory, monkeypatch, caplog):
    memory.tuning.record()
    memory.search("ferry", user_id="ana")
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING, "memcore.tuning"):
        broken.setattr(search_traces, "insert", failing)
        memory.close()
    assert "1 traces of searches are lost" in caplog.text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_of_fork_writes_none_of_its_parents_traces(memory, tmp_path):
    memory.tuning.record()
    memory.search("ferry", user_id="ana")
    program = (
        "import os, sys; from memcore import Memory; m = Memory(sys.argv[1], embedder='none');"
        " m.search('ferry', user_id='ana'); child = os.fork();"
        " (os.waitpid(child, 0) if child else None); m.close()"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(tmp_path / "agent.db")], capture_output=True, check=True
    )
    assert ran.stderr == b""
    assert flushed(memory).stored == 2


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("sample", 0), ("sample", 1.5), ("sample", "half"), ("most", 0), ("most", 1.5), ("most", True), ("on", "yes")],
)
def test_what_is_not_accepted_is_refused(memory, field, wrong):
    with pytest.raises(InvalidInputError, match=f"^{field}: "):
        memory.tuning.record(**{field: wrong})
    with pytest.raises(InvalidInputError, match="limit"):
        memory.tuning.traces(limit=0)
    with pytest.raises(InvalidInputError, match="record_traces"):
        Settings(record_traces=1)
    with pytest.raises(InvalidInputError, match="MEMCORE_RECORD_TRACES"):
        Settings.from_environment({"MEMCORE_RECORD_TRACES": "yes"})


def test_every_search_is_counted_at_every_moment(memory, monkeypatch):
    """Also while its trace is being written: here it is asked for from within."""
    memory.tuning.record()
    recorder, insert, counted = memory._calls.store.recorder, search_traces.insert, []

    def asked(*given):
        told = recorder.status()
        counted.append(told.recorded + told.waiting)
        return insert(*given)

    with recorder._writing:
        for number in range(5):
            memory.search(f"tea {number}", user_id="ana")
        monkeypatch.setattr(search_traces, "insert", asked)
    recorder.flush()
    assert counted == [5] * 5
    told = memory.tuning.recording()
    assert (told.recorded, told.waiting) == (5, 0)
