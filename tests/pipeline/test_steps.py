"""Anchors, topics, residual, spreading and co-occurrence, each as a function of a retrieval and a scope."""

import math
from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
import numpy as np
import pytest
from fake_reader import DAY, NOW, PARAMS, FakeReader, anchored, asked, but, rows_and, walked
from hypothesis import given

from memcore.compute import nmf, nnls_project
from memcore.pipeline import anchor, cooccurrence, residual, spread, topics
from memcore.pipeline.reader import Atoms, NamedEntity, Neighbour, Walk

ANA, BOB = NamedEntity(7, "ana"), NamedEntity(8, "bob")
AXES = Atoms(("tea", "cello"), np.eye(2, 4, dtype=np.float32), of_concepts=True)


# Anchors


def test_anchors_are_the_entities_their_speakers_and_the_days_that_the_query_names():
    reader = FakeReader(names=(ANA, BOB), speakers=frozenset({4}))
    found, facts = anchor.run(asked("When did Ana call Bob yesterday?"), reader, PARAMS)
    assert found.anchors.entities == (ANA, BOB)
    assert found.anchors.speakers == {4}
    assert found.anchors.asks_when
    assert reader.asked == ["When did Ana call Bob yesterday?", (7, 8)]
    assert facts.entities == ("ana", "bob")
    assert facts.dates[0].startswith("2026-11-29")


@pytest.mark.parametrize(
    ("said", "dates", "when"),
    [
        ("Ana: when was it, in March?\nBob: tell me what you did yesterday", ["2026-11-29"], False),
        ("安娜：去年三月是什么时候？\n鲍勃：说说你昨天做了什么", ["2026-11-29"], False),
        ("Ana: I was there yesterday.\nBob: when did it begin?", [], True),
        ("What a day today! I slept badly. It rained yesterday. Anyway. Who lent me the tent?", [], False),
        ("今天天气真好。昨天的梦很怪。哎呀！说起来，谁借给我帐篷的？", [], False),
        ("It rained. I was at home. So be it. Who came yesterday?", ["2026-11-29"], False),
        ("I was in Lisbon yesterday. It rained. Whom did I meet?", ["2026-11-29"], False),
    ],
)
def test_a_dialogue_asks_for_the_days_of_its_last_line_and_names_whom_all_of_it_names(said, dates, when):
    reader = FakeReader(names=(ANA, BOB))
    found, facts = anchor.run(asked(said), reader, PARAMS)
    assert ([span[:10] for span in facts.dates], found.anchors.asks_when) == (dates, when)
    assert found.anchors.entities == (ANA, BOB)
    assert reader.asked[0] == said


@pytest.mark.parametrize(
    ("newest", "expected"), [(-29, 0), (-30, 0), (-31, -31), (5, 0)], ids=["29 days", "30 days", "31 days", "ahead"]
)
def test_the_clock_is_the_newest_event_only_when_that_is_over_thirty_days_old(newest, expected):
    seconds = [NOW.timestamp() + newest * DAY - older for older in range(6)]
    _, facts = anchor.run(asked("yesterday"), FakeReader(seconds=seconds), PARAMS)
    assert facts.clock == NOW + timedelta(days=expected)


def test_the_clock_goes_by_what_the_search_may_see():
    seconds = [NOW.timestamp() - 100 * DAY] + [NOW.timestamp()] * 5
    reader = FakeReader(seconds=seconds, allowed=np.array([True] + [False] * 5))
    assert anchor.run(asked(), reader, PARAMS)[1].clock == NOW - timedelta(days=100)


@pytest.mark.parametrize(("seconds", "year"), [(1e15, 2026), (-1e15, 1000)])
def test_a_time_that_no_calendar_has_does_not_stop_a_search(seconds, year):
    assert anchor.run(asked("yesterday"), FakeReader(size=1, seconds=[seconds]), PARAMS)[1].clock.year == year


@pytest.mark.parametrize(
    ("years_of_events", "year"),
    [((2022, 2024), 2022), ((2021, 2024), 2024), ((2021, 2023), 2021), ((2019, 2023), 2021)],
    ids=["the conversation's own", "from now", "the conversation's own, not from now", "neither"],
)
def test_years_count_from_now_where_nothing_happened_in_the_year_that_the_conversation_would_mean(
    years_of_events, year
):
    seconds = [datetime(of_event, 6, 1, tzinfo=UTC).timestamp() for of_event in years_of_events]
    found, facts = anchor.run(asked("Where was I two years ago?"), FakeReader(size=2, seconds=seconds), PARAMS)
    assert [span.start.year for span in found.anchors.dates] == [year]
    assert (facts.clock == NOW) == (year == 2024)


def test_an_empty_scope_goes_by_now():
    assert anchor.run(asked(), FakeReader(size=0), PARAMS)[1].clock == NOW


# Topics


def test_topics_place_the_query_by_non_negative_least_squares():
    factors = nmf(np.abs(np.eye(3, 4, dtype=np.float32)), k=3, iterations=50, seed=1)
    found, facts = topics.run(asked(vector=[0, -1, 0, 0], pool={0: 1.0}), FakeReader(factors=factors), PARAMS)
    assert found.projection.depth == facts.depth == pytest.approx(1.0, abs=1e-6)
    assert (facts.topics, facts.coverage) == (3, 1)
    assert facts.novelty == pytest.approx(0.0, abs=1e-5)


def test_fewer_than_two_atoms_leave_depth_0_coverage_0_and_novelty_1():
    found, facts = topics.run(asked(vector=[1, 0], pool={0: 1.0}), FakeReader(factors=None), PARAMS)
    assert found.projection is None
    assert (facts.topics, facts.depth, facts.coverage, facts.novelty) == (0, 0.0, 0, 1.0)


def test_a_query_across_all_topics_has_no_weights_and_is_all_new():
    factors = nmf(np.eye(2, 4, dtype=np.float32), k=2, iterations=50, seed=1)
    _, facts = topics.run(asked(vector=[0, 0, 0, 1], pool={0: 1.0}), FakeReader(factors=factors), PARAMS)
    assert (facts.depth, facts.coverage) == (0.0, 0)
    assert facts.novelty == pytest.approx(1.0)


def test_one_topic_explains_at_depth_1():
    factors = nmf(np.eye(1, 4, dtype=np.float32), k=1, iterations=50, seed=1)
    _, facts = topics.run(asked(vector=[0.8, 0.6, 0, 0], pool={0: 1.0}), FakeReader(factors=factors), PARAMS)
    assert (facts.topics, facts.depth, facts.coverage) == (1, 1.0, 1)
    assert facts.novelty == pytest.approx(0.6, abs=1e-5)


@pytest.mark.parametrize("known", [{"vector": None, "pool": {0: 1.0}}, {"vector": [1, 0]}])
def test_without_a_vector_or_a_candidate_no_topics_are_asked_for(known):
    found, facts = topics.run(asked(**known), FakeReader(), PARAMS)
    assert found.projection is None
    assert facts.novelty == 1.0


# Residual


def residual_of(reader, params=PARAMS, **known):
    return residual.run(asked(**({"vector": [0.6, 0, 0.8, 0], "pool": {0: 1.0}} | known)), reader, params)


def test_what_the_atoms_leave_over_is_searched_for_and_brings_only_new_memories():
    reader = FakeReader(atom=AXES, cosine=[0.9, 0.5, 0.25, -0.1, float("nan"), 0.4])
    found, facts = residual_of(reader, but(residual_topk=2))
    assert (facts.outcome, facts.brought, facts.atoms) == ("searched", 2, ("tea",))
    assert facts.residual_norm == pytest.approx(math.hypot(0.1, 0.8), abs=1e-5)
    assert np.linalg.norm(reader.asked[-1]) == pytest.approx(1.0, abs=1e-6)
    assert rows_and("residual", found) == pytest.approx({0: 0.0, 1: 0.8 * 0.6, 5: 0.8 * 0.5})


def test_what_the_query_itself_gives_is_not_given_twice():
    reader = FakeReader(atom=AXES, cosine=[0.9, 0.5, 0.25, -0.1, float("nan"), 0.4])
    relevance = np.array([1.0, 0.3, 0.0, 0.0, 0.0, 0.6])
    found, facts = residual_of(reader, but(residual_topk=2), relevance=relevance)
    assert facts.brought == 2
    assert rows_and("residual", found) == pytest.approx({0: 0.0, 1: 0.8 * 0.6 - 0.3, 5: 0.0})


def test_hidden_memories_are_not_brought_and_do_not_set_the_scale():
    allowed = np.array([True, True, True, False, False, False])
    reader = FakeReader(atom=AXES, cosine=[0.0, 0.5, 0.25, 1.0, -1.0, 0.9], allowed=allowed)
    assert rows_and("residual", residual_of(reader)[0]) == pytest.approx({0: 0.0, 1: 0.8, 2: 0.4})


def test_where_nothing_that_is_seen_has_a_vector_nothing_is_brought():
    cosines = [float("nan")] * 5 + [0.9]
    reader = FakeReader(atom=AXES, cosine=cosines, allowed=np.array([True] * 5 + [False]))
    assert residual_of(reader)[1].brought == 0


@pytest.mark.parametrize(
    ("reader", "known", "outcome"),
    [
        (FakeReader(atom=AXES), {"vector": None}, "no vector"),
        (FakeReader(atom=AXES), {"pool": {}}, "no candidates"),
        (FakeReader(), {}, "no atoms"),
        (FakeReader(atom=AXES), {"vector": [1, 0, 0, 0]}, "explained"),
    ],
)
def test_the_facts_say_why_it_did_not_search_again(reader, known, outcome):
    found, facts = residual_of(reader, **known)
    assert facts.outcome == outcome
    assert "residual" not in found.pool.signals


def test_a_query_that_the_topics_explain_is_not_novel_and_one_without_topics_is():
    h = nmf(np.eye(2, 4, dtype=np.float32), k=2, iterations=50, seed=1).h
    near = nnls_project(h, np.array([0.9, 0.1, 0.1, 0], np.float32))
    far = nnls_project(h, np.array([0.1, 0, 1, 0], np.float32))
    reader = FakeReader(atom=AXES, cosine=[0.1] * 6)
    assert residual_of(reader, projection=near)[1].outcome == "not novel"
    assert residual_of(reader, projection=far)[1].outcome == "searched"
    assert residual_of(reader, projection=None)[1].outcome == "searched"


# Spreading


def test_energy_starts_at_named_entities_and_at_the_best_of_recall():
    reader = FakeReader(walk=walked(m101=0.5))
    spread.run(asked(pool={0: 0.5, 1: 0.9, 2: 0.0, 3: 0.7}, anchors=anchored(ANA)), reader, but(spread_seeds=2))
    ids, energies = reader.asked[-1]
    assert ids == [7, 102, 104]
    assert energies == pytest.approx([2.0, 0.9, 0.7])


def test_graph_is_the_energy_that_was_gained_or_lost_and_small_changes_are_left_out():
    walk = walked(m7=1.9, m101=0.9, m102=0.51, m104=0.3, m105=-0.4, m106=0.02)
    found, facts = spread.run(
        asked(pool={0: 0.5, 1: 0.5}, anchors=anchored(ANA)), FakeReader(walk=walk), but(spread_threshold=0.1)
    )
    assert rows_and("graph", found) == pytest.approx({0: 0.4, 1: 0.0, 3: 0.3, 4: -0.4})
    assert (facts.seeds, facts.reached, facts.brought) == (3, 6, 2)
    assert found.energies.of(np.array([7, 105, 999])).tolist() == [1.9, -0.4, 0.0]
    assert [found.energies.get(key, 0.5) for key in (7, 999)] == [1.9, 0.5]


def test_energy_brings_nothing_that_the_search_may_not_see():
    reader = FakeReader(walk=walked(m101=0.9, m106=0.9), allowed=np.array([True] * 5 + [False]))
    found, _ = spread.run(asked(pool={1: 0.5}), reader, PARAMS)
    assert found.pool.rows.tolist() == [0, 1]


def test_without_a_seed_nothing_spreads():
    for known in ({"pool": {}}, {"pool": {0: 0.0}}):
        found, facts = spread.run(asked(**known), FakeReader(walk=walked(m101=1.0)), PARAMS)
        assert (facts.seeds, facts.reached, found.energies.get(101, -1.0)) == (0, 0, -1.0)


@given(st.lists(st.tuples(st.integers(-1, 4), st.floats(0, 1)), min_size=1, max_size=12), st.permutations(range(5)))
def test_session_is_the_mean_of_its_three_best_whatever_number_a_session_has(rows, numbers):
    size = len(rows)
    pool = {row: relevance for row, (_, relevance) in enumerate(rows)} | {0: 1.0}
    walk = walked(m101=1.0)

    def means(session):
        reader = FakeReader(size=size, session=session, walk=walk)
        return rows_and("session", spread.run(asked(pool=pool, size=size), reader, PARAMS)[0])

    sessions = [code for code, _ in rows]
    found = means(sessions)
    for row, code in enumerate(sessions):
        best = sorted((pool[other] for other in range(size) if sessions[other] == code), reverse=True)[:3]
        assert found[row] == pytest.approx(0.0 if code < 0 else sum(best) / 3)
    assert found == means([code if code < 0 else numbers[code] for code in sessions])


def test_pagerank_adds_both_masses_min_maxed_when_it_is_on():
    mass = Walk(np.array([101, 102, 104]), np.array([0.5, 0.3, 0.1]), fell_back=True)
    share = (np.array([3, 5]), np.array([0.2, 0.1]))
    reader = FakeReader(walk=walked(m101=1.0), mass=mass, concept_share=share)
    off, facts = spread.run(asked(pool={0: 1.0}), reader, PARAMS)
    assert facts.pagerank == "off"
    assert "pagerank" not in off.pool.signals
    found, facts = spread.run(asked(pool={0: 1.0}), reader, but(enable_pagerank=True))
    assert facts.pagerank == "fell back"
    assert rows_and("pagerank", found) == pytest.approx({0: 1.0, 1: 0.5, 3: 1.0})


# Co-occurrence


def test_the_bonus_is_energy_times_the_logarithm_of_the_count():
    assert cooccurrence.bonus(2.0, 9, 0.1) == pytest.approx(2.0 * math.log(10) * 0.1)
    assert cooccurrence.bonus(2.0, 100, 0.1) < 2.1 * cooccurrence.bonus(2.0, 10, 0.1)


def boosted(reader, params=PARAMS, **known):
    known = {"pool": {0: 0.5}, "anchors": anchored(ANA)} | known
    return cooccurrence.run(asked(**known), reader, params)


def test_memories_of_a_companion_take_the_largest_bonus_over():
    reader = FakeReader(
        mentions={20: [0, 3], 21: [3, 4]}, companions={7: (Neighbour(20, "lin", 3), Neighbour(21, "tom", 8))}
    )
    found, facts = boosted(reader, energies={7: 1.5})
    lin, tom = (1.5 * math.log(1 + count) * 0.1 for count in (3, 8))
    assert rows_and("cooccurrence", found) == pytest.approx({0: lin, 3: tom, 4: tom})
    assert (facts.companions, facts.brought) == (("tom", "lin"), 2)


def test_of_two_anchors_the_stronger_decides_and_anchors_do_not_lift_each_other():
    companions = {7: (Neighbour(20, "lin", 3), Neighbour(8, "bob", 99)), 8: (Neighbour(20, "lin", 3),)}
    reader = FakeReader(mentions={20: [1], 8: [2]}, companions=companions)
    found, facts = boosted(reader, anchors=anchored(ANA, BOB), energies={7: 0.5, 8: 2.0})
    assert rows_and("cooccurrence", found) == pytest.approx({0: 0.0, 1: 2.0 * math.log(4) * 0.1})
    assert facts.companions == ("lin",)


def test_an_anchor_that_spreading_left_below_nothing_lifts_nobody():
    reader = FakeReader(mentions={20: [1]}, companions={7: (Neighbour(20, "lin", 3),)})
    assert boosted(reader, energies={7: -1.0})[1].companions == ()
    assert boosted(reader)[1].companions == ("lin",)


def test_concepts_of_the_query_lift_the_memories_of_their_companions():
    reader = FakeReader(concepts={"tea": (Neighbour("garden", "garden", 4),)}, concept_holders={"garden": [2]})
    found, facts = boosted(reader, anchors=anchored(), terms=("tea", "where"))
    assert rows_and("cooccurrence", found)[2] == pytest.approx(2.0 * math.log(5) * 0.1)
    assert facts.companions == ("garden",)


def test_hidden_memories_get_no_bonus_and_of_many_the_more_relevant_are_brought():
    allowed = np.array([True] * 5 + [False])
    reader = FakeReader(mentions={20: [1, 2, 3, 5]}, companions={7: (Neighbour(20, "lin", 3),)}, allowed=allowed)
    relevance = np.array([0.5, 0.1, 0.3, 0.2, 0.0, 0.9])
    found, facts = boosted(reader, but(recall_candidates=2), relevance=relevance)
    assert found.pool.rows.tolist() == [0, 2, 3]
    assert facts.brought == 2


def test_without_candidates_or_companions_nothing_changes():
    for known in ({"pool": {}}, {}):
        found, facts = boosted(FakeReader(), **known)
        assert (facts.companions, facts.brought) == ((), 0)
        assert "cooccurrence" not in found.pool.signals
