"""What the benchmarks of whole searches and starts ask of a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["USER", "Memories", "Store"]

USER = "u0"


@dataclass(frozen=True, slots=True)
class Memories:
    """Texts with their vectors, numbered from `first` on; the number is the key in every store."""

    first: int
    texts: Sequence[str]
    vectors: NDArray[Any]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def places(self) -> range:
        return range(self.first, self.first + len(self.texts))

    def parts(self, size: int) -> Iterator[Memories]:
        """In order, at most `size` in each."""
        for start in range(0, len(self), size):
            stop = start + size
            yield Memories(self.first + start, self.texts[start:stop], self.vectors[start:stop])


class Store(ABC):
    """A store in a folder, of the memories of one user. What a store does not do better stays as it is here."""

    @abstractmethod
    def __init__(self, folder: Path, dimension: int) -> None:
        """Opens what is in the folder, or begins."""

    @abstractmethod
    def add_many(self, memories: Memories) -> None:
        """Stores a batch."""

    def add(self, memories: Memories) -> None:
        """Stores one memory, as durably as the store does by default."""
        self.add_many(memories)

    def settle(self) -> None:  # noqa: B027 - most makers advise nothing
        """Does what the store's makers advise after many memories were added: nothing, for most."""

    @abstractmethod
    def search(self, text: str, vector: NDArray[Any], limit: int) -> list[tuple[int, str]]:
        """The places and texts of the best memories, best first."""

    def nearest(self, vector: NDArray[Any], limit: int) -> list[int]:
        """The places of the nearest vectors, by the index that `search` uses."""
        return [place for place, _ in self.search("?", vector, limit)]

    @abstractmethod
    def close(self) -> None:
        """Lets go of files and memory; what was added is in the folder."""
