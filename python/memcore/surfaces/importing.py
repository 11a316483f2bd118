"""Conversations from JSONL: one message a line, read into what `Memory.add_many` takes."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from memcore.dates import parse_moment
from memcore.errors import InvalidInputError, shown
from memcore.kinds import Kind, Origin
from memcore.scope import checked_name

__all__ = ["read_turns"]

_NAMES = {"text": "content", "time": "timestamp", "session": "session_id"}
"""The fields of evaluation files, and what each is called here."""
_FIELDS = (
    "content",
    "entities",
    "id",
    "idempotency_key",
    "metadata",
    "role",
    "session_id",
    "source_ref",
    "speaker",
    "timestamp",
    "user_id",
)
_ORIGINS = {
    "user": Origin.USER,
    "assistant": Origin.ASSISTANT,
    "tool": Origin.TOOL,
    "function": Origin.TOOL,
    "system": Origin.TOOL,
    "developer": Origin.TOOL,
}
_LONGEST_NAME = 80
"""Characters of an unknown field's name that is shown as it is."""


def read_turns(
    lines: Iterable[str], *, user_id: str | None = None, session_id: str | None = None
) -> Iterator[dict[str, Any]]:
    """One dict of `add`'s fields for each line: a JSON object that is one message of a conversation.

    Fields: `content` (required), `user_id`, `session_id`, `speaker`, `role`, `timestamp` (what `parse_moment` reads),
    `entities` (names, or {"name", "aliases"}), `metadata`, `source_ref`, `idempotency_key`, `id` (kept in the
    metadata). The names of evaluation files are taken too: `text`, `time`, `session`. Null and an empty session or
    speaker count as left out; blank lines are passed over. Without a role the origin is `import`. `user_id` and
    `session_id` are for the lines that name none; a line's own wins.

    >>> next(read_turns(['{"content": "Hi.", "speaker": "Ana", "role": "user"}']))["origin"].value
    'user'

    Raises:
        InvalidInputError: a line is not such an object; the message begins with `line n, field`. Raised when the
            iteration reaches that line.
    """
    for number, line in enumerate(lines, 1):
        text = line.removeprefix("\ufeff") if number == 1 else line
        if text.strip():
            turn = _Line(number, text).turn()
            if user_id is not None:
                turn.setdefault("user_id", user_id)
            if session_id is not None:
                turn.setdefault("session_id", session_id)
            yield turn


class _Line:
    """One line: its fields under the names used here, and errors that begin with its number."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.fields = self._named(self._object(text))

    def turn(self) -> dict[str, Any]:
        role = self.fields.get("role")
        if role is not None and not (isinstance(role, str) and role in _ORIGINS):
            self._refuse("role", role, f"give one of {', '.join(_ORIGINS)}, and a person's name in speaker")
        speaker = self._text("speaker") or role
        turn: dict[str, Any] = {
            "content": self._content(),
            "kind": Kind.TURN,
            "origin": Origin.IMPORT if role is None else _ORIGINS[role],
            "entities": self._entities(),
            "metadata": self._metadata(),
        }
        if speaker:
            turn["speaker"] = speaker
        if (said_at := self.fields.get("timestamp")) is not None:
            turn["event_time"] = self._checked("timestamp", parse_moment, said_at)
        for field in ("user_id", "session_id", "source_ref", "idempotency_key"):
            value = self._text(field)
            if value is not None and (value or field == "user_id"):
                turn[field] = value
        return turn

    def _object(self, text: str) -> dict[str, Any]:
        try:
            value = json.loads(text, parse_constant=self._no_constant)
        except json.JSONDecodeError as error:
            raise InvalidInputError(
                f"line {self.number}: not JSON ({error.msg} at column {error.colno}); give one JSON object a line"
            ) from error
        except (RecursionError, ValueError) as error:
            raise InvalidInputError(
                f"line {self.number}: JSON nested too deeply, or a number too long; give one flat JSON object a line"
            ) from error
        if not isinstance(value, dict):
            raise InvalidInputError(
                f"line {self.number}: {shown(value)} is not accepted; give a JSON object with content"
            )
        return value

    def _named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, value in given.items():
            name = _NAMES.get(key, key)
            if name not in _FIELDS:
                close = get_close_matches(key[:_LONGEST_NAME], (*_FIELDS, *_NAMES), n=1)
                hint = f' (did you mean "{close[0]}"?)' if close else ""
                plain = key.isprintable() and len(key) <= _LONGEST_NAME
                self._refuse(key if plain else shown(key), value, f"put what is not a field into metadata{hint}")
            if name in fields:
                self._refuse(key, value, f"the line has {name} already")
            fields[name] = value
        return fields

    def _content(self) -> str:
        content = self._text("content")
        if content is None or not content.strip():
            self._refuse("content", content, "give the words of the message")
        return content

    def _text(self, field: str) -> str | None:
        value = self.fields.get(field)
        if value is None:
            return None
        if field in {"user_id", "session_id"}:
            self._checked(field, lambda name: checked_name(field, name), value)
        if not isinstance(value, str):
            self._refuse(field, value, "give a string")
        return self._storable(field, value)

    def _storable(self, field: str, value: str) -> str:
        if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            self._refuse(field, value, "leave out NUL and lone surrogates")
        return value

    def _entities(self) -> list[str | dict[str, Any]]:
        given = self.fields.get("entities")
        if given is None:
            return []
        remedy = 'give a list of names, or of {"name": "…", "aliases": ["…"]}'
        if not isinstance(given, list):
            self._refuse("entities", given, remedy)
        for index, entity in enumerate(given):
            named = entity if isinstance(entity, dict) else {"name": entity}
            name, aliases = named.get("name"), named.get("aliases") or []
            if not named.keys() <= {"name", "aliases"} or not isinstance(aliases, list):
                self._refuse(f"entities[{index}]", entity, remedy)
            for one in (name, *aliases):
                if not isinstance(one, str) or not one.strip():
                    self._refuse(f"entities[{index}]", entity, remedy)
                self._storable(f"entities[{index}]", one)
        return given

    def _metadata(self) -> dict[str, Any]:
        given = self.fields.get("metadata")
        if given is not None and not isinstance(given, dict):
            self._refuse("metadata", given, "give an object")
        own = self.fields.get("id")
        if own is not None and (isinstance(own, bool) or not isinstance(own, str | int)):
            self._refuse("id", own, "give a string or an integer")
        return {**({} if own is None else {"id": own}), **(given or {})}

    def _checked(self, field: str, check: Callable[[Any], object], value: object) -> object:
        try:
            return check(value)
        except InvalidInputError as error:
            raise InvalidInputError(f"line {self.number}, {field}: {error}") from error

    def _refuse(self, field: str, value: object, remedy: str) -> NoReturn:
        raise InvalidInputError(f"line {self.number}, {field}: {shown(value)} is not accepted; {remedy}")

    def _no_constant(self, word: str) -> NoReturn:
        raise InvalidInputError(f"line {self.number}: {word} is not accepted; JSON has finite numbers only")
