"""The five published rank forms: their golden values, their formulas, and their scores taken apart."""

import json
import math

import hypothesis.strategies as st
import numpy as np
import pytest
from fake_reader import DAY, NOW, FakeReader, anchored, asked, but, walked
from hypothesis import given

from memcore.kinds import FusionForm, RankForm
from memcore.params import NAMED
from memcore.pipeline import explanation, forms, rank, recall, run
from memcore.pipeline.reader import Ages, NamedEntity
from memcore.pipeline.retrieval import Pool

PUBLISHED = [form for form in RankForm if form is not RankForm.BLEND]


def score_of(form, *, importance=5, uses=0, days=0.0, params=(), **signals):
    """The score of one candidate under the profile of a form, with `params` changed."""
    pool = Pool(np.array([0]), {name: np.array([float(value)]) for name, value in signals.items()})
    reader = FakeReader(size=1, importance=[importance], uses=[uses], seconds=[NOW.timestamp() - days * DAY])
    profile = but(**{**NAMED[form], **dict(params)})
    return float(rank.scores(pool, anchored(), reader, NOW, profile)[0])


# perocore: max(0.7 · G + 0.3 · V, 0) · (1 + importance/10) · (0.8 + 0.2/(1 + ln(1 + days)))


@pytest.mark.parametrize(
    ("energy", "cosine", "importance", "days", "expected"),
    [(1, 0.5, 5, 0, 1.275), (1, 0.5, 5, 30, 1.07751), (2, 1, 10, 0, 3.4), (0, 0, 10, 0, 0.0)],
)
def test_the_golden_values_of_perocore_come_out_of_its_profile(energy, cosine, importance, days, expected):
    found = score_of("perocore", energy=energy, vector=cosine, importance=importance, days=days)
    assert found == pytest.approx(expected, abs=1e-5)


def test_in_perocore_the_cooccurrence_bonus_is_added_to_the_energy_that_spreading_left():
    plain = score_of("perocore", energy=0.5, vector=0.4)
    assert score_of("perocore", energy=0.4, cooccurrence=0.1, vector=0.4) == pytest.approx(plain)
    assert score_of("perocore", cooccurrence=0.5, vector=0.4) == pytest.approx(plain) == pytest.approx(0.47 * 1.5)


# layers: relevance^w · (0.35 + 0.65 · retention)


@pytest.mark.parametrize(
    ("relevance", "retention", "expected"),
    [(0.8, 1.0, 0.8), (0.8, 0.0, 0.28), (0.8, 0.1, 0.332), (0.5, 0.5, 0.3375), (0.0, 1.0, 0.0), (1.0, 0.15, 0.4475)],
)
def test_layers_weighs_relevance_with_what_is_retained_and_at_least_with_a_third(relevance, retention, expected):
    assert score_of("layers", relevance=relevance, retention=retention) == pytest.approx(expected)


def test_layers_has_a_power_and_a_floor_that_are_tuned_and_its_form_stays_a_product():
    tuned = {"layers_relevance_power": 2.0, "layers_retention_floor": 0.2}
    assert score_of("layers", relevance=0.5, retention=0.5, params=tuned) == pytest.approx(0.25 * 0.6)
    half = {"layers_relevance_power": 0.5}
    assert score_of("layers", relevance=0.25, retention=1, params=half) == pytest.approx(0.5)
    assert score_of("layers", relevance=0, retention=1, params=half) == 0
    for relevance in (0.1, 0.3, 0.77):  # at its default the power leaves every bit of the relevance
        assert score_of("layers", relevance=relevance, retention=1) == relevance


def test_in_layers_what_is_nearly_forgotten_is_found_and_not_first():
    fading, fresh = score_of("layers", relevance=0.9, retention=0.01), score_of("layers", relevance=0.4, retention=1)
    assert 0 < fading < fresh


# trove: 0.6 · cosine + 0.4 · r/(1 + r) + 0.2/(1 + days/30)


@pytest.mark.parametrize(
    ("cosine", "lexical", "days", "expected"),
    [(0.8, 1.0, 0, 0.48 + 0.2 + 0.2), (0.8, 1.0, 30, 0.48 + 0.2 + 0.1), (0.6, 3.0, 90, 0.36 + 0.3 + 0.05)],
)
def test_trove_adds_a_recency_that_halves_in_thirty_days(cosine, lexical, days, expected):
    assert score_of("trove", vector=cosine, lexical=lexical, relevance=0.5, days=days) == pytest.approx(expected)


def test_in_trove_age_takes_little_and_a_closed_gate_all():
    right_and_old = score_of("trove", vector=0.9, lexical=4, relevance=0.8, days=180)
    worse_and_new = score_of("trove", vector=0.6, lexical=2, relevance=0.6, days=0)
    assert right_and_old > worse_and_new
    assert score_of("trove", vector=0.54, lexical=0.9, relevance=0.0, days=0) == 0


def test_trove_ranks_what_has_no_vector_by_its_words():
    assert score_of("trove", lexical=3, relevance=0.75, days=30) == pytest.approx(0.75 + 0.1)


# postgres: RRF · 0.5^((max(0, age − 180)/1825)²) · (1 + 0.2 · log10(1 + uses)) · (0.75 + 0.25 · importance/10)


@pytest.mark.parametrize(("place", "expected"), [(1, 0.01639), (3, 0.01587), (4, 0.01563)])
def test_the_ranks_of_postgres_lie_in_a_narrow_band(place, expected):
    lexical = np.arange(10.0, 0.0, -1.0)
    found = recall.reciprocal(lexical, None, None, None, but(rrf_k=60.0))
    assert found[place - 1] == pytest.approx(expected, abs=5.1e-6)
    assert found[place - 1] == 1 / (60 + place)


@pytest.mark.parametrize(
    ("age", "uses", "importance", "expected"),
    [
        (0, 0, 10, 1.0),
        (180, 0, 10, 1.0),
        (180 + 1825, 0, 10, 0.5),
        (180 + 3650, 0, 10, 0.0625),
        (0, 9, 10, 1.2),
        (0, 15, 10, 1.24082),
        (0, 0, 6, 0.9),
        (0, 0, 8, 0.95),
        (0, 0, 0, 0.75),
        (2005, 99, 6, 0.5 * 1.4 * 0.9),
    ],
)
def test_postgres_multiplies_with_age_use_and_importance(age, uses, importance, expected):
    found = score_of("postgres", rrf=1 / 61, age=age, uses=uses, importance=importance)
    assert found == pytest.approx(expected / 61, rel=1e-5)


def swing(weight):
    """By how much an importance of 8 exceeds one of 6."""
    given_weight = {"postgres_importance_weight": weight}
    more, less = (score_of("postgres", rrf=1, importance=one, params=given_weight) for one in (8, 6))
    return more / less - 1


def test_the_weight_of_importance_in_postgres_is_small_since_multipliers_outweigh_ranks():
    three_ranks = 1 - 61 / 64
    assert three_ranks == pytest.approx(0.047, abs=5e-4)
    assert swing(0.5) == pytest.approx(0.125)
    assert swing(0.5) > 2 * three_ranks
    assert swing(0.25) == pytest.approx(0.0556, abs=1e-4)


def test_the_numbers_of_postgres_that_are_tuned_are_parameters():
    tuned = {
        "postgres_offset_days": 10,
        "postgres_scale_days": 20,
        "postgres_decay": 0.1,
        "postgres_use_weight": 0.5,
        "postgres_importance_weight": 1.0,
    }
    assert score_of("postgres", rrf=1, age=30, uses=9, importance=5, params=tuned) == pytest.approx(0.1 * 1.5 * 0.5)


def test_in_postgres_claims_age_from_their_last_use_and_everything_else_from_the_event():
    ages = Ages(np.array([2005.0, 2005.0]), np.array([180.0, 180.0]), np.ones(2), np.array([True, False]))
    start = asked(pool={0: 0.5, 1: 0.5}, size=2, channels={"rrf": np.full(2, 1 / 61)})
    found, _ = rank.run(start, FakeReader(size=2, age=ages, importance=[10, 10]), but(rank_form="postgres"))
    assert found.scores.tolist() == pytest.approx([1 / 61, 0.5 / 61])


# diary: relevance · importance/10 · e^(−t/S)


@pytest.mark.parametrize(
    ("relevance", "importance", "age", "stability", "expected"),
    [
        (1.0, 10, 0, 30, 1.0),
        (0.5, 5, 0, 30, 0.25),
        (0.5, 5, 45, 45, 0.25 / math.e),
        (1.0, 10, 3, 1, 0.0497871),
        (0.0, 10, 0, 30, 0.0),
        (1.0, 0, 0, 30, 0.0),
    ],
)
def test_diary_is_relevance_times_importance_times_recency(relevance, importance, age, stability, expected):
    found = score_of("diary", relevance=relevance, importance=importance, age=age, stability=stability)
    assert found == pytest.approx(expected)


def test_diary_ages_by_the_last_use_and_by_the_stability_of_each():
    ages = Ages(np.array([400.0, 400.0]), np.array([45.0, 45.0]), np.array([45.0, 90.0]), np.zeros(2, bool))
    found, _ = rank.run(
        asked(pool={0: 1, 1: 1}, size=2), FakeReader(size=2, age=ages, importance=[10, 10]), but(rank_form="diary")
    )
    assert found.scores.tolist() == pytest.approx([math.exp(-1), math.exp(-0.5)])
    assert found.pool.signal("stability").tolist() == [45, 90]


# The third channel of reciprocal ranks


def graph_reader(**given):
    return FakeReader(size=4, bm25=[2, 1, 0, 0], cosine=[0.9, 0.1, 0, 0], names=(NamedEntity(7, "pgvector"),), **given)


@pytest.mark.parametrize(
    "asking", [{"fusion": "rrf"}, {"rank_form": "postgres"}, {"fusion": "rrf", "rank_form": "postgres"}]
)
def test_what_only_the_graph_finds_from_a_named_entity_is_a_candidate_with_a_rank_of_its_own(asking):
    reader = graph_reader(walk=walked(m7=2.0, m103=0.4, m102=0.2))
    start = asked("Where is pgvector?", vector=[1, 0], anchors=anchored(NamedEntity(7, "pgvector")))
    found, _ = recall.run(start, reader, but(**asking))
    assert found.pool.rows.tolist() == [0, 1, 2]
    assert ([7], [2.0]) in [one for one in reader.asked if isinstance(one, tuple)]
    alone, _ = recall.run(start, reader, but(enable_spread=False, **asking))
    assert alone.relevance.tolist() == found.relevance.tolist()
    if "rank_form" in asking:
        expected = [2 / 61, 1 / 62 + 1 / 62 + 1 / 62, 1 / 61, 0]
        assert found.channels["rrf"].tolist() == pytest.approx(expected)
    if asking == {"fusion": "rrf"}:
        assert found.relevance.tolist() == pytest.approx([2 / 3, 61 / 62, 1 / 3, 0])
        assert "rrf" not in found.channels


def test_no_walk_is_made_where_no_reciprocal_ranks_are_asked_for_or_nothing_is_named():
    reader = graph_reader(walk=walked(m103=0.4))
    named = asked("Where is pgvector?", vector=[1, 0], anchors=anchored(NamedEntity(7, "pgvector")))
    recall.run(named, reader, but())
    recall.run(asked("Where?", vector=[1, 0]), reader, but(fusion="rrf"))
    assert not [one for one in reader.asked if isinstance(one, tuple)]


def test_inhibited_and_hidden_memories_have_no_rank_in_the_graph():
    allowed = np.array([True, True, False, True])
    reader = graph_reader(walk=walked(m103=0.4, m104=-0.6), allowed=allowed)
    start = asked("Where is pgvector?", vector=[1, 0], anchors=anchored(NamedEntity(7, "pgvector")))
    found, _ = recall.run(start, reader, but(rank_form="postgres", fusion="rrf"))
    assert found.channels["rrf"][2:].tolist() == [0, 0]
    assert found.pool.rows.tolist() == [0, 1]


# The fusions of the profiles


@pytest.mark.parametrize(
    ("profile", "lexical", "cosine", "expected"),
    [
        ("layers", 4.0, 0.5, 0.4 * 0.8 + 0.6 * 0.75),
        ("layers", 0.0, -1.0, 0.0),
        ("layers", 4.0, float("nan"), 0.8),
        ("trove", 1.0, 0.2, 0.6 * 0.2 + 0.4 * 0.5),
        ("trove", 0.99, 0.549, 0.0),
        ("trove", 0.0, 0.55, 0.33),
        ("trove", 0.99, float("nan"), 0.0),
        ("trove", 1.0, float("nan"), 0.5),
    ],
)
def test_a_profile_fuses_as_its_system_does(profile, lexical, cosine, expected):
    found = recall.fused(np.array([lexical]), np.array([cosine]), None, but(**NAMED[profile]))
    assert found[0] == pytest.approx(expected)


def test_in_postgres_three_channels_have_equal_weight_and_a_missing_one_is_not_made_up_for():
    lexical, cosines, walked_to = np.array([3.0, 0, 1]), np.array([0.9, 0.1, -0.2]), np.array([0, 0.5, 0.5])
    params = but(**NAMED["postgres"])
    three = recall.reciprocal(lexical, cosines, walked_to, None, params)
    assert three.tolist() == pytest.approx([2 / 61, 1 / 62 + 1 / 61, 1 / 62 + 1 / 61])
    two = recall.reciprocal(lexical, cosines, None, None, params)
    assert two.tolist() == pytest.approx([2 / 61, 1 / 62, 1 / 62])
    assert recall.reciprocal(lexical, None, None, None, params).tolist() == pytest.approx([1 / 61, 0, 1 / 62])
    assert recall.fused(lexical, cosines, None, params, walked=walked_to).tolist() == pytest.approx(
        (three * 61 / 3).tolist()
    )


# Every form


SIGNALS = ("relevance", "retention", "lexical", "vector", "energy", "cooccurrence", "rrf", "age", "stability")
value = st.floats(0, 1)
candidate = st.fixed_dictionaries(
    dict.fromkeys(SIGNALS, value) | {"vector": st.floats(-1, 1), "energy": st.floats(-2, 2), "age": st.floats(0, 5_000)}
)


@pytest.mark.parametrize("form", PUBLISHED)
@given(
    st.lists(
        st.tuples(candidate, st.floats(0, 10), st.integers(0, 10_000), st.floats(-10, 5_000)), min_size=1, max_size=6
    )
)
def test_the_terms_and_factors_of_every_candidate_give_its_score(form, rows):
    pool = Pool(
        np.arange(len(rows)),
        {name: np.array([row[0][name] + (0.01 if name == "stability" else 0.0) for row in rows]) for name in SIGNALS},
    )
    reader = FakeReader(
        size=len(rows),
        importance=[row[1] for row in rows],
        uses=[row[2] for row in rows],
        seconds=[NOW.timestamp() - row[3] * DAY for row in rows],
    )
    params = but(rank_form=form)
    scores = rank.scores(pool, anchored(), reader, NOW, params)
    assert (scores >= 0).all()
    assert np.isfinite(scores).all()
    channels = {"lexical": pool.signal("lexical"), "vector": pool.signal("vector")}
    start = asked(pool=dict.fromkeys(range(len(rows)), 0.5), size=len(rows)).but(
        pool=pool, scores=scores, channels=channels
    )
    for position in range(len(rows)):
        told = explanation.explained(start, reader, params, position, 1)
        total = max(sum(term.contribution for term in told.terms), 0.0)
        assert total * math.prod(factor.contribution for factor in told.factors) == pytest.approx(told.score, abs=1e-12)
        assert total * told.multiplier == pytest.approx(told.score, abs=1e-12)
        assert all(term.contribution == term.value * term.weight for term in told.terms)
        json.dumps(told.to_dict(), allow_nan=False)
        assert told.form == form


def whole(params):
    reader = FakeReader(
        bm25=[3, 1, 0, 0, 0.5, 0],
        cosine=[0.9, 0.2, 0.6, 0.35, float("nan"), 0.1],
        names=(NamedEntity(7, "ana"),),
        mentions={7: [1, 2]},
        walk=walked(m101=1.0, m102=0.4, m106=0.3, m7=2.0),
        uses=[0, 3, 0, 9, 0, 1],
        importance=[5, 7, 2, 9, 5, 1],
        seconds=[NOW.timestamp() - days * DAY for days in (0, 10, 400, 900, 2_500, -3)],
        age=Ages(np.array([0, 10, 400, 900, 2_500, 0.0]), np.arange(6.0), np.full(6, 45.0), np.zeros(6, bool)),
        retained=[1, 0.9, 0.5, 0.4, 0.2, 1],
    )
    found, _ = run.run(asked("When did Ana drink tea?", vector=[1, 0]), reader, params)
    return found, reader


@pytest.mark.parametrize("form", PUBLISHED)
@pytest.mark.parametrize("fusion", list(FusionForm))
def test_through_all_steps_the_explanation_of_each_hit_adds_up_and_says_why(form, fusion):
    params = but(rank_form=form, fusion=fusion)
    found, reader = whole(params)
    assert len(found.picked)
    for place, position in enumerate(found.order.tolist(), 1):
        told = explanation.explained(found, reader, params, position, place)
        product = math.prod(factor.contribution for factor in told.factors)
        total = sum(term.contribution for term in told.terms)
        assert max(total, 0) * product == pytest.approx(told.score, abs=1e-12)
        assert told.score == found.scores[position] > 0
        assert told.reasons
        assert told.id == reader.columns.ids[found.pool.rows[position]]


def test_a_reason_says_that_only_the_graph_found_a_memory():
    params = but(rank_form="postgres", fusion="rrf", enable_dense=False)
    found, reader = whole(params)
    position = found.pool.rows.tolist().index(5)
    assert explanation.explained(found, reader, params, position, 1).reasons == (
        "it mentions what the query names, or is linked to it",
    )


def test_every_form_but_blend_has_a_tree():
    assert set(forms.FORMS) == set(PUBLISHED)
