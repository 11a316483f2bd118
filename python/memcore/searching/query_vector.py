"""The vectors that a query is searched with, and how near to nonsense it is."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from memcore.errors import ProviderError, without_values
from memcore.pipeline.dialogue import last_line, questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memcore.params import RetrievalParams
    from memcore.searching.request import SearchRequest
    from memcore.writing.vectors import VectorSource

__all__ = ["query_vector"]

log = logging.getLogger("memcore.search")


def query_vector(
    vectors: VectorSource, request: SearchRequest, params: RetrievalParams, problems: list[str]
) -> tuple[NDArray[np.float32] | None, float, tuple[NDArray[np.float32], ...]]:
    """The unit vector of the query, its likeness to nonsense, and the vectors of its questions where it asks several.

    None, with the reason in `problems`, when there is no embedder or it fails, and for marks without a word. A
    vector that is given is taken for meant: its likeness is −1.
    """
    if not params.enable_dense:
        return None, -1.0, ()
    if request.embedding is not None:
        exact = request.embedding.astype(np.float64)  # in float32 the square of a large or tiny number is lost
        unit: NDArray[np.float32] = (exact / np.linalg.norm(exact)).astype(np.float32)
        return unit, -1.0, ()
    if vectors.embedder is None or not _has_word(request.query):
        return None, -1.0, ()
    try:
        vectors.identity(vectors.embedder.dimension)
        last = last_line(request.query)
        asked = questions(request.query) if params.fusion_parts else ()
        matrix = vectors.embedder.embed([request.query, *asked] if last is None else [request.query, last], query=True)
        embedded = matrix[0] if last is None else _leaning(matrix[0], matrix[1], params.dialogue_last_line)
        nonsense = vectors.likeness_to_nonsense(embedded)
    except ProviderError as error:
        log.warning("searching by words and graph alone: %s", without_values(error))
        problems.append(f"no query vector: {error}")
        return None, -1.0, ()
    return embedded, nonsense, tuple(matrix[1:]) if asked else ()


def _leaning(whole: NDArray[np.float32], last: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """The unit vector of a conversation, leaning towards what is said now."""
    total = whole.astype(np.float64) + share * last
    length = float(np.linalg.norm(total))
    return whole if length == 0.0 else (total / length).astype(np.float32)


def _has_word(text: str) -> bool:
    """Whether a query says anything that a vector could stand for; marks alone are looked for letter by letter."""
    return any(character.isalnum() for character in text)
