"""Pinned memories stay, retired ones leave the searches; each call is one operation."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.storage import strength
from memcore.writing.history import history
from memcore.writing.reach import reach
from memcore.writing.standing import pin, retire


def pinned(store, memory_id, user_id=None, **given):
    return pin(store.database, memory_id, within=reach(store.agent_id, user_id), now=store.now, **given)


def retired(store, memory_id, reason=None, user_id=None):
    return retire(store.database, memory_id, reason=reason, within=reach(store.agent_id, user_id), now=store.now)


def actions(store, memory_id):
    return [one.action for one in history(store.database, memory_id, within=reach(store.agent_id))]


def due_year(store):
    return datetime.fromtimestamp(store.one("SELECT due_at FROM fact_detail") / 1e6, tz=UTC).year


def test_a_pinned_fact_is_due_in_three_hundred_years_and_unpinned_as_before(wordless):
    [added] = wordless.add("Ana likes tea.", kind="fact")
    before = wordless.one("SELECT due_at FROM fact_detail")
    assert pinned(wordless, added.id).id == added.id
    assert wordless.one("SELECT pinned FROM memory") == 1
    assert due_year(wordless) == wordless.now.year + 332
    pinned(wordless, added.id, pinned=False)
    assert (wordless.one("SELECT pinned FROM memory"), wordless.one("SELECT due_at FROM fact_detail")) == (0, before)
    assert actions(wordless, added.id) == ["pin", "unpin"]


def test_what_is_so_already_is_no_operation(wordless):
    [added] = wordless.add("Ana likes tea.")
    pinned(wordless, added.id, pinned=False)
    pinned(wordless, added.id)
    pinned(wordless, added.id)
    retired(wordless, added.id)
    retired(wordless, added.id)
    assert actions(wordless, added.id) == ["pin", "retire"]


def test_a_pin_wakes_a_dormant_fact(wordless):
    [added] = wordless.add("Ana likes tea.", kind="fact")
    with wordless.database.write() as connection:
        connection.exec_driver_sql("UPDATE fact_detail SET dormant = 1")
    wordless.now += timedelta(days=3000)
    pinned(wordless, added.id)
    assert wordless.one("SELECT dormant FROM fact_detail") == 0
    assert due_year(wordless) > wordless.now.year + 300


def test_a_pin_does_not_wake_what_was_never_strong(wordless):
    [added] = wordless.add("Ana likes tea.", kind="fact")
    with wordless.database.write() as connection:
        connection.exec_driver_sql("UPDATE fact_detail SET dormant = 1, strength = 0.14")
    pinned(wordless, added.id)
    assert wordless.one("SELECT dormant FROM fact_detail") == 1


def test_use_of_a_pinned_fact_keeps_the_pin(wordless):
    [added] = wordless.add("Ana likes tea.", kind="fact")
    pinned(wordless, added.id)
    with wordless.database.write() as connection:
        strength.use(connection, [added.id], wordless.now + timedelta(days=700))
    assert wordless.one("SELECT strength FROM fact_detail") > 0.98
    assert due_year(wordless) > wordless.now.year + 300


@pytest.mark.parametrize("origin", ["tool", "web", "job"])
def test_what_nobody_said_is_never_pinned(wordless, origin):
    [added] = wordless.add("Ana likes tea.", origin=origin)
    with pytest.raises(InvalidInputError, match=rf"^id: {added.id} is not accepted, it comes from origin {origin}"):
        pinned(wordless, added.id)
    assert (wordless.one("SELECT pinned FROM memory"), actions(wordless, added.id)) == (0, [])
    pinned(wordless, added.id, pinned=False)


def test_a_retired_memory_keeps_its_row_its_moment_and_the_reason(wordless):
    [added] = wordless.add("Ana likes tea.")
    assert retired(wordless, added.id, "moved").id == added.id
    moment = wordless.one("SELECT ended_at FROM memory")
    assert wordless.rows("SELECT content, ending FROM memory") == [("Ana likes tea.", "retired")]
    assert moment == int(wordless.now.timestamp() * 1e6)
    [operation] = history(wordless.database, added.id, within=reach("a"))
    assert (operation.reason, operation.recorded_at) == ("moved", wordless.now)
    wordless.now += timedelta(days=1)
    retired(wordless, added.id, "again")
    assert wordless.one("SELECT ended_at FROM memory") == moment


def test_what_a_job_archived_can_be_retired_by_hand_so_that_no_undo_of_the_job_brings_it_back(wordless):
    [added] = wordless.add("Ana likes tea.")
    with wordless.database.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET ended_at = 5, ending = 'archived'")
    retired(wordless, added.id)
    assert wordless.rows("SELECT ended_at, ending FROM memory") == [(5, "retired")]


def test_an_entity_is_not_retired(wordless):
    [added] = wordless.add("Ana", kind="entity")
    with pytest.raises(InvalidInputError, match="an entity cannot be retired; delete"):
        retired(wordless, added.id)


@pytest.mark.parametrize("reason", [7, "", "  ", b"x"])
def test_a_reason_is_a_text(wordless, reason):
    [added] = wordless.add("Ana likes tea.")
    with pytest.raises(InvalidInputError, match=r"^reason"):
        retired(wordless, added.id, reason)
    assert wordless.one("SELECT ended_at FROM memory") is None


@pytest.mark.parametrize("call", [pinned, retired])
def test_only_ones_own_memories_are_pinned_and_retired(wordless, call):
    shared, hers = wordless.add("shared").ids[0], wordless.add("hers", user_id="ana").ids[0]
    for memory_id in (shared, hers, hers + 1000):
        with pytest.raises(NotFoundError, match=rf"^id: {memory_id} is no memory of the named user"):
            call(wordless, memory_id, user_id="ben")
    with pytest.raises(InvalidInputError, match=r"^id"):
        call(wordless, "1")
    call(wordless, hers, user_id="ana")
    call(wordless, shared)
