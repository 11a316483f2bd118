"""Where the vectors of stored texts come from, and the space they are stored in."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memcore.embedding import CheckedEmbedder, Embedder, SpaceIdentity, checked, fingerprints_agree, identify
from memcore.embedding.floor import KNOWN, calibrate, nonsense_directions
from memcore.embedding.space import PROBES
from memcore.errors import DimensionError, MemcoreError, ProviderError
from memcore.storage import jobs, spaces, vectors
from memcore.values import value

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from memcore.storage.database import Database
    from memcore.storage.rows import Space

__all__ = ["GIVEN", "GivenVector", "VectorSource", "kind_of_failure"]

GIVEN = "given"
"""The name of the space of given vectors where there is no embedder."""

LARGEST_BATCH = 256
"""Texts whose vectors are stored together: what a crash in a long import loses at most."""

_log = logging.getLogger(__name__)


def kind_of_failure(error: MemcoreError) -> str:
    """The class of what went wrong, the cause's where there is one; never a message, which could hold content."""
    return type(error.__cause__ or error).__name__


@value
class GivenVector:
    """A vector that came with its text; `field` is what the caller knows it by, such as `items[3].embedding`."""

    field: str
    row: "NDArray[np.float32]"


class VectorSource:
    """The embedder of a store, or None where vectors are only given, and the space that belongs to it.

    It belongs to one database. It asks the embedder who it is once, outside any transaction, and remembers the answer.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder: CheckedEmbedder | None = None if embedder is None else checked(embedder)
        self._identity: SpaceIdentity | None = None
        self._nonsense: NDArray[np.float32] | None = None
        self._space: Space | None = None

    def identity(self, dimension: int) -> SpaceIdentity:
        """The space that vectors go to; `dimension` is that of given vectors and counts where there is no embedder.

        Raises:
            ProviderError: the embedder could not be asked.
        """
        if self.embedder is None:
            return SpaceIdentity(GIVEN, dimension, "")
        if self._identity is None:
            self._identity = identify(self.embedder)
        return self._identity

    def space(self, connection: "Connection", identity: SpaceIdentity) -> "Space":
        """The stored space that agrees with `identity`, made in this write transaction where there is none."""
        if self._space is not None and (self._space.model, self._space.dimension) == (
            identity.name,
            identity.dimension,
        ):
            return self._space
        known = spaces.find(connection, identity.name, identity.dimension)
        if known is not None and _agree(known.fingerprint, identity.fingerprint):
            self._space = known  # found, so committed: unlike one that is made here, it outlives a rollback
            return known
        made = spaces.ensure(connection, identity.name, identity.dimension, identity.fingerprint)
        floor = KNOWN.get(identity.name)
        return made if floor is None else spaces.set_floor(connection, made.id, floor.base, floor.slope)

    def stored_space(self, connection: "Connection") -> "Space | None":
        """The space that stored vectors are read from; None while there is none. Asks the embedder nothing.

        Where the embedder was asked who it is before, a space with another fingerprint is none of its own.
        """
        if self.embedder is None:
            return next(iter(spaces.named(connection, GIVEN)), None)
        dimension = self.embedder.known_dimension
        if dimension is None:  # an endpoint that was not asked yet, or does not answer
            return next(iter(reversed(spaces.named(connection, self.embedder.name))), None)
        known = spaces.find(connection, self.embedder.name, dimension)
        if known is None or self._identity is None:
            return known
        return known if fingerprints_agree(known.fingerprint, self._identity.fingerprint) else None

    def likeness_to_nonsense(self, vector: "NDArray[np.float32]") -> float:
        """The largest cosine of an embedded query (d,) to meaningless ones; −1 where the model has no place for them.

        Raises:
            ProviderError: the embedder could not be asked.
        """
        if self.embedder is None:
            return -1.0
        if self._nonsense is None:
            self._nonsense = nonsense_directions(self.embedder)
        return float((self._nonsense @ vector).max(initial=-1.0))

    def check(self, given: "Mapping[str, NDArray[np.float32] | None]") -> None:
        """Lets given vectors, by their fields, pass that fit the embedder, or, where there is none, each other.

        Raises:
            DimensionError: one does not; the message names its field.
        """
        lengths = {field: row.size for field, row in given.items() if row is not None}
        if not lengths:
            return
        whose, expected = next(iter(lengths.items()))
        if self.embedder is not None:
            try:
                expected, whose = self.embedder.dimension, f'the embedder "{self.embedder.name}"'
            except ProviderError:
                return  # `ready` says so in the log, and the texts are left to the embed job
        for field, length in lengths.items():
            if length != expected:
                raise _wrong_dimension(field, length, expected, whose)

    def ready(self, given: "Iterable[NDArray[np.float32] | None]") -> SpaceIdentity | None:
        """The space for given vectors; None where there are none, or where the embedder cannot be asked who it is."""
        first = next((row for row in given if row is not None), None)
        if first is None:
            return None
        try:
            return self.identity(first.size)
        except ProviderError as error:
            _log.warning("given vectors were left out: the embedder failed with %s", kind_of_failure(error))
            return None

    def fit(self, connection: "Connection", identity: SpaceIdentity, given: "Iterable[GivenVector]") -> None:
        """Lets vectors that came with their texts pass that fit the space they go to.

        Raises:
            DimensionError: one does not; the message names its field.
        """
        first: GivenVector | None = None
        for one in given:
            if one.row.size != identity.dimension:
                raise _wrong_dimension(one.field, one.row.size, identity.dimension, f'the space "{identity.name}"')
            first = first or one
        if first is not None and self.embedder is None:
            self._only_dimension(connection, first)

    def store_given(
        self,
        connection: "Connection",
        identity: SpaceIdentity,
        ids: Sequence[int],
        rows: "Sequence[NDArray[np.float32]]",
        contents: Sequence[str],
    ) -> None:
        """Stores vectors that came with their texts and fit, in the transaction that stores the texts."""
        space = self.space(connection, identity)
        matrix = np.concatenate(rows).reshape(len(rows), -1)
        vectors.put(connection, space, ids, matrix, contents, just_written=True)

    def embed_stored(self, database: "Database", texts: Mapping[int, str]) -> str | None:
        """Like `embed_once`, in batches; from the first failing one on, texts are left to the `embed` job, and logged.

        Raises:
            StorageError: the vectors, or the failure, could not be written.
        """
        ids = list(texts)
        for start in range(0, len(ids), LARGEST_BATCH):
            failure = self.embed_once(database, {one: texts[one] for one in ids[start : start + LARGEST_BATCH]})
            if failure is not None:
                left = len(ids) - start
                _log.warning("%d stored texts have no vector yet: the embedder failed with %s", left, failure)
                with database.write() as connection:
                    jobs.fail(connection, ids[start:], failure)
                return failure
        return None

    def embed_once(self, database: "Database", texts: Mapping[int, str]) -> str | None:
        """None when each of these texts has its vector now, else the class of the failure.

        Embeds outside any transaction. Where there is no embedder, nothing is done.

        Raises:
            StorageError: the vectors could not be written.
        """
        if self.embedder is None or not texts:
            return None
        contents = list(texts.values())
        try:
            identity = self.identity(self.embedder.dimension)
            matrix = self.embedder.embed(contents)
        except MemcoreError as error:
            return kind_of_failure(error)
        with database.write() as connection:
            space = self.space(connection, identity)
            vectors.put(connection, space, list(texts), matrix, contents)
        if space.floor_base is None:
            self._calibrate(database, space)
        return None

    def _calibrate(self, database: "Database", space: "Space") -> None:
        """Measures how near unrelated texts come in a new space, and notes it; where that fails, the next time."""
        if self.embedder is None:
            return
        try:
            floor = calibrate(self.embedder)
        except MemcoreError as error:
            _log.warning("the space of %s has no floor yet: %s", self.embedder.name, kind_of_failure(error))
            return
        with database.write() as connection:
            self._space = spaces.set_floor(connection, space.id, floor.base, floor.slope)

    def answers(self) -> bool:
        """Whether the embedder takes the sentence that a space is known by."""
        if self.embedder is None:
            return False
        try:
            self.embedder.embed(PROBES[:1])
        except MemcoreError as error:
            _log.debug("the embedder does not answer: %s", kind_of_failure(error))
            return False
        return True

    def leave(self, connection: "Connection", ids: Sequence[int]) -> None:
        """Leaves these memories to the `embed` job; where there is no embedder, there is nothing to leave."""
        if self.embedder is not None and ids:
            jobs.queue(connection, ids)

    def _only_dimension(self, connection: "Connection", one: GivenVector) -> None:
        known = spaces.named(connection, GIVEN) if self._space is None else [self._space]
        for other in known:
            if other.dimension != one.row.size:
                raise _wrong_dimension(one.field, one.row.size, other.dimension, "the space of given vectors")


def _agree(one: str, other: str) -> bool:
    return one == other or fingerprints_agree(one, other)


def _wrong_dimension(field: str, length: int, expected: int, whose: str) -> DimensionError:
    return DimensionError(
        f"{field}: {length} numbers are not accepted; {whose} has {expected}. For vectors of your own, open a "
        'database with embedder="none"'
    )
