"""The one SQLite library of this process: the `pysqlite3` wheel where it is installed, else the standard library's."""

from functools import cache
from importlib import import_module
from types import ModuleType

from memcore.errors import StorageError

__all__ = ["sqlite_driver"]

_OLDEST = (3, 37, 0)


@cache
def sqlite_driver() -> ModuleType:
    """The DB-API module that opens the truth file; two SQLite libraries on one file in one process would damage it.

    Raises:
        StorageError: the library is older than 3.37 and knows no STRICT tables.
    """
    try:
        driver = import_module("pysqlite3.dbapi2")
    except ImportError:
        driver = import_module("sqlite3.dbapi2")
    if driver.sqlite_version_info < _OLDEST:
        raise StorageError(
            f"SQLite {driver.sqlite_version} is too old; install pysqlite3, or a Python with SQLite >= 3.37"
        )
    return driver
