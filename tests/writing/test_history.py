"""What was done to a memory is told in order, and taken back by id, by source or by run, within one's reach."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore.errors import InvalidInputError, NotFoundError, UndoRefusedError
from memcore.kinds import OperationAction
from memcore.scope import Partition
from memcore.storage import operations, partitions
from memcore.storage.operations import RowChange, born
from memcore.writing.change import changes, update
from memcore.writing.history import history, selector, undo
from memcore.writing.reach import reach
from memcore.writing.standing import pin, retire

SOURCE, RUN = "https://example.org/a", "job-1"


def told(store, memory_id, user_id=None):
    return history(store.database, memory_id, within=reach(store.agent_id, user_id))


def edit(store, memory_id, **given):
    within = reach(store.agent_id)
    return update(store.database, memory_id, changes(**given), within=within, vectors=store.vectors, now=store.now)


def take_back(store, operation_id=None, *, source_ref=None, since=None, job_run=None, user_id=None):
    which = selector(operation_id, source_ref, since, job_run)
    return undo(store.database, which, within=reach(store.agent_id, user_id), now=store.now).operations


def written(store, memory_id, *, action=OperationAction.ADD, user_id=None, now=None, change=None, **given):
    with store.database.write() as connection:
        partition = partitions.ensure(connection, Partition(store.agent_id, user_id))
        moment = now or store.now
        return operations.record(
            connection, partition, action, [change or born(memory_id, moment)], now=moment, **given
        )


def endings(store):
    return [row[0] for row in store.rows("SELECT ending FROM memory ORDER BY id")]


def test_a_history_is_told_oldest_first_with_the_values_from_before(wordless):
    [added] = wordless.add("Ana lives in Lisbon.", importance=4)
    edit(wordless, added.id, content="Ana lives in Porto.", event_time=datetime(2026, 5, 8, tzinfo=UTC))
    edit(wordless, added.id, importance=9)
    first, second = told(wordless, added.id)
    assert (first.action, first.memory_ids, first.undone_by) == ("update", (added.id,), None)
    [change] = first.changes
    assert change.table == "memory"
    assert change.before == {"content": "Ana lives in Lisbon.", "event_time": wordless.now}
    assert change.after == {"content": "Ana lives in Porto.", "event_time": datetime(2026, 5, 8, tzinfo=UTC)}
    assert second.changes[0].before == {"importance": 4.0, "base_importance": 4.0}
    assert first.to_dict()["changes"][0]["after"]["event_time"] == "2026-05-08T00:00:00+00:00"


def test_an_update_that_changes_nothing_is_no_operation(wordless):
    [added] = wordless.add("Ana lives in Lisbon.", importance=4)
    edit(wordless, added.id, content="Ana lives in Lisbon.", importance=4)
    assert told(wordless, added.id) == []


def test_an_update_undone_gives_back_the_text_and_done_again_the_new_one(store):
    [added] = store.add("Ana lives in Lisbon.", importance=4)
    edit(store, added.id, content="Ana lives in Porto.", importance=9)
    [undone] = take_back(store, told(store, added.id)[0].id)
    assert store.rows("SELECT content, importance, base_importance FROM memory") == [("Ana lives in Lisbon.", 4, 4)]
    assert store.one("SELECT kind FROM job") == "embed"
    take_back(store, undone.id)
    assert store.rows("SELECT content, importance FROM memory") == [("Ana lives in Porto.", 9)]
    assert [one.action for one in told(store, added.id)] == ["update", "undo", "undo"]


def test_importance_that_use_earned_since_an_update_stays(wordless):
    from memcore.writing.use import mark_used

    [added] = wordless.add("Ana lives in Lisbon.", importance=4)
    edit(wordless, added.id, importance=9)
    mark_used(wordless.database, [added.id], within=reach("a"), now=wordless.now)
    take_back(wordless, told(wordless, added.id)[0].id)
    [(importance, base)] = wordless.rows("SELECT importance, base_importance FROM memory")
    assert (importance, base) == (4, pytest.approx(4.1))


def test_what_was_undone_is_refused_with_the_operation_that_undid_it(wordless):
    [added] = wordless.add("text")
    retire(wordless.database, added.id, reason=None, within=reach("a"), now=wordless.now)
    [operation] = told(wordless, added.id)
    [undone] = take_back(wordless, operation.id)
    with pytest.raises(UndoRefusedError, match=f"was undone by operation {undone.id}; undo that") as refused:
        take_back(wordless, operation.id)
    assert refused.value.operations == (undone.id,)


def test_what_a_source_brought_is_retired_and_nothing_else(wordless):
    ids = wordless.add_many([{"content": f"text {at}"} for at in range(4)]).ids
    for one in ids[:2]:
        written(wordless, one, source_ref=SOURCE)
    written(wordless, ids[2], source_ref="https://example.org/b")
    done = take_back(wordless, source_ref=SOURCE)
    assert [one.memory_ids for one in done] == [(ids[1],), (ids[0],)]
    assert endings(wordless) == ["retired", "retired", None, None]
    assert take_back(wordless, source_ref=SOURCE) == []
    for one in reversed(done):
        take_back(wordless, one.id)
    assert endings(wordless) == [None] * 4


def test_what_a_source_brought_before_a_moment_stays(wordless):
    ids = wordless.add_many([{"content": f"text {at}"} for at in range(3)]).ids
    for day, one in enumerate(ids):
        written(wordless, one, source_ref=SOURCE, now=wordless.now + timedelta(days=day))
    take_back(wordless, source_ref=SOURCE, since=wordless.now + timedelta(days=1))
    assert endings(wordless) == [None, "retired", "retired"]


def test_a_run_of_a_job_is_taken_back_newest_first(wordless):
    [added] = wordless.add("text")
    for name in ("Ana", "Bo", "Cy"):
        change = RowChange("memory", (added.id,), added.id, {"speaker": name})
        written(wordless, added.id, action=OperationAction.UPDATE, change=change, job_run=RUN)
    assert len(take_back(wordless, job_run=RUN)) == 3
    assert wordless.one("SELECT speaker FROM memory") is None


def test_of_a_source_or_a_run_all_is_taken_back_or_nothing(wordless):
    ids = wordless.add_many([{"content": f"text {at}"} for at in range(3)]).ids
    for one in ids:
        change = RowChange("memory", (one,), one, {"speaker": "Ana"})
        written(wordless, one, action=OperationAction.UPDATE, change=change, job_run=RUN)
    change = RowChange("memory", (ids[0],), ids[0], {"speaker": "Bo"})
    later = written(wordless, ids[0], action=OperationAction.UPDATE, change=change)
    before = wordless.rows("SELECT * FROM operation")
    with pytest.raises(UndoRefusedError, match=rf"^job_run: 'job-1' .*: {later}; undo them first") as refused:
        take_back(wordless, job_run=RUN)
    assert refused.value.operations == (later,)
    assert wordless.rows("SELECT speaker FROM memory ORDER BY id") == [("Bo",), ("Ana",), ("Ana",)]
    assert wordless.rows("SELECT * FROM operation") == before


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"operation_id": 1, "source_ref": SOURCE},
        {"source_ref": SOURCE, "job_run": RUN},
        {"operation_id": 1, "job_run": RUN},
        {"since": datetime(2026, 5, 8, tzinfo=UTC)},
        {"operation_id": 1, "since": datetime(2026, 5, 8, tzinfo=UTC)},
        {"source_ref": SOURCE, "since": datetime(2026, 5, 8)},  # noqa: DTZ001 - a naive moment is what is refused
        {"operation_id": True},
        {"operation_id": "1"},
        {"operation_id": 0},
        {"source_ref": " "},
        {"job_run": 7},
    ],
)
def test_exactly_one_selector_is_given_and_each_is_checked(wordless, given):
    with pytest.raises(InvalidInputError):
        take_back(wordless, **given)


@pytest.mark.parametrize("given", [{"operation_id": 99}, {"source_ref": SOURCE}, {"job_run": RUN}])
def test_what_is_not_known_is_not_found(wordless, given):
    with pytest.raises(NotFoundError, match=rf"^{next(iter(given))}"):
        take_back(wordless, **given)


def test_operations_of_another_user_or_agent_are_not_there(wordless):
    hers = wordless.add("hers", user_id="ana").ids[0]
    operation = written(wordless, hers, user_id="ana", source_ref=SOURCE, job_run=RUN)
    for given in ({"operation_id": operation}, {"source_ref": SOURCE}, {"job_run": RUN}):
        with pytest.raises(NotFoundError) as foreign:
            take_back(wordless, **given, user_id="ben")
        assert "ana" not in str(foreign.value)
    with pytest.raises(NotFoundError):
        told(wordless, hers, "ben")
    wordless.agent_id = "b"
    with pytest.raises(NotFoundError):
        take_back(wordless, operation)
    with pytest.raises(NotFoundError):
        take_back(wordless, source_ref=SOURCE)
    wordless.agent_id = "a"
    assert endings(wordless) == [None]
    take_back(wordless, source_ref=SOURCE, user_id="ana")
    assert endings(wordless) == ["retired"]


def test_a_named_user_undoes_nothing_of_what_is_shared(wordless):
    shared = wordless.add("shared").ids[0]
    pin(wordless.database, shared, within=reach("a"), now=wordless.now)
    [operation] = told(wordless, shared, "ana")
    with pytest.raises(NotFoundError):
        take_back(wordless, operation.id, user_id="ana")
    take_back(wordless, operation.id)
    assert wordless.one("SELECT pinned FROM memory") == 0


def test_a_history_shows_no_row_of_another_users_memory(wordless):
    shared, hers = wordless.add("shared").ids[0], wordless.add("hers", user_id="ana").ids[0]
    with wordless.database.write() as connection:
        both = [RowChange("memory", (one,), one, {"speaker": "Eve"}) for one in (shared, hers)]
        partition = partitions.ensure(connection, Partition("a", None))
        operations.record(connection, partition, OperationAction.UPDATE, both, now=wordless.now)
    assert told(wordless, shared, "ben")[0].memory_ids == (shared,)
    assert told(wordless, shared, "ana")[0].memory_ids == (shared, hers)
    assert told(wordless, shared)[0].memory_ids == (shared, hers)


def test_a_deleted_memory_takes_its_history_with_it(wordless):
    from memcore.writing.echo import GivenBlocks
    from memcore.writing.forgetting import delete

    one, other = wordless.add("one").ids + wordless.add("other").ids
    with wordless.database.write() as connection:
        both = [RowChange("memory", (at,), at, {"speaker": "Eve"}) for at in (one, other)]
        partition = partitions.ensure(connection, Partition("a", None))
        operations.record(connection, partition, OperationAction.UPDATE, both, now=wordless.now)
    delete(wordless.database, one, within=reach("a"), now=wordless.now, blocks=GivenBlocks())
    [operation] = told(wordless, other)
    assert operation.memory_ids == (other,)
    assert [one.memory_ids for one in take_back(wordless, operation.id)] == [(other,)]
    with pytest.raises(NotFoundError):
        told(wordless, one)
