"""Evaluation files: stores of memories with queries and the memories that answer them, a store a line (JSON)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.dates import parse_moment
from memcore.errors import InvalidInputError, shortened, shown
from memcore.params import read_regular
from memcore.scope import checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

__all__ = ["Question", "Store", "read_document", "read_stores", "stores_of"]

LARGEST = 1 << 30
"""Bytes of a file at most."""
_FORM = (
    'a JSON object with "store", "memories" (id, speaker, text, session, time) and "queries" (id, text, evidence,'
    " category)"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the ids of the memories that answer it, and its category."""

    id: str
    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Store:
    """One person's memories, in order, and the questions about them; `line` is its line in the file."""

    line: int
    name: str
    items: tuple[dict[str, Any], ...]
    texts: tuple[str, ...]
    """The texts as the file has them, the speaker's name in front where it stands there."""
    names: tuple[str, ...]
    questions: tuple[Question, ...]


def read_stores(path: Path) -> Iterator[Store]:
    """The stores of a file; questions without evidence are left out.

    Raises:
        InvalidInputError: it cannot be read, has no line, or a line is not such a store, for example because evidence
            is none of its memories; the message names the line and the field.
    """
    return stores_of(read_document(path), path)


def read_document(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        InvalidInputError: it cannot be read, is no regular file, or is longer than a gigabyte.
    """
    try:
        document = read_regular(path, LARGEST + 1)[1]
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInputError(
            f"on: {shortened(path)} cannot be read ({reason}); give the path of an evaluation file"
        ) from error
    if len(document) > LARGEST:
        raise InvalidInputError(f"on: {path} has more than {LARGEST} bytes; give the path of an evaluation file")
    return document


def stores_of(document: bytes, path: Path) -> Iterator[Store]:
    """The stores in the text of a file, UTF-8; lines end with a line feed alone. `path` is for messages.

    Raises:
        InvalidInputError: as `read_stores`.
    """
    try:
        lines = document.decode("utf-8-sig").split("\n")
    except UnicodeError as error:
        raise InvalidInputError(f"on: {path} cannot be read ({error}); give a file in UTF-8") from error
    if not lines[-1].strip():
        del lines[-1]
    if not any(line.strip() for line in lines):
        raise InvalidInputError(f"on: line 1 of {path} is no store: the file is empty; give on each line {_FORM}")
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        try:
            store = _store(_read(line), number)
            _refuse_again(store.name, seen)
        except InvalidInputError as error:
            raise InvalidInputError(f"on: line {number} of {path} is no store: {error}") from error
        seen[store.name] = number
        yield store


def _refuse_again(name: str, seen: Mapping[str, int]) -> None:
    if name in seen:
        raise InvalidInputError(f"store: {shown(name)} is on line {seen[name]} too; give each store a name of its own")


def _read(line: str) -> Any:
    if not line.strip():
        raise InvalidInputError("it is blank; take the line out")
    try:
        return json.loads(line)
    except RecursionError as error:
        raise InvalidInputError(f"it is nested too deeply; give {_FORM}") from error
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"{error.msg} at character {error.pos + 1}; give {_FORM}") from error
    except ValueError as error:  # a number with more digits than are read
        raise InvalidInputError(f"{error}; give {_FORM}") from error


def _store(given: Any, line: int) -> Store:
    name = checked_name("store", _of(given, "store", ""))
    memories, queries = (_list(_of(given, field, ""), field) for field in ("memories", "queries"))
    if not memories:
        raise InvalidInputError("memories: there are none; give at least one")
    names = tuple(_text(memory, "id", f"memories[{place}].") for place, memory in enumerate(memories))
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise InvalidInputError(f"memories: the id {shown(twice)} is there twice; give each an id of its own")
    items = tuple(_item(memory, name, f"memories[{place}].") for place, memory in enumerate(memories))
    known = frozenset(names)
    questions = [_question(query, known, f"queries[{place}].") for place, query in enumerate(queries)]
    return Store(
        line=line,
        name=name,
        items=items,
        texts=tuple(memory["text"] for memory in memories),
        names=names,
        questions=tuple(question for question in questions if question.evidence),
    )


def _question(query: Any, known: frozenset[str], at: str) -> Question:
    evidence = _of(query, "evidence", at)
    named = [] if evidence is None else _list(evidence, f"{at}evidence")
    wrong = next((one for one in named if not isinstance(one, str)), None)
    if wrong is not None:
        raise InvalidInputError(f"{at}evidence: {shown(wrong)} is not accepted; give a list of ids, as strings")
    category = _of(query, "category", at)
    found = Question(_text(query, "id", at), _said(query, at), frozenset(named), category)
    unknown = next((one for one in named if one not in known), None)
    if unknown is not None:
        raise InvalidInputError(
            f"{at}evidence: {shown(unknown)} is the id of no memory of this line; give ids of its memories"
        )
    return found


def _item(memory: Any, user: str, at: str) -> dict[str, Any]:
    """A memory as `add_many` takes it: a turn, its speaker's name cut off where the text begins with it."""
    speaker = _name(memory, "speaker", at)
    text = _said(memory, at)
    if speaker is not None and text.startswith(f"{speaker}: "):
        said = text[len(speaker) + 2 :]
        text = said if said.strip() else text
    return {
        "content": text,
        "kind": "turn",
        "speaker": speaker,
        "user_id": user,
        "session_id": _name(memory, "session", at),
        "event_time": _moment(memory, at),
    }


def _moment(memory: Any, at: str) -> datetime:
    try:
        return parse_moment(_of(memory, "time", at))
    except InvalidInputError as error:
        raise InvalidInputError(f"{at}time: {error}") from error


def _name(given: Any, field: str, at: str) -> str | None:
    """A name, or None where there is none: null, or the empty text."""
    found = _of(given, field, at)
    return None if found in (None, "") else checked_name(f"{at}{field}", found)


def _said(given: Any, at: str) -> str:
    text = _text(given, "text", at)
    if not text.strip():
        raise InvalidInputError(f"{at}text: {shown(text)} is blank; give a text")
    return text


def _text(given: Any, field: str, at: str) -> str:
    found = _of(given, field, at)
    if not isinstance(found, str):
        raise InvalidInputError(f"{at}{field}: {shown(found)} is not accepted; give a string")
    return found


def _list(found: Any, field: str) -> list[Any]:
    if not isinstance(found, list):
        raise InvalidInputError(f"{field}: {shown(found)} is not accepted; give a list")
    return found


def _of(given: Any, field: str, at: str) -> Any:
    """A field of an object of the file."""
    if not isinstance(given, dict):
        place = at.rstrip(".") or "it"
        raise InvalidInputError(f"{place}: {shown(given)} is no JSON object; give {_FORM}")
    if field not in given:
        raise InvalidInputError(f"{at}{field} is missing; give {_FORM}")
    return given[field]
