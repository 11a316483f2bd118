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
from typing import TYPE_CHECKING, Any

from memcore.errors import EngineError
from memcore.mirror import atom_sections
from memcore.mirror.block import PartitionBlock
from memcore.mirror.sections import WALKED, fill, fill_walked, sections_of
from memcore.storage import revisions
from memcore.storage.identity import identity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        about = json.loads(found.about)
        refused, changes = self._judged(connection, about, partition_id, owner, space)
        if refused is not None:
            log.debug("the engine snapshot of partition %d is not used: %s", partition_id, refused)
            return None
        block = PartitionBlock(partition_id, codes, None if space is None else space.dimension, self._layers)
        try:
            if self._filled(block, found, about["counts"], codes):
                return Kept(block, changes)
        except DAMAGE as error:
            self._file.refuse(f"partition {partition_id}: {error}")
        return None

    def _filled(self, block: PartitionBlock, found: SnapshotPartition, counts: Mapping[str, int], codes: Codes) -> bool:
        """Whether a block was filled; two threads read it, and make engines of what they read."""

        def walked() -> bool:
            sections = self._file.read(found, WALKED)
            if sections is not None:
                fill_walked(block, sections)
            return sections is not None

        with ThreadPoolExecutor(1) as beside:
            other = beside.submit(walked)
            sections = self._file.read(found, set(found.names) - WALKED)
            if sections is not None:
                fill(block, sections, counts, codes)
            return other.result() and sections is not None

    def atoms(self, connection: Connection, partition_id: int) -> dict[str, object]:
        """What was made of the memories of scopes that end with a partition, by its name."""
        store = identity(connection)
        found = None if store is None else self._file.open(store, -partition_id)
        sections = None if found is None else self._file.read(found)
        if sections is not None:
            try:
                return atom_sections.made_of(sections)
            except DAMAGE as error:
                self._file.refuse(f"atoms of partition {partition_id}: {error}")
        return {}

    def write(self, connection: Connection, present: Present) -> int:
        """How many blocks were written: those that the file has not, or not as they are by far.

        The caller has the turn to write the database.
        """
        store = identity(connection)
        if store is None:
            return 0
        known = self._file.kept(store)
        partitions: list[tuple[int, str, Sequence[Section]]] = []
        for block, owner in present.blocks:
            number = block.partition_id
            if number not in known or not self._is_near(
                connection, block, owner, json.loads(known[number]), present.space
            ):
                counts, sections = sections_of(block, present.names)
                about = self._about(owner, present.space) | {"moment": list(present.moment), "counts": counts}
                partitions.append((number, json.dumps(about), sections))
        for number, made in present.atoms.items():
            named = json.dumps(sorted(made))
            if known.get(-number) != named:
                partitions.append((-number, named, atom_sections.sections_of(made)))
        if not partitions or not self._file.write(store, partitions):
            return 0
        return sum(number > 0 for number, *_ in partitions)

    def _is_near(
        self,
        connection: Connection,
        block: PartitionBlock,
        owner: Partition,
        about: dict[str, Any],
        space: Space | None,
    ) -> bool:
        """Whether what the file has of a block is soon brought up to it."""
        number = block.partition_id
        refused, changes = self._judged(connection, about, number, owner, space)
        own = sum(change.partition_id == number for change in changes)
        return refused is None and own <= len(block.rows) // SHARE

    def _judged(
        self, connection: Connection, about: dict[str, Any], partition_id: int, owner: Partition, space: Space | None
    ) -> tuple[str | None, Sequence[Change]]:
        """Why a partition in the file may not be used, or None and what changed since its moment."""
        if any(about.get(name) != value for name, value in self._about(owner, space).items()):
            return "it is another's, of another space, or of other layers", ()
        revision, line, newest = about["moment"]
        before = revisions.Moment(revision, line and tuple(line), newest and tuple(newest))
        changes = revisions.changes(connection, revision)
        if changes is None:
            return "the log does not reach back to it", ()
        if not revisions.follows(connection, before, changes):
            return "it is of another past", ()
        own = sum(change.partition_id == partition_id for change in changes)
        if own > max(1_000, about["counts"]["rows"]):
            return "too much has changed since", ()
        return None, changes

    def _about(self, owner: Partition, space: Space | None) -> dict[str, object]:
        """What a partition in the file must have been made of."""
        return {
            "owner": [owner.agent_id, owner.user_id],
            "space": None if space is None else [space.id, space.model, space.dimension],
            "layers": sorted(self._layers),
        }
