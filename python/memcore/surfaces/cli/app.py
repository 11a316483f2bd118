"""The command `memcore`: its options before the command, and how an error becomes one line and an exit code.

Exit codes: 0 done; 1 memcore refused or failed, with one line on standard error; 2 the command was called wrongly.
"""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from memcore.errors import MemcoreError
from memcore.settings import AGENT_VARIABLE, DATABASE_VARIABLE, USER_VARIABLE
from memcore.surfaces.cli import (
    demo,
    exploring,
    facts,
    forgetting,
    in_mind,
    joining,
    life,
    parameters,
    reading,
    review,
    tasks,
    tuning,
    upkeep,
    values,
    writing,
)
from memcore.surfaces.cli.options import Given
from memcore.surfaces.cli.output import discard_output, emit, say, unwritten
from memcore.surfaces.cli.streams import prepared

__all__ = ["app", "main"]

app = typer.Typer(
    name="memcore",
    help="Long-term memory for AI agents, in one file. Try: memcore demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from memcore._core import __version__

        emit(f"memcore {__version__}")
        raise typer.Exit


@app.callback()
def options_before_the_command(
    context: typer.Context,
    db: Annotated[
        str | None, typer.Option("--db", metavar="FILE", envvar=DATABASE_VARIABLE, help="The database file.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", envvar=AGENT_VARIABLE, parser=values.agent, help="The agent."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="NAME", envvar=USER_VARIABLE, parser=values.user, help="The user."),
    ] = None,
    version: Annotated[  # noqa: ARG001 - read by its callback
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Keep what stands before the command for the command."""
    context.obj = Given(db, agent, user)


for commands in (
    demo,
    writing,
    reading,
    exploring,
    joining,
    facts,
    review,
    life,
    forgetting,
    in_mind,
    tasks,
    parameters,
    tuning,
    upkeep,
):
    commands.register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command that `arguments` (else `sys.argv`) spell."""
    if not prepared():
        return 1
    try:
        app(args=None if arguments is None else list(arguments), prog_name="memcore")
    except MemcoreError as error:
        say(f"memcore: {' '.join(str(error).split())}")
        return 1
    except SystemExit as leaving:
        return _flushed(leaving.code)
    except OSError as error:  # also of the help, which does not go through `emit`
        discard_output()
        say(f"memcore: {error}")
        return 1
    return _flushed(0)


def _flushed(code: str | int | None) -> int:
    """`code`, once standard output has taken everything or nobody reads it any more; 1 where it cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        return unwritten(error)
    return code if isinstance(code, int) else int(code is not None)
