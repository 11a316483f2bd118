"""Looking for better parameters: on the white-list, the same each time, going on where it was cut off, honest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from learning_lives import ASKED, SAID, flushed

from memcore.errors import InvalidInputError
from memcore.learning.cases import Case, Cases
from memcore.learning.tuning import search
from memcore.params import RetrievalParams, overridden
from memcore.params.tunable import TUNABLE, tunable_table
from memcore.storage import revisions

MORE = ["Who has a bicycle?", "Where is Rita?", "course?", "What was in the cake?", "train or ferry?", "beaches"]


@pytest.fixture
def asked(memory):
    memory.tuning.record()
    for query in [*ASKED, *MORE]:
        memory.context(query, user_id="ana", mark_used=False, limit=6, params={"weight_graph": 0.0})
    flushed(memory)
    return memory


class Nowhere:
    """Scores that are kept for as long as the test runs."""

    def __init__(self, known=None):
        self.known = {} if known is None else known
        self.kept = {}

    def keep(self, set_key, score):
        self.kept[set_key] = score


def cases(seed=0, number=12, best=0.8):
    """Searches whose answer is the better, the nearer `weight_graph` is to what is best for them."""

    def run(params):
        off = abs(params.weight_graph - best) + 0.1 * abs(params.fusion_dense_weight - 0.4)
        return [0] * int(off * 10) + [1]

    made = [Case(f"case {one}", f"query {one}", {1: 1.0}, run) for one in range(number)]
    return Cases.halves("made up", made, seed, "digest")


def looked_for(**given):
    usual = {"names": tuple(TUNABLE), "trials": 40, "seed": 0, "k": 20, "scores": Nowhere()}
    return search(given.pop("cases", cases()), RetrievalParams(), **(usual | given))


def test_it_finds_what_is_better_and_says_what_that_is_worth_elsewhere():
    report = looked_for(cases=cases(best=0.6), names=("weight_graph",))
    assert report.tuned.after.ndcg > report.tuned.before.ndcg
    assert report.held_out.is_sure
    assert report.verdict.startswith("better, also where it was not chosen")
    assert abs(report.changes["weight_graph"] - 0.6) < 0.15
    assert overridden(RetrievalParams(), report.changes).model_dump(mode="json") == report.params


def test_what_was_fitted_to_its_rounds_is_told_from_what_is_better():
    def opposed(number, good):
        return Case(
            f"{number}",
            f"query {number}",
            {1: 1.0},
            lambda params: [0] * int(abs(params.weight_graph - good) * 9) + [1],
        )

    mixed = Cases("made up", tuple(opposed(one, 0.2) for one in range(6)), tuple(opposed(9, 1.0) for _ in range(6)), "")
    report = looked_for(cases=mixed, names=("weight_graph",))
    assert report.tuned.rise > 0 > report.held_out.rise
    assert report.verdict.startswith("no better where it was not chosen")


def test_where_nothing_is_better_the_present_parameters_stay():
    report = looked_for(cases=cases(best=1.0), names=("weight_graph",))
    assert (report.changes, report.tuned.rise) == ({}, 0.0)
    assert report.verdict.startswith("nothing better was found")


def test_the_same_seed_gives_the_same_to_the_last_digit_and_another_another_way():
    assert looked_for() == looked_for()
    assert looked_for().trials != looked_for(seed=1).trials


def test_every_set_that_is_tried_is_within_its_ranges_and_moves_what_is_named_alone(monkeypatch):
    seen = []
    real = overridden
    monkeypatch.setattr(
        "memcore.learning.tuning.overridden", lambda base, moved: seen.append(moved) or real(base, moved)
    )
    looked_for(trials=80)
    assert all(TUNABLE[name].low <= value <= TUNABLE[name].high for moved in seen for name, value in moved.items())
    assert {name for moved in seen for name in moved} == set(TUNABLE)
    seen.clear()
    looked_for(trials=20, names=("weight_date", "weight_session"))
    assert {name for moved in seen for name in moved} == {"weight_date", "weight_session"}


def test_the_best_so_far_never_falls_and_no_more_is_tried_than_was_said():
    report = looked_for(trials=25)
    best = [trial.best for trial in report.trials]
    assert len(best) <= 25
    assert best == sorted(best)
    assert [trial.number for trial in report.trials] == list(range(len(best)))


@pytest.mark.parametrize("after", [0, 1, 9, 20])
def test_what_was_cut_off_goes_on_and_ends_with_the_same(asked, opened, after):
    whole = opened().tuning.search_params(trials=24, seed=3)
    with asked._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM tuning_score")

    def cut(done, _total):
        if done > after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked.tuning.search_params(trials=24, seed=3, progress=cut)
    again = opened().tuning.search_params(trials=24, seed=3)
    assert again.known == after + 1
    assert {**again.to_dict(), "known": 0} == {**whole.to_dict(), "known": 0}


def test_what_others_say_meanwhile_takes_nothing_of_it_and_what_its_users_say_all(asked, opened):
    whole = asked.tuning.search_params(trials=12, seed=3)
    opened().add("Tents are dry", user_id="somebody else")
    again = asked.tuning.search_params(trials=12, seed=3)
    assert (again.known, again.to_dict() | {"known": 0}) == (len(whole.trials), whole.to_dict() | {"known": 0})
    for whose in ("ana", None):
        opened().add("The ferry to the library", user_id=whose)
        assert asked.tuning.search_params(trials=12, seed=3).known == 0


def test_a_log_that_was_trimmed_is_no_proof_that_nothing_changed(asked):
    asked.tuning.search_params(trials=6, seed=3)
    for _ in range(2):
        asked.add("The ferry to the library", user_id="ana", infer=False)
        for _ in range(2):
            asked.add("Tents are dry", user_id="somebody else", infer=False)
        with asked._database.write() as connection:
            revisions.trim(connection, 1)
        assert asked.tuning.search_params(trials=6, seed=3).known == 0


def test_what_was_killed_goes_on_in_another_process(asked, opened, tmp_path):
    asked.close()
    program = (
        "import sys; sys.path.insert(0, sys.argv[2]); from learning_lives import Clock; from memcore import Memory;"
        " from memcore.embedding import HashingEmbedder;"
        " m = Memory(sys.argv[1], embedder=HashingEmbedder(64), clock=Clock());"
        " m.tuning.search_params(trials=200, seed=3, progress=lambda done, total: print(done, flush=True))"
    )
    given = [sys.executable, "-c", program, str(tmp_path / "agent.db"), str(Path(__file__).parent)]
    with subprocess.Popen(given, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            if int(line) >= 7:
                running.kill()
                break
    memory = opened()
    again = memory.tuning.search_params(trials=30, seed=3)
    assert again.known >= 7
    with memory._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM tuning_score")
    assert {**memory.tuning.search_params(trials=30, seed=3).to_dict(), "known": 0} == {**again.to_dict(), "known": 0}


def test_a_query_that_was_asked_often_is_in_one_half_alone(asked):
    for _ in range(5):
        asked.context(ASKED[0], user_id="ana", mark_used=False)
    report = asked.tuning.search_params(trials=1)
    assert report.tuned.rounds + report.held_out.rounds == len(ASKED) + len(MORE) + 5
    made = [Case(f"{one}", f"query {one % 5}", {1: 1.0}, lambda _params: [1]) for one in range(40)]
    halves = Cases.halves("made up", made, 0, "")
    assert {case.query for case in halves.tuned}.isdisjoint(case.query for case in halves.held_out)
    assert len(halves.tuned) + len(halves.held_out) == 40


def test_scores_of_another_seed_whose_halves_are_others_are_not_taken_for_its_own(asked):
    with asked._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM tuning_score")
    alone = asked.tuning.search_params(trials=20, seed=1)
    with asked._database.write() as connection:
        connection.exec_driver_sql("DELETE FROM tuning_score")
    asked.tuning.search_params(trials=20, seed=0)
    assert asked.tuning.search_params(trials=20, seed=1) == alone


def test_it_puts_nothing_in_use_and_marks_nothing(asked):
    before = asked.stats().revision, asked.tuning.recording().stored
    report = asked.tuning.search_params(trials=12)
    assert report.on == "recorded searches"
    assert (asked.stats().revision, asked.tuning.recording().stored) == before
    assert asked._calls.store.params.current() == RetrievalParams()


def test_scores_of_older_runs_are_forgotten(asked):
    for number in range(10):
        asked.add(f"another {number}", user_id="ana")
        asked.tuning.search_params(trials=1)
    with asked._database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(DISTINCT run) FROM tuning_score").scalar_one() == 8


def evaluation(path, **changes):
    memories = [
        {
            "id": f"m{number}",
            "speaker": "Ana",
            "text": f"Ana: {text}",
            "session": "s",
            "time": f"2026-05-{number + 1:02}",
        }
        for number, text in enumerate(SAID)
    ]
    queries = [
        {"id": f"q{number}", "text": query, "evidence": [f"m{number}"], "category": "x"}
        for number, query in enumerate([*ASKED, "unanswerable"])
    ]
    queries[-1]["evidence"] = []
    path.write_text(json.dumps({"store": "ana", "memories": memories, "queries": queries, **changes}) + "\n", "utf-8")
    return path


def test_an_evaluation_file_may_take_the_place_of_recorded_searches(memory, tmp_path, clock):
    path = evaluation(tmp_path / "eval.jsonl")
    report = memory.tuning.search_params(path, trials=10, k=5)
    clock.now = clock.now.replace(year=2027)
    assert memory.tuning.search_params(path, trials=10, k=5).to_dict() == {**report.to_dict(), "known": 10}
    assert (report.on, report.tuned.rounds + report.held_out.rounds) == (str(path), len(ASKED))
    assert memory.tuning.recording().stored == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [("not json", "line 1"), ("[1]", "line 1"), ('{"store": "x"}', "memories"), (None, "cannot be read")],
)
def test_a_file_that_is_none_is_refused_with_its_line(memory, tmp_path, text, said):
    path = tmp_path / "eval.jsonl"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(InvalidInputError, match=rf"^on: .*{said}"):
        memory.tuning.search_params(path)


def test_too_few_searches_are_refused_and_told_how_to_have_more(memory):
    memory.tuning.record()
    for query in ASKED[:3]:
        memory.context(query, user_id="ana", mark_used=False)
    with pytest.raises(InvalidInputError, match=r"3 different queries .* at least 4"):
        memory.tuning.search_params()


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("trials", 0), ("seed", -1), ("k", True), ("names", ["weight_of_the_moon"]), ("names", []), ("on", 5)],
)
def test_what_is_not_accepted_is_refused(asked, field, wrong):
    with pytest.raises(InvalidInputError, match=f"^{field}: "):
        asked.tuning.search_params(**{field: wrong})


def test_the_white_list_is_of_the_model_and_within_its_limits():
    rows = tunable_table().splitlines()
    assert len(rows) == 2 + len(TUNABLE)
    defaults = RetrievalParams()
    for name, at in TUNABLE.items():
        for value in (at.low, at.high, at.value(0.37)):
            overridden(defaults, {name: value if not at.whole else round(value)})
        assert at.low <= getattr(defaults, name) <= at.high
        assert at.value(at.share(getattr(defaults, name))) == getattr(defaults, name)
    assert not any(name.startswith(("enable_", "recall_", "decide_", "nmf_", "bm25_")) for name in TUNABLE)
