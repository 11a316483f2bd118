"""The commands `working …`: what a conversation has in mind for now, in sets of items that end."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
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
from memcore.surfaces.cli.tables import emit_table
from memcore.surfaces.cli.told import minute

if TYPE_CHECKING:
    from memcore.records import WorkingSet

__all__ = ["register"]

SetName = Annotated[str, typer.Argument(metavar="SET", parser=values.name("set"), help="The name of a set.")]


@dataclass(frozen=True, slots=True)
class End:
    """When something ends: after some time, or at a moment."""

    ttl: Annotated[
        float | None,
        typer.Option("--ttl", metavar="SECONDS", parser=values.time_to_live, help="It ends after so many seconds."),
    ] = None
    expires_at: Annotated[
        datetime | None,
        typer.Option(
            "--expires-at",
            metavar="ISO",
            parser=values.moment("expires_at"),
            help="It ends at this moment, with an offset.",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Lets at most one of the two pass.

        Raises:
            typer.BadParameter: both are given.
        """
        if self.ttl is not None and self.expires_at is not None:
            raise typer.BadParameter("--ttl and --expires-at exclude each other; give one of them")


def put(
    context: typer.Context,
    name: SetName,
    content: Annotated[
        str,
        typer.Argument(
            metavar="CONTENT", parser=values.text("content"), help="What to have in mind; - reads standard input."
        ),
    ],
    store: Store,
    end: End,
    user: User = None,
    shared: Shared = False,
    session: Session = None,
    metadata: Metadata = None,
    as_json: Json = False,
) -> None:
    """Put an item last in a set, which is made where there is none. It ends when told to, or with its set."""
    owner = writer(context, user, shared=shared)
    words = standard_input_or(content, values.text("content"))
    with opened(context, store, create=True) as memory:
        item = memory.working.put(
            name,
            words,
            user_id=owner,
            session_id=session,
            ttl=end.ttl,
            expires_at=end.expires_at,
            metadata=metadata,
        )
    if as_json:
        emit_json({"item": item})
    else:
        emit(f"{item.id}  {visible(item.set)}  {visible(item.content)}")


def items(
    context: typer.Context,
    name: SetName,
    store: Store,
    user: Readers = None,
    session: Session = None,
    before: Annotated[
        int | None,
        typer.Option(
            "--before",
            metavar="N",
            parser=values.watermark,
            help="Only what was put before this item, or before the watermark that was taken.",
        ),
    ] = None,
    limit: PageLimit = 100,
    as_json: Json = False,
) -> None:
    """List the last items of a set, in the order they were put. What has ended is not shown."""
    with opened(context, store) as memory:
        shown = memory.working.items(
            name, user_id=readers(context, user), session_id=session, before=before, limit=limit
        )
    if as_json:
        emit_json({"items": shown})
    elif shown:
        rows = [(one.id, minute(one.recorded_at), minute(one.expires_at), one.user_id, one.content) for one in shown]
        emit_table(("id", "put", "ends", "user", "item"), rows)
    else:
        say("nothing in mind")


def watermark(context: typer.Context, store: Store, as_json: Json = False) -> None:
    """Print the number that `items --before` takes to see what has been put until now, and nothing later."""
    with opened(context, store) as memory:
        mark = memory.working.watermark()
    if as_json:
        emit_json({"watermark": mark})
    else:
        emit(str(mark))


def sets(
    context: typer.Context,
    store: Store,
    user: Readers = None,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """List the sets in the order they were made, of all sessions unless one is named."""
    with opened(context, store) as memory:
        known = memory.working.sets(user_id=readers(context, user), session_id=session)
    if as_json:
        emit_json({"sets": known})
    elif known:
        rows = [
            (one.name, one.session_id, one.user_id, one.items, minute(one.recorded_at), minute(one.expires_at))
            for one in known
        ]
        emit_table(("set", "session", "user", "items", "made", "ends"), rows)
    else:
        say("nothing in mind")


def expire(
    context: typer.Context,
    name: SetName,
    store: Store,
    end: End,
    user: User = None,
    shared: Shared = False,
    session: Session = None,
    as_json: Json = False,
) -> None:
    """Give a set an end, with all that is in it. Without --ttl and --expires-at it ends no more."""
    owner = writer(context, user, shared=shared)
    with opened(context, store, writes=True) as memory:
        ended = memory.working.expire(name, user_id=owner, session_id=session, ttl=end.ttl, expires_at=end.expires_at)
    if as_json:
        emit_json({"set": ended})
    else:
        emit(_ends(ended))


def _ends(one: "WorkingSet") -> str:
    when = "ends no more" if one.expires_at is None else f"ends {minute(one.expires_at)}"
    return f"set {visible(one.name)} {when}; {_counted(one.items)}"


def _counted(number: int) -> str:
    return "1 item" if number == 1 else f"{number} items"


def drop(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(metavar="SET_OR_ID", parser=values.name("what"), help="A set, or the number of an item."),
    ],
    store: Store,
    user: User = None,
    shared: Shared = False,
    session: Session = None,
    as_set: Annotated[bool, typer.Option("--set", help="It is a set, also where its name is a number.")] = False,
    as_json: Json = False,
) -> None:
    """Remove a set, or one item. An item needs no user and no session."""
    item = values.item_number(what) if what.isascii() and what.isdigit() and not as_set else None
    if item is not None and (shared or session is not None):
        raise typer.BadParameter("--shared and --session go with a set; an item is named by its number alone, or --set")
    owner = one_user(context, user) if item is not None else writer(context, user, shared=shared)
    with opened(context, store, writes=True) as memory:
        went = memory.working.drop(what if item is None else item, user_id=owner, session_id=session)
    _emit_dropped(went, as_json=as_json)


def clear(
    context: typer.Context,
    session: Annotated[
        str, typer.Argument(metavar="SESSION", parser=values.session, help="The conversation that is over.")
    ],
    store: Store,
    user: User = None,
    shared: Shared = False,
    as_json: Json = False,
) -> None:
    """Remove all sets of a session, of the user or the shared ones."""
    owner = writer(context, user, shared=shared)
    with opened(context, store, writes=True) as memory:
        went = memory.working.clear(session, user_id=owner)
    _emit_dropped(went, as_json=as_json)


def _emit_dropped(went: int, *, as_json: bool) -> None:
    if as_json:
        emit_json({"dropped": went})
    else:
        emit(f"{_counted(went)} dropped")


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    working = typer.Typer(help="Working memory: what a conversation has in mind for now.", no_args_is_help=True)
    for command in (put, items, watermark, sets, expire, drop, clear):
        working.command()(grouped(command))
    app.add_typer(working, name="working")
