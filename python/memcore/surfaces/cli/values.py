"""What stands behind an option, as the value that the library takes; what it would refuse is a usage error at once.

The rules are the library's own: each function asks the check that a call of `Memory` asks later. A database is not
opened for a value that no database could take.

Texts and names are UTF-8 whatever the locale says. Paths stay as they came: the file system takes the bytes.
"""

import json
import os
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn, TypeVar

import typer

from memcore.errors import InvalidInputError, shown
from memcore.kinds import Kind
from memcore.records import checked_id
from memcore.scope import checked_name

__all__ = [
    "agent",
    "budget",
    "content",
    "cursor",
    "due_at",
    "entity",
    "event_time",
    "filters",
    "hit_kinds",
    "idempotency_key",
    "importance",
    "job",
    "limit",
    "memory_id",
    "metadata",
    "note",
    "now",
    "page_limit",
    "query",
    "session",
    "source_ref",
    "speaker",
    "tag",
    "task_id",
    "title",
    "user",
]

Value = TypeVar("Value")


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


def content(given: str) -> str:
    """A text to remember."""
    from memcore.writing import fields

    return _accepted("content", lambda: fields.text("content", _utf8(given)))


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


def _name(field: str, given: str) -> str:
    from memcore.writing import fields

    return _accepted(field, lambda: fields.name(field, _utf8(given)))


def speaker(given: str) -> str:
    """The name of who said it."""
    return _name("speaker", given)


def entity(given: str) -> str:
    """The name of what it is about."""
    return _name("entities", given)


def tag(given: str) -> str:
    """A tag."""
    return _name("tags", given)


def source_ref(given: str) -> str:
    """The name of a source."""
    return _name("source_ref", given)


def idempotency_key(given: str) -> str:
    """A key that a second add may have."""
    return _name("idempotency_key", given)


def title(given: str) -> str:
    """What a task is about."""
    return _name("title", given)


def note(given: str) -> str:
    """A note on a task."""
    from memcore.writing import fields

    return _accepted("note", lambda: fields.text("note", _utf8(given)))


def task_id(given: str | int) -> int:
    """The number of a task."""
    return _accepted("id", lambda: checked_id("id", _whole(given), of="task"))


def memory_id(given: str | int) -> int:
    """The number of a memory."""
    return _accepted("id", lambda: checked_id("id", _whole(given)))


def cursor(given: str | int) -> int:
    """The number where a list goes on."""
    return _accepted("cursor", lambda: checked_id("cursor", _whole(given)))


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


def importance(given: str | float) -> float:
    """A number from 0 to 10."""
    from memcore.writing import fields

    try:
        number = float(given)
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not a number") from error
    return _accepted("importance", lambda: fields.importance("importance", number))


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


def event_time(given: str) -> datetime:
    """When it happened."""
    return _moment("event_time", given)


def due_at(given: str) -> datetime:
    """By when a task is due."""
    return _moment("due_at", given)


def now(given: str) -> datetime:
    """When the question is asked."""
    return _moment("now", given)


def _moment(field: str, given: str) -> datetime:
    """A moment in ISO 8601 with an offset from UTC."""
    from memcore.writing import fields

    try:
        value = datetime.fromisoformat(given)
    except ValueError as error:
        raise typer.BadParameter(f"{shown(given)} is not a moment such as 2026-05-03T18:30:00+00:00") from error
    if value.tzinfo is None:
        raise typer.BadParameter(f"{shown(given)} has no time zone; append Z or an offset such as +08:00")
    return _accepted(field, lambda: fields.moment(field, value))


def metadata(given: str) -> dict[str, Any]:
    """A JSON object."""
    from memcore.writing import fields

    return _accepted("metadata", lambda: fields.json_object("metadata", _json_object(given)))


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
        return _moment("filters", wanted)
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
