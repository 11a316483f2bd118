"""Databases that a child inherited open through `fork`: they must not be opened a second time there.

The child has its parent's table of SQLite's locks, but not the locks themselves. A new connection to the same file
would believe that it is locked while it is not, and the two processes would damage it. A file that the parent had
closed, or never opened, is free.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from typing import TYPE_CHECKING
from weakref import WeakSet

from memcore.errors import ForkedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memcore.storage.write_queue import WriteQueue

__all__ = ["REMEDY", "FileKey", "if_unused", "let_go", "note_open", "queues", "refuse_inherited"]

FileKey = tuple[int, int]
REMEDY = (
    "close it before the fork, or start the child anew, such as with multiprocessing's start method 'spawn' or"
    " 'forkserver'"
)

queues: WeakSet[WriteQueue] = WeakSet()
_open: Counter[FileKey] = Counter()
_inherited: set[FileKey] = set()
_guard = threading.Lock()


def refuse_inherited(path: Path) -> None:
    """Lets a path pass that no parent of this process had open when it forked.

    Raises:
        ForkedError: one had.
    """
    if _inherited and path.exists() and _key(path) in _inherited:
        raise ForkedError(f"database {path}: it was open in this process's parent at the fork; {REMEDY}")


def note_open(path: Path) -> FileKey:
    """The key of a file that is open from now on."""
    key = _key(path)
    with _guard:
        _open[key] += 1
    return key


def let_go(key: FileKey) -> None:
    """Notes that one of the databases on a file is closed."""
    with _guard:
        _open[key] -= 1


def if_unused(key: FileKey, action: Callable[[], None]) -> None:
    """Does something with a file that no database of this process has open, and that none opens meanwhile."""
    with _guard:
        if _open[key] <= 0:
            action()


def _key(path: Path) -> FileKey:
    found = path.stat()
    return found.st_dev, found.st_ino


def _inherit() -> None:
    """In the child: nothing here may wait for a lock, since the thread that holds it did not come along."""
    global _guard  # noqa: PLW0603 - the parent's may be held
    _guard = threading.Lock()
    _inherited.update(key for key, count in list(_open.items()) if count > 0)
    _open.clear()
    for queue in list(queues):
        queue.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_inherit)
