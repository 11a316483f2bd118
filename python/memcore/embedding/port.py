"""What an embedder is, and the one place where its answers are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from memcore.embedding.text import plain_text
from memcore.errors import InvalidInputError, MemcoreError, ProviderError, shown
from memcore.scope import checked_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LARGEST_DIMENSION", "CheckedEmbedder", "Embedder", "checked", "unit_rows"]

LARGEST_DIMENSION = 65_536
"""The most numbers of a vector; the engine takes no longer ones."""
_BATCH = 60  # three requests of an endpoint's 20


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. Any object with these three is one."""

    @property
    def name(self) -> str:
        """Which model this is. Vectors of two names are never compared."""

    @property
    def dimension(self) -> int:
        """The length of each vector."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One row a text, (n, dimension). `query` says that the texts are questions, not what is searched."""


class CheckedEmbedder:
    """An embedder whose rows are finite, of its dimension and of length 1, or which raises ProviderError.

    No message holds a text: a row is named by its place in the input.
    """

    def __init__(self, embedder: Embedder, *, batch: int = _BATCH) -> None:
        """Wrap `embedder`, which is asked for at most `batch` texts at a time.

        Raises:
            InvalidInputError: its name is blank or cannot be stored (see `scope.checked_name`), or `batch` is below 1.
            ProviderError: it cannot say its name.
        """
        name = checked_name("embedder.name", _asked_name(embedder))
        if not name.strip():
            raise InvalidInputError(f"embedder.name: {shown(name)} is not accepted; give a name that is not blank")
        if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
            raise InvalidInputError(f"batch: {shown(batch)} is not accepted; give an integer of at least 1")
        self.wrapped = embedder
        self.name = name
        self._batch = batch
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return f"CheckedEmbedder({self.name!r})"

    @property
    def dimension(self) -> int:
        """The length of each vector, asked of the embedder once.

        Raises:
            ProviderError: the embedder cannot say, or says something that is no integer from 1 to 65,536.
        """
        if self._dimension is None:
            self._dimension = self._asked_dimension()
        return self._dimension

    @property
    def known_dimension(self) -> int | None:
        """The length of each vector; None where that could only be learnt by embedding a text, or not at all."""
        if self._dimension is None and getattr(self.wrapped, "knows_dimension", True):
            try:
                return self.dimension
            except ProviderError:
                return None
        return self._dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit rows (n, dimension), float32, in the order of `texts`; no texts give no rows.

        Raises:
            InvalidInputError: `texts` is not a sequence of strings.
            ProviderError: the embedder failed, or answered with something unusable.
        """
        import numpy as np

        asked = _checked_texts(texts)
        answer = np.empty((len(asked), self.dimension), dtype=np.float32)
        for start in range(0, len(asked), self._batch):
            part = asked[start : start + self._batch]
            answer[start : start + len(part)] = unit_rows(
                self._answer(part, query=query), rows=len(part), dimension=self.dimension, name=self.name, first=start
            )
        return answer

    def _answer(self, texts: list[str], *, query: bool) -> object:
        try:
            return self.wrapped.embed(texts, query=query)
        except MemcoreError:
            raise
        except Exception as error:
            raise ProviderError(f"embedder {self.name!r} failed with {type(error).__name__}; see the cause") from error

    def _asked_dimension(self) -> int:
        try:
            dimension: object = self.wrapped.dimension
        except MemcoreError:
            raise
        except Exception as error:
            raise ProviderError(
                f"embedder {self.name!r} failed with {type(error).__name__} when asked for its dimension; see the cause"
            ) from error
        if isinstance(dimension, bool) or not isinstance(dimension, int) or not 1 <= dimension <= LARGEST_DIMENSION:
            raise ProviderError(
                f"embedder {self.name!r} has the dimension {shown(dimension)}; it must be an integer from 1 to "
                f"{LARGEST_DIMENSION}"
            )
        return dimension


def checked(embedder: Embedder, *, batch: int = _BATCH) -> CheckedEmbedder:
    """`embedder` with its answers checked and its rows brought to length 1; one that is checked already is returned."""
    return embedder if isinstance(embedder, CheckedEmbedder) else CheckedEmbedder(embedder, batch=batch)


def unit_rows(answer: Any, *, rows: int, dimension: int, name: str, first: int = 0) -> NDArray[np.float32]:
    """`answer` as float32 rows of length 1; `first` is the place of its first row in the caller's input.

    Raises:
        ProviderError: it is not a (rows, dimension) array of finite numbers, or a row is all zero.
    """
    import numpy as np

    try:
        given = np.asarray(answer)
    except (TypeError, ValueError) as error:
        raise ProviderError(f"embedder {name!r} answered with something that is not an array of numbers") from error
    if given.dtype.kind not in "fiu":
        raise ProviderError(
            f"embedder {name!r} answered with values of type {given.dtype}; they must be convertible to float32"
        )
    if given.shape != (rows, dimension):
        raise ProviderError(
            f"embedder {name!r} answered with shape {given.shape}; {rows} texts need shape {(rows, dimension)}"
        )
    wide = given.astype(np.float64)
    finite = np.isfinite(wide).all(axis=1)
    if not finite.all():
        raise ProviderError(
            f"embedder {name!r} answered with NaN or an infinite value for text {first + int(finite.argmin())}"
        )
    # Brought to a largest value of 1 first, so that squares of extreme values neither vanish nor overflow.
    largest = np.abs(wide).max(axis=1, keepdims=True)
    if not largest.all():
        raise ProviderError(
            f"embedder {name!r} answered with an all-zero vector for text {first + int(largest.argmin())}"
        )
    wide /= largest
    wide /= np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return wide.astype(np.float32)


def _asked_name(embedder: Embedder) -> object:
    try:
        return embedder.name
    except MemcoreError:
        raise
    except Exception as error:
        raise ProviderError(
            f"embedder: a {type(embedder).__name__} failed with {type(error).__name__} when asked for its name"
        ) from error


def _checked_texts(texts: object) -> list[str]:
    if isinstance(texts, str | bytes) or not hasattr(texts, "__iter__"):
        raise InvalidInputError(f"texts: {type(texts).__name__} is not accepted; give a list of strings")
    listed = list(texts)
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise InvalidInputError(f"texts[{place}]: {type(text).__name__} is not accepted; give a string")
    return [plain_text(text) for text in listed]
