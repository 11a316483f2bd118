"""The mirror of one agent: its partitions' blocks, kept equal to the store by following the revision log."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from memcore.mirror.atoms import AtomCache
from memcore.mirror.block import PartitionBlock
from memcore.mirror.scope_rows import ScopeRows
from memcore.names import name_key
from memcore.storage import engine_rows, entities, partitions, revisions
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from memcore.mirror.block import ArcWeights
    from memcore.scope import Partition, Scope
    from memcore.storage.rows import Change, Space

__all__ = ["AgentMirror"]

log = logging.getLogger("memcore.mirror")


class AgentMirror:
    """Blocks by partition, least recently used evicted. Every method but `lock` wants the lock to be held."""

    def __init__(self, agent_id: str, memory_limit: int) -> None:
        self.lock = threading.RLock()
        self.atoms = AtomCache()
        self._codes: dict[tuple[str, int, str], int] = {}
        self._agent_id = agent_id
        self._memory_limit = memory_limit
        self._blocks: OrderedDict[int, PartitionBlock] = OrderedDict()
        self._partitions: dict[Partition, int] = {}
        self._revision: int | None = None
        self._space: Space | None = None
        self._rows: tuple[tuple[tuple[int, int], ...], ScopeRows] | None = None

    @property
    def memory_bytes(self) -> int:
        """About how much memory the loaded blocks take."""
        return sum(block.memory_bytes for block in self._blocks.values())

    @property
    def loaded(self) -> int:
        """How many partitions are loaded."""
        return len(self._blocks)

    def speaker_code(self, name: str) -> int:
        """A number for a speaker's name; spellings of one name have one number, in all partitions."""
        return self._codes.setdefault(("speaker", 0, name_key(name)), len(self._codes))

    def session_code(self, partition_id: int, session_id: str) -> int:
        """A number for a session of a partition; another user's session of the same name has another."""
        return self._codes.setdefault(("session", partition_id, session_id), len(self._codes))

    def follow(self, connection: Connection, space: Space | None) -> int:
        """The revision of the store, to which every loaded block is brought."""
        latest = revisions.latest(connection)
        if space != self._space:
            self._blocks.clear()
            self._space = space
        if self._revision is not None and self._blocks and latest != self._revision:
            changes = revisions.changes(connection, self._revision)
            if changes is None:
                self._blocks.clear()
            else:
                self._apply(connection, changes)
        self._revision = latest
        return latest

    def scope(self, connection: Connection, scope: Scope, arcs: ArcWeights) -> ScopeRows:
        """The blocks of a scope, loaded where they were not, side by side."""
        held: list[tuple[int, PartitionBlock]] = []
        for partition in scope.partitions:
            identity = self._partitions.get(partition) or partitions.find(connection, partition)
            if identity is not None:
                self._partitions[partition] = identity
                held.append((identity, self._block(connection, identity, partition, arcs)))
        self._evict({identity for identity, _ in held})
        key = tuple((block.serial, block.version) for _, block in held)
        if self._rows is None or self._rows[0] != key:
            self._rows = (key, ScopeRows(tuple(block for _, block in held)))
        return self._rows[1]

    def _block(self, connection: Connection, identity: int, partition: Partition, arcs: ArcWeights) -> PartitionBlock:
        block = self._blocks.get(identity)
        if block is None:
            block = self._load(connection, identity)
            self._blocks[identity] = block
            log.debug("loaded partition %d of agent %s", identity, partition.agent_id)
        self._blocks.move_to_end(identity)
        if block.arcs != arcs:
            block.connect(arcs, engine_rows.edges_of(connection, identity))
        return block

    def _load(self, connection: Connection, identity: int) -> PartitionBlock:
        space = self._space
        block = PartitionBlock(identity, self, None if space is None else space.dimension)
        block.put(engine_rows.memory_columns(connection, identity, None if space is None else space.id))
        block.entities.set_names(entities.of_partition(connection, identity))
        mentions = engine_rows.mentions_of(connection, identity)
        block.entities.set_mentions(mentions.memory_ids, mentions.entity_ids)
        block.entities.set_pairs(engine_rows.cooccurrences_of(connection, identity))
        return block

    def _evict(self, needed: set[int]) -> None:
        """Lets the least recently used blocks go until the limit holds; those of the running search stay."""
        total = self.memory_bytes
        for identity in list(self._blocks):
            if total <= self._memory_limit:
                return
            if identity not in needed:
                total -= self._blocks.pop(identity).memory_bytes

    def _apply(self, connection: Connection, changes: Sequence[Change]) -> None:
        by_partition: dict[int, list[Change]] = {}
        for change in changes:
            if change.partition_id in self._blocks:
                by_partition.setdefault(change.partition_id, []).append(change)
        for identity, lines in by_partition.items():
            block = self._blocks[identity]
            if len(lines) > max(1_000, len(block.rows)):
                del self._blocks[identity]
            else:
                self._bring_up(connection, identity, block, lines)

    def _bring_up(
        self, connection: Connection, identity: int, block: PartitionBlock, changes: Iterable[Change]
    ) -> None:
        touched: dict[ChangedTable, set[int]] = {table: set() for table in ChangedTable}
        deleted: dict[ChangedTable, set[int]] = {table: set() for table in ChangedTable}
        for change in changes:
            touched[change.table].add(change.id)
            if change.operation is Operation.DELETE:
                deleted[change.table].add(change.id)
        rewire = self._bring_memories(connection, identity, block, touched)
        if touched[ChangedTable.ENTITY] or touched[ChangedTable.ALIAS]:
            block.entities.set_names(entities.of_partition(connection, identity))
        rewire |= self._bring_mentions(connection, identity, block, touched, deleted)
        if touched[ChangedTable.COOCCURRENCE]:
            smaller = sorted(touched[ChangedTable.COOCCURRENCE])
            block.entities.set_pairs(engine_rows.cooccurrences_of(connection, identity, smaller), smaller)
        if deleted[ChangedTable.EDGE] or rewire:
            block.arcs = None
        elif touched[ChangedTable.EDGE]:
            block.add_edges(engine_rows.edges_of(connection, identity, sorted(touched[ChangedTable.EDGE])))
        block.version += 1

    def _bring_memories(
        self, connection: Connection, identity: int, block: PartitionBlock, touched: dict[ChangedTable, set[int]]
    ) -> bool:
        """Reloads what changed of memories and vectors; True when the order of turns changed in the past."""
        wanted = sorted(touched[ChangedTable.MEMORY] | touched[ChangedTable.VECTOR])
        if not wanted:
            return False
        columns = engine_rows.memory_columns(
            connection, identity, None if self._space is None else self._space.id, wanted
        )
        there = set(columns.ids)
        gone = [key for key in wanted if key not in there]
        known = block.rows.rows_of(np.array(columns.ids, np.int64))
        before = {
            key: (int(block.rows.column("next_id")[row]), int(block.rows.column("prev_id")[row]))
            for key, row in zip(columns.ids, known.tolist(), strict=True)
            if row >= 0
        }
        if gone:
            block.remove(gone)
        block.put(columns)
        rows = block.rows.rows_of(np.array(columns.ids, np.int64))
        block.add_turn_arcs(rows[rows >= 0])
        replaced = [
            old
            for key, *now in zip(columns.ids, columns.next_ids, columns.prev_ids, strict=True)
            for old, new in zip(before.get(key, (-1, -1)), now, strict=True)
            if old not in (-1, new or -1)
        ]
        return bool((block.rows.rows_of(np.array(replaced, np.int64)) >= 0).any())

    def _bring_mentions(
        self,
        connection: Connection,
        identity: int,
        block: PartitionBlock,
        touched: dict[ChangedTable, set[int]],
        deleted: dict[ChangedTable, set[int]],
    ) -> bool:
        """Reloads what changed of mentions; True when one was taken away."""
        if deleted[ChangedTable.MENTION]:
            mentions = engine_rows.mentions_of(connection, identity)
            block.entities.set_mentions(mentions.memory_ids, mentions.entity_ids)
            return True
        if touched[ChangedTable.MENTION]:
            mentions = engine_rows.mentions_of(connection, identity, sorted(touched[ChangedTable.MENTION]))
            block.entities.add_mentions(mentions.memory_ids, mentions.entity_ids)
            block.add_mentions(mentions.memory_ids, mentions.entity_ids)
        return False
