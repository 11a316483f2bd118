"""A text put into the parameter file, and the store told of it, so that both say the same whenever a process ends.

First the store has what was in the file, and that another text is about to take its place; then the file is written,
and the store is told in the same transaction. A process that ends in between leaves a mark. Whoever opens the store
next with that file, or calls, sees by the file how far it came, and finishes it or calls it off. What was done to other
files is nobody's concern but theirs who have them.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memcore.errors import MemcoreError, NotFoundError, StorageError, shown, without_values
from memcore.learning.params_file import read_document, remove_document, write_document
from memcore.storage import profiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from memcore.storage.database import Database
    from memcore.storage.profiles import Activated

__all__ = ["put_in", "settle_left", "take_out"]

_NOTHING = b"{}\n"
"""The parameter file that says nothing: of one that is removed running processes are sure a second later only."""
_TRIES = 5
_log = logging.getLogger("memcore.tuning")


@dataclass(frozen=True, slots=True)
class _Change:
    """A text that is to take the place of what was in the file; the store knows of it already."""

    database: Database
    path: Path
    before: bytes | None
    document: bytes
    kept: str | None
    finish: Callable[[Connection], bool]
    call_off: Callable[[Connection], None]

    def is_made(self) -> bool:
        """Make it; False where somebody else was faster."""
        try:
            with self.database.write() as connection:
                if read_document(self.path) == self.before and self.finish(connection):
                    write_document(self.path, self.document)
                    return True
                self._forget(connection)
                return False
        except BaseException:
            self._put_back()
            raise

    def _put_back(self) -> None:
        """Has the file and the store as they were; what fails of it is logged, and seen to by the next call."""
        try:
            if self.document != self.before and read_document(self.path) == self.document:
                if self.before is None:
                    remove_document(self.path)
                else:
                    write_document(self.path, self.before)
            with self.database.write() as connection:
                self._forget(connection)
        except MemcoreError as error:
            _log.warning("a profile that was begun is seen to at the next call: %s", without_values(error))

    def _forget(self, connection: Connection) -> None:
        """Has the store as it was; what a hand wrote stays kept, unless it is in the file."""
        self.call_off(connection)
        if self.kept is not None and self.before is not None and read_document(self.path) == self.before:
            profiles.remove(connection, self.kept, self.before)


def put_in(database: Database, path: Path, profile: str, document: bytes, now: datetime) -> str | None:
    """Put the text of a profile into the file; the name under which what a hand wrote into it was kept, if anything.

    Raises:
        StorageError: the file or the store cannot be written; the file is as it was.
    """
    for _ in range(_TRIES):
        read_document(path)  # what cannot be read is refused before others wait for this
        with database.write() as connection:
            before = _settled(connection, path, now)
            kept = _keep(connection, before, now)
            beginning = profiles.Beginning(_file_of(path), profile, before, document, kept)
            number = profiles.begin(connection, beginning, now)
        steps = partial(profiles.finish, activation_id=number), partial(profiles.call_off, activation_id=number)
        if _Change(database, path, before, document, kept, *steps).is_made():
            return kept
    raise StorageError(f"{path}: others change it at the same time; nothing was changed, try again")


def take_out(database: Database, path: Path, now: datetime) -> tuple[Activated, bytes, str | None]:
    """Put what was before the last activation of the file that stands into it again.

    That activation, the text, and the name under which what a hand wrote into the file was kept, if anything.

    Raises:
        NotFoundError: no activation of this file stands; the message names the other file of which one does.
        StorageError: the file or the store cannot be written; the file is as it was.
    """
    for _ in range(_TRIES):
        read_document(path)
        with database.write() as connection:
            found = _settled(connection, path, now)
            last = profiles.last_activated(connection, _file_of(path))
            if last is not None:
                kept = _keep(connection, found, now)
                profiles.begin_rollback(connection, last.id, kept)
        if last is None:
            raise _nothing_to_roll_back(database, path)
        steps = (
            partial(profiles.finish_rollback, activation_id=last.id, now=now),
            partial(profiles.call_off_rollback, activation_id=last.id),
        )
        if _Change(database, path, found, _before(last), kept, *steps).is_made():
            return last, _before(last), kept
    raise StorageError(f"{path}: others change it at the same time; nothing was changed, try again")


def _file_of(path: Path) -> bytes:
    """A parameter file as the store knows it: what the path leads to."""
    return os.fsencode(os.path.normcase(os.path.realpath(path)))


def _nothing_to_roll_back(database: Database, path: Path) -> NotFoundError:
    """Says so, and which file a profile was put into, if it was another one."""
    with database.read() as connection:
        other = profiles.last_elsewhere(connection, _file_of(path))
    if other is None:
        return NotFoundError("rollback: no profile was activated that was not rolled back since")
    there = os.fsdecode(other.file)
    return NotFoundError(
        f"rollback: no profile that was not rolled back since was activated on {path}; {shown(other.profile)} was"
        f" activated on {there}; open with params={there!r} to roll it back"
    )


def settle_left(database: Database, path: Path | None, now: Callable[[], datetime]) -> None:
    """Finish or call off what a killed process left, as far as the file tells without doubt; never raises.

    A text that is neither what was in the file before nor what was to be in it was written by a hand: that is left to
    the next call that changes the file. So is what fails here, and it is logged. Other files are not looked at.
    """
    if path is None:
        return
    try:
        with database.read() as connection:
            file = _file_of(path)
            left = bool(profiles.begun(connection, file) or profiles.begun_rollbacks(connection, file))
        if left:
            at = now()
            with database.write() as connection:
                _settled(connection, path, at, doubtless=True)
    except MemcoreError as error:
        _log.warning("a profile that was begun is seen to at the next call: %s", without_values(error))


def _before(activation: Activated) -> bytes:
    return _NOTHING if activation.before is None else activation.before


def _settled(connection: Connection, path: Path, now: datetime, *, doubtless: bool = False) -> bytes | None:
    """What is in the file, once the store says of each change of it that was begun whether it came to be.

    What a hand wrote into it, and was kept for a change that did not come to be, is in the file still: the copy goes.
    `doubtless`: only of those that the file shows, by what was in it before or was to be in it.
    """
    found, file = read_document(path), _file_of(path)
    for one in profiles.begun(connection, file):
        if found == one.before != one.after:
            profiles.call_off(connection, one.id)
            _drop_copy(connection, one, found)
        elif found == one.after or not doubtless:
            profiles.finish(connection, one.id)
    for one in profiles.begun_rollbacks(connection, file):
        untouched = one.kept is not None and one.kept[1] == found
        if found == _before(one):
            profiles.finish_rollback(connection, one.id, now)
        elif untouched or found == one.after or not doubtless:
            profiles.call_off_rollback(connection, one.id)
            _drop_copy(connection, one, found)
    return found


def _drop_copy(connection: Connection, change: Activated, found: bytes | None) -> None:
    """Has the copy that was made for a change no more, where what it has is in the file."""
    if change.kept is not None and change.kept[1] == found:
        profiles.remove(connection, *change.kept)


def _keep(connection: Connection, document: bytes | None, now: datetime) -> str | None:
    """Keep what is in the parameter file under the moment, unless it is kept already; the name that it got."""
    if document is None or document == _NOTHING or profiles.knows(connection, document):
        return None
    taken = {one.name for one in profiles.stored(connection)}
    name = f"file of {now.strftime('%Y-%m-%d %H:%M:%S')}"
    number = 2
    while name in taken:
        name, number = f"{name.partition(' (')[0]} ({number})", number + 1
    profiles.put(connection, name, document, now)
    return name
