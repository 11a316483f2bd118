"""Commands that remove for good, and that look for what is left: delete, purge, verify."""

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import Json, MemoryId, Store, User, one_user, standard_input_or
from memcore.surfaces.cli.output import emit, emit_json, say, visible
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_table

if TYPE_CHECKING:
    from memcore.records import PurgeReport

__all__ = ["register"]

PENDING = "bytes of it may still be in the file; memcore maintain wipe sees to it"


def delete(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Delete a memory for good, with all that belongs to it. To retire it is the form that can be undone."""
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory, working("Deleting"):
        report = memory.delete(memory_id, user_id=whose)
    if as_json:
        emit_json({"deleted": report})
        return
    emit(f"memory {memory_id} deleted")
    if report.pending:
        say(PENDING)


def purge(
    context: typer.Context,
    user_id: Annotated[
        str, typer.Argument(metavar="USER", parser=values.user, help="Whose memories and all else are removed.")
    ],
    store: Store,
    confirm: Annotated[
        str | None,
        typer.Option("--confirm", metavar="USER", parser=values.user, help="The name again; without it, only count."),
    ] = None,
    tombstones: Annotated[
        bool, typer.Option("--tombstones", help="Keep hashes, so that an old transcript does not bring it back.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove all of a user for good. Without --confirm it only counts what would go."""
    if confirm is not None and confirm != user_id:
        raise typer.BadParameter("it is not the USER named before; give the same name", param_hint="'--confirm'")
    with opened(context, store, writes=True) as memory, working("Removing" if confirm is not None else "Counting"):
        report = memory.purge_user(user_id, confirm=confirm, tombstones=tombstones)
    if as_json:
        emit_json({"purge": report})
    else:
        _emit_purge(report)


def _emit_purge(report: "PurgeReport") -> None:
    rows = [(name, count) for name, count in report.counts.items() if count]
    if rows:
        emit_table(("what", "removed" if report.confirmed else "would go"), rows)
    else:
        say("nothing of this user is stored")
    if not report.confirmed:
        name = quote(visible(report.user_id))
        say(f"nothing was removed; memcore purge {name} --confirm {name} removes it")
    elif report.pending:
        say(PENDING)


def verify(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="TEXT_OR_ID",
            parser=values.text("text_or_id"),
            help="A text, or the number of a memory; - reads a text from standard input.",
        ),
    ],
    store: Store,
    user: User = None,
    as_text: Annotated[bool, typer.Option("--text", help="It is a text, also where it is a number.")] = False,
    as_json: Json = False,
) -> None:
    """Look for what was removed, in every table and in the bytes of the files. Ends with code 1 where it is found."""
    wanted: str | int = standard_input_or(what, values.text("text_or_id"))
    if not as_text and what.isascii() and what.isdigit():
        try:
            wanted = values.number_of("memory")(what)
        except typer.BadParameter as error:
            raise typer.BadParameter(error.message, param_hint="'TEXT_OR_ID'") from error
    whose = one_user(context, user)
    with opened(context, store) as memory, working("Looking"):
        remains = memory.verify_absent(wanted, user_id=whose)
    if as_json:
        emit_json({"absent": not remains, "remains": remains})
    elif remains:
        rows = [(one.place, one.column, ", ".join(map(str, one.row or ())), one.offset) for one in remains]
        emit_table(("place", "column", "row", "byte"), rows)
    else:
        emit("nothing is left of it")
    if remains:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    for command in (delete, purge, verify):
        app.command()(grouped(command))
