"""Where the parameter file of a database is."""

import os
from pathlib import Path

from memcore.errors import InvalidInputError

__all__ = ["FILE_NAME", "params_location"]

FILE_NAME = "retrieval_params.json"


def params_location(database: str | os.PathLike[str], given: str | os.PathLike[str] | None) -> Path | None:
    """The path that was given, else `retrieval_params.json` beside the database; None for a database in memory.

    Raises:
        InvalidInputError: what was given is no path.
    """
    if given is not None:
        path = os.fspath(given) if isinstance(given, str | os.PathLike) else given
        if not isinstance(path, str) or not path:
            raise InvalidInputError(f"params: {given!r} is not accepted; give the path of a JSON file, or None")
        return Path(path)
    return None if database == ":memory:" else Path(database).parent / FILE_NAME
