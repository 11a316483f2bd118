"""Commands that change what is remembered: add, import, supersede, update."""

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.kinds import Embed, Kind, Outcome
from memcore.surfaces.cli import values
from memcore.surfaces.cli.fields import Claimed, Described, Details, Slot, whole_memory
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    EmbedWhen,
    Importance,
    Json,
    MemoryId,
    Metadata,
    Session,
    Shared,
    Store,
    User,
    one_user,
    standard_input_or,
    writer,
)
from memcore.surfaces.cli.output import emit, emit_json, say
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.streams import standard_input
from memcore.surfaces.cli.told import emit_added, emit_record

if TYPE_CHECKING:
    from memcore.memory import Memory
    from memcore.records import Added

__all__ = ["import_items", "register"]

BATCH = 500  # turns written in one transaction


def add(
    context: typer.Context,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", parser=values.text("content"), help="What to remember; - reads standard input."),
    ],
    store: Store,
    described: Described,
    claimed: Claimed,
    user: User = None,
    shared: Shared = False,
    kind: Annotated[
        Kind | None, typer.Option("--kind", **values.one_of("kind", Kind), help="What it is; an event unless said.")
    ] = None,
    slot: Slot = None,
    details: Details = None,
    supersedes: Annotated[
        int | None,
        typer.Option(
            "--supersedes", metavar="ID", parser=values.number_of("memory"), help="The memory whose place it takes."
        ),
    ] = None,
    verbatim: Annotated[
        bool, typer.Option("--verbatim", help="Store it as it is: nothing is dropped, merged or left to review.")
    ] = False,
    embed: EmbedWhen = Embed.NOW,
    as_json: Json = False,
) -> None:
    """Remember one text."""
    owner = writer(context, user, shared=shared)
    content = standard_input_or(text, values.text("content"))
    own = {"kind": kind, "slot": slot, "details": details, "supersedes": supersedes, "infer": not verbatim}
    fields = {"user_id": owner, **described.keywords(), **claimed.keywords(), **own}
    whole_memory(content, fields)
    with opened(context, store, create=True) as memory, working("Remembering"):
        added = list(memory.add(content, embed=embed, **fields))
    emit_added(added, as_json=as_json)


def supersede(
    context: typer.Context,
    memory_id: MemoryId,
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", parser=values.text("content"), help="What holds instead; - reads standard input."
        ),
    ],
    store: Store,
    described: Described,
    claimed: Claimed,
    user: User = None,
    slot: Slot = None,
    details: Details = None,
    embed: EmbedWhen = Embed.NOW,
    as_json: Json = False,
) -> None:
    """Put a text in the place of a fact, a piece of knowledge or a lesson.

    The old memory stays, and is valid until the new one is.
    """
    content = standard_input_or(text, values.text("content"))
    fields = {"user_id": one_user(context, user), **described.keywords(), **claimed.keywords()}
    own = {"slot": slot, "details": details}
    with opened(context, store, writes=True) as memory, working("Remembering"):
        added = memory.supersede(memory_id, content, embed=embed, **fields, **own)
    emit_added([added], as_json=as_json)


def import_turns(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSONL, a chat turn a line; - reads standard input.")],
    store: Store,
    user: User = None,
    shared: Shared = False,
    session: Session = None,
    embed: EmbedWhen = Embed.NOW,
    as_json: Json = False,
) -> None:
    """Remember the chat turns of a JSONL file. A line that cannot be read stops it before anything is written."""
    owner = writer(context, user, shared=True) if shared else one_user(context, user)
    items = _read_items(file, user_id=owner, session_id=session)
    if any("user_id" not in item for item in items):
        writer(context, user, shared=shared)
    with opened(context, store, create=True) as memory:
        added = import_items(memory, items)
        reports = embed_waiting(memory) if embed is Embed.NOW else []
    known = _already_there(added)
    dropped = sum(item.outcome is Outcome.DROP for item in added)
    new = len(added) - known - dropped
    if as_json:
        ids = [item.id for item in added]
        counts = {"imported": new + known, "new": new, "already_there": known, "dropped": dropped}
        emit_json({**counts, "ids": ids, "jobs": reports})
    else:
        others = [f", {count} {what}" for count, what in ((known, "already there"), (dropped, "dropped")) if count]
        emit("".join([f"{new} {'turn' if new == 1 else 'turns'} remembered", *others]))
        for report in reports:
            say(f"{report.done} embedded, {report.failed} failed, {report.remaining} waiting")


def _read_items(file: str, *, user_id: str | None, session_id: str | None) -> list[dict[str, Any]]:
    from memcore.surfaces.importing import read_turns

    try:
        with nullcontext(standard_input()) if file == "-" else Path(file).open(encoding="utf-8") as lines:
            return list(read_turns(lines, user_id=user_id, session_id=session_id))
    except OSError as error:
        raise typer.BadParameter(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{file}: not UTF-8 ({error}); give UTF-8") from error


def _already_there(added: Sequence["Added"]) -> int:
    """How many were stored before under their idempotency key."""
    from memcore.writing.retried import RETRIED

    return sum(item.reason == RETRIED for item in added)


def import_items(memory: "Memory", items: Sequence[dict[str, Any]]) -> list["Added"]:
    """What became of `items`, added in batches, each in one transaction, their vectors left to the `embed` job."""
    added: list[Added] = []
    with working("Storing") as advance:
        for start in range(0, len(items), BATCH):
            added.extend(memory.add_many(items[start : start + BATCH], embed=Embed.LATER))
            advance(len(added), len(items))
    return added


def embed_waiting(memory: "Memory") -> list[Any]:
    """The reports of one run of the `embed` job, with a bar while it runs."""
    with working("Embedding") as advance:
        return list(memory.maintain(["embed"], progress=advance))


def update(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    content: Annotated[
        str | None,
        typer.Option(
            "--content", metavar="TEXT", parser=values.text("content"), help="The new text; - reads standard input."
        ),
    ] = None,
    importance: Importance = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", parser=values.name("tags"), help="The tags that it has from now on."),
    ] = None,
    metadata: Metadata = None,
    event_time: Annotated[
        datetime | None,
        typer.Option(
            "--event-time", metavar="ISO", parser=values.moment("event_time"), help="When it happened, with an offset."
        ),
    ] = None,
    source_ref: Annotated[
        str | None,
        typer.Option(
            "--source-ref", metavar="TEXT", parser=values.name("source_ref"), help="The source that it is part of."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Change a memory's text, importance, tags, metadata, time or source.

    What is not given stays as it is.
    """
    changes = {
        "content": None if content is None else standard_input_or(content, values.text("content")),
        "importance": importance,
        "tags": tag or None,
        "metadata": metadata,
        "event_time": event_time,
        "source_ref": source_ref,
    }
    given_changes: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    if not given_changes:
        raise typer.BadParameter("nothing to change; give --content or another option")
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory, working("Updating"):
        record = memory.update(memory_id, user_id=whose, **given_changes)
    emit_record(record, "updated", as_json=as_json)


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command()(grouped(add))
    app.command("import")(grouped(import_turns))
    app.command()(grouped(supersede))
    app.command()(grouped(update))
