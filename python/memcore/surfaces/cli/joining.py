"""Commands about what memories have to do with each other: mark-used, relate, unrelate, graph."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.kinds import EdgeType
from memcore.surfaces.cli import values
from memcore.surfaces.cli.grouped import grouped
from memcore.surfaces.cli.options import Json, MemoryId, Store, User, one_user
from memcore.surfaces.cli.output import emit, emit_json
from memcore.surfaces.cli.session import opened
from memcore.surfaces.cli.tables import emit_table
from memcore.surfaces.cli.told import day

if TYPE_CHECKING:
    from memcore.records import GraphView

__all__ = ["register"]

Source = Annotated[
    int, typer.Argument(metavar="SOURCE", parser=values.number_of("memory"), help="The memory where the edge begins.")
]
Target = Annotated[
    int, typer.Argument(metavar="TARGET", parser=values.number_of("memory"), help="The memory where it ends.")
]


def mark_used(
    context: typer.Context,
    memory_ids: Annotated[
        list[int], typer.Argument(metavar="ID", parser=values.number_of("memory"), help="The numbers of memories.")
    ],
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """Note that memories entered a prompt, and join those that did so together. A faded fact wakes."""
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        number = memory.mark_used(memory_ids, user_id=whose)
    if as_json:
        emit_json({"marked": number})
    else:
        emit(f"{number} {'memory' if number == 1 else 'memories'} marked as used")


def relate(
    context: typer.Context,
    source_id: Source,
    target_id: Target,
    store: Store,
    user: User = None,
    edge_type: Annotated[
        str, typer.Option("--type", **values.edge_type(), help="Why the two are joined.")
    ] = EdgeType.ASSOCIATIVE.label,
    strength: Annotated[
        float,
        typer.Option("--strength", metavar="X", parser=values.number("strength", 1), help="How strongly: from 0 to 1."),
    ] = 0.35,
    valid_from: Annotated[
        datetime | None,
        typer.Option(
            "--valid-from",
            metavar="ISO",
            parser=values.moment("valid_from"),
            help="Since when the edge holds, with an offset; from now on unless said.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Join two memories of one user by an edge; one that is there gets the new strength."""
    _refuse_one(source_id, target_id)
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        edge = memory.relate(source_id, target_id, edge_type, strength, valid_from=valid_from, user_id=whose)
    if as_json:
        emit_json({"edge": edge})
    else:
        emit(f"{edge.source_id} → {edge.target_id}  {edge.type.label}  {edge.strength:.3f}")


def unrelate(
    context: typer.Context,
    source_id: Source,
    target_id: Target,
    store: Store,
    user: User = None,
    as_json: Json = False,
) -> None:
    """End the edges between two memories, whichever way they go. A search of an earlier moment still has them."""
    _refuse_one(source_id, target_id)
    whose = one_user(context, user)
    with opened(context, store, writes=True) as memory:
        number = memory.unrelate(source_id, target_id, user_id=whose)
    if as_json:
        emit_json({"ended": number})
    else:
        emit(f"{number} {'edge' if number == 1 else 'edges'} ended")


def _refuse_one(source_id: int, target_id: int) -> None:
    if source_id == target_id:
        raise typer.BadParameter("SOURCE and TARGET are one memory; give two")


def graph(
    context: typer.Context,
    memory_id: MemoryId,
    store: Store,
    user: User = None,
    hops: Annotated[
        int, typer.Option("--hops", metavar="N", parser=values.hops, help="Over at most so many edges: from 1 to 6.")
    ] = 2,
    as_json: Json = False,
) -> None:
    """Show the memories within some hops of one, and the edges between them: also what no search finds."""
    whose = one_user(context, user)
    with opened(context, store) as memory:
        view = memory.graph(memory_id, hops, user_id=whose)
    if as_json:
        emit_json({"graph": view})
    else:
        _emit_graph(view)


def _emit_graph(view: "GraphView") -> None:
    nodes = [(one.id, one.kind, day(one.event_time), one.user_id, one.content) for one in view.nodes]
    emit_table(("id", "kind", "date", "user", "memory"), nodes)
    if view.edges:
        emit("")
        edges = [(one.source_id, one.target_id, one.type.label, one.strength) for one in view.edges]
        emit_table(("source", "target", "type", "strength"), edges)


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    app.command("mark-used")(grouped(mark_used))
    for command in (relate, unrelate, graph):
        app.command()(grouped(command))
