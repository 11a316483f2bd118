"""The mirror of one agent: its partitions' blocks, kept equal to the store by following the revision log."""

from __future__ import annotations

import logging
import operator
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from memcore.kinds import Layer
from memcore.mirror.atoms import AtomCache
from memcore.mirror.block import PartitionBlock
from memcore.mirror.following import Following
from memcore.mirror.gone import GoneBlock
from memcore.mirror.scope_rows import ScopeRows
from memcore.mirror.snapshots import Present, Snapshots
from memcore.names import name_key
from memcore.storage import engine_rows, entities, partitions, revisions
from memcore.storage.rows import ChangedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import Connection

    from memcore.compute import CognitiveGraphEngine, IntentEngine
    from memcore.mirror.graphs import ArcWeights
    from memcore.scope import Partition, Scope
    from memcore.storage.engine_file import EngineFile
    from memcore.storage.rows import Change, Space

__all__ = ["AgentMirror"]

log = logging.getLogger("memcore.mirror")

SPEAKERS_REMEMBERED = 10_000
"""Spellings whose codes are found without folding them again."""


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
        self.changed = 0
        """How many changes came in since the snapshot was last looked after; a memory that was loaded counts as one."""
        self._codes: dict[tuple[str, int, str], int] = {}
        self._speakers: dict[str, int] = {}
        self._agent_id = agent_id
        self._memory_limit = memory_limit
        self._layers = layers
        self._snapshots = None if snapshot is None else Snapshots(snapshot, layers)
        self._blocks: OrderedDict[int, PartitionBlock] = OrderedDict()
        self._partitions: dict[Partition, int] = {}
        self._moment: revisions.Moment | None = None
        self._seen: tuple[object, int, int] | None = None
        self._absent: set[Partition] = set()
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
        code = self._speakers.get(name)
        if code is None:
            code = self.code("speaker", 0, name_key(name))
            if len(self._speakers) < SPEAKERS_REMEMBERED:
                self._speakers[name] = code
        return code

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
        self._seen, self._absent = None, set()
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
        seen = revisions.seen_by(connection)
        if self._moment is not None and self._seen is not None and all(map(operator.eq, self._seen, seen)):
            return self._moment.revision
        self._seen, self._absent = None, set()
        moment = revisions.moment(connection)
        if self._moment is not None and self._blocks:
            changes = revisions.changes(connection, self._moment.revision)
            if changes is None or not revisions.follows(connection, self._moment, changes):
                self.forget()
            elif changes:
                self.changed += len(changes)
                self._apply(connection, changes, self._blocks)
        self._moment, self._seen = moment, seen
        return moment.revision

    def scope(self, connection: Connection, scope: Scope, arcs: ArcWeights) -> ScopeRows:
        """The blocks of a scope, loaded where they were not, side by side; after `follow`."""
        held: list[tuple[int, PartitionBlock]] = []
        for partition in scope.partitions:
            identity = self._partition(connection, partition)
            if identity is not None:
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
        identity = self._partition(connection, partition)
        block: PartitionBlock | None = None
        if identity is not None:
            block = self._held(connection, identity, partition)
            self._evict({identity})
        self._is_whole = True
        return None if block is None else block.vectors

    def _partition(self, connection: Connection, partition: Partition) -> int | None:
        """The number of a partition; None while nothing was written to it, as is remembered until something is."""
        identity = self._partitions.get(partition)
        if identity is None and partition not in self._absent:
            identity = partitions.find(connection, partition)
            if identity is None:
                self._absent.add(partition)
            else:
                self._partitions[partition] = identity
        return identity

    def due(self, connection: Connection) -> Callable[[], int]:
        """What writes the blocks into the snapshot as they are now, and says how many; see `Snapshots.due`."""
        if self._snapshots is None or not self._is_whole:
            return lambda: 0
        self.follow(connection, self._space)
        self._is_whole = True
        self.changed = 0
        if self._moment is None:
            return lambda: 0
        owned = ((block, partitions.owner_of(connection, identity)) for identity, block in self._blocks.items())
        held = [(block, owner) for block, owner in owned if owner is not None]
        names = {code: name for (_, _, name), code in self._codes.items()}
        atoms = self.atoms.standing([block for block, _ in held])
        return self._snapshots.due(connection, Present(self._moment, self._space, held, names, atoms))

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
        for columns in engine_rows.memory_parts(connection, identity, None if space is None else space.id):
            block.put(columns)
        if Layer.ASSOCIATION in self._layers:
            block.edges.set_all(engine_rows.edges_of(connection, identity))
        if Layer.ENTITIES in self._layers:
            block.set_names(entities.of_partition(connection, identity))
            mentions = engine_rows.mentions_of(connection, identity)
            block.entities.set_mentions(mentions.memory_ids, mentions.entity_ids)
            block.entities.set_pairs(engine_rows.cooccurrences_of(connection, identity))
        self.changed += len(block.rows)
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
        if any(change.table is ChangedTable.PURGE for change in changes):
            self._partitions.clear()
        Following(connection, self._space, self._layers).apply(changes, held)
