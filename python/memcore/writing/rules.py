"""What a store decides by: its parameters, the layers that are on, the blocks it gave, and its port to near vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from memcore.kinds import Kind, Layer
from memcore.params import RetrievalParams
from memcore.values import value
from memcore.writing.echo import GivenBlocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memcore.scope import Partition

__all__ = ["Nearest", "Rules"]


class Nearest(Protocol):
    """Finds the memories of a partition whose vectors are closest to some vectors."""

    def __call__(
        self, partition: "Partition", matrix: "NDArray[np.float32]", most: int
    ) -> "Sequence[Sequence[tuple[int, float]]]":
        """For each row of `matrix` (n, d) at most `most` memories as (id, cosine), closest first."""
        ...


@value
class Rules:
    """One set for one write. Without `nearest` nothing is merged for being alike, without `blocks` none was given."""

    params: RetrievalParams = field(default_factory=RetrievalParams)
    layers: frozenset[Layer] = frozenset(Layer)
    retention_days: Mapping[Kind, int] = field(default_factory=lambda: MappingProxyType({}))
    blocks: GivenBlocks | None = None
    nearest: Nearest | None = None
