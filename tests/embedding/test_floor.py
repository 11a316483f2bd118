"""The floor lies over what meaningless queries reach, and grows with the number of memories."""

import math
import random

import numpy as np
import pytest

from memcore.embedding import HashingEmbedder, open_embedder
from memcore.embedding.floor import KNOWN, ORDINARY, Floor, calibrate, nonsense_direction

SYLLABLES = (
    "qwx",
    "zv",
    "plo",
    "drak",
    "fna",
    "rble",
    "ghru",
    "mnel",
    "osq",
    "tri",
    "xuv",
    "wur",
    "zt",
    "jqp",
    "vlem",
    "skra",
)
STROKES = "犇囧槑巙鱻麤嘟噗啪嗒唔哩咔囍燚犮咕叽啵魃魈魁魊唧嘭唰咻鼟龘咣"


def nonsense(count):
    chance = random.Random(11)
    for number in range(count):
        if number % 3 == 2:
            yield "".join(chance.sample(STROKES, chance.randint(2, 4)))
        else:
            yield " ".join("".join(chance.sample(SYLLABLES, chance.randint(2, 3))) for _ in range(chance.randint(1, 3)))


def at(floor, size):
    return floor.base + floor.slope * math.sqrt(2 * math.log(max(size, 2)))


@pytest.fixture(scope="module")
def bundled():
    return open_embedder(None)


@pytest.mark.parametrize("measured", [False, True], ids=["known", "calibrated"])
def test_nearly_all_meaningless_queries_stay_under_the_floor_and_meaning_lies_over_it(bundled, measured):
    floor = calibrate(bundled) if measured else KNOWN[bundled.name]
    texts = bundled.embed(ORDINARY)
    meaningless = bundled.embed(list(nonsense(180)), query=True)
    largest, likeness = (meaningless @ texts.T).max(axis=1), meaningless @ nonsense_direction(bundled)
    assert (largest >= np.maximum(at(floor, len(ORDINARY)), likeness)).mean() <= 0.02
    meant = bundled.embed(["Where did she forget her umbrella?", "猫在哪里睡觉？"], query=True)
    near = meant @ texts.T
    assert (near.max(axis=1) > meant @ nonsense_direction(bundled)).all()
    assert (near.max(axis=1) > at(floor, len(ORDINARY))).all()
    assert ORDINARY[int(near[0].argmax())].startswith("She left her umbrella")


def test_a_model_that_does_not_put_meaningless_words_apart_has_no_nonsense_direction():
    assert nonsense_direction(HashingEmbedder(64)) is None


def test_the_floor_grows_with_the_memories_that_are_searched():
    floors = [at(Floor(0.12, 0.066), size) for size in (1, 2, 3, 10, 100, 10_000, 1_000_000)]
    assert floors == sorted(floors)
    assert floors[0] == floors[1]


def test_a_calibrated_floor_is_a_cosine_and_the_same_each_time():
    floor = calibrate(HashingEmbedder(64))
    assert floor == calibrate(HashingEmbedder(64))
    assert -1 <= floor.base <= 1
    assert floor.slope > 0
    assert np.isfinite(at(floor, 10**9))
