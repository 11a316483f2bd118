"""What spares a text the English rules lets every text pass in which one of them finds something."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore.dates.query import _MAY_BE_ENGLISH, _rules

HARD = ("(?(", "(?=one")
"""No texts can be made for a condition, or for two numbers of which one follows the other; both need a unit as well."""
RULES = [rule for rule in _rules("en") if not any(part in rule.pattern.pattern for part in HARD)]


@pytest.mark.parametrize("place", range(len(RULES)))
def test_what_a_rule_finds_passes_the_gate(place: int) -> None:
    pattern = RULES[place].pattern

    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(pattern, fullmatch=True))
    def passes(text: str) -> None:
        if pattern.search(text):
            assert _MAY_BE_ENGLISH.search(text), text

    passes()
