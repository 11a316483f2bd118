"""One command's hold on a memory: opened from the options, closed whatever happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from memcore.surfaces.cli.options import given
from memcore.surfaces.cli.progress import working

if TYPE_CHECKING:
    from memcore.memory import Memory

__all__ = ["open_memory", "opened"]


def open_memory(database: str, *, agent_id: str) -> "Memory":
    """The memory of `agent_id` in `database`. The one place where the command line meets the facade."""
    from memcore.memory import Memory

    return Memory(database, agent_id=agent_id)


@contextmanager
def opened(context: typer.Context, db: str | None, agent: str | None) -> Iterator["Memory"]:
    """The memory that the options name, open while the block runs."""
    before = given(context)
    with working("Opening"):
        memory = open_memory(before.database_or(db), agent_id=before.agent_or(agent))
    try:
        yield memory
    finally:
        memory.close()
