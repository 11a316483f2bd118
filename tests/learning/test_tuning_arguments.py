"""What a tuning is given: refused with its field where it is not what it must be."""

import warnings

import pytest
from learning_lives import ASKED, NOON, fill, flushed

from memcore import Memory
from memcore.embedding import HashingEmbedder
from memcore.errors import InvalidInputError, NotFoundError, ParamsError
from memcore.params import params_from_text


@pytest.fixture
def asked(memory):
    memory.tuning.record()
    for query in ASKED:
        memory.context(query, user_id="ana", mark_used=False)
    flushed(memory)
    return memory


@pytest.mark.parametrize("names", [[[1]], [{}], [None], [5], ["weight_graph", ["weight_date"]]])
def test_names_that_are_none_are_refused(asked, names):
    with pytest.raises(InvalidInputError, match=r"^names: .* is not tuned"):
        asked.tuning.search_params(names=names)


def test_a_trace_of_another_store_is_not_taken_for_the_one_of_its_number(asked):
    with Memory(":memory:", embedder=HashingEmbedder(64), clock=lambda: NOON) as other:
        fill(other)
        other.tuning.record()
        other.search("The ferry?", user_id="ana")
        [foreign] = other.tuning.traces()
    for call in (asked.tuning.replay, lambda traces: asked.tuning.search_params(traces=traces, trials=1)):
        with pytest.raises(NotFoundError, match=rf"^traces: trace {foreign.id} is of another store"):
            call([foreign])
    own = list(asked.tuning.traces())
    asked.context(ASKED[0], user_id="ana", mark_used=False)
    asked.delete(own[0].pool[-1].id)
    left = {trace.id for trace in asked.tuning.traces()}
    assert asked.tuning.replay([trace for trace in own if trace.id in left]).rounds > 0


def test_what_was_known_makes_no_other_report(asked):
    first = asked.tuning.search_params(trials=8)
    again = asked.tuning.search_params(trials=8)
    assert (first.known, again.known) == (0, 8)
    assert first == again


@pytest.mark.parametrize("given", [{"confidence_low": 0.8}, {"confidence_good": 0.1}])
def test_low_confidence_is_not_above_good(asked, given):
    with pytest.raises(ParamsError, match=r"confidence_low: .* is above confidence_good: "):
        asked.search("ferry", user_id="ana", params=given)
    assert asked.search("ferry", user_id="ana", params={"confidence_low": 0.5, "confidence_good": 0.5})


@pytest.mark.parametrize("document", [b'{"weight_gr\\ud800aph": 1}', b'{"weight_gr\\ud800aph": 1, "weight_date": 99}'])
def test_a_name_that_is_no_text_is_named(document):
    with pytest.raises(ParamsError, match=r"weight_gr.*aph' is not a parameter; the nearest one is 'weight_graph'"):
        params_from_text(document)


def test_a_weight_next_to_nothing_weighs_next_to_nothing(asked):
    def found(weight):
        return [
            (hit.id, hit.score) for hit in asked.search("ferry Lisbon", user_id="ana", params={"weight_length": weight})
        ]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smallest = found(1e-310)
    assert smallest == found(0.0)
    assert dict(smallest) == pytest.approx(dict(found(1e-12)))
