"""Bringing the block of a partition to the present: what the revision log names is read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memcore.kinds import Layer
from memcore.storage import engine_rows
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.mirror.block import PartitionBlock
    from memcore.storage.rows import Change, Space

__all__ = ["bring_up"]


def bring_up(
    connection: Connection,
    block: PartitionBlock,
    changes: Sequence[Change],
    space: Space | None,
    layers: frozenset[Layer],
) -> None:
    """Rereads what some changes of a partition name; `space` is the one whose vectors the block holds."""
    identity = block.partition_id
    touched: dict[ChangedTable, set[int]] = {table: set() for table in ChangedTable}
    for change in changes:
        touched[change.table].add(change.id)
    inserted = {
        change.id for change in changes if change.table is ChangedTable.MEMORY and change.operation is Operation.INSERT
    }
    _bring_memories(connection, block, touched, inserted, None if space is None else space.id)
    if Layer.ENTITIES in layers:
        moved = any(
            change.table is ChangedTable.MENTION and change.operation is not Operation.INSERT for change in changes
        )
        _bring_mentions(connection, block, None if moved else touched[ChangedTable.MENTION])
        if smaller := sorted(touched[ChangedTable.COOCCURRENCE]):
            block.entities.set_pairs(engine_rows.cooccurrences_of(connection, identity, smaller), smaller)
    if (sources := sorted(touched[ChangedTable.EDGE])) and Layer.ASSOCIATION in layers:
        block.put_edges(sources, engine_rows.edges_of(connection, identity, sources))
    block.version += 1


def _bring_memories(
    connection: Connection,
    block: PartitionBlock,
    touched: dict[ChangedTable, set[int]],
    inserted: set[int],
    space_id: int | None,
) -> None:
    """Rereads what changed of memories and vectors.

    A turn that lost a neighbour has the graph connected anew, and so has what searches may see no more, or again.
    """
    wanted = sorted(touched[ChangedTable.MEMORY] | touched[ChangedTable.VECTOR])
    if not wanted:
        return
    columns = engine_rows.memory_columns(connection, block.partition_id, space_id, wanted)
    before, asked = _chain(block, wanted), _questions(block, wanted)
    gone = sorted(set(wanted).difference(columns.ids))
    if gone:
        block.remove(gone)
    block.put(columns)
    after = _chain(block, wanted)
    block.add_turn_arcs(block.rows.rows_of(np.array(sorted(after), np.int64)))
    now_asked = _questions(block, wanted)
    turned = [key for key, was in asked.items() if now_asked.get(key, was) != was]
    if turned:  # also what a chain that was edited by hand leads back to them
        block.add_turn_arcs(np.flatnonzero(np.isin(block.rows.column("prev_id"), turned)))
    lost = {
        neighbour
        for key, neighbours in before.items()
        if key in after
        for neighbour in set(neighbours).difference(after[key])
    }
    left, back = before.keys() - after.keys() - set(gone), after.keys() - before.keys() - inserted
    if left or back or (block.rows.rows_of(np.array(sorted(lost), np.int64)) >= 0).any():
        block.arcs = None


def _bring_mentions(connection: Connection, block: PartitionBlock, of: set[int] | None) -> None:
    """Adds the mentions of some memories; None: rereads them all, and has the graph connected anew."""
    if of is None:
        mentions = engine_rows.mentions_of(connection, block.partition_id)
        block.entities.set_mentions(mentions.memory_ids, mentions.entity_ids)
        block.arcs = None
    elif of:
        mentions = engine_rows.mentions_of(connection, block.partition_id, sorted(of))
        block.entities.add_mentions(mentions.memory_ids, mentions.entity_ids)
        block.add_mentions(mentions.memory_ids, mentions.entity_ids)


def _chain(block: PartitionBlock, ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The neighbours in the conversation of those ids that have a row."""
    wanted = np.array(ids, np.int64)
    rows = block.rows.rows_of(wanted)
    there = rows >= 0
    next_ids, prev_ids = (block.rows.column(name)[rows[there]].tolist() for name in ("next_id", "prev_id"))
    return dict(zip(wanted[there].tolist(), zip(next_ids, prev_ids, strict=True), strict=True))


def _questions(block: PartitionBlock, ids: Sequence[int]) -> dict[int, bool]:
    """Whether those of the ids that have a row end in a question."""
    wanted = np.array(ids, np.int64)
    rows = block.rows.rows_of(wanted)
    there = rows >= 0
    return dict(zip(wanted[there].tolist(), block.rows.column("question")[rows[there]].tolist(), strict=True))
