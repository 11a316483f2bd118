"""Reading a file that somebody names: up to a length, and only what is a regular file."""

import errno
import os
import stat
from pathlib import Path

__all__ = ["read_regular"]

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_regular(path: Path, most: int) -> tuple[os.stat_result, bytes]:
    """What the system says of a file, and its first `most` bytes; a pipe would have who opens it wait for ever.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    _refuse_others(path.stat())
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        status = os.fstat(file.fileno())
        _refuse_others(status)
        return status, file.read(most)


def _refuse_others(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
