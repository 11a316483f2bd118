"""Recorded searches run again find what they found; where they do not, the reason is named."""

import json
import math
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from learning_lives import ASKED, NOON, SAID, fill, flushed

from memcore import Memory, Settings
from memcore.embedding import HashingEmbedder
from memcore.errors import InvalidInputError, NotFoundError, ParamsError
from memcore.kinds import Layer, Mismatch
from memcore.learning import replay as replay_module
from memcore.learning.metrics import compared, scored
from memcore.records.replay import Quality

VARIED = [
    {},
    {"limit": 3},
    {"limit": 30, "session_id": "s1"},
    {"kinds": ["turn", "fact"], "as_of": NOON - timedelta(days=9)},
    {"known_at": NOON, "now": NOON.astimezone(ZoneInfo("Asia/Shanghai"))},
    {"filters": {"event_time": {"gte": NOON - timedelta(days=15)}, "speaker": {"ne": "Bo"}}},
    {"channel": "group", "include_dormant": True},
    {"params": {"enable_dpp": False, "rank_form": "perocore"}},
    {"params": {"fusion": "rrf", "recall_dense_floor": -1.0, "dpp_candidate_multiplier": 50}, "limit": 10},
]


def ask_all(memory, user="ana"):
    for query in [*ASKED, "yesterday?", "Where\nis the office", "nonsense zzzz"]:
        for given in VARIED:
            memory.search(query, user_id=user, **given)


@pytest.fixture
def asked(memory):
    memory.tuning.record()
    for query in ASKED:
        memory.context(query, user_id="ana", mark_used=False)
    assert flushed(memory).stored == len(ASKED)
    return memory


def reasons(report):
    return {reason.value: number for reason, number in report.mismatched.items()}


def test_on_a_store_that_is_as_it_was_every_search_finds_what_it_found(memory, opened, clock):
    memory.tuning.record()
    ask_all(memory)
    memory.tuning.record(False)
    clock.now += timedelta(days=100)
    for looking in (memory, opened()):
        report = looking.tuning.replay()
        assert (report.rounds, report.matched, reasons(report)) == (72, 72, {})
        assert all(one.matches and one.place is None and one.overlap == 1.0 for one in report.details)
        assert report.overlap == 1.0


def test_with_the_bundled_embedder_conversations_match_too_whatever_was_asked_before(tmp_path):
    with Memory(tmp_path / "agent.db", clock=lambda: NOON) as memory:
        fill(memory)
        memory.tuning.record()
        lines = ["Is there a ferry?", "And on Saturdays?", "渡轮几点开？"]
        for query in (*lines, "\n".join(lines), "\n".join(lines[1:]), "\n".join(lines[:2])):
            memory.search(query, user_id="ana")
        report = memory.tuning.replay()
    assert (report.rounds, report.matched) == (6, 6)


def test_each_query_is_embedded_once(memory, monkeypatch):
    asked = []
    real = HashingEmbedder.embed

    def noted(self, texts, *, query=False):
        asked.extend(texts if query else [])
        return real(self, texts, query=query)

    monkeypatch.setattr(HashingEmbedder, "embed", noted)
    memory.tuning.record()
    for _ in range(3):
        for query in ASKED:
            memory.search(query, user_id="ana")
    flushed(memory)
    asked.clear()
    memory.tuning.replay(params={"weight_graph": 0.1})
    assert sorted(query for query in asked if query in ASKED) == sorted(ASKED)


def test_what_happens_to_another_user_is_no_reason(asked):
    fill(asked, "bo")
    asked.mark_used([asked.get_all(user_id="bo").items[0].id])
    assert asked.tuning.replay().matched == len(ASKED)


def test_a_replay_records_nothing_and_marks_nothing(asked, tmp_path):
    asked._database.wipe()
    before = (tmp_path / "agent.db").stat().st_mtime_ns, asked.tuning.recording(), asked.stats().revision
    asked.tuning.replay(params={"weight_graph": 0.1})
    assert ((tmp_path / "agent.db").stat().st_mtime_ns, asked.tuning.recording(), asked.stats().revision) == before


def test_two_replays_give_the_same_to_the_last_digit(asked, opened):
    given = {"params": {"weight_graph": 0.1, "fusion_dense_weight": 0.9}}
    assert asked.tuning.replay(**given).to_dict() == opened().tuning.replay(**given).to_dict()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda memory, _ids: memory.add("The ferry to Porto?", user_id="ana", kind="turn"), Mismatch.NEW),
        (lambda memory, _ids: memory.add("The ferry radios live in the library"), Mismatch.NEW),
        (lambda memory, _ids: memory.add("Nothing of it", user_id="ana", kind="knowledge"), Mismatch.SCOPE),
        (lambda memory, ids: memory.mark_used(ids[:6]), Mismatch.USED),
        (lambda memory, ids: memory.update(ids[3], content="Nothing of the kind, ferry."), Mismatch.CHANGED),
        (lambda memory, ids: [memory.retire(one) for one in ids[:6]], Mismatch.CHANGED),
        (lambda memory, ids: [memory.mark_used(ids[:6])] + [memory.retire(one) for one in ids[:6]], Mismatch.CHANGED),
    ],
    ids=["new", "new and shared", "new beside them", "used", "edited", "retired", "used and retired"],
)
def test_what_changed_since_is_named(asked, change, reason):
    """Rounds whose candidates have nothing of it are told apart: their scope changed."""
    change(asked, [record.id for record in asked.get_all(user_id="ana")])
    report = asked.tuning.replay()
    assert {reason} <= set(report.mismatched) <= {reason, Mismatch.SCOPE}
    assert report.matched + sum(report.mismatched.values()) == report.rounds
    odd = next(one for one in report.details if one.reason is reason)
    assert (odd.matches, odd.place is not None, bool(odd.detail)) == (False, True, True)


def pools(memory):
    """The candidates of each trace that are recorded and there."""
    return {trace.id: {one.id for one in trace.pool} for trace in memory.tuning.traces()}


def test_memory_gone_are_only_the_rounds_that_had_one_that_was_deleted(memory):
    """Added to, deleted from and used: each reason is the one that the traces, the log and the rows prove."""
    asked = memory
    asked.tuning.record()
    for query in ASKED:
        asked.search(query, user_id="ana", limit=1)
    flushed(asked)
    before = pools(asked)
    answered = {one for trace in asked.tuning.traces() for one in trace.answer_ids}
    weighed = min(set.union(*before.values()) - answered)
    added = {asked.add(f"The ferry goes at {hour} too", user_id="ana", kind="turn")[0].id for hour in ("ten", "noon")}
    gone = {weighed}
    asked.delete(weighed)
    elsewhere = asked.add("Nothing that anybody asked for", user_id="ana", kind="knowledge")[0].id
    asked.delete(elsewhere)
    used = [one.id for one in asked.get_all(user_id="ana") if one.id not in added][-2:]
    asked.mark_used(used)
    report = asked.tuning.replay()
    assert report.rounds > 0
    for one in report.details:
        then = before[one.trace_id]
        if then & gone:
            assert (one.reason, "deleted since" in one.detail) == (Mismatch.GONE, True)
        elif one.reason is Mismatch.NEW:
            assert "stored" in one.detail
        elif one.reason is Mismatch.USED:
            assert then & set(used)
        else:
            assert one.matches or one.reason in (Mismatch.SCOPE, Mismatch.CHANGED)
    assert 0 < report.mismatched[Mismatch.GONE] == sum(bool(before[one.trace_id] & gone) for one in report.details)


def test_what_is_deleted_beside_the_candidates_is_no_memory_gone(memory):
    other = memory.add("The weekly plan has radios on Friday", user_id="ana", kind="knowledge")[0].id
    memory.tuning.record()
    memory.search("Who repairs radios?", user_id="ana", kinds=["turn"])
    flushed(memory)
    memory.delete(other)
    report = memory.tuning.replay()
    assert report.matched + report.mismatched.get(Mismatch.SCOPE, 0) == 1


def test_the_words_tell_everything_that_happened_to_the_candidates(memory):
    memory.tuning.record()
    result = memory.search("Who repairs radios?", user_id="ana", limit=2)
    weighed = [one["id"] for one in result.trace.candidates if one["id"] not in {hit.id for hit in result}]
    flushed(memory)
    memory.mark_used([result[0].id])
    memory.add("Who repairs radios? Rita does.", user_id="ana", kind="turn")
    memory.delete(weighed[0])
    [one] = memory.tuning.replay().details
    assert one.reason is Mismatch.GONE
    deleted, stored, *_, used = one.detail.split("; ")
    assert (deleted[:1], "deleted" in deleted, stored[:1], "stored" in stored) == ("1", True, "1", True)
    assert used.endswith(" used since")


def test_of_a_log_that_was_trimmed_what_it_still_has_is_told(asked):
    """The oldest trace is before the log begins; the others are not."""
    asked.add("The ferry, the radios, the library and the peanuts", user_id="ana", kind="turn")
    for query in ASKED:
        asked.search(query, user_id="ana")
    flushed(asked)
    newest = max(trace.revision for trace in asked.tuning.traces())
    asked.mark_used([record.id for record in asked.get_all(user_id="ana")])
    with asked._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM revision_log WHERE revision <= ?", (newest,))
    report = asked.tuning.replay()
    told = {trace.id: trace.revision for trace in asked.tuning.traces()}
    late = [one for one in report.details if told[one.trace_id] == newest]
    assert {one.reason for one in late} == {Mismatch.USED}


def test_when_the_log_does_not_reach_back_the_scope_may_have_changed(asked):
    asked.mark_used([record.id for record in asked.get_all(user_id="ana")])
    with asked._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM revision_log")
    report = asked.tuning.replay()
    assert set(report.mismatched) == {Mismatch.SCOPE}
    assert "log" in next(one.detail for one in report.details if not one.matches)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"embedder": "none"}, Mismatch.SPACE),
        ({"embedder": HashingEmbedder(32)}, Mismatch.SPACE),
        ({"settings": Settings(layers=frozenset(Layer) - {Layer.TURNS})}, Mismatch.SETTINGS),
        ({"settings": Settings(retention_days={"turn": 3})}, Mismatch.SETTINGS),
    ],
    ids=["no embedder", "another embedder", "a layer that is off", "days of retention"],
)
def test_what_is_opened_otherwise_is_named(asked, opened, given, reason):
    assert set(opened(**given).tuning.replay().mismatched) == {reason}
    assert asked.tuning.replay().matched == len(ASKED)


def tampered(memory, statement, *values):
    with memory._database.write() as connection:
        connection.exec_driver_sql(statement, values)
    return memory.tuning.replay()


def test_parameters_that_this_version_does_not_know_are_a_reason(asked):
    with asked._database.read() as connection:
        setup = json.loads(connection.exec_driver_sql("SELECT document FROM trace_setup").scalar_one())
    setup["params"]["weight_of_the_moon"] = 1
    report = tampered(asked, "UPDATE trace_setup SET document = ?", json.dumps(setup))
    assert reasons(report) == {"parameters unknown": len(ASKED)}


def test_a_search_that_is_refused_by_now_is_a_reason(asked):
    report = tampered(asked, "UPDATE search_trace SET filters = ? WHERE id = 1", '{"importance": {"near": 5}}')
    assert reasons(report) == {"search failed": 1}
    assert report.matched == len(ASKED) - 1


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE trace_memory SET score = score + 1e-8 WHERE trace_id = 2 AND place = 1", 1),
        ("UPDATE trace_memory SET place = 1 - place WHERE trace_id = 2 AND place < 2", 0),
        ("UPDATE search_trace SET pool_size = pool_size + 1 WHERE id = 2", 2),
        ("UPDATE trace_memory SET answer = 7 - answer WHERE trace_id = 2", 2),
    ],
)
def test_what_nothing_explains_is_counted_apart(asked, statement, place):
    """The planted fault."""
    report = tampered(asked, statement)
    assert reasons(report) == {"unexplained": 1}
    [odd] = [one for one in report.details if not one.matches]
    assert (odd.trace_id, odd.place) == (2, place)


def test_scores_that_are_as_near_as_floats_get_are_the_same(asked):
    report = tampered(asked, "UPDATE trace_memory SET score = score + 5e-10 WHERE trace_id = 2")
    assert report.matched == len(ASKED)


def test_metrics_are_those_of_the_books():
    assert scored([1, 2, 3], {1: 1.0, 2: 1.0}, 2) == Quality(1.0, 1.0, 1.0)
    found = scored([9, 1, 8, 2], {1: 1.0, 2: 2.0, 3: 1.0}, 4)
    ideal = 2 + 1 / math.log2(3) + 1 / 2
    assert found == Quality((1 / math.log2(3) + 2 / math.log2(5)) / ideal, 2 / 3, 0.5)
    assert scored([], {1: 1.0}, 3) == Quality(0.0, 0.0, 0.0)
    assert compared([], []) is None
    report = compared([Quality(0.5, 0, 0)] * 3, [Quality(1, 0, 0), Quality(0, 0, 0), Quality(0.5, 0, 0)])
    assert (report.better, report.worse, report.rise, report.is_sure) == (1, 1, 0.0, False)


def test_what_entered_a_prompt_is_right_and_fill_ups_and_feedback_weigh(memory):
    memory.tuning.record()
    result = memory.search("When does the ferry leave?", user_id="ana", limit=3)
    result.context(300)
    silent = memory.search("library", user_id="ana")
    flushed(memory)
    [_, trace] = memory.tuning.traces()
    searcher = memory._calls.store.searcher
    assert replay_module.gains_of(searcher, [trace]) == [dict.fromkeys(trace.entered_ids, 1.0)]
    assert set(trace.fill_up_ids).isdisjoint(trace.entered_ids)
    report = memory.tuning.replay()
    assert (report.rounds, report.labelled) == (2, 1)
    first, other = trace.answer_ids[0], trace.answer_ids[-1]
    memory.feedback(other, helpful=True)
    memory.feedback(first, helpful=False)
    [gains] = replay_module.gains_of(searcher, [trace])
    assert (gains[other], first in gains) == (2.0, False)
    assert other not in {hit.id for hit in silent} or memory.tuning.replay().labelled == 2


def test_other_parameters_are_compared_over_the_same_rounds(asked):
    report = asked.tuning.replay(params={"fusion_dense_weight": 1.0, "weight_graph": 0.0}, k=3)
    assert report.changes == {"fusion_dense_weight": 1.0, "weight_graph": 0.0}
    assert (report.comparison.rounds, report.k, report.matched) == (len(ASKED), 3, len(ASKED))
    assert report.comparison.before == report.quality
    assert report.changed > 0
    assert report.comparison.low <= report.comparison.rise <= report.comparison.high
    assert asked.tuning.replay(params={}).comparison.rise == 0
    assert asked.tuning.replay().comparison is None


def test_some_traces_may_be_named(asked):
    page = asked.tuning.traces(limit=2)
    seen = []
    report = asked.tuning.replay(page, progress=lambda *told: seen.append(told))
    assert [one.trace_id for one in report.details] == [trace.id for trace in page]
    assert seen == [(1, 2), (2, 2)]
    assert asked.tuning.replay([1, 3]).rounds == 2
    assert asked.tuning.replay([]).to_dict()["quality"] is None


def test_what_is_not_accepted_is_refused(asked):
    for given, error in (
        ({"traces": [99]}, NotFoundError),
        ({"traces": "all"}, InvalidInputError),
        ({"traces": [0]}, InvalidInputError),
        ({"k": 0}, InvalidInputError),
        ({"params": 5}, InvalidInputError),
        ({"params": "nobody's"}, NotFoundError),
        ({"params": {"weight_of_the_moon": 1}}, ParamsError),
        ({"progress": 5}, InvalidInputError),
    ):
        with pytest.raises(error):
            asked.tuning.replay(**given)
    assert len(SAID) == 12
