"""What stands behind the options of `tune …`, as the library takes it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from memcore.errors import InvalidInputError, shown

if TYPE_CHECKING:
    from memcore.params import RetrievalParams

__all__ = ["document", "first", "most", "page", "sample", "saved", "seed", "trials", "tuned", "whole"]

Value = TypeVar("Value")


def _accepted(field: str, check: Callable[[], Value]) -> Value:
    try:
        return check()
    except InvalidInputError as error:
        raise typer.BadParameter(str(error).removeprefix(f"{field}: ")) from error


def _whole(given: str | int) -> int:
    try:
        return int(given)
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not a whole number") from error


def sample(given: str | float) -> float:
    """A share of the searches."""
    from memcore.calls.tracing import checked_sample

    try:
        number = float(given)
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not a number") from error
    return _accepted("sample", lambda: checked_sample(number))


def most(given: str | int) -> int:
    """How many traces are kept."""
    from memcore.calls.tracing import checked_most

    return _accepted("most", lambda: checked_most(_whole(given)))


def first(given: str | int) -> int:
    """How many hits of an answer count."""
    from memcore.calls.tuning import checked_k

    return _accepted("k", lambda: checked_k(_whole(given)))


def saved(given: str) -> str:
    """The name of a profile that is to be saved; one of the package's is refused before the search, not after it."""
    from memcore.learning.named import NAMED
    from memcore.surfaces.cli import values

    name = values.name("save")(given)
    if name in NAMED:
        raise typer.BadParameter(f"{shown(name)} is a profile of the package; give another name")
    return name


def page(given: str | Path) -> Path:
    """The file of a page that is to be written, in a folder that is there."""
    path = Path(given)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"{path} cannot be written; give the path of a file, in a folder that is there")
    return path


def trials(given: str | int) -> int:
    """How many sets are tried."""
    from memcore.calls.tuning import checked_trials

    return _accepted("trials", lambda: checked_trials(_whole(given)))


def seed(given: str | int) -> int:
    """By what sets are drawn."""
    from memcore.calls.tuning import checked_seed

    return _accepted("seed", lambda: checked_seed(_whole(given)))


def tuned(given: str) -> str:
    """A parameter of the white-list."""
    from memcore.calls.tuning import checked_names

    return _accepted("names", lambda: checked_names([given]))[0]


def whole(path: Path) -> "RetrievalParams":
    """All parameters of a file; what it leaves out is at its default.

    Raises:
        typer.BadParameter: it cannot be read.
        ParamsError: it is no parameter file.
    """
    from memcore.params import params_from_text

    return params_from_text(_read(path))


def document(path: Path) -> Mapping[str, Any]:
    """What a parameter file says; what it leaves out stays as it is.

    Raises:
        typer.BadParameter: it cannot be read.
        ParamsError: it is no parameter file.
    """
    import json

    text = _read(path)
    found = whole(path).model_dump()
    return {name: found[name] for name in json.loads(text.decode("utf-8-sig"))}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"--params: {path} cannot be read ({error.strerror})") from error
