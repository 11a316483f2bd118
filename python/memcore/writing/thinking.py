"""A model's thinking aloud, which is cut from what it says; a tag that it only speaks of stays.

A tag counts where a passage begins or ends: at the start of the text or of a line, or after a sentence. In the middle
of a sentence, beside a backtick or in fenced code it is a word like another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["without_thinking"]

_TAG = re.compile(
    r"(?<!`)<[ \t]*(?P<end>/[ \t]*)?(?P<name>think|thinking|thought|reasoning|reflection|scratchpad)[ \t]*>(?!`)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```|~~~")
_LINE_ENDS = re.compile(r"[^\S\n]*(?:\n|\Z)")
_SENTENCE_ENDS = ".!?。！？…"


def without_thinking(content: str) -> str:
    """`content` without the passages in `<think>`, `<thinking>`, `<reasoning>` and the like, nested ones as a whole.

    A passage begins with the text, with a line, or after a sentence. One that never ends goes to the end of the text,
    unless it follows a sentence in the same line. What stands before an end without a beginning is thinking too where
    that end is the first tag of the text and begins its line, or follows a sentence and ends its line.
    """
    tags = list(_TAG.finditer(content)) if "<" in content else []
    kept, closings = _Kept(content), _closings(content, tags)
    number, spoken, cut = 0, False, False
    while number < len(tags):
        tag = tags[number]
        number += 1
        kept.up_to(tag.start())
        if tag["end"]:
            if not spoken and kept.may_end(tag, loosely=cut):
                kept.restart(tag.end())
                cut = True
            else:
                spoken = True
            continue
        last = closings.get(number - 1) if kept.begins_line or kept.follows_sentence else None
        if last is not None:
            kept.skip_to(tags[last].end())
            number, cut = last + 1, True
        elif kept.begins_line:
            kept.skip_to(len(content))
            number, cut = len(tags), True
        else:
            spoken = True
    kept.up_to(len(content))
    return "".join(kept.parts).strip() if cut else content


@dataclass(slots=True)
class _Kept:
    """What is kept of a text so far. `at`: where the rest begins; `before`: the last letter kept, or a line's end."""

    content: str
    parts: list[str] = field(default_factory=list)
    at: int = 0
    before: str = "\n"
    in_code: bool = False

    def up_to(self, end: int) -> None:
        """Keeps the text up to a place."""
        part = self.content[self.at : end]
        said = part.rstrip()
        if "\n" in part[len(said) :]:
            self.before = "\n"
        elif said:
            self.before = said[-1]
        self.in_code ^= len(_FENCE.findall(part)) % 2 == 1
        self.parts.append(part)
        self.at = end

    def skip_to(self, end: int) -> None:
        """Leaves the text out up to a place."""
        self.at = end

    def restart(self, at: int) -> None:
        """Leaves out all before a place."""
        self.parts.clear()
        self.at, self.before, self.in_code = at, "\n", False

    @property
    def begins_line(self) -> bool:
        """Whether what comes now begins the text or a line."""
        return self.before == "\n" and not self.in_code

    @property
    def follows_sentence(self) -> bool:
        """Whether what comes now follows a sentence in its line."""
        return self.before in _SENTENCE_ENDS and not self.in_code

    def may_end(self, tag: re.Match[str], *, loosely: bool) -> bool:
        """Whether an end without a beginning closes what is kept; `loosely`: a passage was cut before it."""
        if self.begins_line:
            return True
        return (loosely or self.follows_sentence) and not self.in_code and _ends_line(self.content, tag)


def _ends_line(content: str, tag: re.Match[str]) -> bool:
    return _LINE_ENDS.match(content, tag.end()) is not None


def _closings(content: str, tags: Sequence[re.Match[str]]) -> dict[int, int]:
    """By the number of a beginning, which tag closes its passage; one that no end of its name follows is left out.

    With ends too few for the beginnings, some beginning was only spoken of: the first end that closes a line counts,
    else the last one.
    """
    closing: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        of_name = opened.setdefault(tag["name"].casefold(), [])
        if not tag["end"]:
            of_name.append(number)
        elif of_name:
            closing[of_name.pop()] = number
    last: dict[str, int] = {}
    closes_line: dict[str, int] = {}
    for number in range(len(tags) - 1, -1, -1):
        name = tags[number]["name"].casefold()
        if tags[number]["end"]:
            last.setdefault(name, number)
            if _ends_line(content, tags[number]):
                closes_line[name] = number
        elif name in last:
            closing.setdefault(number, closes_line.get(name, last[name]))
    return closing
