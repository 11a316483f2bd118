"""Evaluation files: stores of memories with queries and the memories that answer them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcore.dates import parse_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcore import Memory

__all__ = ["Question", "Store", "evaluation_files", "fill", "read_stores"]


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


def evaluation_files() -> list[Path]:
    """The development files in the folder that `MEMCORE_EVALUATION` names; none where it is not set."""
    folder = os.environ.get("MEMCORE_EVALUATION")
    return sorted(Path(folder).glob("*dev*.jsonl")) if folder else []


def read_stores(path: Path) -> Iterator[Store]:
    """The stores of a file; questions without evidence are left out."""
    for line in path.read_text(encoding="utf-8").splitlines():
        store = json.loads(line)
        yield Store(
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


def fill(memory: Memory, store: Store) -> dict[int, str]:
    """Stores the memories; which name each new id belongs to."""
    added = memory.add_many(list(store.items))
    return {one.id: name for one, name in zip(added, store.names, strict=True) if one.id is not None}
