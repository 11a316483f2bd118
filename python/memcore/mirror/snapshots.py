"""The engine snapshot as the mirror sees it: which of its partitions may be used, and what is to be written into it.

A partition in it is a block as it was at a moment of the store. It is used where it was made of the same store, space
and layers, for the same owner, and where the revision log tells everything since; then it is as good as a block that
has been in memory since that moment.
"""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from memcore.errors import EngineError
from memcore.mirror import atom_sections
from memcore.mirror.block import PartitionBlock
from memcore.mirror.sections import ENGINES, GRAPH, WORDS, fill, fill_graph, fill_words, sections_of
from memcore.storage import revisions
from memcore.storage.identity import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from memcore.compute import SnapshotPartition
    from memcore.kinds import Layer
    from memcore.mirror.block import Codes
    from memcore.scope import Partition
    from memcore.storage.engine_file import EngineFile, Section
    from memcore.storage.revisions import Moment
    from memcore.storage.rows import Change, Space

__all__ = ["Kept", "Present", "Snapshots"]

DAMAGE = (EngineError, IndexError, KeyError, TypeError, ValueError)
"""What is raised by sections that nobody wrote so."""
SHARE = 100
"""A partition is written anew once more than its rows over this number have changed: less is soon caught up with."""
log = logging.getLogger("memcore.mirror")


@dataclass(frozen=True, slots=True)
class Kept:
    """A block as it was at a moment, and what changed since."""

    block: PartitionBlock
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Present:
    """What a mirror holds at a moment of the store. `names`: what its codes stand for."""

    moment: Moment
    space: Space | None
    blocks: Sequence[tuple[PartitionBlock, Partition]]
    names: Mapping[int, str]
    atoms: Mapping[int, Mapping[str, object]]


class _About(NamedTuple):
    """What the file says of a partition: of what it was made and when, how much there is, how its graph was made."""

    made_of: dict[str, object]
    moment: list[Any]
    counts: dict[str, int]
    arcs: list[float | None] | None

    @classmethod
    def read(cls, text: str) -> Self | None:
        """What a text says; None where somebody else wrote it."""
        try:
            about = cls(**json.loads(text))
            return about if isinstance(about.then.revision, int) and about.counts["rows"] >= 0 else None
        except DAMAGE:
            return None

    @property
    def then(self) -> Moment:
        """The moment of the store."""
        revision, line, newest = self.moment
        return revisions.Moment(revision, line and tuple(line), newest and tuple(newest))


class Snapshots:
    """The snapshot of one store, for the mirror of one agent. Wants the mirror's lock to be held."""

    def __init__(self, file: EngineFile, layers: frozenset[Layer]) -> None:
        self._file = file
        self._layers = layers

    def load(
        self, connection: Connection, partition_id: int, owner: Partition, space: Space | None, codes: Codes
    ) -> Kept | None:
        """What the snapshot has of a partition; None where it has nothing that may be used."""
        store = identity(connection)
        found = None if store is None else self._file.open(store, partition_id)
        if found is None:
            return None
        about = _About.read(found.about)
        refused, changes = self._judged(connection, about, partition_id, owner, space)
        if refused is not None:
            log.debug("the engine snapshot of partition %d is not used: %s", partition_id, refused)
            return None
        block = PartitionBlock(partition_id, codes, None if space is None else space.dimension, self._layers)
        try:
            if about is not None and self._filled(block, found, about.counts, codes):
                return Kept(block, changes)
        except DAMAGE as error:
            self._file.refuse(f"partition {partition_id}: {error}")
        return None

    def _filled(self, block: PartitionBlock, found: SnapshotPartition, counts: Mapping[str, int], codes: Codes) -> bool:
        """Whether a block was filled; two threads read it, and make engines of what they read."""

        def done(names: Collection[str], made: Callable[[Mapping[str, Any]], None]) -> bool:
            sections = self._file.read(found, {name: ENGINES.get(name) for name in found.names if name in names})
            if sections is not None:
                made(sections)
            return sections is not None

        walked, worded = (
            partial(done, GRAPH, partial(fill_graph, block)),
            partial(done, WORDS, partial(fill_words, block)),
        )
        with ThreadPoolExecutor(1) as beside:
            graph, words = beside.submit(walked), beside.submit(worded)
            rest = done(set(found.names) - GRAPH - WORDS, lambda sections: fill(block, sections, counts, codes))
            own = worded() if words.cancel() else words.result()
            return graph.result() and own and rest

    def atoms(self, connection: Connection, partition_id: int) -> dict[str, object]:
        """What was made of the memories of scopes that end with a partition, by its name."""
        store = identity(connection)
        found = None if store is None else self._file.open(store, -partition_id)
        sections = None if found is None else self._file.read(found, atom_sections.kinds_of(found.names))
        if sections is not None:
            try:
                return atom_sections.made_of(sections)
            except DAMAGE as error:
                self._file.refuse(f"atoms of partition {partition_id}: {error}")
        return {}

    def due(self, connection: Connection, present: Present) -> Callable[[], int]:
        """What writes those blocks that the file has not, or not as they are by far, and says how many it wrote.

        The caller has the turn to write the database, until what this gives has returned. For that the mirror's lock
        is not wanted: nobody writes, so no block is changed meanwhile.
        """
        store = identity(connection)
        known = {} if store is None else self._file.kept(store)
        partitions: list[tuple[int, str, Sequence[Section]]] = []
        for block, owner in present.blocks:
            number = block.partition_id
            about = None if number not in known else _About.read(known[number])
            if not self._is_near(connection, block, owner, about, present.space):
                counts, sections = sections_of(block, present.names)
                made_of, arcs = self._made_of(owner, present.space), block.arcs and [*block.arcs]
                written = json.dumps(_About(made_of, [*present.moment], counts, arcs)._asdict())
                partitions.append((number, written, sections))
        for number, made in present.atoms.items():
            named = json.dumps(sorted(made))
            if known.get(-number) != named:
                partitions.append((-number, named, atom_sections.sections_of(made)))

        def write() -> int:
            if store is None or not partitions or not self._file.write(store, partitions):
                return 0
            return sum(number > 0 for number, *_ in partitions)

        return write

    def _is_near(
        self,
        connection: Connection,
        block: PartitionBlock,
        owner: Partition,
        about: _About | None,
        space: Space | None,
    ) -> bool:
        """Whether what the file has of a block is soon brought up to it."""
        number = block.partition_id
        if about is None or (block.arcs is not None and about.arcs != [*block.arcs]):
            return False
        refused, changes = self._judged(connection, about, number, owner, space)
        own = sum(change.partition_id == number for change in changes)
        return refused is None and own <= len(block.rows) // SHARE

    def _judged(
        self, connection: Connection, about: _About | None, partition_id: int, owner: Partition, space: Space | None
    ) -> tuple[str | None, Sequence[Change]]:
        """Why a partition in the file may not be used, or None and what changed since its moment."""
        if about is None or about.made_of != self._made_of(owner, space):
            return "it is another's, of another space, or of other layers", ()
        before = about.then
        changes = revisions.changes(connection, before.revision)
        if changes is None:
            return "the log does not reach back to it", ()
        if not revisions.follows(connection, before, changes):
            return "it is of another past", ()
        own = sum(change.partition_id == partition_id for change in changes)
        if own > max(1_000, about.counts["rows"]):
            return "too much has changed since", ()
        return None, changes

    def _made_of(self, owner: Partition, space: Space | None) -> dict[str, object]:
        """What a partition in the file must have been made of."""
        return {
            "owner": [owner.agent_id, owner.user_id],
            "space": None if space is None else [space.id, space.model, space.dimension],
            "layers": sorted(self._layers),
        }
