"""Rows of the speed benchmarks: who counts, ratios, verdicts, and that a kept row is read as it was."""

import json

import numpy as np
import pytest

from benches import results
from benches.results import Goal, Measured, Row


def row(*measured, **given):
    return Row("search", "a work", "ms", measured, **given)


OURS = Measured("memcore", 2.0, within=3.0)


@pytest.mark.parametrize(("more", "ratio"), [(False, 3.0), (True, 1 / 3)])
def test_a_ratio_above_one_says_that_ours_is_better(more, ratio):
    assert row(OURS, Measured("peer", 6.0), more=more).ratio(Measured("peer", 6.0)) == pytest.approx(ratio)


def test_there_is_no_ratio_without_ours_or_to_nothing():
    assert row(Measured("peer", 6.0)).ratio(Measured("peer", 6.0)) is None
    assert row(OURS, more=True).ratio(Measured("peer", 0.0)) is None


def test_the_best_peer_is_the_best_of_those_that_count_and_never_ours():
    slow, fast = Measured("slow", 5.0), Measured("fast", 4.0)
    others = (Measured("memcore, alone", 1.0), Measured("blind", 0.1, counts=False))
    assert row(OURS, *others, slow, fast).best_peer == fast
    assert row(OURS, *others, slow, fast, more=True).best_peer == slow
    assert row(OURS, *others).best_peer is None


@pytest.mark.parametrize(("reached", "met"), [(0.9, True), (1.0, True), (1.1, False)])
def test_a_goal_of_at_most_is_met_up_to_its_bound(reached, met):
    assert Goal.at_most("at most 1 ms", reached, 1.0).met is met
    assert Goal.at_least("at least 1", reached, 1.0).met is (not met or reached == 1.0)


def test_a_goal_is_printed_with_its_verdict_and_with_why_it_was_not_judged():
    assert str(Goal.at_most("at most 1 ms", 1.5, 1.0)) == "at most 1 ms: missed (1.5)"
    assert str(Goal.at_least("at least 1", 1.5, 1.0)) == "at least 1: met (1.5)"
    assert str(Goal("twice the best")) == "twice the best"
    assert str(Goal("2x peer", None, "no peer ran")) == "2x peer: not judged (no peer ran)"
    assert str(Goal.so("the same picks", np.bool_(True))) == "the same picks: met (so)"


def test_a_goal_beside_peers_is_judged_by_the_fastest_that_ran():
    values = {"memcore": 2.0, "slow": 9.0, "fast": 5.0}
    assert str(Goal.times(2.5, ["slow", "fast", "absent"], values, "the best")) == "2.5x the best: met (2.5)"
    assert str(Goal.times(5, ["slow"], values)) == "5x slow: missed (4.5)"
    assert str(Goal.times(5, ["absent"], values)) == "5x absent: not judged (no absent ran)"


def test_a_verdict_from_numbers_of_numpy_can_be_kept():
    goals = (Goal.at_most("a", np.float64(1), 2), Goal.at_least("b", np.float32(1), 2), Goal.so("c", np.bool_(False)))
    assert [json.loads(json.dumps(goal.met)) for goal in goals] == [True, False, False]


def test_a_row_is_printed_with_ratios_remarks_and_goals():
    blind = Measured("blind", 1.0, "recall 0.255", counts=False)
    printed = row(OURS, Measured("peer", 6.0), blind, goals=(Goal("soon", True, "2"),)).lines()
    assert [" ".join(line.split()) for line in printed] == [
        "a work [ms]",
        "memcore 2.000 95 % within 3.000",
        "peer 6.000 3.00x",
        "blind 1.000 0.50x recall 0.255; does not count",
        "beside the best peer that counts, peer: 3.00x",
        "goal soon: met (2)",
    ]


def test_what_is_kept_is_read_again_and_of_a_row_the_last(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(results.FILE, "")
    file = tmp_path / "results.jsonl"
    results.begin("search", {"peer": "1.0"}, file)
    first, last = row(OURS), row(OURS, Measured("peer", 6.0), goals=(Goal("soon", None),), size=10_000)
    results.emit(first)
    results.emit(last)
    one_thread = row(OURS, threads=1)
    results.keep(one_thread)
    assert "a work [ms]" in capsys.readouterr().out
    runs, rows = results.read([file])
    assert rows == [last, one_thread]
    assert (runs[0]["bench"], runs[0]["peers"]) == ("search", {"peer": "1.0"})
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4


def test_without_a_file_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(results.FILE, raising=False)
    results.keep(row(OURS))
    assert not list(tmp_path.iterdir())


def test_a_line_that_is_no_result_is_not_passed_over(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text("{broken", encoding="utf-8")
    with pytest.raises(json.JSONDecodeError):
        results.read([file])
