"""How sure an answer is, by the words and the meaning of its best hits."""

import numpy as np
import pytest
from fake_reader import DAY, NONE, NOW, FakeReader, anchored, asked, but

from memcore.dates import query_dates
from memcore.kinds import Confidence
from memcore.pipeline.confidence import Evidence, evidence, sureness
from memcore.pipeline.retrieval import Pool

PARAMS = but()


def found(text="Where does Ana live?", *, rows=(0, 1), cosines=None, terms=("ana", "live")):
    pool = Pool(np.array(rows, np.int64))
    if cosines is not None:
        pool = pool.with_values("vector", np.array(cosines, float))
    return asked(text, terms=terms).but(pool=pool, picked=np.arange(len(rows)))


def test_the_best_of_the_hits_counts_with_the_turns_around_it():
    reader = FakeReader(concept_holders={"ana": [0], "live": [1]}, session=[0, 0, -1, -1, -1, -1])
    assert evidence(found(), reader, PARAMS) == Evidence(pytest.approx(1.0), None)
    apart = FakeReader(concept_holders={"ana": [0], "live": [1]})
    assert evidence(found(), apart, PARAMS) == Evidence(pytest.approx(0.5), None)


def test_the_nearest_counts_in_the_spread_of_unrelated_cosines_above_the_floor():
    reader = FakeReader(floor=0.3, spread_of_chance=0.05)
    assert evidence(found(cosines=[0.4, 0.2]), reader, PARAMS).margin == pytest.approx(2.0)
    assert evidence(found(cosines=[0.4, 0.2]), FakeReader(floor=0.3), PARAMS).margin is None
    assert evidence(found(), reader, PARAMS).margin is None


def test_of_a_dialogue_meaning_tells_alone():
    said = found("Ana: hello\nTom: where do you live?", cosines=[0.4, 0.2])
    assert evidence(said, FakeReader(floor=0.3, spread_of_chance=0.05), PARAMS) == Evidence(None, pytest.approx(2.0))


def test_only_the_five_best_are_looked_at():
    reader = FakeReader(concept_holders={"ana": [5], "live": [5]}, spread_of_chance=0.05)
    assert evidence(found(rows=range(6), cosines=[0.1] * 5 + [0.9]), reader, PARAMS).coverage == 0.0
    assert evidence(found(rows=range(6), cosines=[0.1] * 5 + [0.9]), reader, PARAMS).margin == pytest.approx(-4.0)
    empty = asked(terms=("ana",)).but(pool=Pool(NONE), picked=NONE)
    assert evidence(empty, reader, PARAMS) == Evidence(0.0, None)


@pytest.mark.parametrize("known", [(0.2, None), (0.2, 1.0), (None, 1.0)])
def test_more_of_either_is_more_probable(known):
    coverage, margin = known
    told = sureness(Evidence(coverage, margin), PARAMS).probability
    if coverage is not None:
        assert sureness(Evidence(coverage + 0.3, margin), PARAMS).probability > told
    if margin is not None:
        assert sureness(Evidence(coverage, margin + 1.0), PARAMS).probability > told


def test_the_word_goes_by_the_parameters():
    middle = Evidence(0.3, 1.0)
    told = sureness(middle, PARAMS).probability
    for low, good, word in (
        (told / 2, told, Confidence.GOOD),
        (told, 1.0, Confidence.LOW),
        (told + 0.01, 1.0, Confidence.NONE),
    ):
        assert sureness(middle, but(confidence_low=low, confidence_good=good)).confidence is word


def test_with_neither_it_is_as_likely_as_not():
    assert sureness(Evidence(None, None), PARAMS).probability == 0.5


def test_a_date_that_is_asked_for_is_one_term_and_its_words_are_none():
    reader = FakeReader(
        concept_holders={"sold": [0], "bike": [0], "may": [0]},
        seconds=[NOW.timestamp() - away * DAY for away in (1, 40, 1, 90, 90, 90)],
    )
    said = found("Who sold bikes yesterday, in May?", terms=("sold", "bike", "may", "5月", "--05"))
    dated = said.but(anchors=anchored(dates=query_dates("yesterday", NOW)))
    assert evidence(
        dated.but(query=asked("Who sold bikes yesterday?").query), reader, PARAMS
    ).coverage == pytest.approx(1.0)
    other_day = FakeReader(concept_holders={"sold": [0], "bike": [0]}, seconds=[NOW.timestamp() - 90 * DAY] * 6)
    missed = evidence(dated.but(query=asked("Who sold bikes yesterday?").query), other_day, PARAMS).coverage
    assert 0.3 < missed < 0.8


def test_where_nothing_can_be_looked_up_words_tell_nothing():
    near = found("🎂🎉", cosines=[0.5, 0.2], terms=())
    reader = FakeReader(floor=0.3, spread_of_chance=0.05)
    assert evidence(near, reader, PARAMS) == Evidence(None, pytest.approx(4.0))
    plain = found(cosines=[0.5, 0.2])
    assert evidence(plain, reader, but(enable_lexical=False)).coverage is None


def test_a_space_whose_cosines_hardly_differ_is_as_sure_as_can_be_and_no_error():
    for margin in (1e9, -1e9, 1e300):
        assert 0.0 <= sureness(Evidence(0.5, margin), PARAMS).probability <= 1.0
