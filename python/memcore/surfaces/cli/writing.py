"""Commands that change what is remembered: add, import, update, delete."""

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.kinds import Embed, Kind, Origin
from memcore.surfaces.cli import values
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

if TYPE_CHECKING:
    from memcore.memory import Memory
    from memcore.records import Added

__all__ = ["import_items", "register"]

BATCH = 500  # turns written in one transaction

Entities = Annotated[
    list[str] | None,
    typer.Option(
        "--entity", metavar="NAME", parser=values.entity, help="A person or thing it is about; may be repeated."
    ),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", parser=values.tag, help="A tag; may be repeated.")
]
Speaker = Annotated[str | None, typer.Option("--speaker", metavar="NAME", parser=values.speaker, help="Who said it.")]
EventTime = Annotated[
    datetime | None,
    typer.Option(
        "--event-time",
        metavar="ISO",
        parser=values.event_time,
        help="When it happened, with an offset; now unless said.",
    ),
]
SourceRef = Annotated[
    str | None,
    typer.Option("--source-ref", metavar="TEXT", parser=values.source_ref, help="The source that it is part of."),
]
IdempotencyKey = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key",
        metavar="KEY",
        parser=values.idempotency_key,
        help="A second add with this key adds nothing.",
    ),
]


def add(
    context: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", parser=values.content, help="What to remember; - reads standard input.")
    ],
    store: Store,
    user: User = None,
    shared: Shared = False,
    session: Session = None,
    kind: Annotated[Kind | None, typer.Option("--kind", help="What it is; an event unless said.")] = None,
    speaker: Speaker = None,
    origin: Annotated[Origin, typer.Option("--origin", help="Where it comes from.")] = Origin.USER,
    entity: Entities = None,
    tag: Tags = None,
    importance: Importance = None,
    event_time: EventTime = None,
    metadata: Metadata = None,
    source_ref: SourceRef = None,
    idempotency_key: IdempotencyKey = None,
    embed: EmbedWhen = Embed.NOW,
    as_json: Json = False,
) -> None:
    """Remember one text."""
    owner = writer(context, user, shared=shared)
    content = standard_input_or(text, values.content)
    fields: dict[str, Any] = {
        "session_id": session,
        "kind": kind,
        "speaker": speaker,
        "origin": origin,
        "entities": tuple(entity or ()),
        "tags": tuple(tag or ()),
        "importance": importance,
        "event_time": event_time,
        "metadata": metadata,
        "source_ref": source_ref,
        "idempotency_key": idempotency_key,
        "embed": embed,
    }
    with opened(context, store, create=True) as memory, working("Remembering"):
        added = list(memory.add(content, user_id=owner, **fields))
    if as_json:
        emit_json({"added": added})
    else:
        emit("\n".join(_told(item) for item in added))


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
    dropped = sum(item.id is None for item in added)
    new = len(added) - known - dropped
    if as_json:
        ids = [item.id for item in added]
        emit_json({"imported": len(ids), "new": new, "already_there": known, "ids": ids, "jobs": reports})
    else:
        others = [f", {count} {what}" for count, what in ((known, "already there"), (dropped, "dropped")) if count]
        emit("".join([f"{new} {'turn' if new == 1 else 'turns'} remembered", *others]))
        for report in reports:
            say(f"{report.done} embedded, {report.failed} failed, {report.remaining} waiting")


def _told(added: "Added") -> str:
    """What became of one text; a dash stands for the id of one that was dropped."""
    one = "-" if added.id is None else added.id
    return f"{one}  {added.kind.value}  {added.outcome.value}  {added.reason}".rstrip()


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
    from memcore.writing.store import RETRIED

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
        typer.Option("--content", metavar="TEXT", parser=values.content, help="The new text; - reads standard input."),
    ] = None,
    importance: Importance = None,
    metadata: Metadata = None,
    as_json: Json = False,
) -> None:
    """Change a memory's text, importance or metadata.

    What is not given stays as it is.
    """
    changes = {
        "content": None if content is None else standard_input_or(content, values.content),
        "importance": importance,
        "metadata": metadata,
    }
    given_changes: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    if not given_changes:
        raise typer.BadParameter("nothing to change; give --content, --importance or --metadata")
    with opened(context, store, writes=True) as memory, working("Updating"):
        record = memory.update(memory_id, user_id=one_user(context, user), **given_changes)
    if as_json:
        emit_json({"updated": record})
    else:
        emit(f"memory {memory_id} updated")


def delete(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Delete a memory for good, with its vectors and edges."""
    with opened(context, store, writes=True) as memory:
        report = memory.delete(memory_id, user_id=one_user(context, user))
    if as_json:
        emit_json({"deleted": report})
    else:
        emit(f"memory {memory_id} deleted")


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command()(grouped(add))
    app.command("import")(grouped(import_turns))
    app.command()(grouped(update))
    app.command()(grouped(delete))
