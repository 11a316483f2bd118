"""The commands `fact …`: what is known of a person or a thing, by exact slots."""

from typing import Annotated

import typer

from memcore.kinds import Category, Embed, Kind
from memcore.surfaces.cli import values
from memcore.surfaces.cli.fields import Claimed, Described, Slot, whole_memory
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    AsOf,
    Cursor,
    EmbedWhen,
    Json,
    KnownAt,
    PageLimit,
    Readers,
    Shared,
    Store,
    User,
    one_user,
    readers,
    standard_input_or,
    writer,
)
from memcore.surfaces.cli.output import emit, emit_json, say, visible
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.told import emit_added, emit_page

__all__ = ["register"]

SlotName = Annotated[
    str, typer.Argument(metavar="SLOT", parser=values.name("slot"), help="What the fact says: home city, birthday.")
]

_COLUMNS = {
    "id": "id",
    "slot": "slot",
    "category": "category",
    "since": "valid_from",
    "until": "valid_until",
    "dormant": "dormant",
    "user": "user_id",
    "fact": "content",
}


def get(
    context: typer.Context,
    slot: SlotName,
    store: Store,
    user: User = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Print what a slot says, of the user or shared."""
    whose = one_user(context, user)
    with opened(context, store) as memory:
        fact = memory.facts.get(slot, user_id=whose, as_of=as_of, known_at=known_at)
    if as_json:
        emit_json({"fact": fact})
    elif fact is None:
        say("nothing fills the slot")
    else:
        emit(visible(fact.content, lines=True))


def set_fact(
    context: typer.Context,
    slot: SlotName,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", parser=values.text("content"), help="What it says now; - reads standard input."),
    ],
    store: Store,
    described: Described,
    claimed: Claimed,
    user: User = None,
    shared: Shared = False,
    embed: EmbedWhen = Embed.NOW,
    as_json: Json = False,
) -> None:
    """Say what a slot says from now on. What it said before stays, as what held until now."""
    owner = writer(context, user, shared=shared)
    content = standard_input_or(text, values.text("content"))
    fields = {"user_id": owner, **described.keywords(), **claimed.keywords()}
    whole_memory(content, {**fields, "kind": Kind.FACT, "slot": slot})
    with opened(context, store, create=True) as memory, working("Remembering"):
        added = memory.facts.set(slot, content, embed=embed, **fields)
    emit_added([added], as_json=as_json)


def list_facts(
    context: typer.Context,
    store: Store,
    user: Readers = None,
    slot: Slot = None,
    category: Annotated[
        Category | None, typer.Option("--category", **values.one_of("category", Category), help="Only this category.")
    ] = None,
    include_dormant: Annotated[
        bool, typer.Option("--include-dormant/--no-include-dormant", help="Also facts that have faded.")
    ] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: PageLimit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List the facts that hold, in the order they were stored."""
    with opened(context, store) as memory:
        page = memory.facts.list(
            user_id=readers(context, user),
            slot=slot,
            category=category,
            include_dormant=include_dormant,
            as_of=as_of,
            known_at=known_at,
            limit=limit,
            cursor=cursor,
        )
    emit_page(page, _COLUMNS, name="facts", empty="no facts", as_json=as_json)


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    fact = typer.Typer(help="Facts, by exact slots such as: home city.", no_args_is_help=True)
    fact.command()(grouped(get))
    fact.command("set")(grouped(set_fact))
    fact.command("list")(grouped(list_facts))
    app.add_typer(fact, name="fact")
