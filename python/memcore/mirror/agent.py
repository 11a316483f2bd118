"""The mirror of one agent: its partitions' blocks, kept equal to the store by following the revision log."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from memcore.kinds import Layer
from memcore.mirror.atoms import AtomCache
from memcore.mirror.block import PartitionBlock
from memcore.mirror.gone import GoneBlock
from memcore.mirror.scope_rows import ScopeRows
from memcore.mirror.snapshots import Present, Snapshots
from memcore.names import name_key
from memcore.storage import engine_rows, entities, partitions, revisions
from memcore.storage.rows import ChangedTable, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from memcore.compute import CognitiveGraphEngine, IntentEngine
    from memcore.mirror.graphs import ArcWeights
    from memcore.scope import Partition, Scope
    from memcore.storage.engine_file import EngineFile
    from memcore.storage.rows import Change, Space

__all__ = ["AgentMirror"]

log = logging.getLogger("memcore.mirror")


class AgentMirror:
    """Blocks by partition, least recently used evicted. Every method but `lock` wants the lock to be held."""

    def __init__(
        self,
        agent_id: str,
        memory_limit: int,
        layers: frozenset[Layer] = frozenset(Layer),
        snapshot: EngineFile | None = None,
    ) -> None:
        """`snapshot` is where blocks are kept beside the database; None for nowhere."""
        self.lock = threading.RLock()
        self.atoms = AtomCache()
        self._codes: dict[tuple[str, int, str], int] = {}
        self._agent_id = agent_id
        self._memory_limit = memory_limit
        self._layers = layers
        self._snapshots = None if snapshot is None else Snapshots(snapshot, layers)
        self._blocks: OrderedDict[int, PartitionBlock] = OrderedDict()
        self._partitions: dict[Partition, int] = {}
        self._moment: revisions.Moment | None = None
        self._is_whole = True
        self._space: Space | None = None
        self._rows: tuple[tuple[tuple[int, int], ...], ScopeRows] | None = None
        self._gone: tuple[tuple[object, ...], ScopeRows] | None = None

    @property
    def memory_bytes(self) -> int:
        """About how much memory the loaded blocks take."""
        return sum(block.memory_bytes for block in self._blocks.values())

    @property
    def loaded(self) -> int:
        """How many partitions are loaded."""
        return len(self._blocks)

    @property
    def keeps(self) -> bool:
        """Whether blocks are kept beside the database."""
        return self._snapshots is not None

    def speaker_code(self, name: str) -> int:
        """A number for a speaker's name; spellings of one name have one number, in all partitions."""
        return self.code("speaker", 0, name_key(name))

    def session_code(self, partition_id: int, session_id: str) -> int:
        """A number for a session of a partition; another user's session of the same name has another."""
        return self.code("session", partition_id, session_id)

    def code(self, column: str, partition_id: int, key: str) -> int:
        """The number of a key in a column; speakers are of no partition (0)."""
        return self._codes.setdefault((column, partition_id, key), len(self._codes))

    def forget(self) -> None:
        """Has everything loaded anew when it is next needed."""
        self._blocks.clear()
        self._partitions.clear()
        self._rows = self._gone = None

    def follow(self, connection: Connection, space: Space | None) -> int:
        """The revision of the store, to which every loaded block is brought. `scope` or `vectors_of` must come next.

        What an exception (an interrupt too) leaves between here and the end of that is half done, and forgotten by the
        next call.
        """
        if not self._is_whole or space != self._space:
            self.forget()
        self._is_whole = False
        self._space = space
        moment = revisions.moment(connection)
        if self._moment is not None and self._blocks:
            changes = revisions.changes(connection, self._moment.revision)
            if changes is None or not revisions.follows(connection, self._moment, changes):
                self.forget()
            elif changes:
                self._apply(connection, changes, self._blocks)
        self._moment = moment
        return moment.revision

    def scope(self, connection: Connection, scope: Scope, arcs: ArcWeights) -> ScopeRows:
        """The blocks of a scope, loaded where they were not, side by side; after `follow`."""
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
        rows = self._rows[1]
        self._is_whole = True
        return rows

    def with_gone(self, connection: Connection, rows: ScopeRows, ids: Iterable[int]) -> ScopeRows:
        """The rows of a scope, and beside them those of memories that have none since they left the searches.

        What is of none of its partitions, or may not be shown for another reason, has none here either. The last is
        remembered, for as long as nothing changes.
        """
        gone = tuple(sorted(ids))
        if not gone:
            return rows
        key = (*((block.serial, block.version) for block in rows.blocks), gone)
        if self._gone is None or self._gone[0] != key:
            space, beside = self._space, []
            for block in rows.blocks:
                columns = engine_rows.memory_columns(
                    connection, block.partition_id, None if space is None else space.id, gone
                )
                found = GoneBlock(block, columns, self, None if space is None else space.dimension, self._layers)
                beside += [found] if len(found.rows) else []
            self._gone = (key, ScopeRows((*rows.blocks, *beside)) if beside else rows)
        return self._gone[1]

    def graphs_then(
        self, connection: Connection, scope: ScopeRows, arcs: ArcWeights, at: int, known_at: int | None
    ) -> list[CognitiveGraphEngine]:
        """The graphs of a scope as they were at a moment of the world (microseconds), made for this one search."""
        if Layer.ASSOCIATION not in self._layers:
            return [block.graph for block in scope.blocks]
        return [
            block.graph_of(engine_rows.edges_then(connection, block.partition_id, at, known_at), arcs)
            for block in scope.blocks
        ]

    def vectors_of(self, connection: Connection, partition: Partition) -> IntentEngine | None:
        """The vectors of a partition's memories, loaded where they were not; None where it has none. After `follow`."""
        identity = self._partitions.get(partition) or partitions.find(connection, partition)
        block: PartitionBlock | None = None
        if identity is not None:
            self._partitions[partition] = identity
            block = self._held(connection, identity, partition)
            self._evict({identity})
        self._is_whole = True
        return None if block is None else block.vectors

    def keep(self, connection: Connection) -> int:
        """How many blocks were written into the snapshot, as they are now; in a turn to write the database."""
        if self._snapshots is None or not self._is_whole:
            return 0
        self.follow(connection, self._space)
        self._is_whole = True
        if self._moment is None:
            return 0
        owners = {identity: partition for partition, identity in self._partitions.items()}
        held = [(block, owners[identity]) for identity, block in self._blocks.items() if identity in owners]
        names = {code: name for (_, _, name), code in self._codes.items()}
        atoms = self.atoms.standing([block for block, _ in held])
        return self._snapshots.write(connection, Present(self._moment, self._space, held, names, atoms))

    def _block(self, connection: Connection, identity: int, partition: Partition, arcs: ArcWeights) -> PartitionBlock:
        block = self._held(connection, identity, partition)
        if block.arcs != arcs:
            block.connect(arcs)
        return block

    def _held(self, connection: Connection, identity: int, partition: Partition) -> PartitionBlock:
        block = self._blocks.get(identity)
        if block is None:
            block = self._kept(connection, identity, partition) or self._load(connection, identity)
            self._blocks[identity] = block
            log.debug("loaded partition %d of agent %s", identity, partition.agent_id)
        self._blocks.move_to_end(identity)
        return block

    def _kept(self, connection: Connection, identity: int, partition: Partition) -> PartitionBlock | None:
        """The block that the snapshot has, brought to the present; None where it has none that can be."""
        if self._snapshots is None:
            return None
        found = self._snapshots.load(connection, identity, partition, self._space, self)
        if found is None:
            return None
        self.atoms.remember(self._snapshots.atoms(connection, identity))
        blocks = OrderedDict({identity: found.block})
        self._apply(connection, found.changes, blocks)
        return blocks.get(identity)

    def _load(self, connection: Connection, identity: int) -> PartitionBlock:
        space = self._space
        block = PartitionBlock(identity, self, None if space is None else space.dimension, self._layers)
        block.put(engine_rows.memory_columns(connection, identity, None if space is None else space.id))
        if Layer.ASSOCIATION in self._layers:
            block.edges.set_all(engine_rows.edges_of(connection, identity))
        if Layer.ENTITIES in self._layers:
            block.set_names(entities.of_partition(connection, identity))
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

    def _apply(self, connection: Connection, changes: Sequence[Change], held: OrderedDict[int, PartitionBlock]) -> None:
        """Brings the blocks that are `held` through some changes; those that cannot be brought leave."""
        by_partition: dict[int, list[Change]] = {}
        _let_go_of_moved(changes, held)
        for change in changes:
            if change.table is ChangedTable.PURGE:  # nobody has this number any more, and who had it has another
                held.pop(change.partition_id, None)
                self._partitions.clear()
        for change in changes:
            if change.partition_id in held:
                by_partition.setdefault(change.partition_id, []).append(change)
        for identity, lines in by_partition.items():
            block = held[identity]
            if len(lines) > max(1_000, len(block.rows)):
                del held[identity]
            else:
                self._bring_up(connection, identity, block, lines)
        self._rename(connection, changes, held)

    def _rename(
        self, connection: Connection, changes: Sequence[Change], held: OrderedDict[int, PartitionBlock]
    ) -> None:
        """Rereads the names of the blocks that know an entity that changed; a shared one is known in several."""
        if Layer.ENTITIES not in self._layers:
            return
        memories = {change.id for change in changes if change.table is ChangedTable.MEMORY}
        renamed = {
            change.partition_id for change in changes if change.table in (ChangedTable.ENTITY, ChangedTable.ALIAS)
        }
        for identity, block in held.items():
            known = block.entities.names.keys() | block.entities.unseen
            if identity in renamed or not known.isdisjoint(memories):
                block.set_names(entities.of_partition(connection, identity))

    def _bring_up(
        self, connection: Connection, identity: int, block: PartitionBlock, changes: Sequence[Change]
    ) -> None:
        touched: dict[ChangedTable, set[int]] = {table: set() for table in ChangedTable}
        for change in changes:
            touched[change.table].add(change.id)
        inserted = {
            change.id
            for change in changes
            if change.table is ChangedTable.MEMORY and change.operation is Operation.INSERT
        }
        self._bring_memories(connection, identity, block, touched, inserted)
        if Layer.ENTITIES in self._layers:
            moved = any(
                change.table is ChangedTable.MENTION and change.operation is not Operation.INSERT for change in changes
            )
            self._bring_mentions(connection, identity, block, None if moved else touched[ChangedTable.MENTION])
            if smaller := sorted(touched[ChangedTable.COOCCURRENCE]):
                block.entities.set_pairs(engine_rows.cooccurrences_of(connection, identity, smaller), smaller)
        if (sources := sorted(touched[ChangedTable.EDGE])) and Layer.ASSOCIATION in self._layers:
            block.put_edges(sources, engine_rows.edges_of(connection, identity, sources))
        block.version += 1

    def _bring_memories(
        self,
        connection: Connection,
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
        space = None if self._space is None else self._space.id
        columns = engine_rows.memory_columns(connection, identity, space, wanted)
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

    def _bring_mentions(
        self, connection: Connection, identity: int, block: PartitionBlock, of: set[int] | None
    ) -> None:
        """Adds the mentions of some memories; None: rereads them all, and has the graph connected anew."""
        if of is None:
            mentions = engine_rows.mentions_of(connection, identity)
            block.entities.set_mentions(mentions.memory_ids, mentions.entity_ids)
            block.arcs = None
        elif of:
            mentions = engine_rows.mentions_of(connection, identity, sorted(of))
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
