"""Names as people mean them (two spellings of one name are the same), and names that a file can have."""

import os
import unicodedata

__all__ = ["is_path", "name_key", "path_text"]


def name_key(name: str) -> str:
    """`name` in NFKC, case-folded, with runs of white space as one space and none at the ends.

    >>> name_key("  Ａna   MARÍA ")
    'ana maría'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def path_text(given: object) -> str | None:
    """The path that a string or a path-like object names; None where it is neither, or no file can have that path."""
    try:
        text = os.fspath(given)  # type: ignore[call-overload]  # what is no path raises
    except Exception:  # noqa: BLE001 - `__fspath__` is code of the caller's
        return None
    return text if isinstance(text, str) and is_path(text) else None


def is_path(text: str) -> bool:
    """Whether a file can have this path: not empty, no NUL, and nothing that the file system's encoding has not."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text
