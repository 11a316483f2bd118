"""A stand-in for tests: hashed n-grams, quick and the same everywhere, with no meaning in them.

Weinberger et al. (2009), "Feature Hashing for Large Scale Multitask Learning": each feature adds a signed 1 to one
place. Texts are near each other when they share words or characters, not when they mean the same. Never a default.
"""

from __future__ import annotations

import unicodedata
import zlib
from typing import TYPE_CHECKING

from memcore.embedding.port import LARGEST_DIMENSION
from memcore.embedding.text import plain_text
from memcore.errors import InvalidInputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["HashingEmbedder"]

_LONGEST = 8_000
_ANY_TEXT = 0.01  # at place 0 of every text, so that no text, not even the empty one, is the zero vector


class HashingEmbedder:
    """Hashed words and character trigrams; for tests only."""

    name = "hashing-standin"

    def __init__(self, dimension: int = 256) -> None:
        """Choose the length of the vectors.

        Raises:
            InvalidInputError: `dimension` is no integer from 2 to 65,536.
        """
        if isinstance(dimension, bool) or not isinstance(dimension, int) or not 2 <= dimension <= LARGEST_DIMENSION:
            raise InvalidInputError(
                f"dimension: {shown(dimension)} is not accepted; give an integer from 2 to {LARGEST_DIMENSION}"
            )
        self.dimension = dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002  # the port's
        """Unit rows (n, dimension); questions and texts are embedded alike."""
        import numpy as np

        answer = np.zeros((len(texts), self.dimension), dtype=np.float64)
        answer[:, 0] = _ANY_TEXT
        for row, text in enumerate(texts):
            for feature in _features(text):
                code = zlib.crc32(feature.encode("utf-8"))
                answer[row, 1 + (code >> 1) % (self.dimension - 1)] += 1.0 if code & 1 else -1.0
        answer /= np.linalg.norm(answer, axis=1, keepdims=True)
        return answer.astype(np.float32)


def _features(text: str) -> Iterator[str]:
    """The words of `text`, and the character trigrams (with one space around) of each."""
    folded = unicodedata.normalize("NFKC", plain_text(text, _LONGEST)).casefold()
    for word in folded.split():
        yield word
        padded = f" {word} "
        for start in range(len(padded) - 2):
            yield padded[start : start + 3]
