"""The parameter file written whole or not at all; who watches it never sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memcore.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

from contextlib import contextmanager

__all__ = ["read_document", "write_document"]

_MODE = 0o644


def read_document(path: Path) -> bytes | None:
    """What is in the file; None where there is none.

    Raises:
        StorageError: it cannot be read.
    """
    with _translated(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def write_document(path: Path, document: bytes) -> None:
    """Put a text into the file, in the place of whatever is in it; a link stays, what it leads to is replaced.

    Raises:
        StorageError: it cannot be written; the file is as it was.
    """
    with _translated(path):
        target = path.resolve()
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


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}; nothing was changed") from error
