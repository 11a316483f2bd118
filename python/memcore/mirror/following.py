"""Bringing blocks of the mirror through the changes that the revision log tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memcore.kinds import Layer
from memcore.storage import engine_rows, entities
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections import OrderedDict
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from memcore.mirror.block import PartitionBlock
    from memcore.storage.rows import Change, Space

__all__ = ["Following"]


@dataclass(frozen=True, slots=True)
class Following:
    """What it takes to reread what changed: the store, the space of the vectors, the layers that are on."""

    connection: Connection
    space: Space | None
    layers: frozenset[Layer]

    def apply(self, changes: Sequence[Change], held: OrderedDict[int, PartitionBlock]) -> None:
        """Brings the blocks that are `held` through some changes; those that cannot be brought leave."""
        by_partition: dict[int, list[Change]] = {}
        _let_go_of_moved(changes, held)
        for change in changes:
            if change.table is ChangedTable.PURGE:  # nobody has this number any more, and who had it has another
                held.pop(change.partition_id, None)
        for change in changes:
            if change.partition_id in held:
                by_partition.setdefault(change.partition_id, []).append(change)
        for identity, lines in by_partition.items():
            block = held[identity]
            if len(lines) > max(1_000, len(block.rows)):
                del held[identity]
            else:
                self._bring_up(identity, block, lines)
        self._rename(changes, held)

    def _rename(self, changes: Sequence[Change], held: OrderedDict[int, PartitionBlock]) -> None:
        """Rereads the names of the blocks that know an entity that changed; a shared one is known in several."""
        if Layer.ENTITIES not in self.layers:
            return
        memories = {change.id for change in changes if change.table is ChangedTable.MEMORY}
        renamed = {
            change.partition_id for change in changes if change.table in (ChangedTable.ENTITY, ChangedTable.ALIAS)
        }
        for identity, block in held.items():
            known = block.entities.names.keys() | block.entities.unseen
            if identity in renamed or not known.isdisjoint(memories):
                block.set_names(entities.of_partition(self.connection, identity))

    def _bring_up(self, identity: int, block: PartitionBlock, changes: Sequence[Change]) -> None:
        touched: dict[ChangedTable, set[int]] = {table: set() for table in ChangedTable}
        for change in changes:
            touched[change.table].add(change.id)
        inserted = {
            change.id
            for change in changes
            if change.table is ChangedTable.MEMORY and change.operation is Operation.INSERT
        }
        self._bring_memories(identity, block, touched, inserted)
        if Layer.ENTITIES in self.layers:
            moved = any(
                change.table is ChangedTable.MENTION and change.operation is not Operation.INSERT for change in changes
            )
            self._bring_mentions(identity, block, None if moved else touched[ChangedTable.MENTION])
            if smaller := sorted(touched[ChangedTable.COOCCURRENCE]):
                block.entities.set_pairs(engine_rows.cooccurrences_of(self.connection, identity, smaller), smaller)
        if (sources := sorted(touched[ChangedTable.EDGE])) and Layer.ASSOCIATION in self.layers:
            block.put_edges(sources, engine_rows.edges_of(self.connection, identity, sources))
        block.version += 1

    def _bring_memories(
        self,
        identity: int,
        block: PartitionBlock,
        touched: dict[ChangedTable, set[int]],
        inserted: set[int],
    ) -> None:
        """Rereads what changed of memories and vectors.

        A turn that lost a neighbour has the graph connected anew, and so has what searches may see no more, or again.
        """
        wanted = sorted(touched[ChangedTable.MEMORY] | touched[ChangedTable.VECTOR])
        if not wanted:
            return
        space = None if self.space is None else self.space.id
        columns = engine_rows.memory_columns(self.connection, identity, space, wanted)
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

    def _bring_mentions(self, identity: int, block: PartitionBlock, of: set[int] | None) -> None:
        """Adds the mentions of some memories; None: rereads them all, and has the graph connected anew."""
        if of is None:
            mentions = engine_rows.mentions_of(self.connection, identity)
            block.entities.set_mentions(mentions.memory_ids, mentions.entity_ids)
            block.arcs = None
        elif of:
            mentions = engine_rows.mentions_of(self.connection, identity, sorted(of))
            block.entities.add_mentions(mentions.memory_ids, mentions.entity_ids)
            block.add_mentions(mentions.memory_ids, mentions.entity_ids)


def _let_go_of_moved(changes: Sequence[Change], held: OrderedDict[int, PartitionBlock]) -> None:
    """Lets blocks go that hold an id which was inserted in another partition: who replaced it logged no more."""
    inserted: dict[int, set[int]] = {}
    for change in changes:
        if change.table is ChangedTable.MEMORY and change.operation is Operation.INSERT:
            inserted.setdefault(change.partition_id, set()).add(change.id)
    for partition, ids in inserted.items():
        others = [(identity, block) for identity, block in held.items() if identity != partition]
        for identity, block in others:
            if block.has_any(ids):
                del held[identity]


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
