"""One command's hold on a memory: opened from the options, closed whatever happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from memcore.errors import StorageError
from memcore.surfaces.cli.options import Store, given
from memcore.surfaces.cli.progress import working

if TYPE_CHECKING:
    from memcore.memory import Memory

__all__ = ["existing", "open_memory", "opened"]


IN_MEMORY = ":memory:"


def open_memory(database: str, *, agent_id: str, create: bool) -> "Memory":
    """The memory of `agent_id` in `database`. The one place where the command line meets the facade.

    Raises:
        StorageError: there is no such file and `create` is False, or it cannot be opened.
    """
    from memcore.memory import Memory

    return Memory(database if create else existing(database), agent_id=agent_id)


def existing(database: str) -> str:
    """`database`, where a file is.

    Raises:
        StorageError: none is; the message says which commands make one.
    """
    if database != IN_MEMORY and not Path(database).exists():
        raise StorageError(
            f"database {database}: there is no such file; memcore add or memcore import creates one, "
            "--db FILE names another"
        )
    return database


@contextmanager
def opened(context: typer.Context, store: Store, *, create: bool = False, writes: bool = False) -> Iterator["Memory"]:
    """The memory that the options name, open while the block runs; only with `create`, which writes, is one made.

    Raises:
        typer.BadParameter: the block writes, and the database is one in memory, which ends with the command.
        StorageError: there is no such database and `create` is False, or it cannot be opened.
    """
    before = given(context)
    database = before.database_or(store.db)
    if database == IN_MEMORY and (create or writes):
        raise typer.BadParameter("a database in memory ends with the command; name a file with --db FILE")
    with working("Opening"):
        memory = open_memory(database, agent_id=before.agent_or(store.agent), create=create)
    try:
        yield memory
    finally:
        memory.close()
