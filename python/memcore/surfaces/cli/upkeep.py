"""Commands that look after a memory: params, stats, doctor, backup, maintain."""

from pathlib import Path
from typing import Annotated

import typer

from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import Json, Store
from memcore.surfaces.cli.output import emit, emit_json, json_value
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_outline, emit_table

__all__ = ["register"]


def stats(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """Show how much is stored, by kind."""
    with opened(context, store) as memory:
        report = json_value(memory.stats())
    (emit_json if as_json else emit_outline)(report)


def check_up(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """Check the database, the embedder and the parameters. Ends with code 1 where something needs attention."""
    with opened(context, store) as memory, working("Checking"):
        doctor = memory.doctor()
    report = json_value(doctor)
    if as_json:
        emit_json(report)
    else:
        rows = [("ok" if check["ok"] else "LOOK", check["name"], check["detail"]) for check in report["checks"]]
        emit_table(("", "check", "what was found"), rows)
    if not doctor.ok:
        raise typer.Exit(1)


def backup(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The copy to write; no file may be there yet.")],
    store: Store,
    as_json: Json = False,
) -> None:
    """Write a copy of the database while it is in use."""
    if str(path) == "-":
        raise typer.BadParameter("a database is not written to standard output; name the file of the copy")
    with opened(context, store) as memory, working("Copying"):
        memory.backup(path)
    if as_json:
        emit_json({"backup": str(path), "bytes": path.stat().st_size})
    else:
        emit(f"{path}: {path.stat().st_size} bytes")


def maintain(
    context: typer.Context,
    store: Store,
    jobs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="JOB",
            parser=values.job,
            help="All of these unless some are named. embed: give vectors to what has none yet. "
            "sweep: let facts that have faded become dormant. "
            "purge: end a removal that was interrupted. wipe: rewrite the file where bytes of something removed may be "
            "left. trim: forget all but the last lines of the log of changes, and what has ended in working memory. "
            "snapshot: keep what the engines of this process hold for the next one.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run background jobs now, one after the other. An interrupted job goes on where it stopped."""
    with opened(context, store, writes=True) as memory, working("Working") as advance:
        reports = json_value(memory.maintain(jobs or None, progress=advance))
    if as_json:
        emit_json({"jobs": reports})
    else:
        columns = ("job", "done", "failed", "remaining", "error", "run")
        emit_table(columns, [[report.get(column) for column in columns] for report in reports])


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command()(grouped(stats))
    app.command("doctor")(grouped(check_up))
    app.command()(grouped(backup))
    app.command()(grouped(maintain))
