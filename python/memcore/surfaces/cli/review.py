"""The commands `review …`: memories that wait for a person, and conflicts that one decides."""

from typing import TYPE_CHECKING, Annotated

import typer

from memcore.kinds import ReviewState
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    Cursor,
    Json,
    MemoryId,
    PageLimit,
    Readers,
    Reason,
    Store,
    User,
    one_user,
    readers,
    standard_input_or,
)
from memcore.surfaces.cli.output import emit_json, say
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_table
from memcore.surfaces.cli.told import day, emit_page, emit_record

if TYPE_CHECKING:
    from memcore.records import Conflict

__all__ = ["register"]

_COLUMNS = {
    "id": "id",
    "kind": "kind",
    "origin": "origin",
    "confidence": "confidence",
    "slot": "slot",
    "user": "user_id",
    "memory": "content",
}


def list_pending(
    context: typer.Context,
    store: Store,
    user: Readers = None,
    limit: PageLimit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List the memories that wait for review; no search finds them."""
    with opened(context, store) as memory:
        page = memory.review.pending(user_id=readers(context, user), limit=limit, cursor=cursor)
    emit_page(page, _COLUMNS, name="pending", empty="nothing waits for review", as_json=as_json)


def approve(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Let a memory that waits be found. A fact takes the place of what fills its slot; a twin is merged."""
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        record = memory.review.approve(memory_id, user_id=whose)
    emit_record(record, "approved", as_json=as_json)


def reject(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Keep a memory that waits out of every search for good."""
    why = None if reason is None else standard_input_or(reason, values.text("reason"))
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        record = memory.review.reject(memory_id, reason=why, user_id=whose)
    emit_record(record, "rejected", as_json=as_json)


def conflicts(
    context: typer.Context,
    store: Store,
    user: User = None,
    limit: PageLimit = 100,
    as_json: Json = False,
) -> None:
    """List the pairs of memories that say different things of one slot."""
    whose = one_user(context, user)
    with opened(context, store) as memory:
        pairs = memory.review.conflicts(user_id=whose, limit=limit)
    if as_json:
        emit_json({"conflicts": pairs})
    elif pairs:
        columns = ("since", "slot", "older", "says", "newer", "says", "waiting")
        emit_table(columns, [_pair(pair) for pair in pairs])
    else:
        say("no conflicts")


def _pair(pair: "Conflict") -> tuple[object, ...]:
    both = (pair.older, pair.newer)
    said = [part for one in both for part in (one.id, one.content)]
    waiting = ", ".join(str(one.id) for one in both if one.review_state == ReviewState.PENDING)
    return (day(pair.recorded_at), pair.older.slot, *said, waiting)


def resolve(
    context: typer.Context,
    keep_id: Annotated[
        int, typer.Argument(metavar="KEEP", parser=values.number_of("memory"), help="The memory that is right.")
    ],
    drop_id: Annotated[
        int, typer.Argument(metavar="DROP", parser=values.number_of("memory"), help="The memory that is not.")
    ],
    store: Store,
    user: User = None,
    keep_both: Annotated[bool, typer.Option("--keep-both", help="Both are right: both are found.")] = False,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Decide a conflict: one memory is kept, and takes the place of the other."""
    if keep_id == drop_id:
        raise typer.BadParameter("KEEP and DROP are one memory; give the two of a conflict")
    why = None if reason is None else standard_input_or(reason, values.text("reason"))
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        record = memory.review.resolve(keep_id, drop_id, keep_both=keep_both, reason=why, user_id=whose)
    emit_record(record, "kept", as_json=as_json)


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    review = typer.Typer(help="What waits for a person, and what contradicts each other.", no_args_is_help=True)
    review.command("list")(grouped(list_pending))
    for command in (approve, reject, conflicts, resolve):
        review.command()(grouped(command))
    app.add_typer(review, name="review")
