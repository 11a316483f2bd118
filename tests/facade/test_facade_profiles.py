"""The named profiles through a store: the numbers that were published come out of a search."""

import json
import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memcore import Memory
from memcore.params import NAMED

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
COSINES = {"parcel at noon": 0.8, "parcel parcel parcel": 0.6, "harbour": 0.56, "the sea": 0.2, "parcel": 0.5}


def day(number):
    return NOW + timedelta(days=number)


class Compass:
    """Texts at known cosines to the query; all other texts are the query."""

    name, dimension = "compass", 2

    def embed(self, texts, *, query=False):
        del query
        angles = [math.acos(COSINES.get(text, 1.0)) for text in texts]
        return np.array([[math.cos(angle), math.sin(angle)] for angle in angles], np.float32)


@pytest.fixture
def store():
    with Memory(":memory:", embedder=Compass(), clock=lambda: NOW) as memory:
        yield memory


def asked(memory, profile, query="parcel?", **changes):
    params = {**NAMED[profile], "recall_dense_floor": 0.05, **changes}
    found = memory.search(query, limit=20, params=params)
    for hit in found:
        told = found.explain(hit)
        total = max(sum(term.contribution for term in told.terms), 0.0)
        assert total * math.prod(factor.contribution for factor in told.factors) == pytest.approx(hit.score, rel=1e-9)
    return {hit.content: hit for hit in found}


def put(memory, text, **given):
    return memory.add(text, infer=False, **given).ids[0]


def words(hit):
    lexical = hit.signals.get("lexical", 0.0)
    return lexical / (1 + lexical)


def test_layers_weighs_words_and_meaning_and_then_what_is_retained(store):
    put(store, "parcel at noon", kind="knowledge")
    put(store, "the sea", kind="knowledge")
    old = put(store, "parcel parcel parcel", kind="fact")
    half = f"UPDATE fact_detail SET strength_at = {int(day(-21).timestamp() * 1e6)} WHERE memory_id = {old}"
    with store._database.write() as connection:
        connection.exec_driver_sql(half)
    found = asked(store, "layers")
    known, far, fading = (found[text] for text in ("parcel at noon", "the sea", "parcel parcel parcel"))
    assert known.score == pytest.approx(0.4 * words(known) + 0.6 * (0.8 + 1) / 2, abs=1e-3)
    assert far.score == pytest.approx(0.6 * (0.2 + 1) / 2, abs=2e-3)
    assert fading.signals["retention"] == pytest.approx(0.5, abs=1e-6)
    expected = (0.4 * words(fading) + 0.6 * (0.6 + 1) / 2) * (0.35 + 0.65 * 0.5)
    assert fading.score == pytest.approx(expected, abs=1e-3)


def test_trove_lets_through_by_either_gate_and_adds_a_recency(store):
    put(store, "parcel at noon", kind="event", event_time=day(-30))
    put(store, "harbour", kind="event", event_time=NOW)
    put(store, "the sea", kind="event", event_time=NOW)
    found = asked(store, "trove")
    assert set(found) == {"parcel at noon", "harbour"}
    near = found["parcel at noon"]
    assert near.score == pytest.approx(0.6 * 0.8 + 0.4 * words(near) + 0.1, abs=2e-3)
    assert found["harbour"].score == pytest.approx(0.6 * 0.56 + 0.2, abs=2e-3)


def test_trove_without_vectors_ranks_by_words_alone():
    with Memory(":memory:", embedder="none", clock=lambda: NOW) as memory:
        put(memory, "parcel parcel parcel", event_time=day(-30))
        for number in range(9):
            put(memory, f"something else {number}")
        [hit] = memory.search("parcel", params=NAMED["trove"])
    assert hit.score == pytest.approx(words(hit) + 0.1)


def test_postgres_sums_reciprocal_ranks_and_narrows_them_by_age_use_and_importance(store):
    put(store, "parcel at noon", kind="event", importance=10)
    put(store, "harbour", kind="event", importance=6, event_time=day(-2005))
    used = put(store, "the sea", kind="turn", importance=10)
    with store._database.write() as connection:
        connection.exec_driver_sql(f"UPDATE memory SET access_count = 9 WHERE id = {used}")
    found = asked(store, "postgres")
    assert found["parcel at noon"].score == pytest.approx(2 / 61)
    assert found["harbour"].score == pytest.approx(1 / 62 * 0.5 * 0.9)
    assert found["the sea"].score == pytest.approx(1 / 63 * 1.2)


def test_postgres_reaches_over_a_relation_what_neither_words_nor_vectors_find():
    with Memory(":memory:", embedder="none", clock=lambda: NOW) as memory:
        vector, build = (memory.add(name, kind="entity").ids[0] for name in ("pgvector", "msvc"))
        memory.relate(vector, build)
        put(memory, "It compiles with the tools of 2022", entities=["msvc"], importance=10)
        put(memory, "pgvector needs a server", importance=10)
        put(memory, "Nothing to do with it", importance=10)
        found = memory.search("How to install pgvector?", params=NAMED["postgres"])
        without = memory.search("How to install pgvector?", params={**NAMED["postgres"], "enable_anchor": False})
        assert [hit.content for hit in without] == ["pgvector needs a server"]
        assert {hit.content for hit in found} == {"pgvector needs a server", "It compiles with the tools of 2022"}
        brought = next(hit for hit in found if hit.content.startswith("It compiles"))
        assert "lexical" not in brought.signals
        assert brought.score == pytest.approx(1 / 61)
        assert found.explain(brought).reasons == ("it mentions what the query names, or is linked to it",)


def test_diary_multiplies_relevance_importance_and_recency(store):
    old = put(store, "parcel at noon", kind="event", importance=5)
    put(store, "the sea", kind="event", importance=10)
    with store._database.write() as connection:
        then = int(day(-45).timestamp() * 1e6)
        connection.exec_driver_sql(f"UPDATE memory SET recorded_at = {then}, event_time = {then} WHERE id = {old}")
    found = asked(store, "diary")
    one, other = found["parcel at noon"], found["the sea"]
    assert one.score == pytest.approx(one.signals["relevance"] * 0.5 * math.exp(-1), rel=1e-5)
    assert other.score == pytest.approx(other.signals["relevance"], rel=1e-5)


@pytest.mark.parametrize(("days", "importance"), [(0, 5), (30, 5), (0, 10)])
def test_perocore_scores_graph_vector_importance_and_age(store, days, importance):
    put(store, "parcel at noon", kind="event", importance=importance, event_time=day(-days))
    put(store, "the sea", kind="event")
    hit = asked(store, "perocore", enable_nmf=False)["parcel at noon"]
    assert hit.signals["energy"] == pytest.approx(
        1.0, abs=1e-6
    )  # the nearest of all starts with 1, and nothing leads on
    expected = (0.7 + 0.3 * 0.8) * (1 + importance / 10) * (0.8 + 0.2 / (1 + math.log(1 + days)))
    assert hit.score == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("profile", NAMED)
def test_a_profile_is_read_only_finds_nothing_by_nonsense_and_something_without_vectors(profile):
    with Memory(":memory:", embedder="none") as memory:
        memory.add_many({"content": f"The parcel {number} came to the harbour", "importance": 5} for number in range(9))
        assert len(memory.search("harbour parcel", params=NAMED[profile], limit=5)) == 5
        assert list(memory.search("zxqv wplk", params=NAMED[profile])) == []


@pytest.mark.parametrize("profile", NAMED)
def test_a_profile_works_as_a_parameter_file(profile, tmp_path):
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(dict(NAMED[profile])), encoding="utf-8")
    with Memory(":memory:", embedder=Compass(), params=file, clock=lambda: NOW) as memory:
        for text in COSINES:
            put(memory, text)
        found = [(hit.id, hit.score) for hit in memory.search("parcel?")]
        assert found == [(hit.id, hit.score) for hit in memory.search("parcel?", params=NAMED[profile])]
        assert memory.search("parcel?").trace.params.rank_form == profile


def test_a_cap_on_the_edges_of_a_node_holds_in_a_search():
    with Memory(":memory:", embedder="none") as memory:
        hub = put(memory, "The parcel came", user_id="ana")
        spokes = [put(memory, f"other {number}", user_id="ana") for number in range(5)]
        for number, spoke in enumerate(spokes, 1):
            memory.relate(hub, spoke, strength=0.5 + number / 20, user_id="ana")
        for cap in (None, 2, None):
            found = memory.search("parcel", user_id="ana", params={"spread_max_degree": cap})
            assert {hit.id for hit in found} == {hub, *(spokes if cap is None else spokes[-cap:])}
