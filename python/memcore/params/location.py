"""Where the parameter file of a database is."""

import os
from pathlib import Path

from memcore.errors import InvalidInputError, shown
from memcore.names import path_text

__all__ = ["FILE_NAME", "params_location"]

FILE_NAME = "retrieval_params.json"


def params_location(database: str | os.PathLike[str], given: str | os.PathLike[str] | None) -> Path | None:
    """The path that was given, else `retrieval_params.json` beside the database; None for a database in memory.

    Raises:
        InvalidInputError: what was given is no path.
    """
    if given is not None:
        path = path_text(given)
        if path is None:
            raise InvalidInputError(f"params: {shown(given)} is not accepted; give the path of a JSON file, or None")
        return Path(path).absolute()
    return None if database == ":memory:" else Path(database).absolute().parent / FILE_NAME
