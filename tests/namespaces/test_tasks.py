"""Tasks: the steps that the database lets through, whose they are, and what is kept of what happened."""

import itertools
import threading
from datetime import UTC, datetime, timedelta

import pytest

from memcore import CorruptDatabaseError, InvalidInputError, NotFoundError, TaskState
from memcore.storage.driver import sqlite_driver

STEPS = {"doing": "start", "done": "finish", "failed": "fail", "cancelled": "cancel"}
WAYS = {
    "open": (),
    "doing": ("start",),
    "done": ("start", "finish"),
    "failed": ("start", "fail"),
    "cancelled": ("cancel",),
}


def in_state(memory, state, **given):
    task = memory.tasks.add(f"Task that is {state}", **given)
    for step in WAYS[state]:
        getattr(memory.tasks, step)(task.id)
    return memory.tasks.get(task.id)


def test_a_task_starts_open_and_is_what_was_given(memory, clock):
    due = datetime(2026, 12, 24, 18, tzinfo=UTC)
    task = memory.tasks.add(
        " 订渡轮票 ", user_id="ana", session_id="s", due_at=due, metadata={"price": 12.5, "到": "Olhão"}
    )
    assert (task.title, task.state, task.user_id, task.session_id) == ("订渡轮票", "open", "ana", "s")
    assert (task.due_at, task.recorded_at, task.updated_at) == (due, clock.now, clock.now)
    assert task.metadata == {"price": 12.5, "到": "Olhão"}
    assert memory.tasks.get(task.id) == task
    assert task.to_dict()["state"] == "open"


def test_what_happened_is_kept_in_order_with_the_notes(memory, clock):
    task = memory.tasks.add("Book the ferry", user_id="ana")
    clock.passes(hours=1)
    assert memory.tasks.start(task.id, "asking two lines").updated_at == clock.now
    clock.passes(hours=1)
    noted = memory.tasks.note(task.id, "The second line is cheaper.")
    clock.passes(hours=1)
    assert memory.tasks.finish(task.id).state is TaskState.DONE
    assert memory.tasks.note(task.id, "The tickets came.").to_state == "done"
    events = memory.tasks.events(task.id)
    assert [(event.from_state, event.to_state, event.note) for event in events] == [
        (None, "open", ""),
        ("open", "doing", "asking two lines"),
        ("doing", "doing", "The second line is cheaper."),
        ("doing", "done", ""),
        ("done", "done", "The tickets came."),
    ]
    assert events[2] == noted
    assert [event.recorded_at for event in events] == [task.recorded_at + timedelta(hours=h) for h in (0, 1, 2, 3, 3)]


@pytest.mark.parametrize(("before", "after"), [*itertools.product(WAYS, STEPS)])
def test_a_step_goes_through_or_is_refused_with_what_is_possible_and_nothing_kept(memory, before, after):
    task = in_state(memory, before)
    happened = memory.tasks.events(task.id)
    step = getattr(memory.tasks, STEPS[after])
    if after in task.state.following:
        assert step(task.id).state == after
        assert len(memory.tasks.events(task.id)) == len(happened) + 1
        return
    with pytest.raises(InvalidInputError, match=f"^state: '{after}' .*task {task.id} is {before}") as caught:
        step(task.id, "a note that goes with it")
    for state in task.state.following:
        assert state in str(caught.value)
    assert memory.tasks.get(task.id) == task
    assert memory.tasks.events(task.id) == happened


@pytest.mark.parametrize(("before", "after"), [*itertools.product(TaskState, TaskState)])
def test_the_database_decides_as_python_says_whoever_asks(memory, by_hand, before, after):
    task = in_state(memory, before.value)
    statement = "UPDATE task SET state = ? WHERE id = ?"
    if after in before.following:
        by_hand.execute(statement, (after.value, task.id))
        assert memory.tasks.get(task.id).state is after
        return
    with pytest.raises(sqlite_driver().IntegrityError, match="cannot become"):
        by_hand.execute(statement, (after.value, task.id))
    assert memory.tasks.get(task.id).state is before


def test_a_task_cannot_be_written_in_another_state_than_open(by_hand, memory):
    memory.tasks.add("A task", user_id="ana")
    with pytest.raises(sqlite_driver().IntegrityError, match="starts open"):
        by_hand.execute(
            "INSERT INTO task (partition_id, state, recorded_at, updated_at, title)"
            " SELECT partition_id, 'done', 0, 0, 'x' FROM task"
        )


@pytest.mark.parametrize(
    "statement",
    [
        "REPLACE INTO task SELECT * FROM (SELECT * FROM task)",
        "REPLACE INTO task (id, partition_id, state, recorded_at, updated_at, title) VALUES (1, 1, 'open', 0, 0, 'x')",
        "UPDATE task SET id = 77",
        "UPDATE task SET partition_id = partition_id + 1",
    ],
)
def test_a_task_that_is_done_cannot_be_written_anew(by_hand, memory, statement):
    task = in_state(memory, "done")
    with pytest.raises(sqlite_driver().IntegrityError, match=r"there is a task with this id|keeps its id|starts open"):
        by_hand.execute(statement)
    assert memory.tasks.get(task.id) == task


def test_of_many_that_start_one_task_at_once_one_does(opened):
    memories = [opened() for _ in range(4)]
    task = memories[0].tasks.add("Book the ferry", user_id="ana")
    told = []

    def start(memory):
        try:
            told.append(memory.tasks.start(task.id).state.value)
        except InvalidInputError as error:
            told.append(str(error))

    threads = [threading.Thread(target=start, args=(memory,)) for memory in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told.count("doing") == 1
    assert sum("is doing, and can become done or failed or cancelled" in answer for answer in told) == 3
    assert len(memories[0].tasks.events(task.id)) == 2


def test_a_list_shows_the_tasks_of_the_users_named_and_the_shared_ones(memory):
    shared, ana, bo = (memory.tasks.add("A task", user_id=user).id for user in (None, "ana", "bo"))
    assert [task.id for task in memory.tasks.list()] == [shared]
    assert [task.id for task in memory.tasks.list(user_id="ana")] == [shared, ana]
    assert [task.id for task in memory.tasks.list(user_id=["bo", "ana"])] == [shared, ana, bo]
    assert memory.tasks.list(user_id="nobody") == memory.tasks.list()


def test_a_list_can_be_of_one_session_and_of_some_states(memory):
    here = in_state(memory, "open", user_id="ana", session_id="s")
    gone = in_state(memory, "cancelled", user_id="ana", session_id="s")
    other = in_state(memory, "doing", user_id="ana", session_id="t")
    shown = lambda **given: [task.id for task in memory.tasks.list(user_id="ana", **given)]
    assert shown(session_id="s") == [here.id, gone.id]
    assert shown(session_id="") == []
    assert shown(state="doing") == [other.id]
    assert shown(state=["cancelled", "open"]) == [here.id, gone.id]
    assert shown(state={"cancelled"}, session_id="t") == []


def test_a_list_is_read_page_by_page(memory):
    ids = [memory.tasks.add("A task", user_id=user).id for user in ("ana", None, "ana", None, "ana")]
    found, cursor, pages = [], None, 0
    while True:
        page = memory.tasks.list(user_id="ana", limit=2, cursor=cursor)
        found += [task.id for task in page]
        pages += 1
        cursor = page.next_cursor
        if cursor is None:
            break
    assert (found, pages) == (ids, 3)
    assert memory.tasks.list(user_id="ana", limit=5).next_cursor is None


def test_a_task_of_another_user_or_agent_is_not_there(opened):
    memory, other = opened(agent_id="one"), opened(agent_id="two")
    task = memory.tasks.add("The password of the boat", user_id="ana")
    shared = memory.tasks.add("Close the windows")
    calls = {
        "get": (),
        "start": (),
        "finish": (),
        "fail": (),
        "cancel": (),
        "note": ("text",),
        "events": (),
    }
    for call, rest in calls.items():
        for whose, number, user in ((memory, task.id, "bo"), (other, task.id, None), (other, task.id, "ana")):
            with pytest.raises(NotFoundError, match=f"^id: {number} is no task of ") as caught:
                getattr(whose.tasks, call)(number, *rest, user_id=user)
            assert "password" not in str(caught.value)
    assert memory.tasks.get(shared.id, user_id="bo") == shared
    with pytest.raises(NotFoundError):
        memory.tasks.start(shared.id, user_id="bo")
    assert memory.tasks.start(shared.id).state == "doing"
    assert list(other.tasks.list(user_id="ana")) == []


REFUSED = {
    "a title that is blank": (lambda tasks: tasks.add(" \u3000"), "title"),
    "a title that is no text": (lambda tasks: tasks.add(5), "title"),
    "a title that is too long": (lambda tasks: tasks.add("x" * 513), "title"),
    "a title with a NUL": (lambda tasks: tasks.add("a\0"), "title"),
    "a user that is no name": (lambda tasks: tasks.add("x", user_id=5), "user_id"),
    "a session that is no name": (lambda tasks: tasks.add("x", session_id="a" * 513), "session_id"),
    "a moment without a zone": (lambda tasks: tasks.add("x", due_at=datetime(2026, 5, 8)), "due_at"),  # noqa: DTZ001
    "metadata that JSON cannot hold": (lambda tasks: tasks.add("x", metadata={"a": {1}}), "metadata.a"),
    "a note that is blank": (lambda tasks: tasks.note(1, " "), "text"),
    "a step with a note that is no text": (lambda tasks: tasks.start(1, 5), "note"),
    "a step with a blank note": (lambda tasks: tasks.start(1, "  "), "note"),
    "an id that is a string": (lambda tasks: tasks.get("1"), "id"),
    "an id below one": (lambda tasks: tasks.cancel(0), "id"),
    "an unknown state": (lambda tasks: tasks.list(state="opne"), "state"),
    "an unknown state among others": (lambda tasks: tasks.list(state=["open", "x"]), "state[1]"),
    "no state": (lambda tasks: tasks.list(state=[]), "state"),
    "a state that is none": (lambda tasks: tasks.list(state=5), "state"),
    "a limit of nothing": (lambda tasks: tasks.list(limit=0), "limit"),
    "a cursor that is no id": (lambda tasks: tasks.list(cursor="1"), "cursor"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_accepted_is_refused_by_its_field_and_changes_nothing(memory, what):
    task = memory.tasks.add("A task")
    call, field = REFUSED[what]
    with pytest.raises(InvalidInputError) as caught:
        call(memory.tasks)
    assert str(caught.value).startswith(f"{field}: ")
    assert ";" in str(caught.value)
    assert list(memory.tasks.list()) == [task]
    assert len(memory.tasks.events(task.id)) == 1


def test_no_search_finds_a_task(memory):
    memory.tasks.add("Book the ferry to Olhão", user_id="ana")
    assert list(memory.search("ferry to Olhão", user_id="ana")) == []


def test_metadata_that_a_hand_nested_too_deep_are_named_as_damaged(memory, by_hand):
    task = memory.tasks.add("A task")
    by_hand.execute("UPDATE task SET metadata = ?", ('{"a":' * 80 + "1" + "}" * 80,))
    with pytest.raises(CorruptDatabaseError, match=f"task {task.id}"):
        memory.tasks.get(task.id)


def test_stats_count_the_tasks_of_the_agent_by_state(opened):
    memory = opened(agent_id="one")
    assert memory.stats().tasks == {}
    for state, user in (("done", "ana"), ("open", None), ("open", "bo")):
        in_state(memory, state, user_id=user)
    assert list(memory.stats().tasks.items()) == [("open", 2), ("done", 1)]
    assert memory.stats().to_dict()["tasks"] == {"open": 2, "done": 1}
    assert opened(agent_id="two").stats().tasks == {}
