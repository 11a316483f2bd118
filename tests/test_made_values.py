"""Values that are made quickly: they compare, copy and print as frozen dataclasses do."""

from dataclasses import field, replace

import pytest

from memcore.values import value


@value
class Cup:
    size: int
    words: tuple[str, ...] = ()
    made: str = field(default="", compare=False)


def test_a_value_is_made_compared_copied_and_shown_as_a_dataclass() -> None:
    cup = Cup(1, made="today")
    assert cup == Cup(1, made="tomorrow") != Cup(2)
    assert replace(cup, size=2) == Cup(2)
    assert cup.made == "today"
    assert repr(cup) == "Cup(size=1, words=(), made='today')"


def test_a_value_has_the_fields_that_it_names_and_no_hash() -> None:
    with pytest.raises(AttributeError):
        Cup(1).colour = "blue"  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        hash(Cup(1))
