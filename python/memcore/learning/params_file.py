"""The parameter file written whole or not at all; who watches it never sees half of one."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memcore.errors import StorageError, shortened
from memcore.params import LONGEST_DOCUMENT, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_document", "remove_document", "write_document"]

_MODE = 0o644


def read_document(path: Path) -> bytes | None:
    """What is in the file; None where there is none.

    Raises:
        StorageError: it cannot be read, is no regular file (a pipe, a device), or is longer than a document may be.
    """
    with _translated(path):
        try:
            document = read_regular(path, LONGEST_DOCUMENT + 1)[1]
        except FileNotFoundError:
            return None
        if len(document) > LONGEST_DOCUMENT:
            raise OSError(errno.EFBIG, f"it has more than {LONGEST_DOCUMENT} bytes; give the path of a parameter file")
        return document


def write_document(path: Path, document: bytes) -> None:
    """Put a text into the file, in the place of whatever is in it; a link stays, what it leads to is replaced.

    What a process that was killed left of such a writing is removed.

    Raises:
        StorageError: it cannot be written; the file is as it was, unless only the folder cannot be made sure of.
    """
    with _translated(path):
        target = path.resolve()
        _remove_left(target)
        mode = target.stat().st_mode & 0o777 if target.exists() else _MODE
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(document)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync(target.parent)


def remove_document(path: Path) -> None:
    """Have no file again where there was none.

    Raises:
        StorageError: it cannot be removed.
    """
    with _translated(path):
        target = path.resolve()
        target.unlink(missing_ok=True)
        _sync(target.parent)


def _sync(folder: Path) -> None:
    """Has what is in a folder survive a power loss: else the store may say that a file was written which is not there.

    Where the system does not open folders for that, or not this one, nothing more can be done.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def _remove_left(target: Path) -> None:
    """Removes what was begun beside the file and never took its place: ours by its name and its owner."""
    begun = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}")
    owner = os.geteuid() if hasattr(os, "geteuid") else 0
    for beside in target.parent.iterdir():
        if begun.fullmatch(beside.name) is None:
            continue
        status = beside.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_uid == owner:
            beside.unlink(missing_ok=True)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{shortened(path)}: {error.strerror or error}; nothing was changed") from error
