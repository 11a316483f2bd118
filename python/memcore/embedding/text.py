"""What an embedder is handed in place of arbitrary text: bounded, and free of characters that models choke on."""

import re

__all__ = ["plain_text"]

_UNREADABLE = re.compile("[\0\ud800-\udfff]")


def plain_text(text: str, longest: int | None = None) -> str:
    """The first `longest` characters of `text`, with a space for each NUL and U+FFFD for each lone surrogate.

    A C library ends a string at NUL and would lose what follows; a lone surrogate cannot be written as UTF-8.
    """
    head = text if longest is None else text[:longest]
    return _UNREADABLE.sub(lambda found: " " if found[0] == "\0" else "\ufffd", head)
