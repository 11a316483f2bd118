"""The memories of a partition whose vectors are closest to others: exact, over all that the mirror has of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from memcore.mirror.agent import AgentMirror
    from memcore.scope import Partition
    from memcore.storage.database import Database
    from memcore.storage.rows import Space

__all__ = ["NearVectors"]


@dataclass(frozen=True, slots=True)
class NearVectors:
    """The near vectors of an open store; `space_of` says in which space its vectors are."""

    mirror: AgentMirror
    database: Database
    space_of: Callable[[Connection], Space | None]

    def __call__(self, partition: Partition, matrix: NDArray[np.float32], most: int) -> list[list[tuple[int, float]]]:
        """For each row of `matrix` (n, d) at most `most` memories as (id, cosine), closest first, then the smaller id.

        Takes the mirror's lock, and so is called outside any transaction.
        """
        with self.mirror.lock, self.database.read() as connection:
            self.mirror.follow(connection, self.space_of(connection))
            index = self.mirror.vectors_of(connection, partition)
            if index is None or not len(index):
                return [[] for _ in matrix]
            ids, cosines = index.search(matrix, k=most)
        return [list(zip(row, values, strict=True)) for row, values in zip(ids.tolist(), cosines.tolist(), strict=True)]
