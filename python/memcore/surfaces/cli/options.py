"""The options that commands share: which database, which agent, whose memories, which form of answer.

`--db`, `--agent` and `--user` may stand before the command or after it; after it wins. The environment is read only
where neither is given.
"""

import json
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import typer

from memcore.kinds import Kind
from memcore.settings import AGENT_VARIABLE, DATABASE_VARIABLE, USER_VARIABLE

__all__ = [
    "Agent",
    "Db",
    "Filters",
    "Given",
    "Json",
    "Kinds",
    "Limit",
    "MemoryId",
    "Query",
    "Readers",
    "Session",
    "Shared",
    "User",
    "json_object",
    "moment",
    "readers",
    "standard_input_or",
    "writer",
]

DEFAULT_DATABASE = "memcore.db"
DEFAULT_AGENT = "default"

Db = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help=f"The database file; or {DATABASE_VARIABLE}, else {DEFAULT_DATABASE}."),
]
Agent = Annotated[
    str | None, typer.Option("--agent", metavar="NAME", help=f"The agent; or {AGENT_VARIABLE}, else {DEFAULT_AGENT}.")
]
User = Annotated[str | None, typer.Option("--user", metavar="NAME", help=f"Whose it is; or {USER_VARIABLE}.")]
Readers = Annotated[
    list[str] | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help=f"A user whose memories are seen beside the shared ones; may be repeated; or {USER_VARIABLE}.",
    ),
]
Shared = Annotated[bool, typer.Option("--shared", help="Write for all users of the agent, instead of for one user.")]
Session = Annotated[str | None, typer.Option("--session", metavar="NAME", help="The conversation.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, for programs.")]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="The question; - reads standard input.")]
MemoryId = Annotated[int, typer.Argument(metavar="ID", help="The number of a memory.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most so many.")]
Kinds = Annotated[list[Kind] | None, typer.Option("--kind", help="Only this kind; may be repeated.")]
Filters = Annotated[
    str | None,
    typer.Option(
        "--filters", metavar="JSON", help='Conditions on fields and metadata, such as \'{"importance": {"gte": 6}}\'.'
    ),
]


@dataclass(frozen=True, slots=True)
class Given:
    """What stood before the command, or in the environment."""

    database: str | None = None
    agent_id: str | None = None
    user_id: str | None = None

    def database_or(self, option: str | None) -> str:
        """The database that `option` names, else the one given before, else `memcore.db`."""
        return option or self.database or DEFAULT_DATABASE

    def agent_or(self, option: str | None) -> str:
        """The agent that `option` names, else the one given before, else `default`."""
        if option is not None:
            return option
        return DEFAULT_AGENT if self.agent_id is None else self.agent_id


def given(context: typer.Context) -> Given:
    """What stood before the command of `context`."""
    found = context.find_object(Given)
    return Given() if found is None else found


def readers(context: typer.Context, named: list[str] | None) -> list[str] | str | None:
    """The `user_id` of a read: the users named by options, else the one given before; None sees shared ones only."""
    return named or given(context).user_id


def writer(context: typer.Context, named: str | None, *, shared: bool) -> str | None:
    """The `user_id` of a write; None only where `--shared` says so.

    Raises:
        typer.BadParameter: no user is named and `--shared` is not given, or both are.
    """
    if shared:
        if named is not None:
            raise typer.BadParameter("--user and --shared exclude each other; give one of them")
        return None
    user = one_user(context, named)
    if user is None:
        raise typer.BadParameter("give --user NAME, or --shared to write for all users of this agent")
    return user


def one_user(context: typer.Context, named: str | None) -> str | None:
    """The user named by the option, else the one given before, else None."""
    return given(context).user_id if named is None else named


def standard_input_or(argument: str) -> str:
    """`argument`, or what standard input holds (without its last line end) where it is `-`.

    Raises:
        typer.BadParameter: standard input is not UTF-8.
    """
    if argument != "-":
        return argument
    try:
        return sys.stdin.read().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"standard input is not UTF-8: {error}") from error


def json_object(option: str, text: str | None) -> dict[str, Any] | None:
    """The JSON object that an option's text spells; None for None.

    Raises:
        typer.BadParameter: it is not JSON, or not an object.
    """
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"{option}: {text!r} is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{option}: {text!r} is not a JSON object such as {{}}")
    return value


def moment(option: str, text: str | None) -> datetime | None:
    """The moment that an option's text spells in ISO 8601; None for None.

    Raises:
        typer.BadParameter: it is not ISO 8601, or has no offset from UTC.
    """
    if text is None:
        return None
    try:
        value = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{option}: {text!r} is not a moment such as 2026-05-03T18:30:00+00:00") from error
    if value.tzinfo is None:
        raise typer.BadParameter(f"{option}: {text!r} has no time zone; append Z or an offset such as +08:00")
    return value
