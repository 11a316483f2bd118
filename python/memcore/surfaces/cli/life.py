"""Commands about the life of a memory: pin, unpin, retire, feedback, history, undo."""

from datetime import datetime
from typing import Annotated

import typer

from memcore.kinds import Ending
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import Json, MemoryId, Reason, Store, User, one_user, standard_input_or
from memcore.surfaces.cli.output import emit, emit_json, say
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.told import emit_added, emit_operations, emit_record

__all__ = ["register"]


def pin(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Keep a memory: no job archives it, and a fact hardly fades."""
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        record = memory.pin(memory_id, user_id=whose)
    emit_record(record, "pinned", as_json=as_json)


def unpin(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Let a memory that was pinned go its way."""
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        record = memory.unpin(memory_id, user_id=whose)
    emit_record(record, "unpinned", as_json=as_json)


def retire(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Take a memory out of the searches. It stays stored, and undo brings it back."""
    why = None if reason is None else standard_input_or(reason, values.text("reason"))
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        record = memory.retire(memory_id, reason=why, user_id=whose)
    if as_json or record.ending is Ending.RETIRED:
        emit_record(record, "retired", as_json=as_json)
    else:
        emit(f"memory {record.id} is {record.ending} already; nothing was done")


def feedback(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    helpful: Annotated[bool, typer.Option("--helpful", help="It helped: a label, nothing changes.")] = False,
    not_helpful: Annotated[bool, typer.Option("--not-helpful", help="It did not: a label, nothing changes.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="It is wrong: no search finds it any more.")] = False,
    corrected: Annotated[
        str | None,
        typer.Option(
            "--corrected",
            metavar="TEXT",
            parser=values.text("corrected"),
            help="What is right: it takes the place of the memory. - reads standard input.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say that a memory helped, is wrong, or what it should say."""
    if not (helpful or not_helpful or wrong) and corrected is None:
        raise typer.BadParameter("nothing was said; give --helpful, --not-helpful, --wrong or --corrected")
    for excluded, option in ((wrong, "--wrong"), (not_helpful, "--not-helpful")):
        if helpful and excluded:
            raise typer.BadParameter(f"--helpful and {option} exclude each other; give one of them")
    text = None if corrected is None else standard_input_or(corrected, values.text("corrected"))
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory, working("Remembering"):
        label = helpful if helpful or not_helpful else None
        added = memory.feedback(memory_id, helpful=label, wrong=wrong, corrected=text, user_id=whose)
    became = [] if added is None else [added]
    if as_json:
        emit_json({"feedback": memory_id, "added": became})
    elif became:
        emit_added(became, as_json=False)
    else:
        emit(f"memory {memory_id} noted")


def history(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Show what was done to a memory, oldest first. Mere use is not in it."""
    whose = one_user(context, user)
    with opened(context, store) as memory:
        operations = memory.history(memory_id, user_id=whose)
    if as_json:
        emit_json({"operations": operations})
    elif operations:
        emit_operations(operations)
    else:
        say("nothing was done to it")


def undo(
    context: typer.Context,
    store: Store,
    operation_id: Annotated[
        int | None,
        typer.Argument(
            metavar="OPERATION", parser=values.number_of("operation"), help="The number of an operation; see history."
        ),
    ] = None,
    source_ref: Annotated[
        str | None,
        typer.Option(
            "--source-ref",
            metavar="TEXT",
            parser=values.name("source_ref"),
            help="Take back what a source brought.",
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since",
            metavar="ISO",
            parser=values.moment("since"),
            help="Of the source only what came at this moment or later, with an offset.",
        ),
    ] = None,
    job_run: Annotated[
        str | None,
        typer.Option(
            "--job-run", metavar="RUN", parser=values.name("job_run"), help="Take back all that a run of a job did."
        ),
    ] = None,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Take back an operation, all of a source, or all of a run of a job: all of it or nothing.

    An undo is an operation too; undone in turn, what it took back is done again.
    """
    if sum(given is not None for given in (operation_id, source_ref, job_run)) != 1:
        raise typer.BadParameter("give one of OPERATION, --source-ref and --job-run")
    if since is not None and source_ref is None:
        raise typer.BadParameter("--since goes with --source-ref, whose operations it limits")
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory, working("Undoing"):
        undone = memory.undo(operation_id, source_ref=source_ref, since=since, job_run=job_run, user_id=whose)
    if as_json:
        emit_json({"undone": undone})
    elif undone:
        emit_operations(undone)
    else:
        say("nothing left to undo")


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    for command in (pin, unpin, retire, feedback, history, undo):
        app.command()(grouped(command))
