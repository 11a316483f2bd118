"""Evaluation files: stores of memories with queries and the memories that answer them, a store a line (JSON)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memcore.dates import parse_moment
from memcore.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Question", "Store", "read_stores"]


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the ids of the memories that answer it, and its category."""

    id: str
    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Store:
    """One person's memories, in order, and the questions about them."""

    name: str
    items: tuple[dict[str, Any], ...]
    texts: tuple[str, ...]
    """The texts as the file has them, the speaker's name in front where it stands there."""
    names: tuple[str, ...]
    questions: tuple[Question, ...]


def read_stores(path: Path) -> Iterator[Store]:
    """The stores of a file; questions without evidence are left out.

    Raises:
        InvalidInputError: it cannot be read, or a line is not such a store; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise InvalidInputError(f"on: {path} cannot be read ({error}); give the path of an evaluation file") from error
    for number, line in enumerate(lines, 1):
        try:
            yield _store(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInputError(
                f"on: line {number} of {path} is no store ({type(error).__name__}: {error}); give a JSON object with"
                ' "store", "memories" (id, speaker, text, session, time) and "queries" (id, text, evidence, category)'
            ) from error


def _store(store: dict[str, Any]) -> Store:
    return Store(
        name=store["store"],
        items=tuple(_item(memory, store["store"]) for memory in store["memories"]),
        texts=tuple(memory["text"] for memory in store["memories"]),
        names=tuple(memory["id"] for memory in store["memories"]),
        questions=tuple(
            Question(query["id"], query["text"], frozenset(query["evidence"]), query["category"])
            for query in store["queries"]
            if query["evidence"]
        ),
    )


def _item(memory: dict[str, Any], user: str) -> dict[str, Any]:
    """A memory as `add_many` takes it: a turn, its speaker's name cut off where the text begins with it."""
    speaker = memory["speaker"] or None
    text = memory["text"]
    if speaker is not None and text.startswith(f"{speaker}: "):
        text = text[len(speaker) + 2 :] or text
    return {
        "content": text,
        "kind": "turn",
        "speaker": speaker,
        "user_id": user,
        "session_id": memory["session"] or None,
        "event_time": parse_moment(memory["time"]),
    }
