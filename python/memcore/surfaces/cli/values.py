"""What stands behind an option, as the value that the library takes; what it would refuse is a usage error at once.

The rules are the library's own: each function asks the check that a call of `Memory` asks later. A database is not
opened for a value that no database could take.

Texts and names are UTF-8 whatever the locale says. Paths stay as they came: the file system takes the bytes.
"""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

import typer

from memcore.errors import InvalidInputError, shown
from memcore.kinds import EdgeType, Kind
from memcore.records import checked_id
from memcore.scope import checked_name

__all__ = [
    "agent",
    "budget",
    "cursor",
    "edge_type",
    "filters",
    "hit_kinds",
    "hops",
    "item_number",
    "job",
    "json_object",
    "limit",
    "moment",
    "name",
    "number",
    "number_of",
    "one_of",
    "page_limit",
    "query",
    "session",
    "text",
    "time_to_live",
    "user",
    "watermark",
]

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=StrEnum)


def _accepted(field: str, check: Callable[[], Value]) -> Value:
    """What `check` gives back.

    Raises:
        typer.BadParameter: it refuses; the message leaves out the field, whose option stands before it.
    """
    try:
        return check()
    except InvalidInputError as error:
        raise typer.BadParameter(str(error).removeprefix(f"{field}: ")) from error


def _utf8(given: str) -> str:
    """`given`, read as UTF-8 where the locale's encoding could not read it.

    Bytes that the locale has not (in the locale C all but ASCII, unless Python is in its UTF-8 mode) stand in an
    argument as lone surrogates, from which they come back whole (PEP 383).

    Raises:
        typer.BadParameter: the bytes are not UTF-8.
    """
    if not any("\ud800" <= character <= "\udfff" for character in given):
        return given
    try:
        return os.fsencode(given).decode()
    except UnicodeError as error:
        raise typer.BadParameter(f"{shown(given)} is not UTF-8 ({error}); give UTF-8") from error


def _whole(given: str | int) -> int:
    try:
        return int(given)
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not a whole number") from error


def query(given: str) -> str:
    """A question."""
    from memcore.searching.request import checked_query

    return _accepted("query", lambda: checked_query(_utf8(given)))


def agent(given: str) -> str:
    """The name of an agent."""
    return _accepted("agent_id", lambda: checked_name("agent_id", _utf8(given)))


def user(given: str) -> str:
    """The name of a user."""
    return _accepted("user_id", lambda: checked_name("user_id", _utf8(given)))


def session(given: str) -> str:
    """The name of a conversation."""
    return _accepted("session_id", lambda: checked_name("session_id", _utf8(given)))


def name(field: str) -> Callable[[str], str]:
    """The reader of a name: of a speaker, an entity, a tag, a source, a key, a slot, a task."""

    def read(given: str) -> str:
        from memcore.writing import fields

        return _accepted(field, lambda: fields.name(field, _utf8(given)))

    return read


def text(field: str) -> Callable[[str], str]:
    """The reader of a text that is kept: a note, a reason, a correction."""

    def read(given: str) -> str:
        from memcore.writing import fields

        return _accepted(field, lambda: fields.text(field, _utf8(given)))

    return read


def number(field: str, largest: int) -> Callable[[str | float], float]:
    """The reader of a number from 0 to `largest`."""

    def read(given: str | float) -> float:
        from memcore.writing import fields

        try:
            value = float(given)
        except ValueError as error:
            raise typer.BadParameter(f"{shown(given)} is not a number") from error
        return _accepted(field, lambda: fields.number(field, value, largest))

    return read


def moment(field: str) -> Callable[[str], datetime]:
    """The reader of a moment in ISO 8601 with an offset from UTC."""

    def read(given: str) -> datetime:
        from memcore.writing import fields

        try:
            value = datetime.fromisoformat(given)
        except ValueError as error:
            raise typer.BadParameter(f"{shown(given)} is not a moment such as 2026-05-03T18:30:00+00:00") from error
        if value.tzinfo is None:
            raise typer.BadParameter(f"{shown(given)} has no time zone; append Z or an offset such as +08:00")
        return _accepted(field, lambda: fields.moment(field, value))

    return read


def number_of(of: str) -> Callable[[str | int], int]:
    """The reader of the number of a memory, a task or an operation."""
    return lambda given: _accepted("id", lambda: checked_id("id", _whole(given), of=of))


def cursor(given: str | int) -> int:
    """The number where a list goes on."""
    return _accepted("cursor", lambda: checked_id("cursor", _whole(given)))


def watermark(given: str | int) -> int:
    """The number of an item of working memory, or a watermark."""
    return _accepted("before", lambda: checked_id("before", _whole(given), of="working item"))


def item_number(given: str) -> int:
    """The number of an item of working memory.

    Raises:
        typer.BadParameter: no item can have it; the argument is named.
    """
    try:
        return _accepted("what", lambda: checked_id("what", _whole(given), of="working item"))
    except typer.BadParameter as error:
        raise typer.BadParameter(error.message, param_hint="'SET_OR_ID'") from error


def time_to_live(given: str | float) -> float:
    """The seconds until an item of working memory ends."""
    from memcore.calls.working import end_of

    try:
        seconds = float(given)
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not a number of seconds") from error
    _accepted("ttl", lambda: end_of(seconds, None, datetime.now(UTC)))
    return seconds


def hops(given: str | int) -> int:
    """How many edges from a memory a graph goes."""
    from memcore.writing.reading import checked_hops

    return _accepted("hops", lambda: checked_hops(_whole(given)))


def edge_type() -> dict[str, Any]:
    """What `typer.Option` needs for the type of an edge: how the help shows those there are, and the reader."""

    def read(given: str) -> str:
        from memcore.writing.relate import edge_type

        _accepted("type", lambda: edge_type("type", given))
        return given

    return {"metavar": f"<{'|'.join(one.label for one in EdgeType if one.declared)}>", "parser": read}


def one_of(field: str, known: type[Choice]) -> dict[str, Any]:
    """What `typer.Option` needs for a value out of a closed set: how the help shows the set, and the reader."""

    def read(given: str) -> Choice:
        from memcore.writing import fields

        return _accepted(field, lambda: fields.choice(field, given, known))

    return {"metavar": f"<{'|'.join(known)}>", "parser": read}


def limit(given: str | int) -> int:
    """How many hits."""
    from memcore.searching.request import checked_limit

    return _accepted("limit", lambda: checked_limit(_whole(given)))


def page_limit(given: str | int) -> int:
    """How many memories in a list."""
    from memcore.writing.reading import checked_page_limit

    return _accepted("limit", lambda: checked_page_limit(_whole(given)))


def budget(given: str | int) -> int:
    """How many characters of a block."""
    from memcore.searching.result import checked_budget

    return _accepted("max_chars", lambda: checked_budget("max_chars", _whole(given)))


def job(given: str) -> str:
    """The name of a background job."""
    from memcore.maintenance.run import checked_jobs

    _accepted("jobs[0]", lambda: checked_jobs([given]))
    return given


def hit_kinds(given: list[Kind] | None) -> list[Kind] | None:
    """Kinds that a search can find; None for all."""
    from memcore.searching.request import checked_kinds

    if given:
        _accepted("kinds", lambda: checked_kinds(given))
    return given or None


def json_object(field: str) -> Callable[[str], dict[str, Any]]:
    """The reader of a JSON object."""

    def read(given: str) -> dict[str, Any]:
        from memcore.writing import fields

        return _accepted(field, lambda: fields.json_object(field, _json_object(given)))

    return read


def filters(given: str) -> dict[str, Any]:
    """Conditions on fields and metadata; moments, which JSON has not, are texts in ISO 8601 with an offset."""
    from memcore.storage.filters import condition

    value: dict[str, Any] = _with_moments(_json_object(given))
    _accepted("filters", lambda: condition(value))
    return value


def _with_moments(conditions: Any, depth: int = 0) -> Any:
    """`conditions` with the texts that columns of moments are compared with made moments; what is none stays."""
    from memcore.storage.filters import DEEPEST, MOMENTS

    if isinstance(conditions, list):
        return [_with_moments(one, depth) for one in conditions]
    if not isinstance(conditions, dict) or depth > DEEPEST:
        return conditions
    return {
        field: _moments(field, wanted) if field in MOMENTS else _with_moments(wanted, depth + 1)
        for field, wanted in conditions.items()
    }


def _moments(field: str, wanted: Any) -> Any:
    if isinstance(wanted, dict):
        return {operator: _moments(field, value) for operator, value in wanted.items()}
    if isinstance(wanted, list):
        return [_moments(field, value) if isinstance(value, str) else value for value in wanted]
    if not isinstance(wanted, str):
        return wanted
    try:
        return moment("filters")(wanted)
    except typer.BadParameter as error:
        raise typer.BadParameter(f"{field}: {error}") from error


def _json_object(given: str) -> dict[str, Any]:
    try:
        value = json.loads(_utf8(given), parse_constant=_no_constant)
    except RecursionError as error:
        raise typer.BadParameter(f"{shown(given)} is nested too deeply") from error
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{shown(given)} is not a JSON object such as {{}}")
    return value


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")
