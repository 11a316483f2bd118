"""Options that several commands share, handed to a command as one value."""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

__all__ = ["grouped"]

Command = Callable[..., None]


def grouped(command: Command) -> Command:
    """`command` as typer reads it: in the place of each parameter that is a dataclass stand the fields of that class.

    The fields are annotated as options are, and each has a default. The command itself gets the dataclass.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    parameters: list[Parameter] = []
    for name in signature(command).parameters:
        if name in groups:
            parameters.extend(_options(groups[name]))
        else:
            default = signature(command).parameters[name].default
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[name]))

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what `inspect.signature` answers with
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _options(group: type[Any]) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
