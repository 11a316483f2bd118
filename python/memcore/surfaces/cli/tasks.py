"""The commands `task …`: what is to be done, where it stands, and what happened to it."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.kinds import TaskState
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    Cursor,
    Json,
    Metadata,
    PageLimit,
    Readers,
    Session,
    Shared,
    Store,
    User,
    one_user,
    readers,
    standard_input_or,
    writer,
)
from memcore.surfaces.cli.output import emit, emit_json, say, visible
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_outline, emit_table
from memcore.surfaces.cli.told import minute

if TYPE_CHECKING:
    from memcore.records import TaskRecord

__all__ = ["register"]

TaskId = Annotated[int, typer.Argument(metavar="ID", parser=values.number_of("task"), help="The number of a task.")]
Note = Annotated[
    str | None,
    typer.Option(
        "--note", metavar="TEXT", parser=values.text("note"), help="What is kept with the step; - reads standard input."
    ),
]


def add(
    context: typer.Context,
    title: Annotated[
        str,
        typer.Argument(
            metavar="TITLE", parser=values.name("title"), help="What is to be done; - reads standard input."
        ),
    ],
    store: Store,
    user: User = None,
    shared: Shared = False,
    session: Session = None,
    due: Annotated[
        datetime | None,
        typer.Option("--due", metavar="ISO", parser=values.moment("due_at"), help="By when, with an offset."),
    ] = None,
    metadata: Metadata = None,
    as_json: Json = False,
) -> None:
    """Note a task. It is open."""
    owner = writer(context, user, shared=shared)
    words = standard_input_or(title, values.name("title"))
    with opened(context, store, create=True) as memory:
        task = memory.tasks.add(words, user_id=owner, session_id=session, due_at=due, metadata=metadata)
    _emit_task(task, as_json=as_json)


def list_tasks(
    context: typer.Context,
    store: Store,
    user: Readers = None,
    session: Session = None,
    state: Annotated[
        list[TaskState] | None,
        typer.Option("--state", **values.one_of("state", TaskState), help="Only this state; may be repeated."),
    ] = None,
    limit: PageLimit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List tasks in the order they were added."""
    with opened(context, store) as memory:
        page = memory.tasks.list(
            user_id=readers(context, user), session_id=session, state=state or None, limit=limit, cursor=cursor
        )
    if as_json:
        emit_json({"tasks": list(page), "next_cursor": page.next_cursor})
        return
    if page:
        rows = [(task.id, task.state, minute(task.due_at), task.user_id, task.title) for task in page]
        emit_table(("id", "state", "due", "user", "task"), rows)
    else:
        say("no tasks")
    if page.next_cursor is not None:
        say(f"there is more: --cursor {page.next_cursor}")


def show(
    context: typer.Context,
    task_id: TaskId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Show a task and what happened to it."""
    whose = one_user(context, user)
    with opened(context, store) as memory:
        task, events = memory.tasks.get(task_id, user_id=whose), memory.tasks.events(task_id, user_id=whose)
    if as_json:
        emit_json({"task": task, "events": events})
        return
    emit_outline(task.to_dict())
    emit("")
    emit_table(("when", "state", "note"), [(minute(one.recorded_at), one.to_state, one.note) for one in events])


def note(
    context: typer.Context,
    task_id: TaskId,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", parser=values.text("note"), help="What to note; - reads standard input.")
    ],
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Note something on a task, in whatever state it is."""
    words = standard_input_or(text, values.text("note"))
    with opened(context, store, writes=True) as memory:
        event = memory.tasks.note(task_id, words, user_id=one_user(context, user))
    if as_json:
        emit_json({"event": event})
    else:
        emit(f"task {task_id} noted")


def _step(name: str, says: str) -> Callable[..., None]:
    """The command that takes a task one step on, by the method of `memory.tasks` that is called like it."""

    def step(
        context: typer.Context,
        task_id: TaskId,
        store: Store,
        user: User = None,
        note: Note = None,
        as_json: Json = False,
    ) -> None:
        words = "" if note is None else standard_input_or(note, values.text("note"))
        with opened(context, store, writes=True) as memory:
            task = getattr(memory.tasks, name)(task_id, words, user_id=one_user(context, user))
        _emit_task(task, as_json=as_json)

    step.__name__, step.__doc__ = name, says
    return step


def _emit_task(task: "TaskRecord", *, as_json: bool) -> None:
    if as_json:
        emit_json({"task": task})
    else:
        emit(f"{task.id}  {task.state.value}  {visible(task.title)}")


_STEPS = {
    "start": "Start a task that is open.",
    "finish": "Finish a task that is under way: it is done.",
    "fail": "End a task that is under way and did not work out: it failed.",
    "cancel": "Cancel a task that is open or under way.",
}


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    task = typer.Typer(help="Tasks: what is to be done, and where it stands.", no_args_is_help=True)
    task.command()(grouped(add))
    task.command("list")(grouped(list_tasks))
    task.command()(grouped(show))
    for name, says in _STEPS.items():
        task.command()(grouped(_step(name, says)))
    task.command()(grouped(note))
    app.add_typer(task, name="task")
