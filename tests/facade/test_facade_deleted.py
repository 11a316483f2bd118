"""What a delete leaves in what others did and are: no word of it, in no column and no byte of a file."""

from datetime import timedelta

import pytest
from facade_answers import NOW

from memcore.errors import NotFoundError

ANA = {"user_id": "ana"}
SLOT = {**ANA, "kind": "fact", "slot": "home"}
OTHER, ZETA = "Ana lives in Rome.", "Ana lives in Zetaville."
SECRET = {"source_ref": "src-zeta", "tags": ["tag-zeta"], "metadata": {"key-zeta": "value-zeta"}}
TOLD = "no more of Zetaville: reason-zeta"
VECTOR = [1.0, 0.0]


def day(number):
    return NOW + timedelta(days=number)


def other(memory, content=OTHER, **given):
    return memory.add(content, **SLOT | given)[0].id


def zeta(memory, **given):
    return memory.add(ZETA, **SLOT | SECRET | given)[0].id


def filled(memory, content=ZETA, **given):
    return memory.facts.set("home", content, **ANA, **given).id


def superseded_another(memory):
    other(memory)
    return filled(memory, **SECRET)


def superseded(memory):
    one = zeta(memory)
    filled(memory, OTHER)
    return one


def superseded_and_undone(memory):
    kept, one = other(memory), filled(memory, **SECRET)
    memory.undo(memory.history(kept)[-1].id)
    return one


def superseded_undone_and_done_again(memory):
    kept, one = other(memory), filled(memory, **SECRET)
    for _ in range(2):
        memory.undo(memory.history(kept)[-1].id)
    return one


def merged_near(memory):
    one = memory.add("I prefer green zeta tea over coffee.", **ANA, **SECRET, embedding=VECTOR)[0].id
    memory.add("I prefer green zeta tea to coffee", **ANA, source_ref="src-zeta", embedding=VECTOR)
    return one


def said_again_in_the_place_of_another(memory):
    one, kept = zeta(memory), other(memory)
    told = {"metadata": {"key-zeta": "another"}, "source_ref": "page-zeta", "supersedes": kept}
    [again] = memory.add(ZETA, **SLOT, **told)
    assert "key-zeta" in again.reason
    return one


def in_conflict(memory):
    other(memory)
    return zeta(memory)


def met_in_conflict(memory):
    one = zeta(memory)
    other(memory)
    return one


def decided_for(memory):
    kept, one = other(memory), zeta(memory)
    memory.review.resolve(one, kept, reason=TOLD)
    return one


def decided_against(memory):
    kept, one = other(memory), zeta(memory)
    memory.review.resolve(kept, one, reason=TOLD)
    return one


def decided_for_the_older(memory):
    one, late = zeta(memory), other(memory)
    memory.review.resolve(one, late, reason=TOLD)
    return one


def decided_against_the_older(memory):
    one, late = zeta(memory), other(memory)
    memory.review.resolve(late, one, reason=TOLD)
    return one


def both_kept(memory):
    one, late = zeta(memory), other(memory)
    memory.review.resolve(late, one, keep_both=True, reason=TOLD)
    return one


def approved(memory):
    other(memory)
    one = zeta(memory, origin="web")
    memory.review.approve(one)
    return one


def approved_into_another(memory):
    one = zeta(memory, origin="web", confidence=0.2)
    zeta(memory, infer=False)
    other(memory)
    memory.review.approve(one)
    return memory.get_all(**ANA)[0].id


def rejected(memory):
    other(memory)
    one = zeta(memory, origin="web")
    memory.review.reject(one, reason=TOLD)
    return one


def waited_for_another(memory):
    one = zeta(memory, origin="web", confidence=0.2)
    zeta(memory)
    return memory.get_all(**ANA)[0].id or one


def joined_by_an_undo(memory):
    one = zeta(memory)
    memory.retire(one, reason=TOLD)
    retired = memory.history(one)[-1].id
    zeta(memory)
    other(memory)
    memory.undo(retired)
    return one


def retired(memory):
    other(memory)
    one = zeta(memory)
    memory.retire(one, reason=TOLD)
    return one


def planned(memory):
    other(memory)
    return filled(memory, **SECRET, valid_from=day(9))


def planned_and_retired(memory):
    one = planned(memory)
    memory.retire(one, reason=TOLD)
    return one


def planned_and_wrong(memory):
    one = planned(memory)
    memory.feedback(one, wrong=True)
    return one


def planned_retired_and_undone(memory):
    one = planned_and_retired(memory)
    memory.undo(memory.history(one)[-1].id)
    return one


def planned_before_another_plan(memory):
    one = planned(memory)
    filled(memory, "Ana lives in Bern.", valid_from=day(20))
    return one


def corrected(memory):
    one = filled(memory)
    memory.feedback(one, corrected=OTHER)
    return one


def what_is_right(memory):
    return memory.feedback(other(memory), corrected=ZETA).id


def said_otherwise(memory):
    kept, one = other(memory), other(memory)
    assert kept == one
    one = memory.add("Ana lives in rome.", **SLOT | SECRET, infer=False)[0].id
    memory.update(one, content=ZETA)
    return one


def used_with_others(memory):
    kept, one = other(memory, kind="event", slot=None), zeta(memory)
    memory.mark_used([kept, one])
    return one


def beside_a_task_and_a_set(memory):
    one = zeta(memory)
    memory.tasks.start(memory.tasks.add("Book the ferry", **ANA).id)
    memory.working.put("plan", "look up the ferry", **ANA, session_id="monday")
    return one


WAYS = [
    superseded_another,
    superseded,
    superseded_and_undone,
    superseded_undone_and_done_again,
    merged_near,
    said_again_in_the_place_of_another,
    in_conflict,
    met_in_conflict,
    decided_for,
    decided_against,
    decided_for_the_older,
    decided_against_the_older,
    both_kept,
    approved,
    approved_into_another,
    rejected,
    waited_for_another,
    joined_by_an_undo,
    retired,
    planned,
    planned_and_retired,
    planned_and_wrong,
    planned_retired_and_undone,
    planned_before_another_plan,
    corrected,
    what_is_right,
    said_otherwise,
    used_with_others,
    beside_a_task_and_a_set,
]


def holds(value, code="utf-8"):
    raw = value.encode(code) if isinstance(value, str) else value
    return isinstance(raw, bytes) and "zeta".encode(code) in raw.lower()


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_no_word_of_it_is_left(memory, way, path, everything_in):
    one = way(memory)
    assert memory.verify_absent("zeta")
    assert memory.delete(one).pending is False
    for table, rows in everything_in(memory).items():
        assert [row for row in rows if any(map(holds, row))] == [], table
    for file in path.parent.glob("agent.db*"):
        assert [code for code in ("utf-8", "utf-16-le", "utf-16-be") if holds(file.read_bytes(), code)] == [], file
    assert memory.verify_absent("zeta") == memory.verify_absent(one) == []
    assert all(f"memory {one}" not in told.reason for row in memory.get_all(**ANA) for told in memory.history(row.id))


# reasons


def test_the_reasons_of_what_others_did_stay(memory):
    first = memory.add("The shop opens at nine.", **ANA)[0].id
    one = superseded_another(memory)
    memory.retire(first, reason="no such shop")
    memory.delete(one)
    assert memory.history(first)[-1].reason == "no such shop"


def test_a_reason_that_names_it_goes_though_nothing_of_it_was_changed(memory):
    kept, plan = filled(memory, OTHER), filled(memory, valid_from=day(9))
    [again] = memory.add(OTHER, **SLOT)
    assert f"memory {plan} is to take its place" in again.reason
    memory.delete(plan)
    assert [one.reason for one in memory.history(kept)] == [""]


def test_what_a_memory_has_of_one_that_was_merged_into_it_is_its_own(memory):
    waits = other(memory, origin="web", confidence=0.2, tags=["city"])
    kept = other(memory, infer=False)
    memory.review.approve(waits)
    memory.delete(waits)
    assert memory.get(kept).tags == ("city",)


def test_a_purge_takes_the_reason_of_what_stays_for_others(memory):
    """No call writes such an operation; one that another version wrote is silenced."""
    theirs, one = memory.add(OTHER, **ANA | {"user_id": "bo"})[0].id, zeta(memory)
    memory.retire(theirs, reason=TOLD)
    with memory._database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO operation_change (operation_id, number, memory_id, changed_table, row_key, before, after)"
            " SELECT operation_id, 7, ?, 'memory', '[7]', '{}', '{}' FROM operation_change WHERE memory_id = ?",
            (one, theirs),
        )
    memory.purge_user("ana", confirm="ana")
    assert [(done.action, done.reason) for done in memory.history(theirs)] == [("retire", "")]


# sources


def test_a_source_of_which_nothing_is_left_is_unknown(memory):
    kept = other(memory)
    one = filled(memory, **SECRET)
    memory.delete(one)
    assert [(told.action, told.source_ref) for told in memory.history(kept)] == [("supersede", None)]
    with pytest.raises(NotFoundError, match="src-zeta"):
        memory.undo(source_ref="src-zeta", **ANA)


@pytest.mark.parametrize("first", [True, False])
def test_a_source_stays_as_long_as_something_of_it_is_there(memory, first):
    kept, one = other(memory), filled(memory, source_ref="letter")
    event = memory.add("They met in the park.", **ANA, source_ref="letter")[0].id
    memory.delete(one if first else event)
    assert memory.history(kept)[-1].source_ref == "letter"
    memory.delete(event if first else one)
    assert memory.history(kept)[-1].source_ref is None


def test_what_a_source_said_again_is_of_it(memory):
    kept = other(memory)
    other(memory, source_ref="letter")
    event = memory.add("They met in the park.", **ANA, source_ref="letter")[0].id
    memory.delete(event)
    assert memory.history(kept)[-1].source_ref == "letter"


def test_another_user_keeps_the_source(memory):
    one = zeta(memory)
    theirs = memory.add(ZETA, **SLOT | SECRET | {"user_id": "bo"})[0].id
    memory.delete(one)
    assert memory.history(theirs)[-1].source_ref == "src-zeta"
