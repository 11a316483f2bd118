"""Connections that stay open from one use to the next, since to open one costs more than a read.

The pools of SQLAlchemy guard themselves with locks that an interrupt (Ctrl-C) can leave taken, and every later call
would wait for good. Here is no lock: a deque's `append` and `pop` are single steps, and a handle that an interrupt
loses between them closes itself, which takes back what it had begun.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memcore.storage.interrupts import raise_interrupt_behind, surely

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

__all__ = ["KEPT", "Handles"]

KEPT = 5
"""How many connections wait for their next use; more than that are in use only while as many threads are."""


class _Handle:
    """A connection and what is below it."""

    _below: Any = None

    def __init__(self, engine: Engine) -> None:
        self.connection = engine.connect()
        self._below = self.connection.connection.dbapi_connection

    def begin(self, statement: str) -> None:
        """Begin a transaction of SQLite's in the one of SQLAlchemy's, which begins none by itself."""
        self._below.execute(statement).close()

    def is_reusable(self) -> bool:
        """Whether it is open, and nothing that was begun with it is open."""
        alive = not (self.connection.closed or self.connection.invalidated or self.connection.in_transaction())
        return alive and not self._below.in_transaction

    def close(self) -> None:
        """Close it for good, and take back what was begun."""
        if self._below is not None:
            self._below.close()

    def __del__(self) -> None:
        self.close()


class Handles:
    """The connections to one database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: deque[_Handle] = deque()
        self._closed = False

    @contextmanager
    def lent(self, begin: str | None = None) -> Iterator[Connection]:
        """A connection of one's own in a transaction that the statement `begin` begins; None begins none in SQLite.

        The transaction is kept at the end of the block, or taken back after an exception. After an interrupt the
        connection is closed, since nobody knows what it was doing.
        """
        handle, sound = self._taken(), False
        try:
            try:
                transaction = handle.connection.begin()
                if begin is not None:
                    handle.begin(begin)
                yield handle.connection
                transaction.commit()
            except AssertionError:
                raise
            except Exception:
                handle.connection.rollback()
                sound = True
                raise
            sound = True
        except AssertionError as error:
            raise_interrupt_behind(error)
            raise
        finally:
            if sound:
                self._put_back(handle)
            else:
                surely(handle.close)

    def close(self) -> None:
        """Close what waits; what is lent is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def let_go(self) -> None:
        """Forget what waits, in a child of `fork`: it is the parent's."""
        self._closed = True
        self._idle.clear()

    def _taken(self) -> _Handle:
        try:
            return self._idle.pop()
        except IndexError:
            return _Handle(self._engine)

    def _put_back(self, handle: _Handle) -> None:
        if self._closed or len(self._idle) >= KEPT or not handle.is_reusable():
            surely(handle.close)
            return
        self._idle.append(handle)
        if self._closed:  # meanwhile, by another thread
            self.close()
