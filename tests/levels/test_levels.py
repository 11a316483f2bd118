"""Every level of instructions that the processor has answers as the slow twins do, and as the others."""

import pytest
from level_runs import LEVELS, answers, difference, levels

LAST_DIGITS = 1e-5


@pytest.fixture(scope="module")
def scalar():
    return answers("scalar")


def test_the_two_levels_of_every_processor_are_there():
    assert levels()[:2] == ["scalar", "portable"]


@pytest.mark.parametrize("level", LEVELS[1:])
def test_a_level_answers_as_the_reference(scalar, level):
    if level not in levels():
        pytest.skip(f"this processor does not have {level}")
    found = answers(level)
    assert found["level"] == level
    names, apart = difference(found, scalar)
    assert names == []
    assert apart < LAST_DIGITS
