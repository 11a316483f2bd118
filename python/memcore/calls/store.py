"""An open store: the arguments of `Memory` checked, its parts wired together, and what every call asks of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memcore.embedding import open_embedder
from memcore.errors import InvalidInputError, StorageError, shown, without_values
from memcore.kinds import Kind, Layer
from memcore.learning.activating import settle_left
from memcore.learning.recorder import Recorder
from memcore.mirror.agent import AgentMirror
from memcore.mirror.keeping import Keeper, keep
from memcore.mirror.near import NearVectors
from memcore.params import ParamsFile, params_location
from memcore.scope import checked_name
from memcore.searching.search import Searcher
from memcore.settings import Settings
from memcore.storage.database import Database
from memcore.storage.opening import checked_path
from memcore.writing import fields, forgetting
from memcore.writing.echo import GivenBlocks
from memcore.writing.reach import Reach, reach
from memcore.writing.rules import Rules
from memcore.writing.vectors import VectorSource

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OpenStore", "open_store"]


log = logging.getLogger("memcore")


@dataclass(frozen=True, slots=True)
class OpenStore:
    """The parts of one `Memory`. `log_errors`: searches answer empty instead of raising."""

    agent_id: str
    database: Database
    mirror: AgentMirror
    vectors: VectorSource
    params: ParamsFile
    searcher: Searcher
    clock: Callable[[], datetime] | None
    log_errors: bool
    settings: Settings
    blocks: GivenBlocks
    recorder: Recorder
    keeper: Keeper

    def rules(self) -> Rules:
        """What a write decides by: the parameters as they are now, and one set of them for the whole write."""
        return Rules(
            params=self.params.current(),
            layers=self.settings.layers,
            retention_days=self.settings.retention_days,
            blocks=self.blocks,
            nearest=NearVectors(self.mirror, self.database, self.vectors.stored_space),
        )

    @property
    def kinds_off(self) -> frozenset[Kind]:
        """The kinds whose layer is off."""
        return frozenset(kind for kind in Kind if kind.layer not in self.settings.layers)

    @property
    def associates(self) -> bool:
        """Whether memories that are used together are joined: the layer `association` is on."""
        return Layer.ASSOCIATION in self.settings.layers

    def now(self) -> datetime:
        """The clock's moment in its own time zone; without a clock, the machine's.

        Raises:
            InvalidInputError: the clock gave no aware datetime of the years 1000 to 8999, or raised an exception.
        """
        if self.clock is None:
            return datetime.now(UTC).astimezone()
        try:
            moment = self.clock()
        except Exception as error:
            raise InvalidInputError(
                f"clock: it raised {type(error).__name__}; give a function that returns an aware datetime"
            ) from error
        return fields.clock_moment(moment)

    def settle(self) -> None:
        """Says of a profile that a killed process was putting in use whether it came to be; never raises."""
        settle_left(self.database, self.params.path, self.now)

    def close(self) -> None:
        """Writes the traces that wait, keeps what the engines hold for the next process, and closes the database."""
        try:
            self.recorder.close()
            self.keeper.close()
            keep(self.database, self.mirror)
        finally:
            self.database.close()

    def reach(self, user_id: object = None) -> Reach:
        """Which memories a call that names ids may touch.

        Raises:
            InvalidInputError: `user_id` is no name.
        """
        return reach(self.agent_id, user_id)


def open_store(
    database: object,
    *,
    agent_id: object,
    embedder: object,
    params: object,
    clock: object,
    settings: object,
    durability: str,
    on_error: object,
) -> OpenStore:
    """The store that the arguments of `Memory` name; nothing is opened before all of them are checked.

    Raises:
        InvalidInputError: an argument is not accepted.
        StorageError: the database cannot be opened.
    """
    agent = checked_name("agent_id", agent_id)
    if not isinstance(on_error, str) or on_error not in ("raise", "log"):
        raise InvalidInputError(f'on_error: {shown(on_error)} is not accepted; give "raise" or "log"')
    if clock is not None and not callable(clock):
        raise InvalidInputError(
            f"clock: {shown(clock)} is not accepted; give a function that returns an aware datetime"
        )
    limits = Settings.given(settings)
    path = checked_path(database)  # type: ignore[arg-type]  # it refuses what is no path
    vectors = VectorSource(open_embedder(embedder))
    file = ParamsFile(params_location(path, params))  # type: ignore[arg-type]  # it refuses what is no path
    store = Database(path, durability=durability, lock_timeout=limits.lock_timeout)
    _resume(store)
    kept = store.engine_file if limits.snapshot else None
    mirror = AgentMirror(agent, limits.memory_limit, limits.layers, kept)
    opened = OpenStore(
        agent_id=agent,
        database=store,
        mirror=mirror,
        vectors=vectors,
        params=file,
        searcher=Searcher(store, mirror, vectors, file, limits),
        clock=clock,
        log_errors=on_error == "log",
        settings=limits,
        blocks=GivenBlocks(),
        recorder=Recorder(store, agent, limits),
        keeper=Keeper(store, mirror, limits.snapshot_after),
    )
    opened.settle()
    return opened


def _resume(database: Database) -> None:
    """Brings a purge that an earlier process began to its end; where that fails, what it hides stays hidden."""
    try:
        forgetting.resume(database)
    except StorageError as error:
        log.warning("a purge is not at its end, maintain(['purge']) goes on: %s", without_values(error))
