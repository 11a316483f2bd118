"""A clock that fails, and moments without a zone, get the typed error of any other bad value."""

from datetime import datetime

import pytest

from memcore import Memory
from memcore.errors import InvalidInputError


def broken():
    raise ZeroDivisionError


def test_a_clock_that_raises_is_named_and_its_error_kept():
    with Memory(":memory:", embedder="none", clock=broken) as memory:
        for call in (lambda: memory.add("Tea."), lambda: memory.search("tea"), lambda: memory.context("tea")):
            with pytest.raises(InvalidInputError, match="clock: it raised ZeroDivisionError") as refused:
                call()
            assert isinstance(refused.value.__cause__, ZeroDivisionError)
        assert len(memory.get_all()) == 0


def test_a_clock_that_raises_is_logged_where_errors_are():
    with Memory(":memory:", embedder="none", clock=broken, on_error="log") as memory:
        result = memory.search("tea")
        assert len(result) == 0
        assert "clock" in result.trace.problems[0]
        assert memory.context("tea") == ""


@pytest.mark.parametrize("field", ["event_time", "recorded_at", "last_used_at"])
def test_a_moment_without_a_zone_in_a_filter_names_its_field(field):
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - what is refused
    with Memory(":memory:", embedder="none") as memory:
        for wanted in ({"gte": naive}, [naive]):
            with pytest.raises(InvalidInputError, match=rf"filters\.{field}: .*give a datetime with a time zone"):
                memory.search("tea", filters={field: wanted})
