"""Writing the engine snapshot of an open store, where nobody else is writing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memcore.errors import MemcoreError, without_values

if TYPE_CHECKING:
    from memcore.mirror.agent import AgentMirror
    from memcore.storage.database import Database

__all__ = ["PATIENCE", "keep"]

PATIENCE = 0.25
"""Seconds to wait for others who write; who writes the snapshot too has done the same work by then."""
log = logging.getLogger("memcore.mirror")


def keep(database: Database, mirror: AgentMirror) -> int:
    """How many partitions were written; never raises an error of the store: the snapshot is worth none.

    Nobody writes the database meanwhile, so nothing of what is removed by then comes into the snapshot, and what is
    removed after has it erased.
    """
    if not mirror.loaded or not mirror.keeps:
        return 0
    try:
        with database.turn(PATIENCE), mirror.lock, database.read() as connection:
            return mirror.keep(connection)
    except MemcoreError as error:
        log.debug("the engine snapshot was not written: %s", without_values(error))
        return 0
