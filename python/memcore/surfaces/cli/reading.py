"""Commands that read: search, context, get, list."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.kinds import Kind
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    Filters,
    Json,
    Kinds,
    MemoryId,
    Query,
    Question,
    Readers,
    Store,
    User,
    one_user,
    readers,
    standard_input_or,
)
from memcore.surfaces.cli.output import emit, emit_json, json_value, say, visible
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.reasons import in_few_words
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_outline, emit_table

if TYPE_CHECKING:
    from memcore.searching.result import SearchResult

__all__ = ["emit_hits", "register"]

HitKinds = Annotated[
    list[Kind] | None,
    typer.Option("--kind", callback=values.hit_kinds, help="Only this kind; may be repeated."),
]


def search(
    context: typer.Context,
    query: Query,
    store: Store,
    asked: Question,
    kind: HitKinds = None,
    filters: Filters = None,
    trace: Annotated[bool, typer.Option("--trace", help="Also what each step did, and how long it took.")] = False,
    as_json: Json = False,
) -> None:
    """Show the memories that answer QUERY, best first."""
    text = standard_input_or(query, values.query)
    with opened(context, store) as memory, working("Searching"):
        result = memory.search(
            text,
            **asked.fields(context),
            kinds=kind,
            filters=filters,
        )
    if as_json:
        emit_json({"query": text, "hits": list(result), **({"trace": result.trace} if trace else {})})
        return
    emit_hits(result)
    if trace:
        emit("")
        _emit_steps(json_value(result.trace)["steps"])


def emit_hits(result: "SearchResult") -> None:
    """Write a table of hits with their scores and reasons; where there are none, say so on standard error."""
    rows = [
        (hit.score, hit.id, _day(hit.event_time), hit.speaker, hit.content, in_few_words(result.explain(hit)))
        for hit in result
    ]
    if rows:
        emit_table(("score", "id", "date", "speaker", "memory", "why"), rows)
    else:
        say("nothing found")


def _emit_steps(steps: Iterable[dict[str, Any]]) -> None:
    rows = [
        (
            step["name"],
            step["milliseconds"] if step["enabled"] else "off",
            step["candidates_after"],
            _facts(step["facts"]),
        )
        for step in steps
    ]
    emit_table(("step", "ms", "candidates", "what it found"), rows)


def _facts(facts: dict[str, Any] | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in (facts or {}).items())


def _day(moment: Any) -> str | None:
    return None if moment is None else moment.date().isoformat()


def context_block(
    context: typer.Context,
    query: Query,
    store: Store,
    asked: Question,
    max_chars: Annotated[
        int | None,
        typer.Option(
            "--max-chars", metavar="N", parser=values.budget, help="At most so many characters; 600 unless said."
        ),
    ] = None,
    mark_used: Annotated[
        bool, typer.Option("--mark-used/--no-mark-used", help="Count what enters the block as used.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Print the block for a prompt that answers QUERY.

    Nothing is printed where nothing is relevant.
    """
    text = standard_input_or(query, values.query)
    with opened(context, store) as memory, working("Searching"):
        block = memory.context(
            text,
            **asked.fields(context),
            max_chars=max_chars,
            mark_used=mark_used,
        )
    if as_json:
        emit_json({"query": text, "context": block})
    elif block:
        emit(visible(block, lines=True))
    else:
        say("nothing found")


def get(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Show one memory with all that is known about it."""
    with opened(context, store) as memory:
        record = memory.get(memory_id, user_id=one_user(context, user))
    if as_json:
        emit_json({"memory": record})
    else:
        emit_outline(record.to_dict())


def list_memories(
    context: typer.Context,
    store: Store,
    user: Readers = None,
    kind: Kinds = None,
    filters: Filters = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", parser=values.page_limit, help="At most so many.")
    ] = 100,
    cursor: Annotated[
        int | None,
        typer.Option("--cursor", metavar="N", parser=values.cursor, help="Go on where a list ended."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List memories in the order they were stored."""
    with opened(context, store) as memory:
        page = memory.get_all(
            user_id=readers(context, user),
            kinds=kind,
            filters=filters,
            limit=limit,
            cursor=cursor,
        )
    if as_json:
        emit_json({"memories": list(page), "next_cursor": page.next_cursor})
        return
    rows = [(item.id, item.kind, _day(item.event_time), item.user_id, item.speaker, item.content) for item in page]
    if rows:
        emit_table(("id", "kind", "date", "user", "speaker", "memory"), rows)
    else:
        say("nothing stored")
    if page.next_cursor is not None:
        say(f"there is more: --cursor {page.next_cursor}")


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command()(grouped(search))
    app.command("context")(grouped(context_block))
    app.command()(grouped(get))
    app.command("list")(grouped(list_memories))
