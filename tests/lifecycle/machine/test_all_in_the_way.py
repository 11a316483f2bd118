"""A refused undo names everything that is to be undone before, in that order."""

import random
from datetime import UTC, datetime

import pytest
from machine_moves import MOVES, make
from machine_pair import Pair

from memcore import Memory
from memcore.errors import UndoRefusedError
from memcore.storage import undo

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


@pytest.fixture
def memory():
    with Memory(":memory:", embedder="none", durability="relaxed", clock=lambda: NOON) as opened:
        yield opened


def operations(memory):
    with memory._database.read() as connection:
        query = "SELECT id, undone_by FROM operation WHERE undoes IS NULL"
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def refusal(memory, number):
    with pytest.raises(UndoRefusedError) as refused:
        memory.undo(number)
    return refused.value


def test_a_chain_of_values_is_named_to_its_end(memory):
    for city in ("Lisbon", "Porto", "Braga", "Faro"):
        memory.facts.set("home city", f"Ana lives in {city}.", user_id="ana")
    before = operations(memory)
    assert refusal(memory, 1).operations == (3, 2)
    assert operations(memory) == before
    for number in (3, 2, 1):
        memory.undo(number)
    assert memory.facts.get("home city", user_id="ana").content == "Ana lives in Lisbon."


def test_what_stands_on_it_only_once_another_is_undone_is_named_too(memory):
    given = {"user_id": "ana", "kind": "fact", "slot": "drink"}
    old = memory.add("Ana drinks milk.", **given)[0].id
    tea = memory.feedback(old, corrected="Ana drinks tea.").id
    coffee = memory.add("Coffee is all she takes.", **given)[0].id
    memory.review.resolve(tea, coffee)
    assert refusal(memory, 1).operations == (3, 2)


def test_of_many_the_first_twenty_are_told_and_all_are_held(memory):
    for number in range(30):
        memory.facts.set("home city", f"Ana lives in house {number}.", user_id="ana")
    error = refusal(memory, 1)
    assert error.operations == tuple(range(29, 1, -1))
    assert str(error).endswith(
        "it: " + ", ".join(map(str, range(29, 9, -1))) + " and 8 more; undo them first, newest first"
    )


def test_where_they_are_very_many_the_next_ones_are_told_without_walking_them_all(memory, monkeypatch):
    for number in range(120):
        memory.facts.set("home city", f"Ana lives in house {number}.", user_id="ana")
    looked = []
    course = undo._course
    monkeypatch.setattr(undo, "_course", lambda *given: looked.append(given) or course(*given))
    error = refusal(memory, 1)
    assert error.operations == (2,)
    assert str(error).endswith("it: 2 and what stands on these; undo them first, newest first")
    assert len(looked) < 200


@pytest.mark.parametrize("seed", range(60))
def test_undone_in_that_order_nothing_is_in_the_way_any_more(seed):
    chance, names = random.Random(seed), list(MOVES)
    pair = Pair()
    for name in chance.choices(names, [MOVES[name][0] for name in names], k=40):
        make(pair, chance, name)
    standing = [number for number, undone_by in operations(pair.memory) if undone_by is None]
    for number in standing[: len(standing) // 2]:
        try:
            pair.memory.undo(number)
        except UndoRefusedError as error:
            for later in error.operations:
                pair.memory.undo(later)
            if error.operations:
                pair.memory.undo(number)
                break
    pair.close()
