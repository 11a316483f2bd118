"""The floor lies over what meaningless queries reach, and grows with the number of memories."""

import math
import random

import numpy as np
import pytest

from memcore.embedding import HashingEmbedder, open_embedder
from memcore.embedding.floor import KNOWN, MEANINGLESS, ORDINARY, Floor, calibrate, nonsense_directions

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


def likeness(queries, directions):
    return (queries @ directions.T).max(axis=1)


@pytest.mark.parametrize("mark", ["", "?", "？", "?!", "…?", "!", "！", "???", " ?", ".", "。"])
@pytest.mark.parametrize("measured", [False, True], ids=["known", "calibrated"])
def test_nearly_all_meaningless_queries_stay_under_the_floor_whatever_mark_ends_them(bundled, measured, mark):
    floor = calibrate(bundled) if measured else KNOWN[bundled.name]
    queries = bundled.embed([text + mark for text in nonsense(180)], query=True)
    largest = (queries @ bundled.embed(ORDINARY).T).max(axis=1)
    bound = np.maximum(at(floor, len(ORDINARY)), likeness(queries, nonsense_directions(bundled)))
    assert (largest >= bound).mean() <= 0.02


@pytest.mark.parametrize("quotes", ["“”", "「」", "()", '""'])
def test_nearly_all_quoted_meaningless_questions_stay_under_the_floor(bundled, quotes):
    queries = bundled.embed([f"{quotes[0]}{text}{quotes[1]}?" for text in nonsense(180)], query=True)
    largest = (queries @ bundled.embed(ORDINARY).T).max(axis=1)
    bound = np.maximum(at(KNOWN[bundled.name], len(ORDINARY)), likeness(queries, nonsense_directions(bundled)))
    assert (largest >= bound).mean() <= 0.02


@pytest.mark.parametrize("mark", ["", "?", "？", "?!", "!"])
@pytest.mark.parametrize("measured", [False, True], ids=["known", "calibrated"])
def test_meaning_lies_over_the_floor_whatever_mark_ends_it(bundled, measured, mark):
    floor = calibrate(bundled) if measured else KNOWN[bundled.name]
    asked = ("Where did she forget her umbrella", "猫在哪里睡觉")
    meant = bundled.embed([text + mark for text in asked], query=True)
    near = meant @ bundled.embed(ORDINARY).T
    assert (near.max(axis=1) > likeness(meant, nonsense_directions(bundled))).all()
    assert (near.max(axis=1) > at(floor, len(ORDINARY))).all()
    assert ORDINARY[int(near[0].argmax())].startswith("She left her umbrella")


def test_a_model_that_does_not_put_meaningless_words_apart_has_no_nonsense_directions():
    assert nonsense_directions(HashingEmbedder(64)).shape == (0, 64)


class OneMarkForAll(HashingEmbedder):
    """Puts all that ends with a question mark at one place, and meaningless words without one at another."""

    name = "one-mark"

    def embed(self, texts, *, query=False):
        made = super().embed(texts, query=query)
        for row, text in zip(made, texts, strict=True):
            if text.endswith("?") or text in MEANINGLESS:
                row[:] = 0
                row[0 if text.endswith("?") else 1] = 1
        return made


def test_an_ending_that_the_model_takes_for_all_there_is_to_a_query_gives_no_direction():
    directions = nonsense_directions(OneMarkForAll(64))
    assert directions.shape == (1, 64)
    assert directions[0, 1] == 1


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
