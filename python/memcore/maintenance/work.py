"""What a job is handed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from memcore.mirror.agent import AgentMirror
    from memcore.storage.database import Database
    from memcore.writing.vectors import VectorSource

__all__ = ["Progress", "Work"]

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much, after each step."""


@dataclass(frozen=True, slots=True)
class Work:
    """The store of one agent, and what the jobs need to work on it. `now` is the moment at which they were called."""

    database: "Database"
    agent_id: str
    vectors: "VectorSource"
    now: "datetime"
    progress: Progress | None = None
    mirror: "AgentMirror | None" = None
