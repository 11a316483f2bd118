"""The words of a query that the turns around a turn have."""

import numpy as np
import pytest
from fake_reader import FakeReader

from memcore.pipeline.window import WeighedTerms, window_coverage

ROWS = np.arange(6)


def reader(holders, session=(0, 0, 0, 0, 0, 0), **given):
    words = {row: tuple(term for term, rows in holders.items() if row in rows) for row in range(6)}
    return FakeReader(session=session, words=words, concept_holders=holders, **given)


def covered(rows, terms, beside):
    return window_coverage(rows, WeighedTerms(terms, beside), beside)


def test_what_two_turns_before_and_one_after_have_counts_and_what_a_turn_has_itself_does_not():
    found = covered(ROWS, ("lisbon",), reader({"lisbon": [2]}))
    assert found.tolist() == [0, 1, 0, 1, 1, 0]


def test_terms_weigh_by_their_rarity():
    common, rare = (np.log1p((6 - df + 0.5) / (df + 0.5)) for df in (3, 1))
    found = covered(ROWS, ("tea", "lisbon"), reader({"tea": [0, 2, 5], "lisbon": [2]}))
    assert found[1] == pytest.approx(1.0)
    assert found[0] == 0.0
    assert found[4] == pytest.approx(1.0)
    assert found[2] == 0.0
    assert covered(np.array([1]), ("tea", "lisbon"), reader({"tea": [0], "lisbon": [5]}))[0] == pytest.approx(
        rare / (2 * rare)
    )
    assert common < rare


def test_nothing_goes_from_one_conversation_into_another_or_between_notes():
    assert covered(ROWS, ("lisbon",), reader({"lisbon": [2]}, session=(0, 0, 0, 1, 1, 1))).tolist() == [
        0,
        1,
        0,
        0,
        0,
        0,
    ]
    assert not covered(ROWS, ("lisbon",), reader({"lisbon": [2]}, session=(-1,) * 6)).any()


def test_without_terms_there_is_nothing_and_of_many_terms_the_rarest_count():
    assert not covered(ROWS, (), reader({})).any()
    many = {f"w{number}": [0, 1, 2, 3, 4, 5] for number in range(80)}
    found = covered(np.array([1]), (*many, "lisbon"), reader(many | {"lisbon": [2]}))
    assert found[0] > 0.1
