"""The file beside a database that keeps what the engines hold: derived, checked, and at any time let go of.

The core reads and writes it, with a SQLite of its own, and never touches the database itself. Whatever is wrong with
the file, there is no snapshot then, and the debug log says why. Its name is ours: what lies there is overwritten.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcore.compute import snapshot_erase, snapshot_kept, snapshot_open, snapshot_write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcore.compute import SnapshotPartition

__all__ = ["ENDING", "EngineFile", "Section"]

ENDING = ".engine"
Section = tuple[str, object]
"""A name, and an engine, bytes, an array of uint8, or a list of such arrays that follow one another."""
log = logging.getLogger(__name__)


class EngineFile:
    """The engine snapshot of one database. To write and to erase it wants a turn to write the database."""

    def __init__(self, database: str) -> None:
        self._database = database
        self.path = f"{database}{ENDING}"
        self._useless = False

    def open(self, store: str, partition_id: int) -> SnapshotPartition | None:
        """What it has of a partition of a store, not read yet; None where it has nothing that can be used."""
        found = snapshot_open(self.path, store, partition_id)
        if isinstance(found, tuple):
            self._refused(*found)
            return None
        return found

    def read(self, found: SnapshotPartition, kinds: Mapping[str, type | None]) -> dict[str, Any] | None:
        """Some sections of a partition, each as the engine of its class or as a `SnapshotSection`.

        None where they are not what was written.
        """
        sections = found.read([*kinds.items()])
        if isinstance(sections, tuple):
            self._refused(*sections)
            return None
        return sections

    def kept(self, store: str) -> Mapping[int, str]:
        """Of what each partition in it was made, by its number; empty where it cannot be used."""
        found = snapshot_kept(self.path, store)
        if isinstance(found, tuple):
            self._refused(*found)
        return {} if self._useless or isinstance(found, tuple) else found

    def refuse(self, reason: str) -> None:
        """Has it written whole when it is written next: its sections are not what they should be."""
        self._refused(True, reason)

    def write(self, store: str, partitions: Sequence[tuple[int, str, Sequence[Section]]]) -> bool:
        """Whether partitions, each a number, of what it was made, and its sections, were written into it.

        The others in it stay, unless it turned out to be of no use.
        """
        given = [(number, about, list(parts)) for number, about, parts in partitions]
        refused: tuple[bool, str] | None = (True, "")
        try:
            for _ in range(2):
                if self._useless:
                    self.erase()
                    self._useless = False
                _create(self.path, self._database)
                refused = snapshot_write(self.path, store, given)
                if refused is None or not refused[0]:
                    break
                self._refused(*refused)
        except OSError as error:
            refused = (False, str(error))
        if refused is not None:
            log.debug("the engine snapshot was not written: %s", refused[1])
        return refused is None

    def erase(self) -> bool:
        """Has zeros written over it, and removes it; whether there was one.

        Raises:
            OSError: the system does not let it be written or removed.
        """
        return snapshot_erase(self.path)

    def _refused(self, useless: bool, reason: str) -> None:
        self._useless = self._useless or useless
        log.debug("the engine snapshot is not used: %s", reason)


def _create(path: str, database: str) -> None:
    """Creates the file, empty, for those who may read and write the database; one that is there stays as it is."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    except FileExistsError:
        return
    try:
        if hasattr(os, "fchown"):
            of = Path(database).stat()
            with suppress(PermissionError):  # root gives it to the database's owner, as SQLite does with its own files
                if os.geteuid() == 0:
                    os.fchown(handle, of.st_uid, of.st_gid)
            with suppress(PermissionError):
                os.fchmod(handle, stat.S_IMODE(of.st_mode) & 0o666)
    finally:
        os.close(handle)
