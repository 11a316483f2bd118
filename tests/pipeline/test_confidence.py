"""How sure an answer is, by the words and the meaning of its best hits."""

import numpy as np
import pytest
from fake_reader import NONE, FakeReader, asked, but

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
