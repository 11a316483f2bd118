"""Whether the file at a path is still the one that was opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memcore.errors import DatabaseMovedError

if TYPE_CHECKING:
    from memcore.storage.forked import FileKey

__all__ = ["check", "file_key"]


def file_key(path: str) -> FileKey | None:
    """Device and number of the file at `path`; None when there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - at each write, and a Path costs more than the call
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def check(path: str, opened: FileKey) -> None:
    """Lets a call pass while the file that was opened lies at its path.

    What is written to a file that lies there no longer is lost for everybody who opens the path after. A file whose
    bytes were overwritten where it lies is the same file; `doctor` shows its damage.

    Raises:
        DatabaseMovedError: it was deleted, moved, or replaced by another.
    """
    now = file_key(path)
    if now == opened:
        return
    name = os.path.basename(path)  # noqa: PTH119 - a text, and a Path costs more
    happened = "was deleted or moved" if now is None else "was replaced by another"
    raise DatabaseMovedError(
        f"database {path}: the file that is open {happened}, a write would be lost; close this, remove"
        f" {name}-wal and {name}-shm if a backup was put there, and open the path anew"
    )
