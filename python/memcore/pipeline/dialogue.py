"""A query of several lines: a conversation so far, of which the last line is what is said now."""

from __future__ import annotations

__all__ = ["last_line"]


def last_line(text: str) -> str | None:
    """The last line with a word of a text that has several such lines, else None."""
    lines = [line.strip() for line in text.splitlines() if any(character.isalnum() for character in line)]
    return lines[-1] if len(lines) > 1 else None
