"""Ranking, diversity, and the score taken apart."""

import json
import math

import hypothesis.strategies as st
import numpy as np
import pytest
from fake_reader import DAY, NOW, PARAMS, FakeReader, anchored, asked, but, walked
from hypothesis import given

from memcore.dates import query_dates
from memcore.kinds import RankForm
from memcore.pipeline import diversify, explanation, rank, run, trace
from memcore.pipeline.reader import Atoms, NamedEntity, Neighbour
from memcore.pipeline.retrieval import Pool

SIGNALS = (
    "relevance",
    "graph",
    "pagerank",
    "session",
    "date",
    "date_match",
    "speaker",
    "expansion",
    "question",
    "cooccurrence",
    "residual",
)
PEROCORE = but(rank_form="perocore")


def score_of(params=PARAMS, *, importance=5, uses=0, days=0.0, asks_when=False, **signals):
    pool = Pool(np.array([0]), {name: np.array([float(value)]) for name, value in signals.items()})
    reader = FakeReader(size=1, importance=[importance], uses=[uses], seconds=[NOW.timestamp() - days * DAY])
    return float(rank.scores(pool, anchored(asks_when=asks_when), reader, NOW, params)[0])


@pytest.mark.parametrize(
    ("energy", "vector", "importance", "days", "expected"),
    [(1, 0.5, 5, 0, 1.275), (1, 0.5, 5, 30, 1.07751), (2, 1, 10, 0, 3.4), (0, 0, 10, 0, 0.0)],
)
def test_perocore_gives_its_golden_values(energy, vector, importance, days, expected):
    assert score_of(PEROCORE, energy=energy, vector=vector, importance=importance, days=days) == pytest.approx(
        expected, abs=1e-5
    )


def test_perocore_is_never_negative_a_memory_of_the_future_is_new_and_relevance_stands_in_for_vectors():
    assert score_of(PEROCORE, energy=-2, vector=0.1) == 0
    assert score_of(PEROCORE, energy=1, vector=0, days=-50) == score_of(PEROCORE, energy=1, vector=0)
    assert score_of(PEROCORE, energy=0, relevance=0.5) == score_of(PEROCORE, energy=0, vector=0.5, relevance=0.9)


@given(
    *(st.dictionaries(st.sampled_from(SIGNALS), st.floats(-2, 2), max_size=8) for _ in range(2)),
    st.tuples(st.floats(0, 10), st.integers(0, 10_000)),
    st.tuples(st.floats(0, 10), st.integers(0, 10_000)),
    st.booleans(),
)
def test_in_blend_no_multiplier_outweighs_what_a_memory_has_to_say(one, other, of_one, of_other, when):
    weights = rank.weights(PARAMS, asks_when=when)

    def base(signals):  # exactly, since what cancels out leaves only the error of the order
        return max(math.fsum(weights[name] * value for name, value in signals.items()), 0.0)

    first = score_of(importance=of_one[0], uses=of_one[1], asks_when=when, **one)
    second = score_of(importance=of_other[0], uses=of_other[1], asks_when=when, **other)
    if base(one) > PARAMS.blend_multiplier_cap * base(other) * (1 + 1e-9) + 1e-12:
        assert first > second
    assert base(one) * (1 - 1e-9) - 1e-12 <= first <= PARAMS.blend_multiplier_cap * base(one) * (1 + 1e-9) + 1e-12


@given(st.floats(0, 10), st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1))
def test_the_multiplier_grows_with_importance_use_and_retention_from_one_to_the_cap(importance, uses, kept, share):
    params = but(blend_retention_share=share)

    def multiplier(weight, times, retained):
        parts = np.array([weight]), np.array([times], np.int32), np.array([retained])
        return float(rank.multiplier(*parts, params)[0])

    assert 1.0 <= multiplier(importance, uses, kept) <= params.blend_multiplier_cap * (1 + 1e-12)
    assert multiplier(importance, uses, kept) <= multiplier(min(importance + 1, 10), uses + 1, min(kept + 0.1, 1))
    assert multiplier(0, 0, 0) == 1.0


def test_retention_holds_back_what_has_lost_more_than_half_of_itself():
    reader = FakeReader(retained=[0.9, 0.6, 0.5, 0.2, 0.2, 1.0])
    found, _ = ranked(dict.fromkeys(range(5), 0.5), reader)
    assert found.order.tolist() == [0, 1, 2, 3, 4]
    scores = found.scores.tolist()
    assert scores[0] == scores[1] == scores[2] > scores[3] == scores[4]
    none, _ = ranked({3: 0.5, 5: 0.5}, reader, but(blend_retention_share=0.0))
    assert none.scores[0] == none.scores[1]


def test_retention_is_asked_for_at_the_moment_that_is_looked_at():
    reader = FakeReader()
    rank.run(asked(pool={0: 0.5}), reader, PARAMS)
    assert NOW in reader.asked


def ranked(pool, reader=None, params=PARAMS, **known):
    return rank.run(asked(pool=pool, **known), reader or FakeReader(), params)


def test_the_order_is_by_score_then_by_id_and_a_score_of_nothing_is_no_hit():
    found, facts = ranked({0: 0.2, 1: 0.9, 2: 0.9, 3: 0.0, 5: 0.2})
    assert found.order.tolist() == [1, 2, 0, 4]
    assert (facts.form, facts.scored) == ("blend", 4)


def test_what_a_later_step_brought_has_its_own_relevance_words_and_cosine():
    channels = {"lexical": np.arange(6.0), "vector": np.arange(6.0) / 10}
    start = asked(pool={0: 0.5}, relevance=np.arange(6.0) / 6, channels=channels)
    brought = start.pool.with_signal("residual", np.array([4]), np.array([0.3]))
    pool = rank.run(start.but(pool=brought), FakeReader(), PARAMS)[0].pool
    assert [pool.signal(name)[1] for name in ("relevance", "lexical", "vector", "residual")] == [4 / 6, 4.0, 0.4, 0.3]


def test_named_speakers_their_silent_mentions_and_named_days_are_signals():
    days = [0, 1, 1.6, 0.4, -3, 30]
    reader = FakeReader(
        speaker=[4, 3, -1, -1, 3, 4],
        mentions={7: [1, 2]},
        seconds=[NOW.timestamp() - away * DAY for away in days],
    )
    anchors = anchored(NamedEntity(7, "ana"), speakers=frozenset({4}), dates=query_dates("yesterday", NOW), clock=NOW)
    pool = ranked(dict.fromkeys(range(6), 0.5), reader, anchors=anchors)[0].pool
    assert pool.signal("speaker").tolist() == [1, 0, 1, 0, 0, 1]
    assert pool.signal("date").tolist() == [0.5, 1, 0, 0.5, 0.5, 0]


def test_a_turn_that_asks_gives_way_to_one_that_answers_but_an_asking_note_has_no_answer_beside_it():
    reader = FakeReader(asks=[1, 0, 1, 0, 0, 0], session=[2, 2, -1, -1, -1, -1])
    found = ranked({0: 0.9, 1: 0.6, 2: 0.58}, reader, but(weight_question=0.4))[0]
    assert found.pool.signal("question").tolist() == [0.9, 0, 0]
    assert found.order.tolist() == [1, 2, 0]
    assert ranked({0: 0.9, 1: 0.6, 2: 0.58}, reader, but(weight_question=0))[0].order.tolist() == [0, 1, 2]


def test_energy_is_what_spreading_left_at_a_memory():
    pool = ranked({0: 0.5, 2: 0.5}, energies={103: 0.7, 9: 1.0})[0].pool
    assert pool.signal("energy").tolist() == [0.0, 0.7]


# Diversity


def picked(scores, unit, limit, params=PARAMS, base=None):
    scores = np.array(scores)
    size = len(scores)
    start = asked(limit=limit, pool=dict.fromkeys(range(size), 0.5), size=size)
    start = start.but(scores=scores, order=np.lexsort((np.arange(size), -scores)))
    return diversify.run(start, FakeReader(size=size, unit=unit, base_of_chance=base), params)


def test_of_two_that_say_the_same_the_weaker_gives_way_and_the_answer_is_ordered_by_score():
    found, facts = picked([0.5, 0.9, 0.89, 0.6], [[0, 1], [1, 0], [1, 0], [0.6, 0.8]], 3)
    assert found.picked.tolist() == [1, 3, 0]
    assert set(found.pick_order.tolist()) == {0, 1, 3}
    assert found.pick_order[0] == 1
    assert (facts.considered, facts.exchanged) == (4, 1)


def test_where_all_say_the_same_the_rest_is_filled_up_by_score():
    found, _ = picked([0.5, 0.9, 0.8, 0.7], [[1, 0]] * 4, 3)
    assert found.picked.tolist() == [1, 2, 3]


def test_what_is_alike_only_as_all_of_its_space_are_is_not_exchanged():
    near = [[1, 0], [0.85, math.sqrt(1 - 0.85**2)], [0, 1]]
    same = [[1, 0], [0.999, math.sqrt(1 - 0.999**2)], [0, 1]]
    scores = [0.9, 0.8, 0.7]
    assert picked(scores, near, 2)[0].picked.tolist() == [0, 2]
    found, facts = picked(scores, near, 2, base=0.83)
    assert (found.picked.tolist(), facts.exchanged, facts.power) == ([0, 1], 0, 25)
    found, facts = picked(scores, same, 2, base=0.83)
    assert (found.picked.tolist(), facts.exchanged) == ([0, 2], 1)


@pytest.mark.parametrize(
    ("base", "changes", "power"),
    [
        (0.1, {}, 4),
        (0.83, {}, 25),
        (0.83, {"dpp_unrelated": 1.0}, 4),
        (0.83, {"dpp_unrelated": 1.0, "dpp_similarity_power": 1}, 1),
        (0.83, {"dpp_similarity_power": 40}, 40),
        (0.999, {}, 255),
        (0.0, {}, 4),
        (1.0, {}, 4),
        (None, {}, 4),
    ],
)
def test_the_power_rises_until_unrelated_texts_hardly_count_as_alike(base, changes, power):
    assert diversify.power(FakeReader(base_of_chance=base), but(**changes)) == power


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=20), st.integers(1, 8))
def test_without_vectors_or_when_off_the_answer_is_the_best_by_score(scores, limit):
    best = np.lexsort((np.arange(len(scores)), -np.array(scores)))[:limit].tolist()
    off, facts = picked(scores, [[1, 0]] * len(scores), limit, but(enable_dpp=False))
    assert off.picked.tolist() == off.pick_order.tolist() == best
    assert facts.exchanged == 0
    bare, _ = picked(scores, None, limit)
    assert sorted(np.array(scores)[bare.picked]) == sorted(np.array(scores)[best])


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 3)), min_size=1, max_size=24), st.integers(1, 8))
def test_the_answer_is_always_full_without_repeats_and_from_the_best_few(rows, limit):
    unit = [[math.cos(angle), math.sin(angle)] for _, angle in rows]
    found, _ = picked([score for score, _ in rows], unit, limit)
    answer = found.picked.tolist()
    assert len(answer) == len(set(answer)) == min(limit, len(rows))
    assert set(answer) <= set(found.order[: limit * PARAMS.dpp_candidate_multiplier].tolist())
    assert sorted(found.pick_order.tolist()) == sorted(answer)
    held = found.scores[found.picked]
    assert (np.diff(held) <= 0).all()


# The loop, the trace, the explanation


def whole(params=PARAMS):
    reader = FakeReader(
        bm25=[3, 1, 0, 0, 0.5, 0],
        cosine=[0.9, 0.2, 0.5, 0.35, float("nan"), 0.1],
        names=(NamedEntity(7, "ana"),),
        mentions={7: [1, 2], 20: [3]},
        session=[1, 1, 1, 2, 2, -1],
        speaker=[4, 3, -1, 4, -1, -1],
        uses=[0, 3, 0, 9, 0, 1],
        importance=[5, 7, 2, 9, 5, 0],
        speakers=frozenset({4}),
        walk=walked(m101=1.0, m102=0.4, m103=-0.3, m7=2.0),
        atom=Atoms(("tea",), np.eye(1, 2, 1, dtype=np.float32), of_concepts=True),
        companions={7: (Neighbour(20, "lin", 3),)},
        unit=[[1, 0], [0, 1], [1, 0], [0.6, 0.8], [0, 0], [0, 1]],
    )
    found, records = run.run(asked("When did Ana drink tea yesterday?", vector=[1, 0]), reader, params)
    return found, records, reader


def test_the_steps_run_in_the_order_of_the_table():
    names = ["anchor", "recall", "topics", "residual", "spread", "cooccurrence", "rank", "diversify"]
    assert [step.name for step in run.STEPS] == names
    assert [record.name for record in whole()[1] if not record.enabled] == ["topics"]
    _, records, _ = whole(but(enable_nmf=True))
    assert [record.name for record in records] == names
    assert all(record.enabled and record.facts is not None and record.milliseconds >= 0 for record in records)
    assert records[0].candidates_after == 0 < records[1].candidates_after == records[2].candidates_before


@pytest.mark.parametrize("step", [step for step in run.STEPS if step.switch], ids=lambda step: step.name)
def test_a_step_that_is_off_leaves_no_facts_and_the_others_run(step):
    found, records, _ = whole(but(**{"enable_nmf": True, step.switch: False}))
    assert {record.name: record.facts is None for record in records} == {
        one.name: one.name == step.name for one in run.STEPS
    }
    assert len(found.picked) == 3


def test_each_switch_changes_only_what_its_step_adds():
    everything = whole()[0].pool.signals
    assert "graph" not in whole(but(enable_spread=False))[0].pool.signals
    assert "cooccurrence" not in whole(but(enable_cooccurrence_boost=False))[0].pool.signals
    assert {"graph", "session", "cooccurrence", "relevance", "vector", "lexical"} <= everything.keys()


def traced(params=PARAMS):
    found, records, reader = whole(params)
    shown = trace.Trace(
        query=found.query.text,
        now=NOW,
        revision=3,
        agent_id="agent",
        user_ids=("ana",),
        session_id=None,
        scope_size=6,
        params=params,
        steps=records,
        retrieval=found,
        ids=reader.columns.ids[found.pool.rows],
        problems=("no query vector",),
    )
    return shown, found, reader


@pytest.mark.parametrize("params", [but(rank_form=form) for form in RankForm], ids=list(RankForm))
def test_a_trace_is_plain_values_that_json_can_hold(params):
    shown, found, _ = traced(params)
    again = json.loads(json.dumps(shown.to_dict(), allow_nan=False))
    assert [step["name"] for step in again["steps"]] == [step.name for step in run.STEPS]
    assert again["params"]["rank_form"] == str(params.rank_form)
    assert len(again["candidates"]) == len(found.order)
    assert sorted(again["pick_order"]) == sorted(101 + found.pool.rows[found.picked])
    assert again["steps"][0]["facts"]["entities"] == ["ana"]
    assert shown.step("rank").facts.scored == len(found.order)
    with pytest.raises(KeyError, match="nowhere"):
        shown.step("nowhere")


@pytest.mark.parametrize("params", [PARAMS, PEROCORE, but(fusion="rrf", weight_graph=0.0)])
def test_every_candidates_explanation_adds_up_to_its_score(params):
    _, found, reader = traced(params)
    for place, position in enumerate(found.order.tolist(), 1):
        told = explanation.explained(found, reader, params, position, place)
        total = max(sum(term.contribution for term in told.terms), 0.0) * told.multiplier
        assert total == pytest.approx(told.score, abs=1e-12)
        assert told.score == found.scores[position]
        assert told.rank == place
        assert told.reasons
        assert all(term.contribution == term.value * term.weight for term in told.terms)
        json.dumps(told.to_dict(), allow_nan=False)


def test_of_two_turns_that_match_alike_the_one_with_what_is_asked_for_comes_first():
    reader = FakeReader(holds=[0, 3, 0, 0, 0, 0])
    known = {"query": asked("Who came to the party?").query}
    found = ranked({0: 0.5, 1: 0.5, 2: 0.0}, reader, **known)[0]
    assert found.pool.signal("answer").tolist() == [0, 1, 0]
    assert found.order.tolist() == [1, 0]
    assert ranked({0: 0.5, 1: 0.5}, reader, but(weight_answer=0), **known)[0].order.tolist() == [0, 1]


def test_a_short_turn_of_a_conversation_loses_but_is_found_and_a_note_does_not():
    reader = FakeReader(lengths=[-5, -5, 9, -5, 0, 0], session=[2, 2, 2, -1, -1, -1])
    found = ranked({0: 0.5, 1: 0.01, 2: 0.5, 3: 0.45}, reader, but(weight_length=0.1, weight_window=0))[0]
    assert found.pool.signal("length").tolist() == pytest.approx([-2.5, -0.05, 1.0, 0.0])
    assert found.order.tolist() == [2, 3, 0, 1]
    said = asked("Ana: hello\nTom: and you?").query
    assert not ranked({0: 0.5, 2: 0.5}, reader, query=said)[0].pool.signal("length").any()


def test_what_tells_an_answer_tells_nothing_where_nothing_else_matches():
    reader = FakeReader(holds=[3] * 6, lengths=[9] * 6, session=[2] * 6, concept_holders={"party": [1]})
    found = ranked({0: 0.0, 2: 0.0}, reader, query=asked("Who came to the party?").query, terms=("party",))[0]
    assert found.order.tolist() == []
    assert {name: found.pool.signal(name).any() for name in ("answer", "length", "window")} == {
        "answer": False,
        "length": False,
        "window": False,
    }
