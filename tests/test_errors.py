"""A value in an error message: bounded, on one line, whatever the value is."""

from datetime import UTC, datetime

import numpy as np
import pytest

from memcore.errors import shown


class Mute:
    """It cannot say what it is."""

    def __repr__(self):
        raise RuntimeError("no words")


class NamelessClass(type):
    """A class that cannot even say its name."""

    @property
    def __name__(cls):
        raise RuntimeError("no name")


class Nameless(metaclass=NamelessClass):
    def __repr__(self):
        raise RuntimeError("no words")


def no_length(_self):
    raise RuntimeError("no length")


PretendedList = type("list", (list,), {"__len__": no_length})


def nested(wrap, levels=50_000):
    value = 0
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "None"),
        (True, "True"),
        (7, "7"),
        (2.5, "2.5"),
        ("Ana", "'Ana'"),
        ("上海", "'上海'"),
        ("half \ud83d", "'half \\ud83d'"),
        ("turn \u202e back\n", "'turn \\u202e back\\n'"),
        ({"kind": "fact"}, "{'kind': 'fact'}"),
        ([1, "a"], "[1, 'a']"),
        (datetime(2026, 5, 8, 14, tzinfo=UTC), "2026-05-08T14:00:00+00:00"),
        ([datetime(2026, 5, 8, tzinfo=UTC)], "[2026-05-08T00:00:00+00:00]"),
    ],
    ids=ascii,
)
def test_a_small_value_is_shown_as_python_writes_it(value, expected):
    assert shown(value) == expected


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (10**5000, "an integer of 16610 bits"),
        (-(10**60), "-1000"),
        (nested(lambda inner: [inner]), "[...]"),
        (nested(lambda inner: {"a": inner}), "{...}"),
        (nested(lambda inner: (inner,)), "..."),
        ("x" * 10**6, "..."),
        (b"x" * 10**6, "…"),
        (list(range(10**5)), "[0, 1"),
        ([10**5000, Mute()], "an integer of 16610 bits, a Mute"),
        ({10**5000: Mute()}, "an integer of 16610 bits: a Mute"),
        (np.arange(10**6), "array("),
        (np.eye(3), "array("),
        (Mute(), "a Mute"),
        (Nameless(), "a Nameless"),
        (PretendedList([1]), "a list"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 50 else "value",
)
def test_any_value_is_shown_on_one_line_of_at_most_200_characters(value, part):
    text = shown(value)
    assert part in text
    assert len(text) <= 200
    assert text.isprintable()


def test_an_interrupt_while_a_value_is_shown_is_an_interrupt():
    class Interrupting:
        def __repr__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shown(Interrupting())
