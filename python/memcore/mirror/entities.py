"""The entities of a partition: their names, who mentions them, and how often two were written together."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from memcore.mirror.naming import NameIndex
from memcore.names import name_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from memcore.storage.engine_columns import CooccurrenceColumns
    from memcore.storage.rows import EntityRow

__all__ = ["EntityTable"]

NOBODY = np.empty(0, np.int64)
ENTITY_BYTES = 400
PAIR_BYTES = 200
MENTION_BYTES = 8


class EntityTable:
    """Names, mentions and co-occurrence counts of one partition."""

    def __init__(self) -> None:
        self.names: dict[int, tuple[str, ...]] = {}
        self.unseen: frozenset[int] = frozenset()
        """The entities that no search may see: pending, or ended."""
        self.by_name = NameIndex()
        self._mentions: dict[int, NDArray[np.int64]] = {}
        self._mention_count = 0
        self._pairs: dict[int, dict[int, int]] = {}
        self._reverse: defaultdict[int, set[int]] = defaultdict(set)

    @property
    def memory_bytes(self) -> int:
        """About what names, mentions and counts take."""
        pairs = sum(len(companions) for companions in self._pairs.values())
        return (
            MENTION_BYTES * self._mention_count
            + ENTITY_BYTES * (len(self.names) + len(self._mentions))
            + PAIR_BYTES * pairs
        )

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the entities that have a name here."""
        return np.fromiter(self.names, np.int64)

    def set_names(self, entities: Iterable[EntityRow]) -> None:
        """Replaces all names and aliases."""
        known = list(entities)
        self.names = {entity.id: (entity.name, *entity.aliases) for entity in known if entity.live}
        self.unseen = frozenset(entity.id for entity in known if not entity.live)
        keys: defaultdict[str, set[int]] = defaultdict(set)
        for identity, names in self.names.items():
            for name in names:
                keys[name_key(name)].add(identity)
        self.by_name = NameIndex({key: tuple(sorted(ids)) for key, ids in keys.items() if key})

    def set_mentions(self, memory_ids: NDArray[np.int64], entity_ids: NDArray[np.int64]) -> None:
        """Replaces all mentions."""
        memories, entities = memory_ids, entity_ids
        same = entities[1:] == entities[:-1]
        if not np.where(same, memories[1:] >= memories[:-1], entities[1:] > entities[:-1]).all():
            order = np.lexsort((memory_ids, entity_ids))
            memories, entities = memory_ids[order], entity_ids[order]
            same = entities[1:] == entities[:-1]
        self._mention_count = len(memories)
        starts = np.flatnonzero(~same) + 1
        keys = entities[[0, *starts.tolist()]].tolist() if len(entities) else []
        self._mentions = dict(zip(keys, np.split(memories, starts), strict=True)) if keys else {}

    def add_mentions(self, memory_ids: NDArray[np.int64], entity_ids: NDArray[np.int64]) -> None:
        """Adds mentions; those that are there stay."""
        for identity in np.unique(entity_ids).tolist():
            fresh = np.sort(memory_ids[entity_ids == identity])
            held = self._mentions.get(identity, NOBODY)
            newer = not len(held) or held[-1] < fresh[0]
            merged = np.concatenate([held, fresh]) if newer else np.union1d(held, fresh)
            self._mention_count += len(merged) - len(held)
            self._mentions[identity] = merged

    def mentioning(self, entity_id: int) -> NDArray[np.int64]:
        """The memory ids that mention an entity, ascending."""
        return self._mentions.get(entity_id, NOBODY)

    def mentions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every mention, as memory ids and the entity ids that they mention."""
        if not self._mentions:
            return NOBODY, NOBODY
        counts = [len(held) for held in self._mentions.values()]
        return np.concatenate(list(self._mentions.values())), np.repeat(np.fromiter(self._mentions, np.int64), counts)

    def set_pairs(self, columns: CooccurrenceColumns, of: Iterable[int] | None = None) -> None:
        """Replaces the counts of some smaller entities (`of`), or all of them."""
        if of is None:
            self._pairs.clear()
            self._reverse.clear()
        else:
            for smaller in of:
                for larger in self._pairs.pop(smaller, {}):
                    self._reverse[larger].discard(smaller)
        for a, b, count in zip(
            columns.entity_a_ids.tolist(), columns.entity_b_ids.tolist(), columns.counts.tolist(), strict=True
        ):
            self._pairs.setdefault(a, {})[b] = count
            self._reverse[b].add(a)

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Every pair with its count: the smaller entities, the larger ones, the counts."""
        triples = [(a, b, count) for a, larger in self._pairs.items() for b, count in larger.items()]
        columns = np.array(triples, np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1], columns[:, 2]

    def companions(self, entity_id: int) -> dict[int, int]:
        """The other entity of each pair, and its count, from both sides of the pair."""
        counts = dict(self._pairs.get(entity_id, {}))
        for smaller in self._reverse.get(entity_id, ()):
            counts[smaller] = counts.get(smaller, 0) + self._pairs[smaller][entity_id]
        return counts
