"""The exception tree. Its root and the errors of the compute core come from Rust; the rest are named here."""

import reprlib
from datetime import datetime

from memcore._core import DimensionError, EngineError, InvalidInputError, MemcoreError

__all__ = [
    "CorruptDatabaseError",
    "DatabaseMovedError",
    "DimensionError",
    "EmbeddingSpaceError",
    "EngineError",
    "ForkedError",
    "InvalidInputError",
    "MemcoreError",
    "NewerDatabaseError",
    "NotFoundError",
    "ParamsError",
    "ProviderError",
    "StorageBusyError",
    "StorageError",
    "StorageFullError",
    "UndoRefusedError",
    "shortened",
    "shown",
    "without_values",
]


class NotFoundError(MemcoreError):
    """There is no such id in this agent's (and, where one is named, this user's) memory."""


class EmbeddingSpaceError(MemcoreError):
    """Vectors of two embedding spaces would have been mixed."""


class ParamsError(MemcoreError):
    """The parameter file, or a parameter given to a call, is malformed, unknown or out of range.

    `problems`: a line for each of them; the message has them one after the other.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class StorageError(MemcoreError):
    """The database cannot be opened, read or written."""


class StorageBusyError(StorageError):
    """Another thread, process or program was writing for as long as one may wait. Nothing of the write was kept."""


class StorageFullError(StorageError):
    """The disk is full, or the database's page limit or the process's file size limit is reached. Nothing was kept."""


class NewerDatabaseError(StorageError):
    """The database was written by a newer memcore than this one."""


class DatabaseMovedError(StorageError):
    """The file that is open was deleted, moved or replaced by another. Nothing of the write was kept."""


class CorruptDatabaseError(StorageError):
    """The file is not a database, is truncated, or a row does not match its checksum."""


class ProviderError(MemcoreError):
    """An embedder or a model failed or answered with something unusable."""


class UndoRefusedError(MemcoreError):
    """An operation cannot be undone as things are; nothing was changed.

    `operations`: all later ones that stand on it, or on one of these, newest first; they are to be undone before, in
    that order. Where they are many, only the next ones.
    """

    def __init__(self, message: str, operations: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.operations = operations


class ForkedError(MemcoreError):
    """A `Memory`, or a file, that a parent had open at `fork` was used in the child; close it before, or use spawn."""


def without_values(error: MemcoreError) -> str:
    """What a log may say of an error: its class and the field or file that it names, never a value that was given."""
    return f"{type(error).__name__} ({str(error).partition(':')[0]})"


_LONGEST_SHOWN = 200
_BYTES_SHOWN = 32
_LONGEST_PATH = 400


class _Bounded(reprlib.Repr):
    """`repr` that looks at the start of a value only: a few items of a few levels, some characters of each."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxdict, self.maxstring, self.maxlong, self.maxother = 3, 6, 120, 60, 160

    def repr_int(self, value: int, _level: int) -> str:
        """The digits, from both ends where they are many; Python does not write those of the largest integers."""
        if value.bit_length() > 1_000:
            return f"an integer of {value.bit_length()} bits"
        return self._from_both_ends(repr(value), self.maxlong)

    def repr_datetime(self, value: datetime, _level: int) -> str:
        """The moment in ISO 8601."""
        return value.isoformat()

    def repr_instance(self, value: object, _level: int) -> str:
        """What the object says of itself, or its class where it cannot."""
        try:
            said = repr(value)
        except Exception:  # noqa: BLE001 - the value is bad input, whatever it raises is no reason to say nothing
            return f"a {_class_name(value)}"
        return self._from_both_ends(said, self.maxother)

    def repr_bytes(self, value: bytes | bytearray, _level: int) -> str:
        """The first bytes."""
        return repr(value) if len(value) <= _BYTES_SHOWN else f"{value[:_BYTES_SHOWN]!r}…"

    repr_bytearray = repr_bytes

    @staticmethod
    def _from_both_ends(text: str, longest: int) -> str:
        half = (longest - 1) // 2
        return text if len(text) <= longest else f"{text[:half]}…{text[-half:]}"


def _class_name(value: object) -> str:
    """The name of a value's class, also where its metaclass would answer with something else."""
    return str(type.__dict__["__name__"].__get__(type(value)))


_bounded = _Bounded()


def shown(value: object) -> str:
    """A value as an error message shows it: like `repr`, on one line, of at most 200 characters. Never raises.

    >>> shown("Ana"), shown([1, [2, [3, [4, 5]]]])
    ("'Ana'", '[1, [2, [3, [...]]]]')
    """
    try:
        text = _bounded.repr(value)
    except Exception:  # noqa: BLE001 - a list or dict of a class of its own may raise where its items are read
        text = f"a {_class_name(value)}"
    line = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in " ".join(text.split("\n")))
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


def shortened(text: object) -> str:
    """A path, or names, as an error message tells them: in full, but of a very long one the two ends.

    >>> shortened("/agent/agent.db"), len(shortened("x" * 100_000))
    ('/agent/agent.db', 399)
    """
    return _Bounded._from_both_ends(str(text), _LONGEST_PATH)  # noqa: SLF001 - of this module
