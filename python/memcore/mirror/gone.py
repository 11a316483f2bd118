"""What left the searches since an earlier moment: rows that stand beside a block for a search of what was known then.

A block has no row for what no search may see (`block.PartitionBlock`). What was known at an earlier moment, and has
ended or was rejected since, is seen again by a search from that moment. So it gets a small block of its own, which the
present knows nothing of. Its entities are those of the block that it stands beside; arcs between turns join it only to
what left as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memcore.kinds import Kind
from memcore.mirror import graphs
from memcore.mirror.block import PartitionBlock
from memcore.storage.engine_columns import EdgeColumns

if TYPE_CHECKING:
    from memcore.compute import CognitiveGraphEngine
    from memcore.kinds import Layer
    from memcore.mirror.block import Codes
    from memcore.mirror.graphs import ArcWeights
    from memcore.storage.engine_columns import MemoryColumns

__all__ = ["GoneBlock"]


class GoneBlock(PartitionBlock):
    """The memories of a partition that left the searches since a moment, beside the block of those that are there."""

    def __init__(
        self,
        beside: PartitionBlock,
        columns: MemoryColumns,
        codes: Codes,
        dimension: int | None,
        layers: frozenset[Layer],
    ) -> None:
        super().__init__(beside.partition_id, codes, dimension, layers)
        self._beside = beside
        self.put(replace(columns, live=[int(kind != Kind.ENTITY) for kind in columns.kinds]))

    def graph_of(self, edges: EdgeColumns, arcs: ArcWeights) -> CognitiveGraphEngine:
        """A graph of the edges and mentions of what left."""
        own = self.rows.column("ids")
        touching = np.isin(edges.sources, own) | np.isin(edges.targets, own)
        edges = EdgeColumns(
            edges.sources[touching], edges.targets[touching], edges.strengths[touching], edges.types[touching]
        )
        unseen = np.setdiff1d(self._beside.unseen_ids, own)
        return graphs.connected(self.rows, edges, self._beside.entities.mentions(), arcs, unseen)
