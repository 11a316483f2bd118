"""The exception tree. Its root and the errors of the compute core come from Rust; the rest are named here."""

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
    "without_values",
]


class NotFoundError(MemcoreError):
    """There is no such id in this agent's (and, where one is named, this user's) memory."""


class EmbeddingSpaceError(MemcoreError):
    """Vectors of two embedding spaces would have been mixed."""


class ParamsError(MemcoreError):
    """The parameter file, or a parameter given to a call, is malformed, unknown or out of range."""


class StorageError(MemcoreError):
    """The database cannot be opened, read or written."""


class StorageBusyError(StorageError):
    """Another thread, process or program was writing for as long as one may wait. Nothing of the write was kept."""


class StorageFullError(StorageError):
    """The disk, or the database's page limit, is full. Nothing of the write was kept."""


class NewerDatabaseError(StorageError):
    """The database was written by a newer memcore than this one."""


class DatabaseMovedError(StorageError):
    """The file that is open was deleted, moved or replaced by another. Nothing of the write was kept."""


class CorruptDatabaseError(StorageError):
    """The file is not a database, is truncated, or a row does not match its checksum."""


class ProviderError(MemcoreError):
    """An embedder or a model failed or answered with something unusable."""


class UndoRefusedError(MemcoreError):
    """An operation cannot be undone as things are; nothing was changed. `operations`: the later ones on top of it."""

    def __init__(self, message: str, operations: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.operations = operations


class ForkedError(MemcoreError):
    """A `Memory`, or a file, that a parent had open at `fork` was used in the child; close it before, or use spawn."""


def without_values(error: MemcoreError) -> str:
    """What a log may say of an error: its class and the field or file that it names, never a value that was given."""
    return f"{type(error).__name__} ({str(error).partition(':')[0]})"
