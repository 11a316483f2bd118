"""Finding names in a text: at each place the longest known one."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from memcore.names import name_key
from memcore.pipeline.reader import NamedEntity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NameIndex", "named_in"]


class NameIndex:
    """Names by their normalised form, with the lengths that occur for each first character."""

    def __init__(self, ids_by_name: Mapping[str, tuple[int, ...]] | None = None) -> None:
        self.ids = dict(ids_by_name or {})
        lengths: dict[str, set[int]] = {}
        for name in self.ids:
            lengths.setdefault(name[0], set()).add(len(name))
        self.lengths = {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}


def named_in(text: str, indexes: Sequence[NameIndex]) -> tuple[NamedEntity, ...]:
    """The entities that a text names, in the order of the text, each once.

    Where several names start at one place the longest wins. A name in an alphabet counts only as a whole word; Chinese
    and Japanese names count inside a run of text, since nothing marks their ends there.
    """
    folded = name_key(text)
    found: dict[int, str] = {}
    place = 0
    firsts = {first for index in indexes for first in index.lengths}
    while place < len(folded):
        if folded[place] not in firsts:
            place += 1
            continue
        name = _longest_at(folded, place, indexes)
        if name is None:
            place += 1
            continue
        for index in indexes:
            for identity in index.ids.get(name, ()):
                found.setdefault(identity, name)
        place += len(name)
    return tuple(NamedEntity(identity, name) for identity, name in found.items())


def _longest_at(text: str, place: int, indexes: Sequence[NameIndex]) -> str | None:
    lengths = {length for index in indexes for length in index.lengths.get(text[place], ())}
    for length in sorted(lengths, reverse=True):
        name = text[place : place + length]
        known = len(name) == length and any(name in index.ids for index in indexes)
        if known and _whole(text, place, place + length):
            return name
    return None


def _whole(text: str, start: int, end: int) -> bool:
    """Whether no letter of an alphabet, or digit, continues `text[start:end]` on either side."""
    before = start > 0 and _joins(text[start - 1]) and _joins(text[start])
    after = end < len(text) and _joins(text[end - 1]) and _joins(text[end])
    return not (before or after)


def _joins(character: str) -> bool:
    """Whether a character is part of a word with marked ends: a letter, mark or digit of a script that has spaces."""
    return unicodedata.east_asian_width(character) not in ("W", "F") and (
        character == "_" or unicodedata.category(character)[0] in "LMN"
    )
