"""An operation is undone where nothing stands on it, and done again as often as one likes."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storage_samples import ANA, NOON, a_memory
from undo_samples import HAND, LATER, back, column, done, fact, of_memory, refused, state

from memcore.errors import UndoRefusedError
from memcore.kinds import OperationAction
from memcore.storage import memories, operation_rows, operations
from memcore.storage.encoding import to_micros
from memcore.storage.operations import RowChange
from memcore.storage.undo import undo


@pytest.fixture
def conn(database):
    with database.write() as conn:
        yield conn


def test_the_values_from_before_come_back_and_the_undo_is_an_operation(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana"))
    second = back(conn, first)
    assert memories.fetch(conn, [one])[0].speaker is None
    assert state(conn, first) == (None, second)
    [undone] = operation_rows.fetch(conn, [second])
    assert (undone.action, undone.undoes, undone.recorded_at) == ("undo", first, LATER)
    assert undone.changes[0].before == {"speaker": "Ana"}
    assert undone.changes[0].after == {"speaker": None}


def test_what_is_done_undone_and_done_again_can_be_undone_however_often(conn):
    one = fact(conn)
    first = last = done(conn, of_memory(one, speaker="Ana"))
    for turn in range(20):
        last = back(conn, last)
        assert memories.fetch(conn, [one])[0].speaker == (None if turn % 2 == 0 else "Ana")
        assert (state(conn, first)[1] is None) == (turn % 2 == 1)


def test_an_undo_costs_the_same_however_often_it_went_back_and_forth(conn):
    one = fact(conn)
    last = done(conn, of_memory(one, speaker="Ana"))
    costs = []
    for turn in range(1_000):
        statements = []
        if turn in {10, 998}:
            conn.connection.dbapi_connection.set_trace_callback(statements.append)
        last = back(conn, last)
        conn.connection.dbapi_connection.set_trace_callback(None)
        costs += [len(statements)] if statements else []
    assert costs[0] == costs[1]


def test_an_operation_that_was_done_again_is_undone_by_its_own_id_too(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana"))
    again = back(conn, back(conn, first))
    last = back(conn, first)
    assert memories.fetch(conn, [one])[0].speaker is None
    assert state(conn, first)[1] == state(conn, again)[1] == last


def test_a_later_operation_on_the_same_column_stands_in_the_way_and_is_named(conn):
    one = fact(conn)
    first, second, third = (done(conn, of_memory(one, speaker=name)) for name in ("Ana", "Bo", "Cy"))
    assert refused(conn, first, f"{third}, {second}; undo them first") == (third, second)
    back(conn, third)
    assert refused(conn, first, "undo them first") == (second,)
    back(conn, second)
    back(conn, first)
    assert memories.fetch(conn, [one])[0].speaker is None


def test_operations_on_other_columns_rows_and_memories_do_not(conn):
    one, other = fact(conn), fact(conn, "other")
    first = done(conn, of_memory(one, speaker="Ana"))
    done(conn, of_memory(one, source_ref="x"))
    done(conn, of_memory(other, speaker="Bo"))
    done(conn, RowChange("claim", (one,), one, {"confidence": 0.5}))
    back(conn, first)
    assert [(row.speaker, row.source_ref) for row in memories.fetch(conn, [one, other])] == [(None, "x"), ("Bo", None)]


def test_what_was_undone_before_cannot_be_done_again_over_something_later(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana"))
    undone = back(conn, first)
    later = done(conn, of_memory(one, speaker="Bo"))
    assert refused(conn, undone, "undo them first") == (later,)
    back(conn, later)
    back(conn, undone)
    assert memories.fetch(conn, [one])[0].speaker == "Ana"


def test_an_undo_below_stands_in_the_way_of_doing_again_what_was_above_it(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana"))
    second = done(conn, of_memory(one, speaker=None))
    undone_second = back(conn, second)
    undone_first = back(conn, first)
    assert refused(conn, undone_second, "undo them first") == (undone_first,)
    back(conn, undone_first)
    back(conn, undone_second)
    assert column(conn, "memory", "speaker", "id", one) is None


def test_what_was_undone_and_done_again_since_stands_in_no_way(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana"))
    undone_first = back(conn, first)
    second = done(conn, of_memory(one, speaker="Ana"))
    undone_second = back(conn, second)
    again = back(conn, undone_first)
    assert refused(conn, undone_second, "undo them first") == (again,)
    back(conn, again)
    back(conn, undone_second)
    assert column(conn, "memory", "speaker", "id", one) == "Ana"
    assert state(conn, first)[1] is not None
    assert state(conn, second)[1] is None


def test_a_change_by_hand_since_stands_in_the_way(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana"))
    conn.exec_driver_sql("UPDATE memory SET speaker = 'Eve'")
    assert refused(conn, first, HAND) == ()
    assert memories.fetch(conn, [one])[0].speaker == "Eve"


def test_nothing_is_half_undone_where_one_row_stands_in_the_way(conn):
    one, other = fact(conn), fact(conn, "other")
    first = done(conn, of_memory(one, speaker="Ana"), of_memory(other, speaker="Ana"))
    conn.exec_driver_sql("UPDATE memory SET speaker = 'Eve' WHERE id = ?", (one,))
    refused(conn, first, HAND)
    assert [row.speaker for row in memories.fetch(conn, [one, other])] == ["Eve", "Ana"]
    assert state(conn, first) == (None, None)


def test_of_an_operation_of_which_a_part_was_deleted_the_rest_goes_back_and_is_not_done_again(conn):
    one, other = fact(conn), fact(conn, "other")
    first = done(conn, of_memory(one, speaker="Ana"), of_memory(other, speaker="Ana"))
    memories.remove(conn, [other])
    undone = back(conn, first)
    assert column(conn, "memory", "speaker", "id", one) is None
    third = fact(conn, "third")
    second = done(conn, of_memory(one, speaker="Bo"), of_memory(third, speaker="Bo"))
    again = back(conn, second)
    memories.remove(conn, [third])
    refused(conn, again, "was deleted")
    assert undone != again


def test_what_was_brought_together_is_retired_also_where_a_part_of_it_was_deleted(conn):
    one, other, third = fact(conn), fact(conn, "other"), fact(conn, "third")
    births = [operations.born(memory_id, NOON) for memory_id in (one, other, third)]
    added = done(conn, *births, action=OperationAction.ADD)
    memories.remove(conn, [other])
    undone = back(conn, added)
    assert memories.fetch(conn, [one])[0].ending == "retired"
    memories.remove(conn, [third])
    back(conn, undone)
    assert memories.fetch(conn, [one])[0].ending is None


def test_two_changes_of_one_row_in_one_operation_both_go_back_and_both_can_be_stood_on(conn):
    one, other = fact(conn), fact(conn, "other")
    conn.exec_driver_sql("UPDATE memory SET idempotency_key = 'key' WHERE id = ?", (other,))
    moved = done(
        conn,
        of_memory(other, idempotency_key=None, tags='["x"]'),
        of_memory(one, idempotency_key="key"),
        of_memory(one, source_ref="x"),
    )
    later = done(conn, of_memory(one, idempotency_key="other key"))
    assert refused(conn, moved, "undo them first") == (later,)
    back(conn, later)
    undone = back(conn, moved)
    keys = "SELECT idempotency_key, source_ref, tags, updated_at FROM memory ORDER BY id"
    changed = to_micros(LATER)
    assert conn.exec_driver_sql(keys).fetchall() == [(None, None, "[]", changed), ("key", None, "[]", changed)]
    back(conn, undone)
    assert [row[0] for row in conn.exec_driver_sql(keys)] == ["key", None]


def test_a_column_that_an_operation_names_but_leaves_as_it_was_stands_in_no_way(conn):
    one = fact(conn)
    first = done(conn, of_memory(one, speaker="Ana", source_ref=None))
    done(conn, of_memory(one, source_ref="x"))
    back(conn, first)
    assert [(row.speaker, row.source_ref) for row in memories.fetch(conn, [one])] == [(None, "x")]


def test_rows_that_came_go_and_rows_that_went_come_back(conn):
    low, high = fact(conn), fact(conn, "other")
    key, values = (low, high), {"recorded_at": 5, "resolved_at": None}
    made = done(conn, RowChange("conflict_pair", key, low, values))
    undone = back(conn, made)
    assert conn.exec_driver_sql("SELECT count(*) FROM conflict_pair").scalar() == 0
    back(conn, undone)
    assert conn.exec_driver_sql("SELECT * FROM conflict_pair").fetchall() == [(low, high, 5, None)]


def test_a_later_operation_on_a_row_of_two_memories_is_seen_from_either(conn):
    low, high = fact(conn), fact(conn, "other")
    made = done(conn, RowChange("conflict_pair", (low, high), low, {"recorded_at": 5, "resolved_at": None}))
    resolved = done(conn, RowChange("conflict_pair", (low, high), high, {"resolved_at": 6}))
    assert refused(conn, made, "undo them first") == (resolved,)


def test_a_row_that_would_name_a_deleted_memory_does_not_come_back(conn):
    low, high = fact(conn), fact(conn, "other")
    conn.exec_driver_sql("INSERT INTO conflict_pair VALUES (?, ?, 5, NULL)", (low, high))
    removed = done(conn, RowChange("conflict_pair", (low, high), low, None))
    memories.remove(conn, [high])
    refused(conn, removed, "that it named was deleted")


def superseding(conn, old, new):
    closed = {"valid_until": to_micros(NOON), "closed_at": to_micros(NOON), "superseded_by": new}
    return done(conn, RowChange("claim", (old,), old, closed), action=OperationAction.SUPERSEDE)


def test_a_supersession_is_not_done_again_where_a_circle_would_come_of_it(conn):
    one, other, third = fact(conn), fact(conn, "other"), fact(conn, "third")
    undone = back(conn, superseding(conn, one, other))
    ends = "UPDATE claim SET valid_until = ?1, closed_at = ?1, superseded_by = ?2 WHERE memory_id = ?3"
    for old, new in ((other, third), (third, one)):
        conn.exec_driver_sql(ends, (to_micros(NOON), new, old))
    refused(conn, undone, f"memory {other} is superseded by memory {one} now")
    assert column(conn, "claim", "superseded_by", value=one) is None


def test_a_supersession_by_a_memory_that_is_gone_is_not_done_again(conn):
    one, other = fact(conn), fact(conn, "other")
    undone = back(conn, superseding(conn, one, other))
    memories.remove(conn, [other])
    refused(conn, undone, "that it named was deleted")


def test_a_memory_that_ends_by_an_undo_ends_at_that_moment(conn):
    one = fact(conn)
    added = done(conn, operations.born(one, NOON), action=OperationAction.ADD)
    back(conn, added)
    [row] = memories.fetch(conn, [one])
    assert (row.ended_at, row.ending) == (LATER, "retired")


def test_a_memory_that_a_hand_retired_meanwhile_is_out_of_the_searches_as_the_undo_wants_it(conn):
    one, other = fact(conn), fact(conn, "other")
    added = done(conn, operations.born(one, NOON), operations.born(other, NOON), action=OperationAction.ADD)
    retired = done(conn, of_memory(one, ended_at=to_micros(NOON), ending="wrong"))
    back(conn, added)
    assert [(row.ended_at, row.ending) for row in memories.fetch(conn, [one, other])] == [
        (NOON, "wrong"),
        (LATER, "retired"),
    ]
    back(conn, retired)
    assert memories.fetch(conn, [one])[0].ended_at is None


def edit(conn, one, **columns):
    return done(conn, of_memory(one, **memories.edited(conn, one, columns)), action=OperationAction.UPDATE)


def test_a_text_that_comes_back_is_whole_and_waits_for_its_vector(conn):
    [one] = memories.insert(conn, [a_memory("Ana lives in Lisbon.")])
    before = conn.exec_driver_sql("SELECT content, tokens, crc, text_key FROM memory").one()
    edited = edit(conn, one, content="Ana lives in Porto.", tokens="ana porto", tags=["x"], metadata={"a": 1})
    conn.exec_driver_sql("DELETE FROM job")
    [operation] = operation_rows.fetch(conn, [edited])
    assert undo(conn, operation, now=LATER).texts == {one: "Ana lives in Lisbon."}
    assert conn.exec_driver_sql("SELECT content, tokens, crc, text_key FROM memory").one() == before
    [row] = memories.fetch(conn, [one])
    assert (row.intact, row.tags, row.metadata, row.updated_at) == (True, (), {}, LATER)
    assert conn.exec_driver_sql("SELECT kind FROM job WHERE memory_id = ?", (one,)).scalars().all() == ["embed"]


def test_an_entity_gets_its_name_back_unless_another_has_it_by_now(conn):
    from memcore.storage import entities

    [one] = entities.resolve(conn, ANA, [("Lisbon", ())], NOON)
    edited = edit(conn, one, content="Lisboa")
    undone = back(conn, edited)
    assert column(conn, "entity", "name_key") == "lisbon"
    entities.resolve(conn, ANA, [("Lisboa", ())], NOON)
    refused(conn, undone, "another entity's by now")


NAMES = st.sampled_from(["speaker", "source_ref"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(NAMES, st.sampled_from("abc")), min_size=1, max_size=8), st.lists(st.integers(0, 99), max_size=8)
)
def test_undoing_everything_newest_first_gives_the_beginning_whatever_was_undone_and_done_again(conn, edits, picks):
    one = fact(conn)
    beginning = memories.fetch(conn, [one])
    written = [number for name, value in edits if (number := done(conn, of_memory(one, **{name: value}))) is not None]
    for pick in picks:
        every = conn.exec_driver_sql("SELECT id FROM operation WHERE undone_by IS NULL ORDER BY id").scalars().all()
        try:
            back(conn, every[pick % len(every)])
        except UndoRefusedError as error:
            named = operation_rows.fetch(conn, error.operations)
        else:
            continue
        assert named
        assert all(operation.undone_by is None for operation in named)
    for number in reversed(written):
        if state(conn, number)[1] is None:
            back(conn, number)
    assert [replace(row, updated_at=NOON) for row in memories.fetch(conn, [one])] == beginning
    conn.exec_driver_sql("DELETE FROM memory")
