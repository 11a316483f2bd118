"""What the models that run in this process have in common: loaded once, late; questions asked again are remembered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from memcore.embedding.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memcore.embedding.loading import LoadedOnce

__all__ = ["LocalEmbedder"]

_REMEMBERED_QUERIES = 64


class LocalEmbedder(ABC):
    """An embedder whose model comes with a package. All instances in a process share the model.

    Each text is embedded by itself: in a batch the order of summation, and with it the last bits of a vector, would
    depend on its neighbours.
    """

    name: ClassVar[str]
    dimension: ClassVar[int]
    loading_time: ClassVar[str]
    """How long the model takes to load, in words."""
    model: ClassVar[LoadedOnce[Any]]
    longest: ClassVar[int]
    """How many characters of a text are read."""

    def __init__(self) -> None:
        self._remembered = lru_cache(maxsize=_REMEMBERED_QUERIES)(self._query_vector)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, loaded={self.loaded})"

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory, so that the next text costs milliseconds."""
        return self.model.ready

    def warm(self) -> None:
        """Start loading the model in a background thread; returns at once."""
        self.model.warm()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit rows (n, dimension); `query` says that the texts are questions, of which the last 64 are remembered.

        Raises:
            ProviderError: the model cannot be loaded.
        """
        import numpy as np

        one = self._remembered if query else self._text_vector
        answer = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            answer[row] = one(plain_text(text, self.longest))
        return answer

    @abstractmethod
    def _text_vector(self, text: str) -> NDArray[np.float32]:
        """The vector of one text that is searched, (dimension,)."""

    def _query_vector(self, text: str) -> NDArray[np.float32]:
        """The vector of one question, (dimension,); unless said otherwise it is embedded like a text."""
        return self._text_vector(text)
