"""Scores: their order, the bound on the multipliers, the golden values, every form and every switch."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore import CognitiveGraphEngine, EdgeType, Memory, RetrievalParams, rank_score
from memcore.kinds import RankForm

SWITCHES = sorted(name for name in RetrievalParams.model_fields if name.startswith("enable_"))


@pytest.fixture(scope="module")
def talk():
    """A conversation with entities, and loose memories, with the stand-in embedder."""
    with Memory(":memory:", embedder="hashing") as memory:
        turns = [
            {"role": "user", "name": "Ana", "content": f"Did the parcel {number} with tea arrive at the harbour?"}
            if number % 2 == 0
            else {"role": "user", "name": "Ben", "content": f"Yes, ship {number} brought rice to the harbour."}
            for number in range(40)
        ]
        memory.add(turns, user_id="ana", session_id="s")
        memory.add_many(
            {
                "content": f"The harbour has crane {number} and warehouse {number % 3}",
                "user_id": "ana",
                "entities": [f"crane{number % 9}", "harbour"],
                "importance": number % 11,
            }
            for number in range(20)
        )
        yield memory


def answer(memory, **params):
    found = memory.search("Which ship brought rice to the harbour for Ana?", user_id="ana", limit=10, params=params)
    return found, [(hit.id, hit.score) for hit in found]


@pytest.mark.parametrize("switch", SWITCHES)
def test_each_step_can_be_switched_off_by_itself(talk, switch):
    found, hits = answer(talk, **{switch: False})
    assert len(hits) == 10
    assert all(math.isfinite(score) and score > 0 for _, score in hits)
    assert getattr(found.trace.params, switch) is False


def test_topics_are_off_and_can_be_switched_on(talk):
    assert not answer(talk)[0].trace.step("topics").enabled
    found, hits = answer(talk, enable_nmf=True)
    assert len(hits) == 10
    facts = found.trace.step("topics").facts
    assert facts.topics >= 2
    assert 0.0 <= facts.novelty <= 1.0


def test_with_every_refinement_off_the_bare_recall_is_left(talk):
    off = {name: False for name in SWITCHES if name != "enable_lexical"}
    off |= dict.fromkeys(("weight_answer", "weight_length", "weight_window"), 0)
    found, hits = answer(talk, **off)
    assert len(hits) == 10
    running = [step.name for step in found.trace.steps if step.enabled]
    assert not {"topics", "residual", "spread", "cooccurrence"} & set(running)
    assert set(found[0].signals) <= {"relevance", "lexical", "speaker", "date", "energy", "retention"}


@pytest.mark.parametrize("fusion", ["normalized", "weighted", "rrf", "or_gate"])
@pytest.mark.parametrize("rank_form", list(RankForm))
def test_every_fusion_and_rank_form_answers_in_the_order_of_the_score(talk, fusion, rank_form):
    found, hits = answer(talk, fusion=fusion, rank_form=rank_form)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    candidates = [(one["id"], one["score"]) for one in found.trace.candidates]
    assert candidates == sorted(candidates, key=lambda one: (-one[1], one[0]))
    assert {hit for hit, _ in hits} == set(found.trace.pick_order)
    if (rank_form, fusion) != (RankForm.DIARY, "rrf"):  # there importance is a factor from 0 on, and ranks are near
        assert any("rice" in hit.content for hit in found[:3])


@given(st.lists(st.tuples(st.integers(1, 8), st.floats(0, 10), st.integers(0, 30)), min_size=2, max_size=12))
@settings(max_examples=25, deadline=None)
def test_no_importance_or_use_outweighs_a_base_that_is_larger_by_more_than_the_cap(rows):
    with Memory(":memory:", embedder="none") as memory:
        for repeats, importance, uses in rows:
            filler = " ".join(["filler"] * (9 - repeats))
            (one,) = memory.add(" ".join(["parcel"] * repeats) + " " + filler, importance=importance).ids
            with memory._database.write() as connection:
                connection.exec_driver_sql("UPDATE memory SET access_count = ? WHERE id = ?", (uses, one))
        found = memory.search("parcel", limit=100, params={"enable_dpp": False, "enable_spread": False})
        bases = []
        for hit in found:
            explanation = found.explain(hit)
            base = sum(term.contribution for term in explanation.terms)
            assert 1.0 <= explanation.multiplier <= 1.15
            assert hit.score == pytest.approx(base * explanation.multiplier, rel=1e-9)
            bases.append(base)
        for before, base in enumerate(bases):
            assert all(later <= 1.15 * base * (1 + 1e-9) for later in bases[before:])


@pytest.mark.parametrize(("days", "importance"), [(0, 5.0), (30, 5.0), (0, 10.0), (365, 0.0)])
def test_the_form_perocore_scores_as_its_formula_says(opened, days, importance):
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    memory = opened(clock=lambda: now)
    memory.add("parcel", importance=importance, event_time=now - timedelta(days=days))
    found = memory.search("parcel", params={"rank_form": "perocore"})
    energy, vector = found[0].signals.get("energy", 0.0), found[0].signals["relevance"]
    expected = max(0.7 * energy + 0.3 * vector, 0) * (1 + importance / 10) * (0.8 + 0.2 / (1 + math.log(1 + days)))
    assert found[0].score == pytest.approx(expected, rel=1e-9)
    assert found[0].score == pytest.approx(rank_score(energy, vector, importance, float(days)), rel=1e-9)


@pytest.mark.parametrize(
    ("given_values", "expected"),
    [((1, 0.5, 5, 0), 1.275), ((1, 0.5, 5, 30), 1.07751), ((2, 1, 10, 0), 3.4), ((0, 0, 10, 0), 0)],
)
def test_the_golden_values_of_perocore(given_values, expected):
    graph, relevance, importance, days = map(float, given_values)
    assert rank_score(graph, relevance, importance, days) == pytest.approx(expected, abs=1e-5)


def both_ways(pairs):
    engine = CognitiveGraphEngine()
    for one, other, strength, kind in pairs:
        engine.add_edges(
            np.array([one, other]), np.array([other, one]), np.full(2, strength, np.float32), np.full(2, kind, np.uint8)
        )
    return engine


CHAIN = [(1, 2, 0.9, 0), (2, 3, 0.85, 0), (3, 4, 0.7, 0)]
INHIBITED = [(1, 2, 0.9, 0), (1, 3, 0.5, EdgeType.INHIBITORY)]


@pytest.mark.parametrize(
    ("pairs", "alpha", "steps", "expected"),
    [
        (CHAIN, 0.0, 2, {1: 1.291605, 2: 1.080009, 3: 0.275404}),
        (CHAIN, 0.15, 2, {1: 1.179082, 2: 0.918008, 3: 0.198979}),
        (INHIBITED, 0.15, 1, {1: 1.0, 2: 0.459004, 3: -0.600009}),
        (INHIBITED, 0.15, 2, {1: 1.179082, 2: 0.918008, 3: -1.200018}),
    ],
)
def test_the_golden_values_of_spreading(pairs, alpha, steps, expected):
    ids, energies = both_ways(pairs).spread(np.array([1]), np.ones(1, np.float32), teleport_alpha=alpha, steps=steps)
    assert dict(zip(ids.tolist(), energies.tolist(), strict=True)) == pytest.approx(expected, abs=1e-5)
    order = [(-abs(energy), one) for one, energy in zip(ids.tolist(), energies.tolist(), strict=True)]
    assert order == sorted(order)


def test_pagerank_is_the_fixed_point_of_its_equation():
    found = both_ways(CHAIN).pagerank(np.array([1]), np.ones(1, np.float32), tolerance=1e-12)
    walk = np.zeros((4, 4))
    for one, other, strength, _ in CHAIN:
        walk[other - 1, one - 1] = walk[one - 1, other - 1] = strength
    walk /= walk.sum(axis=0)
    expected = np.linalg.solve(np.eye(4) - 0.85 * walk, 0.15 * np.array([1.0, 0, 0, 0]))
    scores = dict(zip(found.ids.tolist(), found.scores.tolist(), strict=True))
    assert [scores[one] for one in (1, 2, 3, 4)] == pytest.approx(expected.tolist(), abs=1e-4)
    assert sum(scores.values()) == pytest.approx(1.0)
    assert (found.converged, found.fell_back) == (True, False)


@pytest.mark.parametrize(
    "narrowed", [{"session_id": "a"}, {"kinds": ["event"]}, {"filters": {"importance": {"gte": 6}}}]
)
def test_page_rank_brings_nothing_that_the_search_leaves_out(opened, narrowed):
    memory = opened()
    for number in range(60):
        inside = number % 2 == 0
        memory.add(
            f"note {number} about camping and {'tents' if number < 4 else 'boats'}",
            user_id="ana",
            session_id="a" if inside else "b",
            kind="event" if inside else "fact",
            importance=7 if inside else 2,
        )
    found = memory.search("tents", user_id="ana", limit=60, params={"enable_pagerank": True}, **narrowed)
    assert found
    assert {hit.session_id for hit in found} == {"a"}
