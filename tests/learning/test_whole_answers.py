"""A trace has the whole answer of its search, however far behind the first candidates diversity went for it."""

import random

import pytest
from learning_lives import NOON, flushed

from memcore import Memory
from memcore.kinds import RankForm
from memcore.learning.observed import MOST_OF_A_POOL

WORDS = [
    "apple",
    "bread",
    "candle",
    "dragon",
    "engine",
    "forest",
    "garden",
    "hammer",
    "island",
    "jacket",
    "kettle",
    "ladder",
]
ALIKE, OTHERS = 400, 300


@pytest.fixture(scope="module")
def crowded():
    """Memories of which the best are the same again and again: diversity picks from far behind."""
    draw = random.Random(2)
    said = [f"tea tea tea in the same cup {number % 3} {number}" for number in range(ALIKE)]
    said += [f"tea with {' '.join(draw.sample(WORDS, 4))} {number}" for number in range(OTHERS)]
    with Memory(":memory:", clock=lambda: NOON) as memory:
        memory.add_many([{"content": text, "user_id": "ana", "kind": "turn"} for text in said])
        memory.tuning.record()
        yield memory


def traced(memory, **given):
    result = memory.search("tea cup", user_id="ana", **given)
    flushed(memory)
    return result, memory.tuning.traces(limit=1)[0]


@pytest.mark.parametrize(
    ("limit", "multiplier"),
    [(1, 1), (1, 100), (3, 100), (8, 3), (100, 6), (150, 3), (300, 2), (301, 1), (500, 100), (1000, 1), (1000, 100)],
)
def test_every_hit_is_in_the_trace_at_its_own_place(crowded, limit, multiplier):
    result, trace = traced(crowded, limit=limit, params={"dpp_candidate_multiplier": multiplier})
    ranked = [one["id"] for one in result.trace.candidates]
    assert trace.answer_ids == tuple(hit.id for hit in result)
    assert trace.pick_order == result.trace.pick_order
    assert [one.id for one in trace.pool] == [ranked[one.place] for one in trace.pool]
    first = min(limit * multiplier, MOST_OF_A_POOL, len(ranked))
    assert [one.place for one in trace.pool][:first] == list(range(first))
    assert {one.id for one in trace.pool[first:]} <= set(trace.answer_ids)
    assert crowded.tuning.replay([trace]).matched == 1


@pytest.mark.parametrize("form", list(RankForm))
@pytest.mark.parametrize("diverse", [True, False])
def test_so_it_is_by_every_form_of_ranking(crowded, form, diverse):
    result, trace = traced(crowded, limit=150, params={"rank_form": form.value, "enable_dpp": diverse})
    assert trace.answer_ids == tuple(hit.id for hit in result)
    assert crowded.tuning.replay([trace]).matched == 1


def far(memory):
    """A search, and the memory of its answer that has the last place."""
    _, trace = traced(memory, limit=150)
    last = max((one for one in trace.pool if one.answer is not None), key=lambda one: one.place)
    assert last.place > MOST_OF_A_POOL
    return trace, last


def test_a_hit_from_far_behind_can_be_praised(crowded):
    trace, last = far(crowded)
    assert crowded.tuning.replay([trace]).labelled == 0
    crowded.feedback(last.id, helpful=True)
    assert crowded.tuning.replay([trace]).labelled == 1


def test_the_first_place_that_differs_is_told_from_far_behind_too(crowded):
    trace, last = far(crowded)
    with crowded._database.write() as connection:
        connection.exec_driver_sql(
            "UPDATE trace_memory SET score = score + 1 WHERE trace_id = ? AND memory_id = ?", (trace.id, last.id)
        )
    [one] = crowded.tuning.replay([trace.id]).details
    assert one.place == last.place


def test_to_delete_a_hit_from_far_behind_takes_the_trace(crowded):
    trace, last = far(crowded)
    crowded.delete(last.id)
    assert trace.id not in {one.id for one in crowded.tuning.traces()}
