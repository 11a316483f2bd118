"""The options that commands share: which database, which agent, whose memories, which form of answer.

`--db`, `--agent` and `--user` may stand before the command or after it; after it wins. The environment is read only
where neither is given.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import typer

from memcore.kinds import Channel, Embed, Kind
from memcore.settings import AGENT_VARIABLE, DATABASE_VARIABLE, USER_VARIABLE
from memcore.surfaces.cli import values
from memcore.surfaces.cli.streams import standard_input

__all__ = [
    "AsOf",
    "Cursor",
    "EmbedWhen",
    "Filters",
    "Given",
    "Importance",
    "IncludeDormant",
    "Json",
    "Kinds",
    "KnownAt",
    "MemoryId",
    "Metadata",
    "PageLimit",
    "Query",
    "Question",
    "Readers",
    "Reason",
    "Session",
    "Shared",
    "Store",
    "User",
    "one_user",
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
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        parser=values.agent,
        help=f"The agent; or {AGENT_VARIABLE}, else {DEFAULT_AGENT}.",
    ),
]
User = Annotated[
    list[str] | None,
    typer.Option("--user", metavar="NAME", parser=values.user, help=f"Whose it is; or {USER_VARIABLE}."),
]
Readers = Annotated[
    list[str] | None,
    typer.Option(
        "--user",
        metavar="NAME",
        parser=values.user,
        help=f"A user whose memories are seen beside the shared ones; may be repeated; or {USER_VARIABLE}.",
    ),
]
Shared = Annotated[bool, typer.Option("--shared", help="Write for all users of the agent, instead of for one user.")]
Session = Annotated[
    str | None, typer.Option("--session", metavar="NAME", parser=values.session, help="The conversation.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, for programs.")]
Query = Annotated[
    str, typer.Argument(metavar="QUERY", parser=values.query, help="The question; - reads standard input.")
]
MemoryId = Annotated[
    int, typer.Argument(metavar="ID", parser=values.number_of("memory"), help="The number of a memory.")
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", parser=values.limit, help="At most so many.")]
Kinds = Annotated[
    list[Kind] | None, typer.Option("--kind", **values.one_of("kinds", Kind), help="Only this kind; may be repeated.")
]
HitKinds = Annotated[
    list[Kind] | None,
    typer.Option(
        "--kind", **values.one_of("kinds", Kind), callback=values.hit_kinds, help="Only this kind; may be repeated."
    ),
]
Filters = Annotated[
    dict[str, Any] | None,
    typer.Option(
        "--filters",
        metavar="JSON",
        parser=values.filters,
        help='Conditions on fields and metadata, such as \'{"importance": {"gte": 6}}\'.',
    ),
]
Importance = Annotated[
    float | None,
    typer.Option("--importance", metavar="X", parser=values.number("importance", 10), help="From 0 to 10."),
]
Metadata = Annotated[
    dict[str, Any] | None,
    typer.Option(
        "--metadata", metavar="JSON", parser=values.json_object("metadata"), help="A JSON object kept with it."
    ),
]
PageLimit = Annotated[int, typer.Option("--limit", metavar="N", parser=values.page_limit, help="At most so many.")]
Cursor = Annotated[
    int | None, typer.Option("--cursor", metavar="N", parser=values.cursor, help="Go on where a list ended.")
]
Reason = Annotated[
    str | None,
    typer.Option(
        "--reason", metavar="TEXT", parser=values.text("reason"), help="Why; it is kept. - reads standard input."
    ),
]
EmbedWhen = Annotated[
    Embed, typer.Option("--embed", **values.one_of("embed", Embed), help="Now, or later by maintain embed.")
]


Now = Annotated[
    datetime | None,
    typer.Option(
        "--now",
        metavar="ISO",
        parser=values.moment("now"),
        help="When it is asked, with an offset: yesterday is the day before; the clock's moment unless said.",
    ),
]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        metavar="ISO",
        parser=values.moment("as_of"),
        help="What held in the world at this moment, with an offset; now unless said.",
    ),
]
KnownAt = Annotated[
    datetime | None,
    typer.Option(
        "--known-at",
        metavar="ISO",
        parser=values.moment("known_at"),
        help="What was stored by this moment, with an offset.",
    ),
]
IncludeDormant = Annotated[bool, typer.Option("--include-dormant", help="Also facts that have faded.")]


@dataclass(frozen=True, slots=True)
class Store:
    """Which database a command works on, for which agent."""

    db: Db = None
    agent: Agent = None


@dataclass(frozen=True, slots=True)
class Question:
    """Among which memories a question is asked, from which moment and place, and how many answers are wanted."""

    user: Readers = None
    session: Session = None
    limit: Limit = 8
    now: Now = None
    as_of: AsOf = None
    known_at: KnownAt = None
    channel: Annotated[
        Channel | None,
        typer.Option(
            "--channel",
            **values.one_of("channel", Channel),
            help="Where it is asked; in a group nothing is found that is direct.",
        ),
    ] = None
    include_dormant: IncludeDormant = False
    kind: HitKinds = None
    filters: Filters = None

    def fields(self, context: typer.Context) -> dict[str, Any]:
        """The keywords of a search."""
        users = readers(context, self.user)
        return {
            "user_id": users,
            "session_id": self.session,
            "limit": self.limit,
            "now": self.now,
            "as_of": self.as_of,
            "known_at": self.known_at,
            "channel": self.channel,
            "include_dormant": self.include_dormant,
            "kinds": self.kind,
            "filters": self.filters,
        }


@dataclass(frozen=True, slots=True)
class Given:
    """What stood before the command, or in the environment."""

    database: str | None = None
    agent_id: str | None = None
    user_id: str | None = None

    def database_or(self, option: str | None) -> str:
        """The database that `option` names, else the one given before, else `memcore.db`."""
        return self.named_database(option) or DEFAULT_DATABASE

    def named_database(self, option: str | None) -> str | None:
        """The database that `option` names, else the one given before; None where nobody named one.

        Raises:
            typer.BadParameter: the name is empty.
        """
        if "" in (option, self.database):
            raise typer.BadParameter("--db: '' is not accepted; give the path of a file")
        return self.database if option is None else option

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


def writer(context: typer.Context, named: list[str] | None, *, shared: bool) -> str | None:
    """The `user_id` of a write; None only where `--shared` says so.

    Raises:
        typer.BadParameter: no user is named and `--shared` is not given, or both are.
    """
    if shared:
        if named:
            raise typer.BadParameter("--user and --shared exclude each other; give one of them")
        return None
    user = one_user(context, named)
    if user is None:
        raise typer.BadParameter("give --user NAME, or --shared to write for all users of this agent")
    return user


def one_user(context: typer.Context, named: list[str] | None) -> str | None:
    """The user named by the option, else the one given before, else None.

    Raises:
        typer.BadParameter: several are named.
    """
    if named and len(named) > 1:
        raise typer.BadParameter(f"--user is given {len(named)} times; a memory belongs to one user, give one")
    return named[0] if named else given(context).user_id


def standard_input_or(argument: str, check: Callable[[str], str]) -> str:
    """`argument`, or where it is `-` what standard input holds, without its last line end, once `check` passes it.

    Raises:
        typer.BadParameter: standard input is closed or not UTF-8, or `check` refuses it.
    """
    if argument != "-":
        return argument
    try:
        return check(standard_input().read().removesuffix("\n"))
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"standard input is not UTF-8: {error}") from error
