"""Commands that read: search, context, get, list."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.kinds import Confidence
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    AsOf,
    Cursor,
    Filters,
    IncludeDormant,
    Json,
    Kinds,
    MemoryId,
    PageLimit,
    Query,
    Question,
    Readers,
    Session,
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
from memcore.surfaces.cli.told import day, emit_page

if TYPE_CHECKING:
    from memcore.records import MemoryRecord
    from memcore.searching.result import SearchResult

__all__ = ["emit_hits", "register"]

_DOUBTS = {
    Confidence.NONE: "this is probably not about what was asked",
    Confidence.LOW: "this may not be about what was asked",
}
_COLUMNS = {
    "id": "id",
    "kind": "kind",
    "date": "event_time",
    "user": "user_id",
    "speaker": "speaker",
    "memory": "content",
}


def search(
    context: typer.Context,
    query: Query,
    store: Store,
    asked: Question,
    trace: Annotated[bool, typer.Option("--trace", help="Also what each step did, and how long it took.")] = False,
    as_json: Json = False,
) -> None:
    """Show the memories that answer QUERY, best first."""
    text = standard_input_or(query, values.query)
    with opened(context, store) as memory, working("Searching"):
        result = memory.search(text, **asked.fields(context))
    if as_json:
        traced = {"trace": result.trace} if trace else {}
        sure = {"confidence": result.confidence, "probability": result.sureness.probability}
        emit_json({"query": text, "hits": list(result), "conflicts": result.conflicts, **sure, **traced})
        return
    emit_hits(result)
    if trace:
        emit("")
        _emit_steps(json_value(result.trace)["steps"])


def emit_hits(result: "SearchResult") -> None:
    """Write a table of hits with their scores and reasons; where there are none, say so on standard error."""
    rows = [
        (hit.score, hit.id, day(hit.event_time), hit.speaker, hit.content, in_few_words(result.explain(hit)))
        for hit in result
    ]
    if not rows:
        say("nothing found")
        return
    emit_table(("score", "id", "date", "speaker", "memory", "why"), rows)
    for conflict in result.conflicts:
        emit(f"in conflict: {_side(conflict.older)} / {_side(conflict.newer)}")
    if result.confidence in _DOUBTS:
        say(f"{_DOUBTS[result.confidence]} (confidence {result.confidence})")


def _side(record: "MemoryRecord") -> str:
    return f"{record.id} {visible(record.content)}"


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
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            metavar="N",
            parser=values.budget,
            help="At most so many tokens, in the place of --max-chars.",
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
    if max_chars is not None and max_tokens is not None:
        raise typer.BadParameter("--max-chars and --max-tokens exclude each other; give one of them")
    text = standard_input_or(query, values.query)
    with opened(context, store) as memory, working("Searching"):
        block = memory.context(
            text,
            **asked.fields(context),
            max_chars=max_chars,
            max_tokens=max_tokens,
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
    session: Session = None,
    kind: Kinds = None,
    filters: Filters = None,
    as_of: AsOf = None,
    include_dormant: IncludeDormant = False,
    limit: PageLimit = 100,
    cursor: Cursor = None,
    as_json: Json = False,
) -> None:
    """List current memories in the order they were stored."""
    with opened(context, store) as memory:
        page = memory.get_all(
            user_id=readers(context, user),
            session_id=session,
            kinds=kind,
            filters=filters,
            as_of=as_of,
            include_dormant=include_dormant,
            limit=limit,
            cursor=cursor,
        )
    emit_page(page, _COLUMNS, name="memories", empty="nothing stored", as_json=as_json)


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command()(grouped(search))
    app.command("context")(grouped(context_block))
    app.command()(grouped(get))
    app.command("list")(grouped(list_memories))
