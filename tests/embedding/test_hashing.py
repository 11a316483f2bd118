"""The stand-in is quick, the same everywhere, and without meaning."""

import numpy as np
import pytest

from memcore.embedding import HashingEmbedder
from memcore.errors import InvalidInputError


def nearness(one: str, other: str) -> float:
    first, second = HashingEmbedder().embed([one, other])
    return float(first @ second)


def test_it_says_that_it_is_a_stand_in() -> None:
    assert HashingEmbedder().name == "hashing-standin"


def test_texts_that_share_words_or_characters_are_near() -> None:
    assert nearness("Ana moved to Lisbon", "did Ana move to Lisbon?") > 0.4
    assert nearness("用户住在上海", "他住在上海的西边") > 0.1
    assert abs(nearness("Ana moved to Lisbon", "kwyjibo")) < 0.1


def test_case_and_width_make_no_difference() -> None:
    assert nearness("LISBON", "ｌｉｓｂｏｎ") == pytest.approx(1.0)


def test_its_vectors_are_the_same_in_every_process_and_release() -> None:
    row = HashingEmbedder(8).embed(["Ana"])[0]
    np.testing.assert_allclose(row * np.sqrt(6.0001), [0.01, 0, 1, 0, -1, -2, 0, 0], atol=1e-6)


@pytest.mark.parametrize("dimension", [1, 0, True, "8"])
def test_a_dimension_without_room_is_refused(dimension: object) -> None:
    with pytest.raises(InvalidInputError, match="dimension"):
        HashingEmbedder(dimension)  # type: ignore[arg-type]
