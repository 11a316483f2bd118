"""Commands that give reasons: explain why a memory is found, why-not what keeps it out."""

import typer

from memcore.errors import NotFoundError
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import (
    Json,
    MemoryId,
    Query,
    Question,
    Store,
    standard_input_or,
)
from memcore.surfaces.cli.output import emit_json
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_outline

__all__ = ["register"]


def explain(
    context: typer.Context,
    memory_id: MemoryId,
    query: Query,
    store: Store,
    asked: Question,
    as_json: Json = False,
) -> None:
    """Show how a memory came by its score in a search."""
    text = standard_input_or(query, values.query)
    with opened(context, store) as memory, working("Searching"):
        result = memory.search(text, **asked.fields(context))
        hit = next((hit for hit in result if hit.id == memory_id), None)
        if hit is None:
            raise NotFoundError(f"id: {memory_id} is not among the {len(result)} hits; memcore why-not says why")
        explanation = result.explain(hit)
    if as_json:
        emit_json({"query": text, "id": memory_id, "explanation": explanation})
    else:
        emit_outline({"memory": hit.content, "explanation": explanation})


def why_not(
    context: typer.Context,
    memory_id: MemoryId,
    query: Query,
    store: Store,
    asked: Question,
    as_json: Json = False,
) -> None:
    """Show what keeps a memory out of the results."""
    text = standard_input_or(query, values.query)
    with opened(context, store) as memory, working("Searching"):
        reason = memory.why_not(memory_id, text, **asked.fields(context))
    if as_json:
        emit_json({"query": text, "id": memory_id, "why_not": reason})
    else:
        emit_outline({"why_not": reason})


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command()(grouped(explain))
    app.command("why-not")(grouped(why_not))
