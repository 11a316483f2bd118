"""Where the parameter file of a database is."""

import os
from pathlib import Path

__all__ = ["FILE_NAME", "params_location"]

FILE_NAME = "retrieval_params.json"


def params_location(database: str | os.PathLike[str], given: str | os.PathLike[str] | None) -> Path | None:
    """The path that was given, else `retrieval_params.json` beside the database; None for a database in memory."""
    if given is not None:
        return Path(given)
    return None if database == ":memory:" else Path(database).parent / FILE_NAME
