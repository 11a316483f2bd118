"""One partition in memory: its rows, vectors, postings, graph and entities, loaded whole and then kept up to date."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memcore.compute import Bm25Index, CognitiveGraphEngine, IntentEngine, hashes, token_stream
from memcore.dates import ends_in_question
from memcore.kinds import Channel, Kind, Layer
from memcore.mirror import graphs
from memcore.mirror.edges import EdgeTable, both_ways
from memcore.mirror.entities import EntityTable
from memcore.mirror.lives import life_of
from memcore.mirror.past import ChangedIds
from memcore.mirror.rows import KIND_CODES, RowTable
from memcore.pipeline.answers import what_it_holds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from memcore.mirror.graphs import ArcWeights
    from memcore.storage.engine_columns import EdgeColumns, MemoryColumns
    from memcore.storage.rows import EntityRow

__all__ = ["PartitionBlock"]

NO_KIND = 255  # a damaged byte
CHANNELS = frozenset((None, *Channel))
MOST_ACCESSES = 2**31 - 1  # a hand may write more than the column holds
_serial = count(1)


class Codes(Protocol):
    """Who gives numbers to names, so that they can be compared as arrays."""

    def speaker_code(self, name: str) -> int:
        """The number of a speaker."""
        ...

    def session_code(self, partition_id: int, session_id: str) -> int:
        """The number of a session of a partition."""
        ...

    def code(self, column: str, partition_id: int, key: str) -> int:
        """The number of what one of the two has as a key."""
        ...


class PartitionBlock:
    """The engines of one partition. `version` changes with every change of what a search could see.

    What no search may see has no row: a memory that is damaged, pending, rejected or ended, or of a layer that is off.
    """

    def __init__(
        self, partition_id: int, codes: Codes, dimension: int | None, layers: frozenset[Layer] = frozenset(Layer)
    ) -> None:
        self.partition_id = partition_id
        self.serial = next(_serial)
        self.version = 0
        self.past = ChangedIds()
        """Which memories are new, gone, or have another text or vector."""
        self.entity_version = 0
        """Changes with every change of an entity's name or vector."""
        self.rows = RowTable()
        self.entities = EntityTable()
        self.edges = EdgeTable()
        self.graph = CognitiveGraphEngine()
        self.bm25 = Bm25Index()
        self.vectors = None if dimension is None else IntentEngine(dimension, "sq8")
        self.entity_vectors = None if dimension is None else IntentEngine(dimension, "sq8")
        self.arcs: ArcWeights | None = None
        """The numbers that the graph was built with; None where it must be built anew."""
        self.unseen: set[int] = set()
        """The memories that are stored and have no row."""
        self._codes = codes
        self._layers = layers
        self._weighed = (-1, 0)

    @property
    def memory_bytes(self) -> int:
        """About how much memory the block takes; weighed once a version."""
        if self._weighed[0] != self.version:
            parts = (self.rows, self.entities, self.edges, self.graph, self.bm25, self.vectors, self.entity_vectors)
            self._weighed = (self.version, sum(part.memory_bytes for part in parts if part is not None))
        return self._weighed[1]

    def has_any(self, ids: Collection[int]) -> bool:
        """Whether one of some ids is a memory or an entity of the partition."""
        rows = self.rows.rows_of(np.fromiter(ids, np.int64))
        return bool((rows >= 0).any()) or not self.entities.names.keys().isdisjoint(ids)

    def put(self, columns: MemoryColumns) -> None:
        """Inserts or replaces memories and the vectors of entities; what no search may see is left out."""
        kinds = np.array([KIND_CODES.get(kind, NO_KIND) for kind in columns.kinds], np.uint8)  # type: ignore[call-overload]
        ids = np.array(columns.ids, np.int64)
        seen = self._seen(columns, kinds)
        entity = kinds == KIND_CODES[Kind.ENTITY]
        self._put_entities(ids, columns.sq8, entity & seen)
        kept = np.flatnonzero(~entity & seen)
        self._drop(ids[entity | ~seen])
        self.unseen.difference_update(columns.ids)
        self.unseen.update(ids[~entity & ~seen].tolist())
        streams = [_stream(columns, index) for index in kept.tolist()]
        blobs = [columns.sq8[index] for index in kept.tolist()]
        fresh = self._fresh(columns, ids, kinds, kept) | {
            "text": hashes(streams),
            "vector": hashes(blobs),
        }
        new_text, new_vector = self._changed(fresh, "text"), self._changed(fresh, "vector")
        self.rows.put(fresh)
        self.bm25.add_streams(ids[kept][new_text], [streams[place] for place in np.flatnonzero(new_text).tolist()])
        if self.vectors is not None:
            changed = np.flatnonzero(new_vector).tolist()
            _put_vectors(self.vectors, ids[kept][new_vector], [blobs[place] for place in changed])
        if (new_text | new_vector).any():
            self.past.note(int(ids[kept][new_text | new_vector].min()))
        self.version += 1

    def remove(self, ids: Sequence[int]) -> None:
        """Takes memories and entities out of every engine; ids that are not here do nothing."""
        array = np.array(sorted(ids), np.int64)
        self.unseen.difference_update(ids)
        self._drop(array)
        self.graph.remove_nodes(array)
        if self.entity_vectors is not None and self.entity_vectors.remove(array):
            self.entity_version += 1
        self.version += 1

    def set_names(self, entities: Iterable[EntityRow]) -> None:
        """Replaces the names and aliases of all entities."""
        self.entities.set_names(entities)
        self.entity_version += 1
        self.version += 1

    def connect(self, arcs: ArcWeights) -> None:
        """Builds the graph anew from the edges, the mentions and the order of turns."""
        self.graph = self.graph_of(self.edges.all, arcs)
        self.arcs = arcs
        self.version += 1

    def graph_of(self, edges: EdgeColumns, arcs: ArcWeights) -> CognitiveGraphEngine:
        """A graph of some edges, and of the mentions and turns that are here."""
        return graphs.connected(self.rows, edges, self.entities.mentions(), arcs, self.unseen_ids)

    def put_edges(self, sources: Sequence[int], edges: EdgeColumns) -> None:
        """Replaces the edges that start at `sources`; where one went, the graph must be connected anew."""
        if self.edges.set_from(sources, edges):
            self.arcs = None
        elif self.arcs is not None:
            graphs.add_edges(self.graph, both_ways(self.edges.at(sources)), self.unseen_ids)

    def add_mentions(self, memory_ids: NDArray[np.int64], entity_ids: NDArray[np.int64]) -> None:
        """Sets mention edges, in both directions."""
        if self.arcs is not None:
            graphs.add_mentions(self.graph, memory_ids, entity_ids, self.arcs.mention, self.rows)

    def add_turn_arcs(self, rows: NDArray[np.int64]) -> None:
        """Sets the arcs between rows and their neighbours in the conversation."""
        if self.arcs is not None:
            graphs.add_turn_arcs(self.graph, self.rows, rows, self.arcs)

    @property
    def unseen_ids(self) -> NDArray[np.int64]:
        """`unseen` as an array, in no order."""
        return np.fromiter(self.unseen, np.int64, len(self.unseen))

    def _seen(self, columns: MemoryColumns, kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which memories a search may see at some time."""
        seen: NDArray[np.bool_] = np.array(columns.intact, bool) & (kinds != NO_KIND) & np.array(columns.live, bool)
        if not CHANNELS.issuperset(columns.channels):
            seen &= np.array([channel in CHANNELS for channel in columns.channels], bool)
        for kind, code in KIND_CODES.items():
            if kind.layer not in self._layers:
                seen &= kinds != code
        return seen

    def _drop(self, ids: NDArray[np.int64]) -> None:
        """Takes memories out of rows, postings and vectors. Their arcs stay until the graph is connected anew."""
        if self.rows.remove(ids.tolist()):
            self.bm25.remove(ids)
            if self.vectors is not None:
                self.vectors.remove(ids)
            self.past.note(int(ids.min()))

    def _changed(self, fresh: dict[str, NDArray[Any]], name: str) -> NDArray[np.bool_]:
        """Which of the ascending rows of `fresh` are new, or have another value of one column."""
        rows = self.rows.rows_of(fresh["ids"])
        changed = rows < 0
        changed[~changed] = self.rows.column(name)[rows[~changed]] != fresh[name][~changed]
        return changed

    def _put_entities(self, ids: NDArray[np.int64], blobs: Sequence[bytes | None], chosen: NDArray[np.bool_]) -> None:
        if self.entity_vectors is None:
            return
        removed = self.entity_vectors.remove(ids[~chosen])
        places = np.flatnonzero(chosen).tolist()
        _put_vectors(self.entity_vectors, ids[chosen], [blobs[place] for place in places])
        if removed or places:
            self.entity_version += 1

    def _fresh(
        self, columns: MemoryColumns, ids: NDArray[np.int64], kinds: NDArray[np.uint8], kept: NDArray[np.int64]
    ) -> dict[str, NDArray[Any]]:
        def coded(values: Sequence[str | None], code: Callable[[str], int]) -> NDArray[np.int32]:
            chosen = (values[index] for index in kept.tolist())
            return np.fromiter((-1 if value is None else code(value) for value in chosen), np.int32)

        def neighbour(values: Sequence[int | None]) -> NDArray[np.int64]:
            return np.fromiter((values[index] or -1 for index in kept.tolist()), np.int64)

        places = kept.tolist()
        return {
            "ids": ids[kept],
            "event_time": np.array(columns.event_times, np.float64)[kept] / 1e6,
            "session": coded(columns.session_ids, partial(self._codes.session_code, self.partition_id)),
            "speaker": coded(columns.speakers, self._codes.speaker_code),
            "kind": kinds[kept],
            "importance": np.array(columns.base_importances, np.float32)[kept],
            "access_count": np.array(columns.access_counts, np.int64)[kept].clip(0, MOST_ACCESSES).astype(np.int32),
            "prev_id": neighbour(columns.prev_ids),
            "next_id": neighbour(columns.next_ids),
            "question": np.fromiter((ends_in_question(columns.contents[index]) for index in places), bool),
            "holds": np.fromiter((what_it_holds(columns.contents[index]) for index in places), np.uint8),
            "length": np.fromiter((_stream(columns, index).count(" ") + 1 for index in places), np.int32),
            **life_of(columns, kinds, kept),
        }


def _put_vectors(index: IntentEngine, ids: NDArray[np.int64], blobs: Sequence[bytes | None]) -> None:
    """Sets the vectors of ids, and takes away those of ids without one."""
    there = np.array([blob is not None for blob in blobs], bool)
    index.remove(ids[~there])
    if there.any():
        index.add_blobs(ids[there], [blob for blob in blobs if blob is not None])


def _stream(columns: MemoryColumns, index: int) -> str:
    """The stored token stream; a row that was edited by hand has none, and its content alone is analysed."""
    stream = columns.tokens[index]
    return token_stream(columns.contents[index]) if stream is None else stream
