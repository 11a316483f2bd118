"""The commands `params show` and `params check`: what a search goes by, and whether a file may be put in place."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcore.errors import ParamsError
from memcore.surfaces.cli import session
from memcore.surfaces.cli.options import Db, Json, given
from memcore.surfaces.cli.output import emit, emit_json
from memcore.surfaces.cli.streams import standard_input
from memcore.surfaces.cli.tables import emit_table

if TYPE_CHECKING:
    from memcore.params import RetrievalParams

__all__ = ["register"]

STANDARD_INPUT = Path("-")


def show(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="A parameter file, - for standard input; unless said, the one beside the database."
        ),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Show every parameter with its value, its default and what it means."""
    from memcore.params import RetrievalParams, params_location

    before = given(context)
    if file is None and (named := before.named_database(db)) is not None:
        session.existing(named)
    path = file if file == STANDARD_INPUT else params_location(before.database_or(db), file)
    found = path is not None and (file is not None or path.exists())
    values = (_read(path) if path is not None and found else RetrievalParams()).model_dump(mode="json")
    if as_json:
        emit_json({"file": str(path) if found else None, "params": values})
        return
    defaults = RetrievalParams().model_dump(mode="json")
    rows = [
        (name, _shown(values[name]), _shown(defaults[name]), field.description)
        for name, field in RetrievalParams.model_fields.items()
    ]
    emit_table(("parameter", "value", "default", "meaning"), rows)


def _shown(value: object) -> str:
    """As the file spells it, so that it can be copied from here."""
    return json.dumps(value, ensure_ascii=False)


def _read(file: Path) -> "RetrievalParams":
    from memcore.params import params_from_text, read_params

    if file == STANDARD_INPUT:
        return params_from_text(standard_input().buffer.read())
    try:
        file.open("rb").close()
    except OSError as error:
        raise typer.BadParameter(f"{file}: cannot be read ({error.strerror})") from error
    return read_params(file)


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The parameter file to check; - reads standard input.")],
    as_json: Json = False,
) -> None:
    """Check a parameter file before it is put in place; what is wrong with it is said in one line, with code 1."""
    try:
        _read(file)
    except ParamsError as error:
        if not as_json:
            raise
        emit_json({"file": str(file), "valid": False, "problems": list(error.problems)})
        raise typer.Exit(1) from error
    if as_json:
        emit_json({"file": str(file), "valid": True})
    else:
        emit(f"{file}: valid")


def register(app: typer.Typer) -> None:
    """Give `app` these commands."""
    params = typer.Typer(help="The parameters of a search.", no_args_is_help=True)
    params.command()(show)
    params.command()(check)
    app.add_typer(params, name="params")
