"""A delete takes what is out of the searches because the memory says the same, whatever call had retired it."""

from datetime import timedelta

import pytest
from facade_answers import NOW

TEA = "Ana drinks green tea."


def stored(memory):
    with memory._database.read() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT content FROM memory ORDER BY id")]


def fact(memory, text=TEA, **given):
    given = {"user_id": "ana", "kind": "fact", "slot": "drink"} | given
    [added] = memory.add(text, **given)
    return added.id


def approved_into(memory):
    """What waited, and said what is stored already once it was approved."""
    waits = fact(memory, origin="web", confidence=0.4)
    kept = fact(memory, "Coffee is all she takes.")
    memory.update(kept, content=TEA)
    assert memory.review.approve(waits).id == kept
    return kept


def said_himself(memory):
    """What waited, until the user said it: the operation is a merge."""
    fact(memory, origin="web", confidence=0.4)
    return fact(memory)


def said_in_conflict(memory):
    fact(memory, origin="web", confidence=0.4)
    fact(memory, "Coffee is all she takes.")
    return fact(memory)


def said_by_name(memory):
    fact(memory, origin="web", confidence=0.4)
    old = fact(memory, "Coffee is all she takes.", origin="import")
    return fact(memory, supersedes=old)


def said_again_weakly(memory):
    """Said below the bar: it strengthens nothing, and what waits need not any more all the same."""
    fact(memory, origin="web", confidence=0.4)
    kept = fact(memory, "Coffee is all she takes.")
    memory.update(kept, content=TEA)
    assert fact(memory, confidence=0.5) == kept
    return kept


def corrected(memory):
    fact(memory, origin="web", confidence=0.4)
    wrong = fact(memory, "Coffee is all she takes.")
    return memory.feedback(wrong, corrected=TEA).id


def superseded_by_its_own_text(memory):
    memory.facts.set("drink", TEA, user_id="ana", valid_from=NOW + timedelta(days=7))
    return memory.facts.set("drink", TEA, user_id="ana").id


@pytest.mark.parametrize(
    "how",
    [
        approved_into,
        said_himself,
        said_in_conflict,
        said_by_name,
        said_again_weakly,
        corrected,
        superseded_by_its_own_text,
    ],
)
def test_no_row_and_no_byte_of_the_text_is_left(memory, how):
    kept = how(memory)
    assert stored(memory).count(TEA) == 2
    memory.delete(kept)
    assert TEA not in stored(memory)
    assert memory.verify_absent(TEA) == []


def test_what_was_retired_by_hand_stays(memory):
    first = fact(memory)
    memory.retire(first)
    second = fact(memory)
    memory.delete(second)
    assert stored(memory) == [TEA]


def test_what_was_superseded_by_another_text_stays(memory):
    first = fact(memory)
    memory.delete(memory.facts.set("drink", "Coffee is all she takes.", user_id="ana").id)
    assert stored(memory) == [TEA]
    assert memory.get(first).superseded_by is None


def test_what_fills_another_slot_stays(memory):
    fact(memory, origin="web", confidence=0.4)
    fact(memory)
    other = fact(memory, slot="breakfast")
    memory.delete(other)
    assert stored(memory) == [TEA, TEA]


def test_what_a_correction_rejected_is_not_taken_for_what_says_the_same(memory):
    fact(memory, origin="web", confidence=0.4)
    waits = fact(memory, "Coffee is all she takes.", origin="web", confidence=0.4)
    memory.feedback(waits, corrected=TEA)
    memory.delete(waits)
    assert stored(memory) == [TEA, TEA]


def test_what_came_back_stays(memory):
    kept = approved_into(memory)
    memory.undo(memory.history(kept)[-1].id)
    memory.delete(kept)
    assert stored(memory) == [TEA]
