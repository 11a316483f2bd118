"""A plan that is deleted, be it called off before: the operations on others are as they would be without it."""

from datetime import timedelta

import pytest
from facade_answers import NOW

from memcore.errors import UndoRefusedError

ANA = {"user_id": "ana"}
SLOT = {**ANA, "kind": "fact", "slot": "home"}
OTHER, ZETA = "Ana lives in Rome.", "Ana lives in Zetaville."


def day(number):
    return NOW + timedelta(days=number)


def filled(memory, content=ZETA, **given):
    return memory.facts.set("home", content, **ANA, **given).id


def told(memory, one):
    """The operations on a memory, but for their numbers and moments."""
    return [
        (done.action, done.reason, [(row.table, row.before, row.after) for row in done.changes if row.memory_id == one])
        for done in memory.history(one)
    ]


OFF = {
    "retired": lambda memory, one: memory.retire(one, reason="reason-zeta"),
    "wrong": lambda memory, one: memory.feedback(one, wrong=True),
    "not": lambda *_: None,
    "undone": lambda memory, one: memory.undo(memory.history(one)[0].id),
}


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize("begins", [(10, 5), (5, 10)], ids=["before a plan", "after a plan"])
def test_a_plan_that_was_called_off_leaves_the_history_of_others_as_without_it(opened, tmp_path, off, begins):
    with_it, without = opened(), opened(tmp_path / "without.db")
    for memory in (with_it, without):
        filled(memory, OTHER)
    rome, (bern, plan) = 1, begins
    filled(with_it, "Ana lives in Bern.", valid_from=day(bern))
    filled(without, "Ana lives in Bern.", valid_from=day(bern))
    one = filled(with_it, valid_from=day(plan))
    OFF[off](with_it, one)
    with_it.delete(one)
    assert [told(with_it, row) for row in (rome, 2)] == [told(without, row) for row in (rome, 2)]
    for memory in (with_it, without):
        memory.undo(memory.history(rome)[0].id)
        assert (memory.get(rome).valid_until, memory.get(2).ending) == (None, "retired")


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize("bern", [5, 15])
def test_so_does_one_that_another_plan_came_after(memory, off, bern):
    rome, one = filled(memory, OTHER), filled(memory, valid_from=day(10))
    if off == "undone":
        OFF[off](memory, one)
        later = filled(memory, "Ana lives in Bern.", valid_from=day(bern))
    else:
        later = filled(memory, "Ana lives in Bern.", valid_from=day(bern))
        OFF[off](memory, one)
    memory.delete(one)
    assert (memory.get(rome).valid_until, memory.get(rome).superseded_by) == (day(bern), later)
    [done] = memory.history(rome)
    assert (done.action, done.memory_ids) == ("supersede", (later, rome))
    memory.undo(done.id)
    assert memory.get(rome).valid_until is None
    again = memory.history(rome)[-1].id
    if bern < 10 or off == "undone":
        memory.undo(again)
        assert memory.get(rome).superseded_by == later


def test_what_held_for_a_while_stays_in_the_history(memory):
    rome, one = filled(memory, OTHER), filled(memory)
    memory.delete(one)
    [done] = memory.history(rome)
    assert (done.action, done.reason) == ("supersede", "")
    memory.undo(done.id)
    assert memory.get(rome).valid_until is None


def test_the_conflicts_that_came_of_calling_it_off_stay_by_no_operation(memory):
    rome, one = filled(memory, OTHER), filled(memory, valid_from=day(2))
    late = memory.add("Ana lives in Bern.", **SLOT, valid_from=day(4))[0].id
    memory.retire(one)
    memory.delete(one)
    assert [(pair.older.id, pair.newer.id) for pair in memory.review.conflicts(**ANA)] == [(rome, late)]
    assert memory.history(rome) == []


def test_a_delete_refuses_no_undo_of_what_another_plan_did(memory):
    filled(memory, OTHER)
    filled(memory, "Ana lives in Bern.", valid_from=day(10))
    one = filled(memory, valid_from=day(5))
    memory.retire(one)
    with pytest.raises(UndoRefusedError):
        memory.undo(1)
    memory.delete(one)
    assert [done.id for done in memory.undo(1)] == [4]
